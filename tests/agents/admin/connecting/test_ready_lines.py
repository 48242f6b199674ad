"""Lines to copy for clients: they can be read, and lead to the address by which the page came."""

import ast
import json
import re
import shlex
import shutil
import subprocess

import pytest
from django.test import Client, RequestFactory

from agents.admin.connecting.clients import NO_TOKEN, Address, address_of, ready_lines
from agents.operations.agents import create_token
from agents.operations.first_call import FirstCall, look_for_call
from inbox.viewer import viewer_of_user
from tests import factories

BASE = "https://desk.lantern.example:8443"
TOKEN = "chy_" + "x" * 43
PROGRAMS = {"openai-agents", "openai", "anthropic", "langgraph"}


@pytest.fixture
def clerk(db, workspace):
    return factories.make_agent(workspace, "Cl\"erk \\ of O'Hara", ())


@pytest.fixture
def lines(clerk):
    return {one.key: one.lines for one in ready_lines(Address(BASE, TOKEN, clerk))}


def test_the_configuration_of_clients_is_json_with_address_and_token(lines):
    [cursor] = json.loads(lines["cursor"])["mcpServers"].values()
    [code] = json.loads(lines["vscode"])["servers"].values()
    assert code["type"] == "http"
    for server in (cursor, code):
        assert server["url"] == f"{BASE}/mcp"
        assert server["headers"] == {"Authorization": f"Bearer {TOKEN}"}


def test_a_process_is_told_whom_it_serves_and_gets_no_token(lines, clerk):
    [server] = json.loads(lines["claude-desktop"])["mcpServers"].values()
    arguments = server["args"]
    assert arguments[arguments.index("--agent") + 1] == clerk.name
    assert arguments[arguments.index("--workspace") + 1] == "lantern"
    typed = shlex.split(lines["stdio"])
    assert typed[-len(arguments) :] == arguments
    for key in ("claude-desktop", "stdio"):
        assert TOKEN not in lines[key]


def test_no_page_shows_the_password_of_the_database(monkeypatch, clerk):
    monkeypatch.setenv("DATABASE_URL", "postgres://chancery:sealing-wax@db/chancery")
    monkeypatch.setenv("CHANCERY_VAR", "/srv/our chancery")
    found = {one.key: one.lines for one in ready_lines(Address(BASE, TOKEN, clerk))}
    assert not [key for key, text in found.items() if "sealing-wax" in text]
    [server] = json.loads(found["claude-desktop"])["mcpServers"].values()
    assert server["env"] == {"CHANCERY_VAR": "/srv/our chancery", "DATABASE_URL": "…"}
    assert shlex.split(found["stdio"])[0] == "CHANCERY_VAR=/srv/our chancery"


@pytest.mark.parametrize("key", sorted(PROGRAMS))
def test_programs_are_programs(lines, key):
    assert ast.parse(lines[key])
    assert BASE in lines[key]
    assert TOKEN in lines[key]
    assert not re.search(r"<[A-Z]+>", lines[key])


def test_commands_take_the_header_as_one_word(lines):
    for key in ("claude-code", "curl"):
        assert f"Authorization: Bearer {TOKEN}" in shlex.split(lines[key].replace("\\\n", " "))


def test_the_address_is_that_of_the_request(clerk, settings):
    settings.ALLOWED_HOSTS = ["desk.lantern.example"]
    asked = RequestFactory().get(
        "/admin/", headers={"host": "desk.lantern.example:8443", "x-forwarded-proto": "http"},
        secure=True,
    )  # fmt: skip
    assert address_of(asked, clerk) == Address(BASE, NO_TOKEN, clerk)
    asked.META["HTTP_X_FORWARDED_HOST"] = "evil.example"
    assert address_of(asked, clerk).base == BASE


def test_the_page_of_a_new_token_has_them_and_is_kept_by_no_cache(workspace, agent):
    client = Client()
    client.force_login(factories.make_person_user(workspace, "owner", "olga"))
    answer = client.post(f"/admin/agents/agent/{agent.pk}/tokens/", {"preset": "mail"})
    text = answer.context["token_text"]
    page = answer.content.decode()
    assert page.count(text) > len(PROGRAMS)
    assert "http://testserver/mcp" in page
    assert "no-store" in answer["Cache-Control"]
    assert text not in client.get(f"/admin/agents/agent/{agent.pk}/change/").content.decode()


@pytest.mark.django_db(transaction=True)
def test_the_line_for_curl_makes_the_first_call(live_server, agent, reviewer):
    if shutil.which("curl") is None:
        pytest.skip("there is no curl here")
    person = viewer_of_user(reviewer).actor
    assert look_for_call(person, agent) == FirstCall(None, 0, is_connected=False)
    text = create_token(agent=agent, scopes=["inbox:read"])[1]
    found = {one.key: one.lines for one in ready_lines(Address(live_server.url, text, agent))}
    command = f"{found['curl']} --silent --show-error --fail"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
    assert "office@lantern.example" in done.stdout
    seen = look_for_call(person, agent)
    assert (seen.receipt.tool, seen.is_connected) == ("look_around", True)
    elsewhere = factories.make_person_user(factories.make_workspace("next-door"), name="nora")
    stranger = viewer_of_user(elsewhere).actor
    assert look_for_call(stranger, agent) == FirstCall(None, 0, is_connected=False)
