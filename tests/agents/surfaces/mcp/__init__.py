"""MCP against a real server, with the SDK's own client."""
