"""What is read by its address."""

from urllib.parse import quote

import pytest
from jsonschema import Draft202012Validator

from agents.contracts import REGISTRY
from agents.contracts.schemas import bundled
from agents.models import Receipt
from inbox.models import Mailbox
from inbox.operations.activities.understanding import ensure_defaults
from tests import factories
from tests.agents.surfaces.test_rest import error

pytestmark = pytest.mark.django_db


def valid(body, name):
    schema = bundled(REGISTRY.documents[f"neuralmail/resources/{name}.json"], REGISTRY.documents)
    Draft202012Validator(schema).validate(body)
    return body


def by_uri(api, uri):
    return api.get(f"v1/resource?uri={quote(uri, safe='')}")


@pytest.fixture
def message(inbox):
    return factories.make_message(inbox)


def test_an_inbox(api, inbox):
    body = valid(api.get(f"v1/inboxes/{inbox.public_id}").json(), "inbox")
    assert body["labels"] == ["Archive", "Drafts", "Inbox", "Junk", "Sent", "Trash"]
    assert by_uri(api, f"email://inboxes/{inbox.public_id}").json() == body


def test_the_threads_of_an_inbox_by_status_and_label(api, inbox, message):
    message.thread.mailboxes.add(Mailbox.objects.get(inbox=inbox, role="archive"))
    closed = factories.make_message(inbox).thread
    closed.status = "closed"
    closed.save()
    base = f"inboxes/{inbox.public_id}/threads"
    found = api.get(f"v1/{base}?status=open&label=ARCHIVE").json()
    assert [thread["id"] for thread in found["threads"]] == [message.thread.public_id]
    assert by_uri(api, f"email://{base}?status=open&label=ARCHIVE").json() == found
    assert api.get(f"v1/{base}?status=closed").json()["threads"][0]["id"] == closed.public_id
    error(api.get(f"v1/{base}?status=lost"), 400, "invalid_input")
    error(api.get(f"v1/{base}?colour=red"), 400, "invalid_input")
    error(api.get(f"v1/{base}?limit=5&limit=6"), 400, "invalid_input")
    error(api.get(f"v1/{base}?inbox_id=inb_other"), 400, "invalid_input")
    error(api.get(f"v1/{base}?limit=five"), 400, "invalid_input")


def test_a_thread_and_a_message(api, message):
    thread = valid(api.get(f"v1/threads/{message.thread.public_id}").json(), "thread")
    assert by_uri(api, f"email://threads/{thread['id']}").json() == thread
    body = valid(api.get(f"v1/messages/{message.public_id}").json(), "message")
    assert body["from"] == {"name": "Ada Byron", "email": "ada@customer.example"}
    assert by_uri(api, f"email://messages/{body['id']}").json() == body


def test_a_summary(api, message):
    path = f"threads/{message.thread.public_id}/summary"
    body = valid(api.get(f"v1/{path}").json(), "thread_summary")
    assert body["summary"]
    assert by_uri(api, f"email://{path}").json() == body


@pytest.mark.parametrize(
    "sender", ["", "not an address", "a@b@c", "<>", "root@", "ada@exa mple.org"]
)
def test_a_sender_that_is_no_address_is_left_out(api, inbox, sender):
    odd = factories.make_message(inbox, sender=sender, sender_name="Ada")
    assert "from" not in valid(api.get(f"v1/messages/{odd.public_id}").json(), "message")


def test_a_sender_in_another_script_is_written_as_in_the_dns(api, inbox):
    odd = factories.make_message(inbox, sender="ada@bücher.example")
    assert (
        api.get(f"v1/messages/{odd.public_id}").json()["from"]["email"]
        == "ada@xn--bcher-kva.example"
    )


def test_a_promised_message_can_be_read_before_it_is_sent(api, message):
    arguments = {
        "thread_id": message.thread.public_id,
        "body_or_draft_id": "Yes.",
        "idempotency_key": "k",
    }
    promised = api.call("send_reply", arguments).json()["message_id"]
    body = valid(api.get(f"v1/messages/{promised}").json(), "message")
    assert (body["id"], body["direction"]) == (promised, "outbound")
    assert body["to"] == [{"name": "Ada Byron", "email": "ada@customer.example"}]


@pytest.mark.parametrize(
    "uri",
    ["", "email://", "email://inboxes/", "email://inboxes#x", "http://inboxes/inb_1", "email://threads/a/b", "email:inboxes/x",
     "email://inboxes/inb_1/threads?inbox_id=inb_2", "email://threads/thr_\n1",
     "email://threads/thr_1?status=open", "email://messages/msg_1#part", "email://notes/1", "email://inboxes//threads"],
)  # fmt: skip
def test_a_uri_that_names_no_resource_is_refused(api, uri):
    error(by_uri(api, uri), 400, "invalid_input")


def test_a_resource_without_its_uri_is_refused(api):
    error(api.get("v1/resource"), 400, "invalid_input")
    error(api.get("v1/resource?uri=email://threads/thr_1&x=1"), 400, "invalid_input")


def test_who_am_i(api, inbox):
    body = api.get("v1/me").json()
    assert (body["name"], body["workspace"], body["status"]) == ("Clerk", "lantern", "active")
    assert body["inboxes"] == [{"id": inbox.public_id, "address": inbox.address}]
    assert Receipt.objects.get().tool == "read_me"


def test_what_the_workspace_teaches_is_listed(api, workspace):
    ensure_defaults(workspace)
    assert api.get("v1/taxonomies").json()["taxonomies"][0]["id"].startswith("tax_")
    assert api.get("v1/policies?name=default").json()["policies"][0]["id"].startswith("pol_")
    schemas = api.get("v1/schemas").json()["schemas"]
    assert len(schemas) >= 4
    assert schemas[0]["json_schema"]["type"] == "object"
    assert api.get("v1/schemas?name=nothing").json() == {"schemas": []}


def test_lists_go_on_by_cursor(api, workspace, agent):
    seen = []
    for _ in range(4):
        extra = factories.make_inbox(workspace)
        agent.grants.create(account=extra.account)
    cursor = ""
    while cursor is not None:
        page = api.get(f"v1/inboxes?limit=2{cursor}").json()
        seen += [inbox["id"] for inbox in page["inboxes"]]
        cursor = f"&cursor={page['next_cursor']}" if "next_cursor" in page else None
    assert len(seen) == len(set(seen)) == 5


def test_reading_needs_a_token_and_its_scope(client, api, inbox):
    error(client.get(f"/api/v1/inboxes/{inbox.public_id}"), 401, "unauthenticated")
    agent_tokens = inbox.workspace.agents.get().tokens
    agent_tokens.update(scopes=["storage:read"])
    error(api.get(f"v1/inboxes/{inbox.public_id}"), 403, "permission_denied")


@pytest.mark.parametrize("name", ["inboxes", "threads", "messages"])
def test_foreign_malformed_and_absent_ids_answer_alike(api, name):
    other = factories.make_message(factories.make_inbox(factories.make_workspace()))
    foreign = {"inboxes": other.inbox, "threads": other.thread, "messages": other}[name].public_id
    ids = [foreign, f"{foreign[:3]}_k3G7QAe51F", "thr_0", "x", "%F0%9F%92%8C", foreign.upper()]
    answers = {api.get(f"v1/{name}/{one}").content for one in ids}
    assert len(answers) == 1
    error(api.get(f"v1/{name}/{foreign}"), 404, "not_found")


def test_a_filter_by_idempotency_key_is_no_key_of_the_reading_itself(api, propose):
    propose(key="k1")
    for extra in ("", "&outcome=held"):
        response = api.get(f"v1/receipts?idempotency_key=k1{extra}")
        assert [one["tool"] for one in response.json()["receipts"]] == ["send_reply"]
