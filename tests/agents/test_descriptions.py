"""Every argument is described, in the contract's own words where the contract prints some."""

import json
from pathlib import Path

import pytest

from agents.contracts import REGISTRY
from agents.surfaces.forms import list_tools
from agents.surfaces.mcp.profiles import find_profile

PRINTED_FILES = sorted((Path(__file__).parent / "contracts" / "mesh").glob("*.json"))
DESCRIBED = [tool.name for tool in REGISTRY.tools if tool.family != "mail"]
SCOPES = frozenset(tool.scope for tool in REGISTRY.tools)
INPUT = {
    "openai": lambda one: one["function"]["parameters"],
    "openai-responses": lambda one: one["parameters"],
    "anthropic": lambda one: one["input_schema"],
    "mcp": lambda one: one["inputSchema"],
    "jsonschema": lambda one: one["input_schema"],
}


def fields(schema, path=""):
    """Every field of an object with its schema, those of inner objects after theirs."""
    for name, field in schema.get("properties", {}).items():
        yield f"{path}{name}", field
        for form in field.get("anyOf", [field]):
            yield from fields(form, f"{path}{name}.")
            for item in form.get("items", {}).get("anyOf", [form.get("items", {})]):
                yield from fields(item, f"{path}{name}[].")


def words_of(schema):
    return {path: field.get("description", "") for path, field in fields(schema)}


@pytest.mark.parametrize("name", DESCRIBED)
def test_no_field_is_without_a_description(name):
    assert [path for path, said in words_of(REGISTRY.schemas_of(name)[0]).items() if not said] == []


@pytest.mark.parametrize("form", INPUT)
@pytest.mark.parametrize("path", PRINTED_FILES, ids=lambda path: path.stem)
def test_what_the_mesh_contract_prints_is_said_word_for_word(path, form):
    printed = json.loads(path.read_text())
    listed = list_tools(form, find_profile("mesh"), SCOPES)
    (one,) = [
        it for it in listed if it.get("name", it.get("function", {}).get("name")) == printed["name"]
    ]
    description = one["function"]["description"] if form == "openai" else one["description"]
    assert description.startswith(printed["description"])
    said, wanted = words_of(INPUT[form](one)), words_of(printed["parameters"])
    assert wanted
    assert {path: said.get(path) for path in wanted} == wanted


def test_the_mesh_contract_prints_39_descriptions():
    printed = [json.loads(path.read_text())["parameters"] for path in PRINTED_FILES]
    assert sum(1 for one in printed for said in words_of(one).values() if said) == 39


def test_what_the_concierge_contract_says_of_a_classification_is_said_word_for_word():
    said = words_of(REGISTRY.schemas_of("update_activities")[0])
    inside = "updates.classification"
    assert said[f"{inside}.reasoning"] == "why this classification"
    assert said[f"{inside}.option_framing"] == "how to present if surfaced"
    assert said[f"{inside}.suggested_actions"] == "1-3 concrete actions user could take"


# The form of JSON Schema has a branch for each resource instead.
@pytest.mark.parametrize("form", [form for form in INPUT if form != "jsonschema"])
def test_what_the_unified_contract_says_of_its_envelope_is_said_word_for_word(form):
    listed = list_tools(form, find_profile("unified"), SCOPES)
    envelopes = [
        one
        for one in map(INPUT[form], listed)
        if {"resource", "parameters"} <= set(one["properties"])
    ]
    assert len(envelopes) == 11
    for one in envelopes:
        resource, parameters = (one["properties"][name] for name in ("resource", "parameters"))
        assert resource["description"].startswith(
            "discriminator that selects the target entity or operation flavor."
        )
        assert parameters["description"] == (
            "the exact payload validated by the current individual schema for that operation."
        )
