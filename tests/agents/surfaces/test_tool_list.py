"""`GET /api/tools` and `manage.py tools`: the list in the form that is asked for."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from agents.contracts import REGISTRY
from agents.operations.agents import create_token
from agents.surfaces.forms import FORMATS, list_tools
from agents.surfaces.mcp.profiles import PROFILES
from tests.agents.surfaces.conftest import Api

pytestmark = pytest.mark.django_db
VERBS = {
    "list", "get", "create", "send", "reply", "update", "move", "delete", "search", "auth", "cache",
}  # fmt: skip


def names(response):
    """The names in a list, whatever its form."""
    tools = response.json()["tools"]
    if tools and "functionDeclarations" in tools[0]:
        tools = tools[0]["functionDeclarations"]
    return {tool.get("function", tool.get("toolSpec", tool))["name"] for tool in tools}


def test_without_a_form_every_tool_is_listed_in_ours(api):
    listed = api.get("tools").json()["tools"]
    assert [tool["name"] for tool in listed] == [declared.name for declared in REGISTRY]
    assert {"input_schema", "output_schema", "scopes"} <= listed[0].keys()


@pytest.mark.parametrize("form", FORMATS)
def test_the_few_unified_tools_are_shown_unless_others_are_asked_for(api, form):
    everywhere = {"look_around", "list_approvals", "get_approval"}
    assert names(api.get(f"tools?format={form}")) == VERBS | everywhere


@pytest.mark.parametrize("form", FORMATS)
def test_a_profile_chooses_the_tools(api, form):
    found = names(api.get(f"tools?format={form}&profile=mail"))
    assert {"list_threads", "send_reply"} <= found
    assert not VERBS & found


def test_a_token_is_shown_only_what_it_may_call(agent, client):
    narrow = Api(client, create_token(agent=agent, scopes={"storage:read"})[1])
    tools = narrow.get("tools?format=anthropic").json()["tools"]
    assert {tool["name"] for tool in tools} == {
        "list", "get", "search", "cache", "look_around",
    }  # fmt: skip
    kinds = {
        tool["name"]: tool["input_schema"]["properties"]["resource"]["enum"]
        for tool in tools if tool["name"] != "look_around"
    }  # fmt: skip
    assert set(kinds["list"]) == {"contacts", "files"}


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("format=grok", "/format"), ("format=", "/format"), ("profile=mail", "/format"),
        ("format=mcp&profile=everything", "/profile"), ("form=mcp", "/form"),
    ],
)  # fmt: skip
def test_what_there_is_not_is_refused(api, query, pointer):
    response = api.get(f"tools?{query}")
    assert response.status_code == 400
    assert response.json()["details"]["errors"][0]["pointer"] == pointer


def test_the_list_needs_a_token(client):
    assert client.get("/api/tools?format=openai").status_code == 401


@pytest.mark.parametrize("form", FORMATS)
def test_the_command_prints_the_same(api, form):
    printed = io.StringIO()
    call_command("tools", "--format", form, "--profile", "mesh", stdout=printed)
    assert json.loads(printed.getvalue()) == {
        "tools": list_tools(form, PROFILES["mesh"], frozenset(t.scope for t in REGISTRY.tools))
    }


def test_the_command_says_which_forms_there_are():
    with pytest.raises(CommandError, match="openai"):
        call_command("tools", "--format", "cobol")
