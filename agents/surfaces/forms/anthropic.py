"""Tools as Anthropic's Messages take them.

The rules stand in tests/agents/surfaces/forms/rules.py, with where they are from.
"""

from collections.abc import Sequence
from typing import Any

from agents.contracts.schemas import inlined
from agents.surfaces.forms.schemas import strict_form

# So many tools of a request may be strict.
_MOST_STRICT = 20


def message_tools(described: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the value of `tools` for Messages, from tools in MCP's form."""
    tools, strict_ones = [], 0
    for one in described:
        schema = inlined(one["inputSchema"])
        strict = strict_form(schema) if strict_ones < _MOST_STRICT else None
        tool = {"name": one["name"], "description": one["description"], "input_schema": schema}
        if strict is not None:
            strict_ones += 1
            tool |= {"input_schema": strict, "strict": True}
        tools.append(tool)
    return tools
