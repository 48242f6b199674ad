"""The tools and resources over the Model Context Protocol: HTTP at `/mcp`, and stdio."""
