"""The anchor of calls over MCP: a server of the SDK whose one tool gives back what it gets."""

from mcp.server.mcpserver import MCPServer

server = MCPServer("echo", log_level="WARNING")


@server.tool()
def echo(text: str) -> str:
    """Return the text."""
    return text


# An answer in JSON to each request, and nothing kept between them, as ours are.
app = server.streamable_http_app(stateless_http=True, json_response=True)
