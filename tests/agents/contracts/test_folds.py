"""Several tools under one name: what their schemas take, and what a model can read in them."""

import copy
import json
import re

from jsonschema import Draft202012Validator

from agents.contracts import REGISTRY, Fold
from agents.contracts.folded import Part, plain_root, retold, union
from agents.contracts.schemas import bundled
from tests.cases import in_one_test

FOLDS = [found for found in REGISTRY if isinstance(found, Fold)]
each_fold = in_one_test("fold", FOLDS)
SHUT = {"additionalProperties": False, "type": "object"}
MAIL = {"$id": "m", **SHUT, "properties": {
    "account": {"type": "string", "description": "Which account."},
    "body": {"type": "string"}, "kind": {"type": "string"},
}, "required": ["account", "body"]}  # fmt: skip
FILE = {"$id": "f", **SHUT, "properties": {
    "account": {"type": "string", "description": "Which account."},
    "kind": {"type": "integer", "default": 3}, "path": {"type": "string"},
}, "required": ["path"]}  # fmt: skip
PARTS = [
    Part("mail", "Make mail. Then more.", MAIL, {"kind": "x"}),
    Part("file", "Make a file; or not.", FILE),
]


def exact(fold):
    return Draft202012Validator(bundled(fold.exact_schemas[0], REGISTRY.documents))


def plain(fold):
    return Draft202012Validator(bundled(fold.input_schema, REGISTRY.documents))


def examples(fold):
    """A call of each branch, by the example of its tool."""
    for value, branch in fold.branches.items():
        own = {n: one for n, one in branch.tool.example.items() if n not in branch.preset}
        yield {fold.discriminator: value, **({fold.inner: own} if fold.inner else own)}


@each_fold
def test_every_branch_is_taken_by_both_schemas_and_by_the_fold(fold):
    for example in examples(fold):
        exact(fold).validate(example)
        plain(fold).validate(example)
        tool, own, _ = fold.resolve(copy.deepcopy(example))
        REGISTRY.read_arguments(tool, own)


@each_fold
def test_the_exact_schema_refuses_the_arguments_of_another_branch(fold):
    first, *others = examples(fold)
    for other in others:
        mixed = {**first, fold.discriminator: other[fold.discriminator]}
        asked, _, _ = fold.resolve(copy.deepcopy(mixed))
        takes = Draft202012Validator(bundled(asked.input_schema, REGISTRY.documents))
        own = mixed[fold.inner] if fold.inner else {
            name: one for name, one in mixed.items() if name != fold.discriminator
        }  # fmt: skip
        assert exact(fold).is_valid(mixed) == takes.is_valid(own)


@each_fold
def test_the_root_that_models_see_is_a_plain_object(fold):
    schema = fold.input_schema
    assert schema["type"] == "object"
    assert not {"oneOf", "anyOf", "allOf", "not", "enum", "if"} & schema.keys()
    assert schema["properties"][fold.discriminator]["enum"] == list(fold.branches)


@each_fold
def test_every_resource_is_explained(fold):
    told = fold.input_schema["properties"][fold.discriminator]["description"].splitlines()
    if fold.inner:
        return
    assert [line.split(":")[0].split(" ")[0] for line in told] == list(fold.branches)


@each_fold
def test_a_verb_tells_which_fields_each_resource_takes(fold):
    if not fold.inner:
        return
    takes = fold.input_schema["properties"]
    told = takes[fold.discriminator]["description"].splitlines()[1:]
    by_value = {line.split(" ")[0]: set(re.findall(r"[a-z_]+", line)) for line in told}
    inside = takes[fold.inner]
    for value, branch in fold.branches.items():
        own = set(branch.tool.input_schema["properties"]) - set(branch.preset)
        assert own <= set(inside["properties"]), value
        needed = set(branch.tool.input_schema.get("required", ())) - set(branch.preset)
        assert needed <= by_value.get(value, set()) | set(inside.get("required", ())), value
        # What is the same for all of them stands in the properties alone.
        apart = own - {"use_cache", "force_refresh"} - set(inside.get("required", ()))
        assert len(fold.branches) == 1 or apart <= by_value.get(value, set()), value


@each_fold
def test_the_exact_schema_names_its_discriminator(fold):
    takes, _ = fold.exact_schemas
    assert takes["discriminator"] == {"propertyName": fold.discriminator}
    assert REGISTRY.documents[takes["$id"]] == takes
    inner = [branch["properties"][fold.inner] for branch in takes["oneOf"]] if fold.inner else []
    for one, branch in zip(inner, fold.branches.values(), strict=bool(fold.inner)):
        if branch.preset:
            # Written out: one of its fields is fixed.
            taken = branch.tool.input_schema
            assert one["required"] == taken["required"]
            assert one["properties"].keys() == taken["properties"].keys()
        else:
            assert {key: it for key, it in one.items() if key != "description"} == {
                "$ref": branch.tool.schema_ids[0]
            }


def merged(inner="parameters"):
    return plain_root("make", "resource", inner, PARTS)["properties"]


def test_a_field_stands_once_with_what_the_branches_say_of_it():
    fields = merged()["parameters"]["properties"]
    assert fields["account"] == {"type": "string", "description": ""}
    assert list(fields) == ["account", "body", "kind", "path"]


def test_the_resources_read_like_signatures():
    envelope, *told = merged()["resource"]["description"].splitlines()
    assert envelope == "discriminator that selects the target entity or operation flavor."
    assert told == [
        "mail (account, body, kind?)", "file (path, account?, kind?=3)",
    ]  # fmt: skip


def test_only_what_every_branch_requires_is_required():
    assert "required" not in merged()["parameters"]
    both = plain_root("make", "resource", "parameters", [PARTS[0], Part("again", "Do.", MAIL)])
    assert both["properties"]["parameters"]["required"] == ["account", "body"]


def test_what_a_branch_fixes_may_only_be_given_so():
    only = plain_root("make", "resource", "parameters", PARTS[:1])["properties"]["parameters"]
    assert only["properties"]["kind"] == {"enum": ["x"], "type": "string", "description": ""}
    branch = union("resource", "parameters", PARTS)["oneOf"][0]
    fixed = branch["properties"]["parameters"]["properties"]["kind"]
    listed = {"type": "array", "items": {"const": "x"}, "minItems": 1, "maxItems": 1}
    assert fixed == {"anyOf": [{"const": "x"}, listed]}


def fields(**schemas):
    """A branch for each schema, which all take the one field `it`."""
    return [
        Part(name, "Do.", {"$id": name, "properties": {"it": schema}})
        for name, schema in schemas.items()
    ]


@in_one_test(
    ("one", "other", "either"),
    [
        ({"type": "string"}, {"type": "integer"},
         {"anyOf": [{"type": "string"}, {"type": "integer"}]}),
        ({"type": "integer", "minimum": 1, "maximum": 200, "default": 10},
         {"type": "integer", "minimum": 0, "maximum": 500}, {"type": "integer", "minimum": 0, "maximum": 500}),
        ({"type": "string", "enum": ["a", "b"]}, {"type": "string", "enum": ["b", "c"]},
         {"type": "string", "enum": ["a", "b", "c"]}),
        ({"type": "string", "enum": ["a"]}, {"type": "string"},
         {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "string"}]}),
        ({"type": "string", "pattern": "x", "maxLength": 9}, {"type": "string", "maxLength": 8},
         {"type": "string", "maxLength": 9}),
        ({"type": "string"}, {"anyOf": [{"type": "string"}, {"type": "null"}]},
         {"anyOf": [{"type": "string"}, {"type": "null"}]}),
    ],
)  # fmt: skip
def test_a_field_that_differs_takes_what_any_branch_takes(one, other, either):
    flat = plain_root("do", "action", "", fields(a=one, b=other))
    assert flat["properties"]["it"] == either


def test_what_differs_in_words_is_said_under_each_name():
    first, second = ({"type": "string", "description": words} for words in ("An x.", "A y."))
    flat = plain_root("do", "action", "", fields(a=first, b=second, c=first))
    assert flat["properties"]["it"]["description"] == "a, c: An x. b: A y."


def test_verbs_name_each_other_and_not_the_operations_behind_them():
    names = {found.name for found in REGISTRY if found.family == "operations"}
    for fold in FOLDS:
        if fold.family == "unified":
            words = set(re.findall(r"[a-z_]+", json.dumps(fold.input_schema)))
            # One of them takes an operation by its name.
            assert names & words <= ({"email_list"} if fold.name == "cache" else set())


def test_only_the_words_of_a_schema_are_told_anew():
    schema = {"description": "As `file_list` says.", "enum": ["file_list"],
              "properties": {"file_list": {"default": "file_list", "description": "file_list it"}}}  # fmt: skip
    assert retold(schema, {"file_list": "`list files`"}) == {
        "description": "As `list files` says.", "enum": ["file_list"],
        "properties": {"file_list": {"default": "file_list", "description": "`list files` it"}},
    }  # fmt: skip


@each_fold
def test_the_branches_are_all_those_of_the_contract_in_its_order(fold):
    assert tuple(fold.branches) == fold.order
