"""What the lists cost in a model's context, in characters of JSON."""

import json

import pytest

from agents.operations.agents import create_token, known_scopes
from agents.surfaces.forms import list_tools
from agents.surfaces.mcp.profiles import PROFILES
from tests.factories import EVERY_SCOPE

# What a model is given of the unified list, those tools that are in every list among it.
MOST_UNIFIED = 15_000
# What a family may grow to before somebody has to think about it.
MOST = {
    "unified": MOST_UNIFIED, "individual": 40_000, "services": 13_000, "mesh": 12_000,
    "house": 10_000, "mail": 9_000, "concierge": 9_000,
}  # fmt: skip


def seen_by_a_model(form, profile):
    """What frameworks put before a model: of MCP the name, description and input schema."""
    tools = list_tools(form, PROFILES[profile], EVERY_SCOPE)
    if form != "mcp":
        return tools
    return [{name: tool[name] for name in ("name", "description", "inputSchema")} for tool in tools]


def characters(value):
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def without_descriptions(value):
    if isinstance(value, list):
        return [without_descriptions(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        name: without_descriptions(one)
        for name, one in value.items()
        if name != "description" or isinstance(one, dict)
    }


def test_every_list_keeps_to_its_bound(capsys):
    over = {}
    with capsys.disabled():
        print("\n  characters, with and without descriptions")  # noqa: T201
        for profile, most in MOST.items():
            tools = seen_by_a_model("mcp", profile)
            found, bare = characters(tools), characters(without_descriptions(tools))
            print(f"  {profile:12}{found:8,}{bare:8,} of {most:,}")  # noqa: T201
            if found > most:
                over[profile] = found
    assert over == {}


@pytest.mark.parametrize("form", ["openai", "anthropic", "mcp"])
def test_the_unified_list_is_short_in_every_form(form):
    found = characters(seen_by_a_model(form, "unified"))
    assert found < MOST_UNIFIED
    assert found < characters(seen_by_a_model(form, "individual")) / 2


@pytest.mark.django_db
def test_the_list_that_is_served_is_as_short(client, agent):
    """Of an answer no character is spent on blanks."""
    _, text = create_token(agent=agent, scopes=set(known_scopes()) & EVERY_SCOPE)
    answer = client.get(
        "/api/tools?format=openai", headers={"Authorization": f"Bearer {text}"}
    ).content.decode()
    assert len(answer) < MOST_UNIFIED


@pytest.mark.parametrize("form", ["openai", "anthropic", "mcp"])
def test_a_verb_still_says_what_each_resource_takes(form):
    (listed,) = [
        one for one in seen_by_a_model(form, "unified")
        if one.get("name", one.get("function", {}).get("name")) == "list"
    ]  # fmt: skip
    words = json.dumps(listed)
    assert "emails (folder?, folder_id?, limit?=10, include_body?=true)" in words
