"""Tools as Amazon Bedrock's Converse takes them.

The rules stand in tests/agents/surfaces/forms/rules.py, with where they are from.
"""

from collections.abc import Sequence
from typing import Any

from agents.contracts.schemas import inlined

# What Amazon's own models take at the root of a schema.
_AT_ROOT = ("type", "properties", "required")


def converse_tools(described: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the value of `toolConfig.tools` for Converse, from tools in MCP's form."""
    return [{"toolSpec": _spec(one)} for one in described]


def _spec(described: dict[str, Any]) -> dict[str, Any]:
    schema = inlined(described["inputSchema"])
    root = {name: schema[name] for name in _AT_ROOT if name in schema}
    return {
        "name": described["name"],
        "description": described["description"],
        "inputSchema": {"json": root},
    }
