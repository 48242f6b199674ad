"""Several profiles at one address: what all of them have, told at once."""

import io

import pytest
from django.core.management import CommandError, call_command

from agents.errors import ToolError
from agents.surfaces.mcp.profiles import ABOUT, PROFILES, allowed, find_profile
from agents.surfaces.mcp.server import make_server
from agents.surfaces.mcp.threads import Threads
from tests.factories import EVERY_SCOPE

pytestmark = pytest.mark.django_db(transaction=True)


def names_of(profile, scopes=EVERY_SCOPE, only=frozenset()):
    return {declared.name for declared in allowed(find_profile(profile), scopes, only)}


@pytest.mark.parametrize(
    ("joined", "parts"),
    [
        ("mail+mesh", ["mail", "mesh"]),
        ("mesh+mail", ["mail", "mesh"]),
        ("mail mesh", ["mail", "mesh"]),
        ("mail+mail", ["mail"]),
        ("unified+concierge+house", ["unified", "concierge", "house"]),
    ],
)
def test_a_joined_profile_has_what_its_parts_have_and_nothing_else(joined, parts):
    assert names_of(joined) == set().union(*(names_of(part) for part in parts))


def test_in_whichever_order_they_are_named_it_is_the_same():
    assert find_profile("mail+mesh") is find_profile("mesh+mail")
    assert find_profile("mail+mesh").name == "mail+mesh"


@pytest.mark.parametrize(
    "name", ["mail+", "+", "mail+everything", "mail++mesh", "+mail", "m" * 500]
)
def test_a_name_that_is_none_says_what_there_is(name):
    with pytest.raises(ToolError) as refused:
        find_profile(name)
    assert refused.value.code == "not_found"
    assert "mail, concierge" in refused.value.details["accepted"]
    assert "joined by +" in refused.value.details["accepted"]


@pytest.mark.parametrize("path", ["/mcp/mail+mesh", "/mcp/mesh+mail/mcp", "/mcp/mail%2Bmesh"])
def test_a_client_finds_both_families_at_one_address(raw, path, message):
    status, _, answer = raw.ask("tools/list", {}, path=path)
    assert status == 200
    listed = {tool["name"] for tool in answer["result"]["tools"]}
    assert {"list_threads", "send_reply", "push_context", "look_around"} <= listed
    asked = {"name": "list_threads", "arguments": {"inbox_id": message.inbox.public_id}}
    _, _, answer = raw.ask("tools/call", asked, path=path)
    assert answer["result"]["structuredContent"]["threads"]


def test_the_lists_for_function_calling_join_them_too(api):
    for query in ("mail+mesh", "mail%2Bmesh"):
        tools = api.get(f"tools?format=openai&profile={query}").json()["tools"]
        assert {"send_reply", "push_context"} <= {one["function"]["name"] for one in tools}
    printed = io.StringIO()
    call_command("tools", "--profile", "mail+mesh", stdout=printed)
    assert "push_context" in printed.getvalue()
    with pytest.raises(CommandError, match="joined by"):
        call_command("tools", "--profile", "mail+cobol")


def test_the_server_says_at_once_what_else_there_is():
    said = make_server(Threads(), lambda caller: caller).instructions
    for name in PROFILES.keys() - {"operations"}:
        assert f"{name}: {ABOUT[name]}" in said
    assert "/mcp/mail+mesh" in said
