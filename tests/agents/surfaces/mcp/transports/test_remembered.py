"""The first answers over stdio: said again as they were, and only to who may hear them."""

import json
import subprocess
import sys

import pytest
from django.conf import settings
from django.test import override_settings

from agents.models import Receipt
from agents.operations.agents import create_token
from agents.surfaces.mcp.transports import remembered
from agents.surfaces.mcp.transports.remembered import Conversation, Question, keep, recall
from inbox.actor import Actor
from tests.agents.surfaces.mcp.transports.test_stdio import HELLO, READY, request, run
from tests.cases import in_one_test
from tests.processes import process_environment

pytestmark = pytest.mark.django_db(transaction=True)
LIST = request(1, "tools/list")


def spoken(folder, *lines, arguments=()):
    """Return what is said to these lines where this folder has what was said before."""
    done = run("--agent", "Clerk", *arguments, lines=lines, CHANCERY_VAR=str(folder))
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_second_start_says_the_same_and_loads_no_tools_for_it(token, tmp_path):
    said, loaded = [], []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-X", "importtime", "manage.py", "mcp", "--agent", "Clerk"],
            cwd=settings.BASE_DIR, input="\n".join([HELLO, READY, ""]), text=True, check=True,
            env=process_environment(CHANCERY_VAR=str(tmp_path)), capture_output=True,
        )  # fmt: skip
        said.append(done.stdout)
        loaded.append({line.rpartition("|")[2].strip() for line in done.stderr.splitlines()})
    heavy = {"mcp.server", "agents.contracts", "inbox.admin", "inbox.compose"}
    assert (heavy & loaded[0], heavy & loaded[1]) == (heavy, set())
    assert said[0] == said[1] != ""


def test_what_is_asked_behind_remembered_answers_is_answered_once(token, inbox, tmp_path):
    call = request("c", "tools/call", name="list_threads", arguments={"inbox_id": inbox.public_id})
    first = spoken(tmp_path, HELLO, READY, LIST, call, arguments=["--profile", "mail"])
    again = spoken(tmp_path, HELLO, READY, LIST, call, arguments=["--profile", "mail"])
    assert [answer["id"] for answer in map(json.loads, again.splitlines())] == [0, 1, "c"]
    assert set(again.splitlines()[:2]) < set(first.splitlines())
    assert Receipt.objects.filter(tool="list_threads").count() == 2


def test_a_token_with_less_is_not_told_what_one_with_more_was(agent, token, tmp_path):
    whole = spoken(tmp_path, HELLO, READY, LIST)
    agent.tokens.all().delete()
    create_token(agent=agent, scopes=["inbox:read"])
    less = spoken(tmp_path, HELLO, READY, LIST)
    create_token(agent=agent, scopes=["inbox:read"], tools=["list_threads"])
    agent.tokens.filter(tools=[]).delete()
    least = spoken(tmp_path, HELLO, READY, LIST)
    sizes = [len(told.splitlines()[1]) for told in (whole, less, least)]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == 3


def test_another_profile_and_another_client_are_answered_for_themselves(token, tmp_path):
    card = {
        "extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}
    }
    hello = request(
        0, "initialize", protocolVersion="2025-06-18", capabilities=card,
        clientInfo={"name": "test", "version": "1"},
    )  # fmt: skip
    for _ in range(2):
        told = [
            spoken(tmp_path, HELLO, READY, LIST),
            spoken(tmp_path, HELLO, READY, LIST, arguments=["--profile", "mail+mesh"]),
            spoken(tmp_path, hello, READY, LIST),
        ]
        assert len(set(told)) == 3
        assert json.loads(told[2].splitlines()[0])["result"]["protocolVersion"] == "2025-06-18"


def test_an_error_is_not_remembered(token, tmp_path):
    bad = request(1, "tools/list", cursor="no such place")
    for _ in range(2):
        told = [json.loads(line) for line in spoken(tmp_path, HELLO, READY, bad).splitlines()]
        assert "error" in told[1]


def test_a_plain_first_question_is_read():
    assert reading(LIST).id == 1


def reading(line):
    conversation = Conversation("unified", lambda: Actor("agent", 1, "Clerk", (1,)))
    return conversation.read(line.encode() if isinstance(line, str) else line)


@in_one_test(
    "line",
    [
        '{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/list"}',
        '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"a":NaN}}',
        '{"jsonrpc":"2.0","method":"tools/list"}',
        '{"jsonrpc":"2.0","id":true,"method":"tools/list"}',
        '{"jsonrpc":"2.0","id":1.0,"method":"tools/list"}',
        '{"jsonrpc":"1.0","id":1,"method":"tools/list"}',
        '{"jsonrpc":"2.0","id":1,"method":"tools/list","x":1}',
        '["initialize"]',
        b'{"jsonrpc":"2.0","id":"\xff","method":"tools/list"}',
        '{"initialize":' * 5000,
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tools/list"}}',
    ],
)
def test_what_is_no_plain_first_question_is_left_to_the_server(line):
    assert reading(line) is None


def test_what_other_code_said_is_not_said_and_goes_when_the_new_speaks(tmp_path):
    for room in ("agents", "calendar_app", "inbox", "project"):
        (tmp_path / room).mkdir()
    source = tmp_path / "agents" / "tools.py"
    source.write_text("one = 1")
    asked = Question("tools/list", 1, "key")
    with override_settings(BASE_DIR=tmp_path, VAR_DIR=tmp_path / "var"):
        try:
            remembered._code.cache_clear()
            keep(asked, {"tools": []})
            assert recall(asked) == b'{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}\n'
            source.write_text("one = 1 + 1")
            remembered._code.cache_clear()
            assert recall(asked) is None
            keep(asked, {"tools": [1]})
            assert len(list((tmp_path / "var" / "mcp").iterdir())) == 1
        finally:
            remembered._code.cache_clear()
