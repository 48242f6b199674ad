"""How messages of MCP arrive and leave: over HTTP and over standard streams."""
