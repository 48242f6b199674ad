"""The edges at which clients arrive: REST, MCP, A2A, OpenAPI, streams, LangGraph, files."""
