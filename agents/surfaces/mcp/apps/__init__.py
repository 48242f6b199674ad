"""MCP Apps: a card of a proposal, which hosts show beside the call; deciding is on our page."""
