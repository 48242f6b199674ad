"""`manage.py mcp`: the same over the streams of a process, which carry nothing but the protocol."""

import json
import os
import signal
import subprocess

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from agents.models import Approval, Receipt
from agents.operations.agents import create_token, known_scopes
from tests import factories, fork_server
from tests.agents.surfaces.mcp.test_approvals import APPROVAL, Person
from tests.patience import LONG
from tests.processes import process_environment

pytestmark = pytest.mark.django_db(transaction=True)


def run(*arguments, lines=(), **environment):
    """Run the command with these lines at its stdin; return its end, stdout's lines as JSON."""
    text = b"".join(line if isinstance(line, bytes) else f"{line}\n".encode() for line in lines)
    return fork_server.run(
        ["manage.py", "mcp", *arguments], env=process_environment(**environment), stdin=text
    )


def answers(done):
    return [json.loads(line) for line in done.stdout.splitlines()]


def request(number, method, **params):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


HELLO = request(
    0, "initialize", protocolVersion="2025-11-25", capabilities={},
    clientInfo={"name": "test", "version": "1"},
)  # fmt: skip
READY = '{"jsonrpc":"2.0","method":"notifications/initialized"}'


def test_it_answers_as_over_http(mcp, api, inbox, message):
    arguments = {"inbox_id": inbox.public_id}

    async def work(client):
        tools = [tool.name for tool in (await client.list_tools()).tools]
        found = await client.call_tool("list_threads", arguments)
        bad = await client.call_tool("list_threads", {"inbox_id": "inb_x"})
        thread = await client.read_resource(f"email://threads/{message.thread.public_id}")
        return tools, found, bad, thread.contents[0].text

    tools, found, bad, thread = mcp.run_stdio(work, "--profile", "mail")

    async def list_tools(client):
        return [tool.name for tool in (await client.list_tools()).tools]

    assert tools == mcp.run(list_tools, "mail")
    assert found.structured_content == api.call("list_threads", arguments).json()
    assert json.loads(bad.content[0].text) == api.call("list_threads", {"inbox_id": "inb_x"}).json()
    assert thread.encode() == api.get(f"v1/threads/{message.thread.public_id}").content


@pytest.mark.parametrize("revision", ["2026-07-28"], indirect=True)
def test_a_held_call_is_asked_about_by_its_page(mcp, message):
    arguments = {"thread_id": message.thread.public_id, "body_or_draft_id": "Yes.",
                 "idempotency_key": "k"}  # fmt: skip
    person = Person("accept")

    async def work(client):
        return await client.call_tool("send_reply", arguments)

    result = mcp.run_stdio(work, "--profile", "mail", elicitation_callback=person)
    approval = Approval.objects.get()
    assert [approval.public_id in asked.url for asked in person.asked] == [True]
    assert result.meta[APPROVAL]["approval_id"] == approval.public_id
    assert approval.state == "waiting"


def test_hostile_lines_are_answered_and_the_next_is_read(token):
    bad = [b"nonsense\n", b"\xff\n", b'{"a":1,"a":2}\n', b'{"a":NaN}\n', b"[]\n",
           b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}\n', b"[" * 5000 + b"\n",
           b'"' + b"x" * 1_200_000 + b'"\n']  # fmt: skip
    done = run("--agent", "Clerk", lines=[*bad, HELLO, READY, request(1, "ping")])
    told = answers(done)
    assert [answer["error"]["code"] for answer in told[:8]] == [-32700] * 4 + [-32600] + [
        -32700
    ] * 3
    assert [answer["id"] for answer in told[8:]] == [0, 1]
    assert done.returncode == 0


def test_what_was_asked_before_the_end_is_answered(token, inbox):
    calls = [
        request(n, "tools/call", name="list_threads", arguments={"inbox_id": inbox.public_id})
        for n in range(1, 21)
    ]
    done = run("--agent", "Clerk", "--profile", "mail", lines=[HELLO, READY, *calls])
    assert {answer["id"] for answer in answers(done)} == set(range(21))
    assert Receipt.objects.filter(tool="list_threads").count() == 20


def test_stdout_has_only_the_protocol(token):
    done = run("--agent", "Clerk", lines=[HELLO], CHANCERY_LOG_LEVEL="DEBUG")
    assert [answer["id"] for answer in answers(done)] == [0]
    assert done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--agent", "Nobody"], r"There is no agent 'Nobody'. There are: Clerk \(lantern\)"),
        (["--agent", "Clerk", "--workspace", "x"], "There is no agent"),
        (["--agent", "Clerk", "--profile", "all"], "There is no such profile: one of unified"),
        (["--agent", "Clerk"], "Clerk has no valid token"),
    ],
)
def test_a_mistake_is_told(agent, arguments, said):
    agent.tokens.all().delete()
    with pytest.raises(CommandError, match=said):
        call_command("mcp", *arguments)


def test_with_a_mistake_stdout_stays_empty(agent):
    done = run("--agent", "Nobody")
    assert "There is no agent 'Nobody'" in done.stderr
    assert (done.returncode, done.stdout) == (1, "")


def test_the_workspace_is_asked_for_where_two_have_such_an_agent(agent, token):
    other = factories.make_agent(factories.make_workspace("other"), "Clerk")
    create_token(agent=other, scopes=known_scopes())
    with pytest.raises(CommandError, match="say which --workspace"):
        call_command("mcp", "--agent", "Clerk")
    done = run("--agent", "Clerk", "--workspace", "other", lines=[HELLO])
    assert len(answers(done)) == 1


def test_an_interrupt_ends_it_and_so_does_a_client_that_is_gone(token):
    for end in (lambda process, _: process.send_signal(signal.SIGINT), hang_up):
        read, written = os.pipe()
        with os.fdopen(written, "wb", 0) as client:
            process = fork_server.start(
                ["manage.py", "mcp", "--agent", "Clerk"], env=process_environment(), stdin=read,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            )  # fmt: skip
            os.close(read)
            client.write(f"{HELLO}\n".encode())
            assert json.loads(process.stdout.readline())["id"] == 0
            end(process, client)
            process.wait(LONG)
            process.stdout.close()
            with process.stderr as told:
                assert b"Traceback" not in told.read()


def hang_up(process, client):
    """Ask for one more answer, and be gone before it comes."""
    process.stdout.close()
    client.write(f"{READY}\n{request(1, 'ping')}\n".encode())
    client.close()


def test_what_initialize_leaves_out_is_empty(agent):
    hello = request(0, "initialize", protocolVersion="2025-11-25")
    wrong = request(1, "initialize", protocolVersion="2025-11-25", capabilities=5)
    told = answers(run("--agent", "Clerk", lines=[wrong, hello, READY, request(2, "ping")]))
    assert "/capabilities" in told[0]["error"]["message"]
    assert (told[0]["id"], told[0]["error"]["code"]) == (1, -32602)
    assert told[1]["result"]["protocolVersion"] == "2025-11-25"
    assert told[2] == {"jsonrpc": "2.0", "id": 2, "result": {}}
