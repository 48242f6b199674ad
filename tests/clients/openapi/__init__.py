"""The OpenAPI document before public linters, and the clients that public generators make of it."""
