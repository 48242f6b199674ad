"""The forms for Google's and Amazon's models: each tool is taken, and takes what ours takes."""

import pytest
from botocore.loaders import Loader
from botocore.model import ServiceModel
from botocore.validate import ParamValidator
from jsonschema import Draft202012Validator

from agents.contracts import REGISTRY
from agents.surfaces.forms import list_tools
from agents.surfaces.forms.gemini import gemini_tools
from agents.surfaces.mcp.profiles import PROFILES
from tests.agents.surfaces.forms import rules
from tests.agents.surfaces.forms.test_forms import examples
from tests.cases import in_one_test
from tests.factories import EVERY_SCOPE

each_profile = in_one_test("profile", PROFILES.values())


def declarations(profile):
    (tool,) = list_tools("gemini", profile, EVERY_SCOPE)
    return tool["functionDeclarations"]


@each_profile
def test_gemini_takes_every_tool(profile):
    functions = declarations(profile)
    assert {one["name"] for one in functions} == {one.name for one in profile.declared}
    wrong = {one["name"]: list(rules.breaks_gemini(one)) for one in functions}
    assert {name: found for name, found in wrong.items() if found} == {}


@each_profile
def test_bedrock_takes_every_tool(profile):
    tools = list_tools("bedrock", profile, EVERY_SCOPE)
    wrong = {one["toolSpec"]["name"]: list(rules.breaks_bedrock(one)) for one in tools}
    assert {name: found for name, found in wrong.items() if found} == {}
    model = ServiceModel(Loader().load_service_model("bedrock-runtime", "service-2"))
    request = {"modelId": "x", "toolConfig": {"tools": tools}}
    report = ParamValidator().validate(request, model.operation_model("Converse").input_shape)
    assert not report.has_errors(), report.generate_report()


@each_profile
def test_the_forms_take_what_the_tool_takes(profile):
    """They may take more: the tool has the last word."""
    for function in declarations(profile):
        schema = function.get("parametersJsonSchema") or as_json_schema(
            function.get("parameters", {"type": "OBJECT"})
        )
        for example in examples(REGISTRY.find(function["name"])):
            Draft202012Validator(schema).validate(example)
    for tool in list_tools("bedrock", profile, EVERY_SCOPE):
        spec = tool["toolSpec"]
        for example in examples(REGISTRY.find(spec["name"])):
            Draft202012Validator(spec["inputSchema"]["json"]).validate(example)


def as_json_schema(schema):
    """Return a schema of Gemini's as one of JSON Schema that means the same."""
    told = {name: one for name, one in schema.items() if name not in {"nullable", "format"}}
    if "type" in told:
        kind = told["type"].lower()
        told["type"] = [kind, "null"] if schema.get("nullable") else kind
    if "anyOf" in told:
        told["anyOf"] = [as_json_schema(one) for one in told["anyOf"]]
    if "items" in told:
        told["items"] = as_json_schema(told["items"])
    if "properties" in told:
        fields = told["properties"].items()
        told["properties"] = {name: as_json_schema(one) for name, one in fields}
    return told


def declare(properties, **more):
    schema = {"type": "object", "properties": properties, **more}
    (tool,) = gemini_tools([{"name": "x", "description": "d", "inputSchema": schema}])
    return tool["functionDeclarations"][0]


@pytest.mark.parametrize(
    ("field", "told"),
    [
        ({"type": "string", "format": "uri", "default": "x"}, {"type": "STRING"}),
        ({"type": "string", "format": "date-time"}, {"type": "STRING", "format": "date-time"}),
        ({"enum": ["a", "b"]}, {"type": "STRING", "format": "enum", "enum": ["a", "b"]}),
        ({"const": True}, {"type": "BOOLEAN"}),
        ({"type": "integer", "enum": [1, 2], "minimum": 1}, {"type": "INTEGER", "minimum": 1}),
        (
            {"anyOf": [{"type": "string"}, {"type": "null"}], "description": "d"},
            {"type": "STRING", "description": "d", "nullable": True},
        ),
        (
            {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "null"}], "description": "d"},
            {"anyOf": [{"type": "STRING", "description": "d", "nullable": True}, {"type": "NUMBER"}]},
        ),
        (
            {"type": "array", "items": {"type": "string"}, "minItems": 1},
            {"type": "ARRAY", "items": {"type": "STRING"}, "minItems": 1},
        ),
    ],
)  # fmt: skip
def test_a_field_is_told_in_gemini_s_words(field, told):
    assert declare({"a": field})["parameters"]["properties"]["a"] == told


@pytest.mark.parametrize("field", [{}, {"type": "object"}, {"type": "array", "items": {}}])
def test_what_takes_any_json_is_told_in_json_schema(field):
    declared = declare({"a": field}, required=["a"])
    assert "parameters" not in declared
    assert declared["parametersJsonSchema"]["required"] == ["a"]


def test_a_tool_without_fields_has_no_parameters():
    assert declare({}) == {"name": "x", "description": "d"}


def test_where_a_token_may_call_nothing_there_is_no_tool():
    assert gemini_tools([]) == []
