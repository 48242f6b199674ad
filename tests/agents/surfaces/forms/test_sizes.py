"""What the lists cost in a model's context, in characters of JSON."""

import json

import pytest

from agents.surfaces.forms import list_tools
from agents.surfaces.mcp.profiles import PROFILES
from tests.factories import EVERY_SCOPE

MOST_UNIFIED = 29_000
# What a family may grow to before somebody has to think about it.
MOST = {
    "unified": MOST_UNIFIED, "operations": 110_000, "services": 20_000, "mesh": 21_000,
    "house": 28_000, "mail": 16_000, "concierge": 14_000,
}  # fmt: skip


def sizes(form="mcp"):
    """The characters of each family's list, as compact JSON."""
    found = {}
    for profile in PROFILES.values():
        for tool in profile.declared:
            (one,) = [
                it
                for it in list_tools(form, profile, EVERY_SCOPE)
                if it.get("function", it)["name"] == tool.name
            ]
            text = json.dumps(one, ensure_ascii=False, separators=(",", ":"))
            found.setdefault(tool.family, {})[tool.name] = len(text)
    return {family: sum(tools.values()) for family, tools in found.items()}


@pytest.fixture(scope="module")
def measured():
    return sizes()


def test_the_unified_list_costs_less_than_the_operations_and_than_the_bound(measured, capsys):
    with capsys.disabled():
        print()  # noqa: T201
        for family, characters in sorted(measured.items()):
            print(f"  {family:12}{characters:8,} characters of {MOST[family]:,}")  # noqa: T201
    assert measured["unified"] < MOST_UNIFIED
    assert measured["unified"] < measured["operations"]


def test_every_family_keeps_to_its_bound(measured):
    over = {family: found for family, found in measured.items() if found > MOST[family]}
    assert over == {}


@pytest.mark.parametrize("form", ["openai", "anthropic"])
def test_the_unified_list_is_the_smaller_one_in_every_form(form):
    found = sizes(form)
    assert found["unified"] < found["operations"]
