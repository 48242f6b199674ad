"""What holds for every tool, whichever it is."""

import inspect
import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel

from agents.approval.plan import Plan
from agents.contracts import REGISTRY, RESOURCES, Effect, Registry, tool
from agents.contracts.fields import Closed
from agents.contracts.schemas import bundled
from tests.cases import in_one_test

PRINTED = Path(__file__).parent
PRINTED_FILES = sorted(PRINTED.glob("*.json"))
each_tool = in_one_test("name", [tool.name for tool in REGISTRY])
MAIL = {
    "list_threads", "get_thread", "search_inbox", "triage_message", "extract_to_schema",
    "draft_reply_with_policy", "send_reply",
}  # fmt: skip
CONCIERGE = {"classify_activity", "update_activities", "query_activities", "query_people"}


def objects(schema):
    """Every schema of an object within a schema."""
    if isinstance(schema, dict):
        if schema.get("type") == "object" and "properties" in schema:
            yield schema
        for value in schema.values():
            yield from objects(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from objects(value)


def test_every_tool_of_the_contracts_is_there():
    families = {tool.name: tool.family for tool in REGISTRY}
    assert {name for name, family in families.items() if family == "mail"} == MAIL
    assert {name for name, family in families.items() if family == "concierge"} == CONCIERGE
    assert {"list_approvals", "get_approval"} <= families.keys()


@in_one_test("path", PRINTED_FILES)
def test_a_printed_schema_is_served_exactly_as_printed(path):
    printed = json.loads(path.read_text())
    assert REGISTRY.documents[printed["$id"]] == printed


def test_the_printed_schemas_are_all_those_of_the_mail_contract():
    ours = {schema_id for schema_id in REGISTRY.documents if schema_id.startswith("neuralmail/")}
    assert {json.loads(path.read_text())["$id"] for path in PRINTED_FILES} == ours
    assert len(ours) == 20


@each_tool
def test_the_schemas_are_valid_and_need_no_other_document(name):
    takes, gives = REGISTRY.schemas_of(name)
    # One vendor refuses a whole list for one such root.
    assert takes["type"] == "object"
    assert not {"oneOf", "anyOf", "allOf"} & takes.keys()
    for schema in (takes, gives):
        Draft202012Validator.check_schema(schema)
        refs = [line for line in json.dumps(schema).split('"') if line.startswith("neuralmail/")]
        assert refs == []


@each_tool
def test_every_object_is_closed(name):
    found = REGISTRY.find(name)
    # What lists show of a verb may take more: it is to be short.
    takes = bundled(found.exact_schemas[0], REGISTRY.documents)
    for schema in (takes, REGISTRY.schemas_of(name)[1]):
        for inner in objects(schema):
            assert inner["additionalProperties"] is False


@each_tool
def test_a_tool_says_what_it_does_and_has_an_example_by_its_own_contract(name):
    found = REGISTRY.find(name)
    assert len(found.description) > 40
    assert found.example or not found.input_schema.get("properties")
    tool, own, _ = found.resolve(found.example)
    assert isinstance(REGISTRY.read_arguments(tool, own), BaseModel)
    Draft202012Validator(REGISTRY.schemas_of(name)[0]).validate(found.example)


def test_the_scope_is_domain_and_effect():
    for found in REGISTRY.tools:
        assert found.scope == f"{found.domain}:{found.effect.value}"


def test_the_scopes_are_those_that_were_agreed():
    scopes = {found.name: found.scope for found in REGISTRY.tools}
    assert scopes["send_reply"] == "comms:send"
    assert scopes["list_threads"] == scopes["extract_to_schema"] == "inbox:read"
    assert scopes["draft_reply_with_policy"] == "inbox:write"
    assert scopes["update_activities"] == "storage:write"
    assert scopes["query_people"] == "storage:read"
    assert scopes["list_approvals"] == "control_plane:read"


def test_whatever_sends_returns_a_plan_that_sends():
    for found in REGISTRY.tools:
        assert found.effect is not Effect.SEND or found.sends
        assert found.sends <= found.asks_a_person
        assert list(inspect.signature(found.run).parameters) == ["actor", "args"]


class Nothing(Closed):
    pass


def declare(registry, **changes):
    @tool(
        **{
            "family": "house",
            "domain": "time",
            "effect": Effect.READ,
            "registry": registry,
            **changes,
        }
    )
    def tell_nothing(actor, args: Nothing) -> Nothing:
        """Tell nothing at all."""
        return args


def test_two_tools_of_one_name_are_refused():
    registry = Registry()
    declare(registry)
    with pytest.raises(ValueError, match="two tools"):
        declare(registry)


def test_a_frozen_registry_takes_nothing_more():
    registry = Registry()
    registry.freeze()
    with pytest.raises(ValueError, match="too late"):
        declare(registry)
    assert REGISTRY.frozen
    assert RESOURCES.frozen


def test_a_tool_without_a_docstring_is_refused():
    with pytest.raises(ValueError, match="no docstring"):

        @tool(family="house", domain="time", effect=Effect.READ, registry=Registry())
        def mute(actor, args: Nothing) -> Nothing:
            return args


def test_an_unknown_domain_is_refused():
    with pytest.raises(ValueError, match="none of the domains"):
        declare(Registry(), domain="weather")


class Nobody(Plan[Nothing]):
    def apply(self) -> Nothing:
        return Nothing()


def test_a_sending_tool_without_a_plan_is_refused():
    with pytest.raises(ValueError, match="plan that sends"):
        declare(Registry(), effect=Effect.SEND)


@pytest.mark.parametrize(
    ("effect", "words"), [(Effect.SEND, "plan that sends"), (Effect.READ, "asks nobody")]
)
def test_a_plan_that_does_not_fit_the_effect_is_refused(effect, words):
    with pytest.raises(ValueError, match=words):

        @tool(family="house", domain="time", effect=effect, registry=Registry())
        def tell_nobody(actor, args: Nothing) -> Nobody:
            """Tell nobody."""
            return Nobody()


def test_a_plan_that_does_not_say_what_it_answers_is_refused():
    class Mute(Nobody):
        pass

    with pytest.raises(ValueError, match="what it answers"):

        @tool(family="house", domain="time", effect=Effect.WRITE, registry=Registry())
        def tell_nobody(actor, args: Nothing) -> Mute:
            """Tell nobody."""
            return Mute()
