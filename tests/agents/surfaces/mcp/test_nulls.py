"""Null for an optional field: a framework that fills in every field is understood as it means it.

Over MCP and function calling it is the same as leaving the field out, wherever null has no meaning
of its own; by REST it is refused by name, as ever.
"""

import json

import pytest
from jsonschema import Draft202012Validator

from agents.contracts import REGISTRY, Fold
from agents.contracts.nulls import takes_null, without_nulls
from agents.contracts.schemas import SAYS_WHICH
from agents.errors import ToolError
from agents.models import ContextEntry, Receipt
from agents.surfaces.forms import FORMATS, list_tools
from agents.surfaces.mcp.profiles import PROFILES
from tests.agents.surfaces.forms.rules import parts
from tests.agents.surfaces.forms.test_forms import examples
from tests.cases import in_one_test
from tests.factories import EVERY_SCOPE

# A server answers in a thread of its own: what it is asked about has been committed.
served = pytest.mark.django_db(transaction=True)
SCHEMAS = ("inputSchema", "parameters", "input_schema")
TOOLS = {tool.name: tool for tool in REGISTRY.tools}


def fields_of(schema, root):
    """The properties of a self-contained schema, with its references followed."""
    ref = schema.get("$ref")
    schema = root["$defs"][ref.rpartition("/")[2]] if ref else schema
    return schema.get("properties", {}), schema.get("required", [])


def filled_in(arguments, schema, root):
    """What CrewAI sends: null for each optional field that is not given, at every depth."""
    fields, required = fields_of(schema, root)
    if not fields:
        return arguments
    filled = {}
    for name, own in fields.items():
        if name in arguments:
            one = arguments[name]
            filled[name] = filled_in(one, own, root) if isinstance(one, dict) else one
        elif name not in required and not takes_null(own, root):
            filled[name] = None
    return filled


@in_one_test("name", TOOLS)
def test_every_tool_takes_null_for_what_is_left_out(name):
    schema, example = REGISTRY.schemas_of(name)[0], TOOLS[name].example
    filled = filled_in(example, schema, schema)
    assert REGISTRY.leave_out_nulls(name, filled) == example
    as_read = REGISTRY.read_arguments(TOOLS[name], REGISTRY.leave_out_nulls(name, filled))
    assert as_read == REGISTRY.read_arguments(TOOLS[name], example)


@in_one_test("name", [one.name for one in REGISTRY if isinstance(one, Fold)])
def test_every_fold_takes_null_for_what_is_left_out(name):
    fold = REGISTRY.find(name)
    for example in examples(fold):
        own = fold.resolve(example).tool
        schema = REGISTRY.schemas_of(own.name)[0]
        inner = example.get(fold.inner, example) if fold.inner else example
        filled = {**filled_in(inner, schema, schema), **inner}
        whole = {**example, fold.inner: filled} if fold.inner else filled
        assert REGISTRY.leave_out_nulls(name, whole) == example


@in_one_test("name", TOOLS)
def test_null_for_what_is_required_is_refused_by_its_name(name):
    required = REGISTRY.schemas_of(name)[0].get("required", [])
    for field in required:
        if field == "value":
            continue
        given = {**TOOLS[name].example, field: None}
        left = REGISTRY.leave_out_nulls(name, given)
        with pytest.raises(ToolError) as refused:
            REGISTRY.read_arguments(TOOLS[name], left)
        assert refused.value.details["errors"][0]["pointer"].startswith(f"/{field}")


NULLED = {"status": None, "label": None, "updated_after": None, "limit": None, "cursor": None}


@served
def test_over_mcp_null_is_left_out(mcp, inbox, message):
    plain = {"inbox_id": inbox.public_id}
    expected = mcp.call("list_threads", plain, profile="mail")
    found = mcp.call("list_threads", {**plain, **NULLED}, profile="mail")
    assert found.structured_content == expected.structured_content
    hashes = Receipt.objects.order_by("-id").values_list("arguments_sha256", flat=True)[:2]
    assert len(set(hashes)) == 1


@served
def test_over_mcp_a_verb_takes_null_within_its_parameters(mcp, inbox):
    inner = {"account_id": inbox.account.public_id, "folder": None, "limit": None}
    result = mcp.call("list", {"resource": "emails", "parameters": inner})
    assert not result.is_error, result.content[0].text


@pytest.mark.django_db
@pytest.mark.parametrize("form", FORMATS)
def test_a_function_call_says_by_its_form_that_a_model_made_it(api, inbox, form):
    given = {"inbox_id": inbox.public_id, **NULLED}
    assert api.call(f"list_threads?format={form}", given).status_code == 200


@pytest.mark.django_db
def test_by_rest_null_is_refused_as_ever(api, inbox):
    answer = api.call("list_threads", {"inbox_id": inbox.public_id, **NULLED})
    assert answer.status_code == 400
    pointers = [one["pointer"] for one in answer.json()["details"]["errors"]]
    assert pointers == [f"/{name}" for name in NULLED]


@pytest.mark.django_db
def test_a_form_that_there_is_not_is_refused(api, inbox):
    answer = api.call("list_threads?format=cobol", {"inbox_id": inbox.public_id})
    assert answer.json()["details"]["errors"][0]["pointer"] == "/format"


@served
def test_null_is_a_value_where_a_value_is_asked_for(mcp, actor):
    pushed = {"agent_name": actor.name, "key": "k", "value": None, "subscribers": None, "ttl": None}
    result = mcp.call("push_context", pushed, profile="mesh")
    assert result.structured_content["value"] is None
    assert ContextEntry.objects.get().key == "k"


@served
def test_an_operation_of_a_batch_may_have_every_field_filled_in(mcp, actor):
    nulls = {"value": None, "subscribers": None, "ttl": None}
    operations = [
        {"type": "push", "key": "k", **nulls, "value": [1, {"a": None}]},
        {"type": "get", "key": "k", **nulls},
        {"type": "delete", "key": "k", **nulls},
    ]
    given = {"agent_name": actor.name, "operations": operations, "atomic": None}
    results = mcp.call("batch_context_operation", given, profile="mesh").structured_content
    assert results["success"] is True
    assert results["results"][1]["value"] == [1, {"a": None}]


@served
def test_what_null_clears_is_cleared_over_mcp_too(mcp, inbox):
    made = mcp.call("google_tasks_service", {
        "action": "create", "title": "Lamps", "due_at": "2026-03-02T12:00:00Z", "notes": None,
    }, profile="services")  # fmt: skip
    task = made.structured_content["data"]["task"]
    change = {"action": "update", "task_id": task["id"], "due_at": None, "title": None}
    changed = mcp.call("google_tasks_service", change, profile="services").structured_content
    assert changed["data"]["task"].get("due_at") is None
    assert changed["data"]["task"]["title"] == "Lamps"


SCHEMA = {
    "type": "object",
    "required": ["need"],
    "properties": {
        "need": {"type": "string"},
        "may": {"type": "string"},
        "clears": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "any": {},
        "either": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/inner"}]},
        "many": {"type": "array", "items": {"$ref": "#/$defs/inner"}},
        "open": {"type": "object"},
    },
    "$defs": {"inner": {"type": "object", "properties": {"a": {"type": "integer"}}}},
}


@in_one_test(
    ("given", "meant"),
    [
        ({"may": None}, {}),
        ({"need": None}, {"need": None}),
        ({"unknown": None}, {"unknown": None}),
        ({"clears": None, "any": None}, {"clears": None, "any": None}),
        ({"either": {"a": None}}, {"either": {}}),
        ({"either": None}, {}),
        ({"many": [{"a": None}, {"a": 1}, None]}, {"many": [{}, {"a": 1}, None]}),
        ({"open": {"a": None}, "any": [None]}, {"open": {"a": None}, "any": [None]}),
        ([None], [None]),
        (None, None),
        ({"may": {"may": None}, "many": {"a": None}}, {"may": {"may": None}, "many": {"a": None}}),
    ],
)
def test_only_a_null_that_says_nothing_is_left_out(given, meant):
    before = json.dumps(given)
    assert without_nulls(given, SCHEMA) == meant
    assert json.dumps(given) == before


@in_one_test("profile", PROFILES)
@in_one_test("form", ["mcp", "openai", "openai-responses", "anthropic"])
def test_every_field_of_every_tool_has_a_type(form, profile):
    """AutoGen refuses a whole list for one field without."""
    untyped = [
        (tool["name"], field)
        for tool in (
            it.get("function", it) for it in list_tools(form, PROFILES[profile], EVERY_SCOPE)
        )
        for one, _ in parts(next(tool[name] for name in SCHEMAS if name in tool))
        for field, inner in one.get("properties", {}).items()
        if not SAYS_WHICH & inner.keys()
    ]
    assert untyped == []


@in_one_test("value", [None, 1, 1.5, "x", True, [], [1, ["x"], {}], {"a": [None]}])
def test_a_field_that_takes_any_value_says_so_by_naming_them_all(value):
    tools = {tool["name"]: tool for tool in list_tools("mcp", PROFILES["mesh"], EVERY_SCOPE)}
    schema = tools["push_context"]["inputSchema"]
    Draft202012Validator(schema).validate({"agent_name": "Clerk", "key": "k", "value": value})
    assert [one["type"] for one in schema["properties"]["value"]["anyOf"]][-1] == "null"
