"""The official MCP conformance runner against our server; `make conformance` runs it."""
