"""Tools as OpenAI's Chat Completions and Responses take them.

The rules stand in tests/agents/surfaces/forms/rules.py, with where they are from.
"""

from collections.abc import Sequence
from typing import Any

from agents.contracts.schemas import inlined
from agents.surfaces.forms.schemas import strict_form

# Also taken where the model has to keep to the schema.
_MORE = frozenset({"pattern", "format", "minimum", "maximum", "minItems", "maxItems"})


def chat_tools(described: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the value of `tools` for Chat Completions, from tools in MCP's form."""
    return [{"type": "function", "function": _unless_strict(_function(one))} for one in described]


def response_tools(described: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the value of `tools` for Responses, where `strict` has to be denied expressly."""
    return [{"type": "function", **_function(one)} for one in described]


def _unless_strict(function: dict[str, Any]) -> dict[str, Any]:
    """Return a function without `strict` where it is not: that is what Chat Completions assume."""
    return function if function["strict"] else {k: v for k, v in function.items() if k != "strict"}


def _function(described: dict[str, Any]) -> dict[str, Any]:
    schema = inlined(described["inputSchema"])
    strict = strict_form(schema, _MORE, fills_in=True)
    return {
        "name": described["name"],
        "description": described["description"],
        "parameters": schema if strict is None else strict,
        "strict": strict is not None,
    }
