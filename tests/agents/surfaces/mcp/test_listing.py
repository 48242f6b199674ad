"""The list of tools: what it shows of each, in pages, by scope; made without a client."""

import json

import pytest

from agents.contracts import Effect, Registry, ToolError, tool
from agents.contracts.fields import Closed
from agents.contracts.schemas import convertible
from agents.surfaces.forms import list_tools
from agents.surfaces.mcp import listing
from agents.surfaces.mcp.listing import annotations, describe_all, list_page
from agents.surfaces.mcp.profiles import PROFILES, Profile, allowed
from tests.cases import in_one_test
from tests.factories import EVERY_SCOPE


class Given(Closed):
    """Arguments."""

    text: str = ""


class Found(Closed):
    """An answer."""

    text: str


def declare(registry, name, effect=Effect.READ, **more):
    """Declare a tool of this name that does nothing."""

    def work(actor, args: Given) -> Found:
        """Do nothing."""
        raise AssertionError

    work.__name__ = name
    tool(family="house", domain="inbox", effect=effect, registry=registry, **more)(work)


@pytest.fixture
def profile():
    """A hundred and twenty tools of one profile."""
    registry = Registry()
    for number in range(120):
        declare(registry, f"tool_{number:03}")
    registry.freeze()
    return Profile("many", registry, lambda _: True)


def pages_of(profile, **options):
    cursor, pages = None, []
    while True:
        page, cursor = list_page(profile, EVERY_SCOPE, cursor, any_json=True, **options)
        pages.append([one["name"] for one in page])
        if cursor is None:
            return pages


def test_a_long_list_comes_in_pages_and_each_tool_once(profile):
    pages = pages_of(profile)
    assert [len(page) for page in pages] == [50, 50, 20]
    assert [name for page in pages for name in page] == [one.name for one in profile.declared]


def test_a_cursor_is_none_of_another_list(profile):
    _, cursor = list_page(profile, EVERY_SCOPE, None, any_json=True)
    with pytest.raises(ToolError) as refused:
        list_page(PROFILES["mail"], EVERY_SCOPE, cursor, any_json=True)
    assert refused.value.code == "invalid_input"


def test_a_fold_shows_only_the_branches_that_the_scopes_open():
    (get,) = [one for one in allowed(PROFILES["unified"], frozenset({"inbox:read"}))
              if one.name == "get"]  # fmt: skip
    assert get.scopes == {"inbox:read"}
    assert set(get.branches) < set(PROFILES["unified"].find("get").branches)


def test_the_whole_fold_is_left_as_it_is():
    before = set(PROFILES["unified"].find("get").branches)
    allowed(PROFILES["unified"], frozenset({"inbox:read"}))
    assert set(PROFILES["unified"].find("get").branches) == before


@in_one_test(
    ("name", "effect", "hints"),
    [
        ("look", Effect.READ, (True, False, True, False)),
        ("create_thing", Effect.WRITE, (False, False, False, False)),
        ("update_thing", Effect.WRITE, (False, True, False, False)),
        ("delete_thing", Effect.DESTROY, (False, True, True, False)),
    ],
)
def test_the_hints_say_what_a_tool_does(name, effect, hints):
    registry = Registry()
    declare(registry, name, effect)
    told = annotations(registry.tool(name))
    assert tuple(told.values()) == hints
    assert tuple(told) == ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")


def test_sending_reaches_the_world_and_may_be_repeated_by_its_key():
    told = annotations(PROFILES["mail"].find("send_reply"))
    assert told == {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True,
                    "openWorldHint": True}  # fmt: skip


def test_a_fold_has_the_hints_of_its_most_careful_branch_and_tells_each():
    forms = {one["name"]: one for one in describe_all(PROFILES["unified"], EVERY_SCOPE, True)}
    cache, declared = forms["cache"], PROFILES["unified"].find("cache")
    assert cache["annotations"]["readOnlyHint"] is False
    told = cache["_meta"]["chancery/resources"]
    assert (told["get_stats"], told["invalidate"]) == ("read", "write")
    assert set(told) == set(declared.branches)
    create = forms["create"]["description"]
    assert create.endswith("A person may have to approve event and contact.")
    assert "approve" in forms["reply"]["description"]
    assert "approve" not in cache["description"]


def test_every_fold_tells_what_each_branch_does_to_the_world():
    for name in ("unified", "services"):
        for declared in PROFILES[name].declared:
            for value, branch in getattr(declared, "branches", {}).items():
                words = listing.safety(branch.tool)
                assert words.startswith(branch.tool.effect), (declared.name, value)
                assert ("person" in words) == branch.tool.asks_a_person


def test_up_to_2025_11_25_every_answer_is_described_as_an_object():
    for profile in PROFILES.values():
        for form in describe_all(profile, EVERY_SCOPE, False):
            assert form["outputSchema"]["type"] == "object", form["name"]


def test_the_list_names_no_tool_twice():
    for profile in PROFILES.values():
        names = [form["name"] for form in describe_all(profile, EVERY_SCOPE, True)]
        assert len(names) == len(set(names))


def test_what_is_given_is_described_as_every_converter_takes_it():
    """AutoGen reads the fields alone; CrewAI wants a package for the addresses that it finds."""
    given = {
        f"{profile.name}/{form['name']}": json.dumps(form["inputSchema"])
        for profile in PROFILES.values()
        for form in describe_all(profile, EVERY_SCOPE, True)
    }
    assert len(given) > 100
    for words in ('"$ref"', '"$defs"', '"format": "email"'):
        assert [name for name, schema in given.items() if words in schema] == []


def test_the_exact_contract_still_says_what_is_an_address():
    (send,) = (
        one
        for one in list_tools("jsonschema", PROFILES["individual"], EVERY_SCOPE)
        if one["name"] == "email_send"
    )
    assert '"format": "email"' in json.dumps(send["input_schema"])


def test_a_definition_with_an_anchor_can_be_referred_to_from_outside_and_stays():
    schema = {
        "$schema": "x",
        "properties": {"a": {"$ref": "#/$defs/a"}, "b": {"$ref": "#/$defs/b"}},
        "$defs": {"a": {"$anchor": "a", "type": "string"}, "b": {"type": "null"}},
    }
    assert convertible(schema) == {
        "$schema": "x",
        "properties": {"a": {"$ref": "#/$defs/a"}, "b": {"type": "null"}},
        "$defs": {"a": {"$anchor": "a", "type": "string"}},
    }
