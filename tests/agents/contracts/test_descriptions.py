"""Every argument is described, in the contract's own words where the contract prints some."""

import json
from pathlib import Path

import pytest
import yaml

from agents.contracts import REGISTRY, RESOURCES, words
from agents.resources.control.decisions import DECISIONS
from agents.surfaces.exchange import EXCHANGE
from agents.surfaces.forms import list_tools
from agents.surfaces.mcp.profiles import PROFILES, find_profile
from agents.surfaces.openapi.document import openapi_document
from tests.cases import in_one_test

PRINTED_FILES = sorted((Path(__file__).parent / "mesh").glob("*.json"))
SCOPES = frozenset(tool.scope for tool in REGISTRY.tools)
INPUT = {
    "openai": lambda one: one["function"]["parameters"],
    "openai-responses": lambda one: one["parameters"],
    "anthropic": lambda one: one["input_schema"],
    "mcp": lambda one: one["inputSchema"],
    "jsonschema": lambda one: one["input_schema"],
}


def fields(schema, path="", shared=None, inside=()):
    """Every field of an object with its schema, those of inner objects after theirs."""
    shared = schema.get("$defs", {}) if shared is None else shared
    name = schema.get("$ref", "").rpartition("/")[2]
    if name and name not in inside:
        yield from fields(shared[name], path, shared, (*inside, name))
    for field, inner in schema.get("properties", {}).items():
        yield f"{path}{field}", inner
        yield from fields(inner, f"{path}{field}.", shared, inside)
    for form in [one for key in ("anyOf", "oneOf", "allOf") for one in schema.get(key, [])]:
        yield from fields(form, path, shared, inside)
    if "items" in schema:
        yield from fields(schema["items"], f"{path[:-1]}[]." if path else "[].", shared, inside)


def words_of(schema):
    return {path: field.get("description", "") for path, field in fields(schema)}


def without_words(schema):
    return [
        path for path, field in fields(schema)
        # What chooses a branch, or is fixed by it, is a constant.
        if not field.get("description") and not set(field) <= {"const", "enum"}
        # The verbs say in signatures what their resources take.
        and not (path.startswith("parameters.") and "resource" in schema["properties"])
    ]  # fmt: skip


@pytest.mark.parametrize("registry", [REGISTRY, RESOURCES], ids=["tools", "resources"])
def test_no_field_that_is_taken_or_answered_is_without_a_description(registry):
    names = [*(one.name for one in registry.tools), *(one.name for one in registry)]
    silent = {(name, path) for name in names for schema in registry.schemas_of(name)
              for path in without_words(schema)}  # fmt: skip
    assert silent == set()


@in_one_test("form", INPUT)
@in_one_test("profile", PROFILES)
def test_no_field_is_without_a_description_in_any_form_of_the_list(form, profile):
    listed = list_tools(form, find_profile(profile), SCOPES)
    schemas = [INPUT[form](one) for one in listed]
    schemas += [
        one[key] for one in listed for key in ("outputSchema", "output_schema") if key in one
    ]
    silent = [path for schema in schemas for path in without_words(schema)]
    assert silent == []


def test_no_field_is_without_a_description_in_openapi():
    document = openapi_document()
    shared = document["components"]["schemas"]
    silent = {
        (name, path)
        for name, schema in shared.items()
        for path in without_words({**schema, "$defs": shared})
    }
    assert silent == set()
    parameters = [
        one
        for operations in document["paths"].values()
        for operation in operations.values()
        for one in operation.get("parameters", [])
    ]
    assert len(parameters) > 200
    assert [one["name"] for one in parameters if not (
        one.get("description") or one["schema"].get("description")
    )] == []  # fmt: skip


def test_a_printed_document_has_no_words_of_ours():
    printed = [one for one in REGISTRY.documents if one.startswith("neuralmail/")]
    assert printed
    for name in printed:
        assert "description" not in json.dumps(REGISTRY.documents[name])


def test_every_word_is_of_a_field_that_there_is():
    """What is said of a name that nothing has any more is left out of the list."""
    shared = openapi_document()["components"]["schemas"]
    named = {"arguments": set(), "answers": set(_names(shared))}
    for registry in (REGISTRY, RESOURCES, DECISIONS, EXCHANGE):
        for tool in registry.tools:
            for kind, schema in zip(named, registry.schemas_of(tool.name), strict=True):
                named[kind] |= set(_names({tool.name: schema}))
    said = yaml.safe_load((Path(words.__file__).parent / "words.yaml").read_text())
    unknown = {kind: set(said[kind]) - named[kind] for kind in named}
    assert unknown == {"arguments": set(), "answers": set()}
    verbs = [fold for fold in REGISTRY if fold.family == "unified"]
    taken = {
        name
        for fold in verbs
        for field in fold.input_schema["properties"]["parameters"]["properties"]
        for name in (field, f"{fold.name}.{field}")
    }
    assert set(said["verbs"]) - taken == set()


def _names(schemas):
    """Every field's name, and that of what it stands in, a dot, and its own."""
    for name, schema in schemas.items():
        for path, _ in fields(schema, "", {**schemas, **schema.get("$defs", {})}):
            steps = [name, *path.replace("[]", "").split(".")]
            yield from (steps[-1], ".".join(steps[-2:]))


@in_one_test("form", INPUT)
@in_one_test("path", PRINTED_FILES)
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
@in_one_test("form", [form for form in INPUT if form != "jsonschema"])
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
