"""The list of tools in the forms of vendors: each is taken by the vendor's rules."""

import copy
import json

import pytest
from anthropic.lib._parse._transform import transform_schema
from anthropic.types import ToolParam
from jsonschema import Draft202012Validator
from openai.types.chat import ChatCompletionToolParam
from openai.types.responses import FunctionToolParam
from pydantic import ConfigDict, TypeAdapter, with_config

from agents.contracts import REGISTRY, Fold
from agents.contracts.schemas import inlined
from agents.surfaces.forms import list_tools
from agents.surfaces.forms.schemas import strict_form
from agents.surfaces.mcp.profiles import PROFILES
from tests.agents.surfaces.forms import rules
from tests.cases import in_one_test
from tests.factories import EVERY_SCOPE

each_profile = in_one_test("profile", PROFILES.values())


def forms(form, profile):
    return list_tools(form, profile, EVERY_SCOPE)


def parameters_of(tool):
    function = tool.get("function", tool)
    return function.get("parameters") or function["input_schema"]


@each_profile
@in_one_test("form", ["openai", "openai-responses"])
def test_openai_takes_every_tool(profile, form):
    tools = forms(form, profile)
    assert 0 < len(tools) <= rules.OPENAI_TOOLS
    wrong = {
        function["name"]: found
        for function in (tool.get("function", tool) for tool in tools)
        if (found := list(rules.breaks_openai(function)))
    }
    assert wrong == {}


@each_profile
def test_anthropic_takes_every_tool(profile):
    tools = forms("anthropic", profile)
    wrong = {tool["name"]: list(rules.breaks_anthropic(tool)) for tool in tools}
    assert {name: found for name, found in wrong.items() if found} == {}
    strict = [tool for tool in tools if tool.get("strict")]
    assert len(strict) <= rules.ANTHROPIC_STRICT_TOOLS


@each_profile
def test_anthropic_s_own_code_would_change_no_strict_schema(profile):
    for tool in forms("anthropic", profile):
        if tool.get("strict"):
            schema = copy.deepcopy(tool["input_schema"])
            changed = transform_schema(schema)
            assert _without_types_of_values(changed) == _without_types_of_values(schema)


def _without_types_of_values(schema):
    """A value says of which type it is."""
    if isinstance(schema, list):
        return [_without_types_of_values(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    dropped = {"type"} if {"enum", "const"} & schema.keys() else set()
    return {
        name: _without_types_of_values(one) for name, one in schema.items() if name not in dropped
    }


@each_profile
def test_the_sdks_types_take_the_lists(profile):
    for kind, form in (
        (ChatCompletionToolParam, "openai"), (FunctionToolParam, "openai-responses"),
        (ToolParam, "anthropic"),
    ):  # fmt: skip
        TypeAdapter(list[with_config(ConfigDict(extra="forbid"))(kind)]).validate_python(
            forms(form, profile)
        )


@each_profile
@in_one_test("form", ["openai", "openai-responses", "anthropic"])
def test_a_form_takes_what_the_tool_takes(profile, form):
    """It may take more: the tool has the last word. What is left out is null where it is strict."""
    for tool in forms(form, profile):
        function = tool.get("function", tool)
        declared = REGISTRY.find(function["name"])
        schema = parameters_of(tool)
        validator = Draft202012Validator(schema)
        for example in examples(declared):
            validator.validate(filled_in(example, schema) if function.get("strict") else example)


def filled_in(given, schema):
    """What a model gives that has to give every field: null for what it leaves out."""
    if isinstance(given, list):
        return [filled_in(one, schema["items"]) for one in given] if "items" in schema else given
    if not isinstance(given, dict):
        return given
    options = [one for one in schema.get("anyOf", [schema]) if one.get("type") == "object"]
    meant = next(one for one in options if set(given) <= set(one.get("properties", ())))
    return {name: filled_in(given.get(name), _of_kind(given.get(name), one))
            for name, one in meant["properties"].items()}  # fmt: skip


def _of_kind(given, schema):
    kind = "array" if isinstance(given, list) else "object"
    options = [one for one in schema.get("anyOf", [schema]) if one.get("type") == kind]
    return options[0] if len(options) == 1 else {**schema}


@each_profile
@in_one_test("form", ["openai", "openai-responses"])
def test_what_a_strict_model_gives_is_what_it_would_give_without(profile, form):
    """Null for what it leaves out means what leaving it out means, so that strict is no lie."""
    for tool in forms(form, profile):
        function = tool.get("function", tool)
        if function.get("strict"):
            for example in examples(REGISTRY.find(function["name"])):
                given = filled_in(example, parameters_of(tool))
                kept = REGISTRY.leave_out_nulls(function["name"], given)
                assert understood(function["name"], kept) == understood(function["name"], example)


def understood(name, arguments):
    tool, own, _ = REGISTRY.find(name).resolve(arguments)
    return REGISTRY.read_arguments(tool, own)


def examples(declared):
    yield declared.example
    if isinstance(declared, Fold):
        for value, branch in declared.branches.items():
            own = {n: one for n, one in branch.tool.example.items() if n not in branch.preset}
            inner = {declared.inner: own} if declared.inner else own
            yield {declared.discriminator: value, **inner}


@each_profile
def test_the_exact_schemas_are_self_contained(profile):
    for tool in forms("jsonschema", profile):
        for schema in (tool["input_schema"], tool["output_schema"]):
            Draft202012Validator.check_schema(schema)
            assert '"neuralmail/' not in json.dumps(schema).replace('"$id": "neuralmail/', "")


@each_profile
def test_a_token_is_shown_what_it_may_call_and_no_more(profile):
    for scope in sorted({tool.scope for tool in REGISTRY.tools}):
        shown = {tool["name"] for tool in list_tools("anthropic", profile, frozenset({scope}))}
        may = {one.name for one in profile.declared if scope in one.scopes or not one.scopes}
        assert shown == may


def test_strict_is_had_wherever_null_can_stand_for_what_is_left_out():
    tools = {tool["name"]: tool for name in PROFILES if name != "unified"
             for tool in forms("openai-responses", PROFILES[name])}  # fmt: skip
    loose = {name for name, tool in tools.items() if not tool["strict"]}
    # Null clears a field of these, and any JSON is a value of those; the verbs are to be short.
    clearing = {"contact_update", "google_tasks_service", "internal_scheduler_service",
                "query_activities", "query_people"}  # fmt: skip
    assert loose == clearing | {"cache_task_enqueue", "push_context", "batch_context_operation"}
    assert tools["email_reply"]["parameters"]["properties"]["confirm"]["const"] is True
    folder = tools["email_list"]["parameters"]["properties"]["folder"]
    assert {"type": "null"} in folder["anyOf"]
    assert "folder" in tools["email_list"]["parameters"]["required"]


@in_one_test(
    ("optional", "filled"),
    [
        ({"type": "string", "default": "x"}, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        ({"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
         {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, None),
        ({"type": "string", "description": "d"},
         {"description": "d", "anyOf": [{"type": "string"}, {"type": "null"}]}),
    ],
)  # fmt: skip
def test_an_optional_field_may_be_null_unless_that_means_something(optional, filled):
    schema = {"type": "object", "properties": {"a": optional}, "additionalProperties": False}
    found = strict_form(schema, fills_in=True)
    assert found == (filled and {**schema, "properties": {"a": filled}, "required": ["a"]})


OPEN = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
SHUT = {**OPEN, "additionalProperties": False}


@in_one_test(
    ("schema", "is_strict"),
    [
        (SHUT, True),
        (OPEN, False),
        ({**SHUT, "required": []}, False),
        ({**SHUT, "properties": {"a": {}}}, False),
        ({**SHUT, "properties": {"a": OPEN}}, False),
        ({**SHUT, "properties": {"a": {"type": "array"}}}, False),
        ({**SHUT, "properties": {"a": {"type": "array", "items": OPEN}}}, False),
        ({**SHUT, "properties": {"a": {"anyOf": [{"type": "null"}, SHUT]}}}, True),
        ({**SHUT, "properties": {"a": {"type": ["string", "null"]}}}, False),
        ({"type": "object", "properties": {}, "additionalProperties": False}, True),
    ],
)
def test_strict_is_claimed_only_where_it_holds(schema, is_strict):
    assert (strict_form(schema) is not None) == is_strict


def test_a_strict_schema_takes_more_and_never_less():
    schema = {**SHUT, "properties": {"a": {"type": "string", "minLength": 3, "pattern": "x"}}}
    assert strict_form(schema)["properties"] == {"a": {"type": "string"}}
    kept = strict_form(schema, frozenset({"pattern"}))
    assert kept["properties"] == {"a": {"type": "string", "pattern": "x"}}


def test_what_is_referred_to_stands_in_place():
    schema = {"properties": {"a": {"$ref": "#/$defs/x", "description": "d"}},
              "$defs": {"x": {"type": "array", "items": {"$ref": "#/$defs/y"}}, "y": {"type": "null"}}}  # fmt: skip
    assert inlined(schema) == {
        "properties": {"a": {"type": "array", "items": {"type": "null"}, "description": "d"}}
    }


def test_a_schema_that_refers_to_itself_is_refused():
    schema = {"$ref": "#/$defs/x", "$defs": {"x": {"items": {"$ref": "#/$defs/x"}}}}
    with pytest.raises(ValueError, match="refers to itself"):
        inlined(schema)
