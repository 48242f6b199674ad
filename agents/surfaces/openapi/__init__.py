"""The OpenAPI document: what it says of every address."""
