"""The list of tools in the forms of several vendors, from the registry alone."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from agents.contracts import REGISTRY, Declared
from agents.contracts.schemas import bundled
from agents.surfaces.forms.anthropic import message_tools
from agents.surfaces.forms.bedrock import converse_tools
from agents.surfaces.forms.gemini import gemini_tools
from agents.surfaces.forms.openai import chat_tools, response_tools
from agents.surfaces.mcp.listing import describe
from agents.surfaces.mcp.profiles import Profile, allowed

Form: TypeAlias = dict[str, Any]


def _as_mcp(declared: Sequence[Declared]) -> list[Form]:
    return [describe(one, REGISTRY.documents) for one in declared]


def _as_json_schema(declared: Sequence[Declared]) -> list[Form]:
    """Return exactly what is taken and given, which for several tools in one is a union."""
    return [
        {
            "name": one.name,
            "description": one.description,
            "input_schema": bundled(one.exact_schemas[0], REGISTRY.documents),
            "output_schema": bundled(one.exact_schemas[1], REGISTRY.documents),
        }
        for one in declared
    ]


FORMATS: dict[str, Callable[[Sequence[Declared]], list[Form]]] = {
    "openai": lambda declared: chat_tools(_as_mcp(declared)),
    "openai-responses": lambda declared: response_tools(_as_mcp(declared)),
    "anthropic": lambda declared: message_tools(_as_mcp(declared)),
    "gemini": lambda declared: gemini_tools(_as_mcp(declared)),
    "bedrock": lambda declared: converse_tools(_as_mcp(declared)),
    "mcp": _as_mcp,
    "jsonschema": _as_json_schema,
}


def list_tools(
    form: str, profile: Profile, scopes: frozenset[str], only: frozenset[str] = frozenset()
) -> list[Form]:
    """Return the tools of a profile that a token of these scopes may call, in one of `FORMATS`.

    `only` are the tools that the token is for; empty: whichever its scopes open.
    """
    return FORMATS[form](allowed(profile, scopes, only))
