"""What the runner's scenarios call by name, served by the same code as our own tools.

Only what our tools do as well is here: they answer with JSON, refuse, and wait for a person.
"""

from typing import Any

from agents.approval.plan import Plan
from agents.contracts import REGISTRY as OURS
from agents.contracts import Effect, Registry, ToolError, tool
from agents.contracts.fields import Closed
from agents.surfaces.mcp.profile_names import FAMILIES
from agents.surfaces.mcp.profiles import PROFILES, Profile
from agents.surfaces.mcp.prompts import PROMPTS
from inbox.actor import Actor
from inbox.reasons import own

REGISTRY = Registry(OURS.documents)
# Stands for itself among the documents, so that what refers to its own `$defs` finds them.
_SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


class Nothing(Closed):
    """No arguments."""


class Said(Closed):
    """What the scenarios want to read."""

    text: str


@tool(family="house", domain="inbox", effect=Effect.READ, registry=REGISTRY)
def test_simple_text(actor: Actor, args: Nothing) -> Said:
    """Answer with a text."""
    return Said(text="This is a simple text response for testing.")


@tool(family="house", domain="inbox", effect=Effect.READ, registry=REGISTRY)
def test_error_handling(actor: Actor, args: Nothing) -> Said:
    """Refuse, whatever is asked."""
    raise ToolError("conflict", "This tool intentionally returns an error for testing")


@tool(family="house", domain="inbox", effect=Effect.READ, registry=REGISTRY)
def test_logging_tool(actor: Actor, args: Nothing) -> Said:
    """Answer, and log nothing to the client."""
    return Said(text="done")


@tool(family="house", domain="inbox", effect=Effect.READ, registry=REGISTRY)
def test_streaming_elicitation(actor: Actor, args: Nothing) -> Said:
    """Answer, and ask the client nothing on the way."""
    return Said(text="done")


class Held(Plan[Said]):
    """Waits for a person."""

    needs_person = own("The scenario wants it held.")

    def apply(self) -> Said:
        """Say that it was approved."""
        return Said(text="approved")


@tool(family="house", domain="inbox", effect=Effect.WRITE, registry=REGISTRY)
def test_input_required_result_tampered_state(actor: Actor, args: Nothing) -> Held:
    """Wait for a person."""
    return Held()


@tool(family="house", domain="inbox", effect=Effect.READ, registry=REGISTRY)
def json_schema_2020_12_tool(actor: Actor, args: Nothing) -> Said:
    """Has a schema with every keyword that the scenario looks for."""
    return Said(text="done")


def add_profile() -> None:
    """Serve them at `/mcp/conformance`, with two prompts."""
    words = {"arg1": "The first", "arg2": "The second"}
    text = "Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"
    PROMPTS["test_prompt_with_arguments"] = ("A prompt with arguments.", words, text)
    PROMPTS["test_simple_prompt"] = ("A simple prompt.", {}, "This is a simple prompt for testing.")
    declared = REGISTRY.tool("json_schema_2020_12_tool")
    object.__setattr__(declared, "input_schema", _SCHEMA)
    REGISTRY.publish("", lambda: _SCHEMA)
    REGISTRY.freeze()
    FAMILIES["conformance"] = "conformance"
    PROFILES["conformance"] = Profile("conformance", REGISTRY, lambda _: True)
