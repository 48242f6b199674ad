"""The resources over MCP: lists, patterns, reading, and what is not there."""

import json

import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import PromptReference, ResourceTemplateReference

from agents.directory import KINDS
from agents.operations.agents import create_token
from tests import factories
from tests.cases import in_one_test

pytestmark = pytest.mark.django_db(transaction=True)


def read(mcp, uri):
    async def work(client):
        return (await client.read_resource(uri)).contents[0]

    return mcp.run(work)


def refusal(mcp, uri):
    with pytest.raises(MCPError) as refused:
        read(mcp, uri)
    return refused.value


def test_the_inboxes_of_the_caller_are_listed(mcp, inbox):
    factories.make_inbox(factories.make_workspace("foreign"))

    async def work(client):
        return (await client.list_resources()).resources

    uris = [str(resource.uri) for resource in mcp.run(work)]
    own = f"email://inboxes/{inbox.public_id}"
    assert [uri for uri in uris if uri.startswith("email:")] == [own, f"{own}/threads"]


def test_what_there_is_to_work_with_is_listed_and_read_as_the_tool_tells_it(mcp, api, inbox):
    async def work(client):
        return (await client.list_resources()).resources

    uris = [str(resource.uri) for resource in mcp.run(work)]
    around = [uri for uri in uris if uri.startswith("chancery:")]
    assert around == ["chancery://look_around", *(f"chancery://look_around/{k}" for k in KINDS)]
    told = api.call("look_around").json()
    assert json.loads(read(mcp, "chancery://look_around").text) == told
    (only,) = json.loads(read(mcp, "chancery://look_around/mailboxes?search=junk").text)[
        "mailboxes"
    ]
    assert only in told["mailboxes"]
    by_rest = api.get("v1/resource?uri=chancery://look_around/inboxes").json()
    assert by_rest["inboxes"] == told["inboxes"]


@in_one_test(
    "uri",
    [
        "chancery://look_around/people", "chancery://look_around/", "chancery://elsewhere",
        "chancery://look_around?kind=inboxes", "chancery://look_around/inboxes?kind=inboxes",
        "chancery://look_around/inboxes/more",
    ],
)  # fmt: skip
def test_what_is_no_surrounding_is_refused(mcp, uri):
    assert refusal(mcp, uri).code == -32602


def test_an_inbox_is_read_by_its_address(mcp, inbox):
    content = json.loads(read(mcp, f"email://inboxes/{inbox.address}").text)
    assert content["id"] == inbox.public_id
    told = refusal(mcp, "email://inboxes/nobody@x.example").data["error"]
    assert told["details"]["available"][0]["id"] == inbox.public_id


def test_every_listed_resource_can_be_read(mcp, inbox):
    async def work(client):
        listed = (await client.list_resources()).resources
        return [await client.read_resource(resource.uri) for resource in listed]

    for result in mcp.run(work):
        assert json.loads(result.contents[0].text)


def test_the_patterns_are_listed(mcp):
    async def work(client):
        return (await client.list_resource_templates()).resource_templates

    templates = {template.name: template.uri_template for template in mcp.run(work)}
    around = templates.pop("look_around")
    assert around == "chancery://look_around/{kind}{?search,cursor}"
    assert set(templates) == {"inbox", "threads", "thread", "message", "thread_summary"}
    assert all(uri.startswith("email://") for uri in templates.values())


def test_a_resource_is_read_as_rest_reads_it(mcp, api, message):
    for kind in (
        "threads/{thread}",
        "threads/{thread}/summary",
        "messages/{id}",
        "inboxes/{inbox}/threads?status=open&limit=2",
    ):
        named = {"thread": message.thread.public_id, "id": message.public_id,
                 "inbox": message.inbox.public_id}  # fmt: skip
        path = kind.format(**named)
        content = read(mcp, f"email://{path}")
        assert content.mime_type == "application/json"
        assert content.text.encode() == api.get(f"v1/{path}").content


def test_foreign_and_absent_ids_are_told_alike(mcp, inbox):
    foreign = factories.make_message(factories.make_inbox(factories.make_workspace("foreign")))
    told = []
    for key in (foreign.thread.public_id, "thr_8fXoQ2mKpL", "nonsense"):
        error = refusal(mcp, f"email://threads/{key}")
        assert error.data["uri"] == f"email://threads/{key}"
        told.append((error.code, error.message, error.data["error"]))
    assert told[0] == told[1] == told[2]
    assert told[0][0] == (-32602 if mcp.revision == "2026-07-28" else -32002)


def test_what_is_no_resource_is_refused_with_what_there_is(mcp):
    for uri in (
        "email://nothing/x",
        "file:///etc/passwd",
        "email://threads/",
        "email://threads/a/../b",
        "email://inboxes/x?limit=1",
    ):
        error = refusal(mcp, uri)
        assert error.code == -32602
        assert "email://inboxes/{inbox_id}" in str(error.data["error"])


def test_a_token_that_may_not_read_sees_no_mail_among_the_resources(mcp, agent, message):
    mcp.token = create_token(agent=agent, scopes={"comms:send"})[1]

    async def work(client):
        return (await client.list_resources()).resources

    assert all(str(one.uri).startswith("chancery:") for one in mcp.run(work))
    error = refusal(mcp, f"email://threads/{message.thread.public_id}")
    assert error.data["error"]["code"] == "permission_denied"


def test_arguments_of_patterns_are_completed(mcp, inbox):
    pattern = "email://inboxes/{inbox_id}/threads{?status,label,updated_after,limit,cursor}"

    async def work(client):
        ref = ResourceTemplateReference(uri=pattern)
        status = await client.complete(ref, {"name": "status", "value": "o"})
        inboxes = await client.complete(ref, {"name": "inbox_id", "value": "inb_"})
        named = await client.complete(ref, {"name": "inbox_id", "value": "OFF"})
        labels = await client.complete(ref, {"name": "label", "value": "inb"})
        found = (status, inboxes, named, labels)
        return [one.completion.values for one in found]

    assert mcp.run(work) == [["open"], [inbox.public_id], [inbox.address], ["Inbox", "inbox"]]


def test_the_names_of_a_kind_are_completed_and_those_of_no_other_workspace(mcp, inbox):
    foreign = factories.make_inbox(factories.make_workspace(), "office@elsewhere.example")

    async def work(client):
        ref = ResourceTemplateReference(uri="chancery://look_around/{kind}{?search,cursor}")
        found = {}
        for kind in ("accounts", "inboxes", "mailboxes", "identities", "nothing"):
            asked = await client.complete(
                ref, {"name": "search", "value": ""}, context_arguments={"kind": kind}
            )
            found[kind] = asked.completion.values
        return found

    found = mcp.run(work)
    assert inbox.address in found["accounts"]
    assert inbox.address in found["inboxes"]
    assert "Sent" in found["mailboxes"]
    assert found["identities"][0] == inbox.address
    assert found["nothing"] == []
    assert foreign.address not in str(found)


def test_the_list_of_inboxes_can_be_read(mcp, inbox):
    async def work(client):
        read = await client.read_resource("email://inboxes")
        return json.loads(read.contents[0].text)

    body = mcp.run(work)
    assert [one["id"] for one in body["inboxes"]] == [inbox.public_id]


def test_the_kinds_of_what_there_is_are_completed(mcp, inbox):
    async def work(client):
        ref = ResourceTemplateReference(uri="chancery://look_around/{kind}{?search,cursor}")
        return (await client.complete(ref, {"name": "kind", "value": "mail"})).completion.values

    assert mcp.run(work) == ["mailboxes"]


def test_what_cannot_be_completed_is_refused(mcp):
    async def work(client):
        return await client.complete(PromptReference(name="x"), {"name": "y", "value": ""})

    with pytest.raises(MCPError) as refused:
        mcp.run(work)
    assert refused.value.code == -32602


def test_a_prompt_is_filled_in(mcp):
    async def work(client):
        names = [prompt.name for prompt in (await client.list_prompts()).prompts]
        given = {"thread_id": "thr_x", "goal": "Say {yes} to Friday"}
        return names, await client.get_prompt("answer_thread", given)

    names, prompt = mcp.run(work)
    assert names == ["catch_up", "answer_thread"]
    assert "Say {yes} to Friday" in prompt.messages[0].content.text


@in_one_test(("name", "given"), [("catch_up", {}), ("absent", {}),
                                 ("catch_up", {"inbox_id": "x", "more": "y"})])  # fmt: skip
def test_a_prompt_with_other_arguments_is_refused(mcp, name, given):
    async def work(client):
        return await client.get_prompt(name, given)

    with pytest.raises(MCPError) as refused:
        mcp.run(work)
    assert refused.value.code == -32602


def test_what_a_resource_shows_is_told_of_beside_it(mcp, message):
    async def work(client):
        return await client.read_resource(f"email://messages/{message.public_id}")

    trust = mcp.run(work).meta["chancery/trust"]
    assert trust[message.public_id]["origin"] == "stranger"
