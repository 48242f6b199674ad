"""Calls made up from the OpenAPI document: no answer is a 5xx, and each is as the document says."""
