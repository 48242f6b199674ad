"""The edges at which clients arrive: REST, MCP, OpenAPI, streams, LangGraph, files."""
