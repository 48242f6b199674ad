"""Answers that are written straight from rows: byte for byte what their contract's model writes."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agents.contracts import REGISTRY
from agents.contracts.plain import moment
from agents.dispatching.dispatch import call
from agents.operations.agents import create_token, known_scopes
from agents.tools.mail.email_shapes import CachedEmail
from agents.tools.shapes import message_shape, thread_shapes
from inbox.models import Attachment, Identity, Mailbox, Thread, store_blob
from inbox.operations.drafts.writing import create_draft
from tests import factories

pytestmark = pytest.mark.django_db
_CONTROL = re.compile(r"^(BEGIN|SAVEPOINT|RELEASE|COMMIT)", re.IGNORECASE)
_SECOND = factories.NOON.replace(microsecond=0)


@pytest.fixture
def odd(inbox):
    """Mail as it comes in: with whatever a name, an address, a time or a text may be."""
    long = [
        {"name": f"Ümit {number} " * 9, "email": f"u{number}@x.example"} for number in range(60)
    ]
    kinds = [
        {},
        {"at": _SECOND, "subject": ""},
        {"at": _SECOND + timedelta(microseconds=500_000), "text": "ÄÖ \u2028 \U0001f600 \"\\ \x7f"},
        {"at": _SECOND + timedelta(microseconds=1), "sender": "", "sender_name": ""},
        {"sender": "no address at all", "sender_name": "Nobody"},
        {"sender": "ada@bücher.example", "sender_name": "</script>"},
        {"to": [{"email": "a@b.example"}, {"name": "", "email": "x"}, {"name": "N"}], "cc": long},
        {"html": "<p>Hi</p>", "keywords": ["$seen", "Offers", "\"$flagged\""]},
        {"text": "x" * 30_000, "keywords": ["\"$seen\""], "direction": "outbound"},
        {"importance": "high", "inference": "other", "keywords": ["$flagged"],
         "follow_up": {"due": {"at": "2026-03-02T12:00:00+00:00", "zone": "Europe/Berlin"}}},
    ]  # fmt: skip
    made = [factories.make_message(inbox, **kind) for kind in kinds]
    thread = made[0].thread
    made += [factories.make_message(inbox, thread=thread, text="Again. " * 99) for _ in range(3)]
    for message in made:
        message.mailboxes.add(Mailbox.objects.get(inbox=inbox, role="inbox"))
    for name in ("Zebra", "Ähre", "alpha"):
        mailbox = Mailbox.objects.create(workspace=inbox.workspace, inbox=inbox, name=name)
        thread.mailboxes.add(mailbox)
    Attachment.objects.create(
        workspace=inbox.workspace, message=made[0], filename="", size=3, position=0,
        received_at=made[0].received_at, content_type="text/plain", blob=store_blob(inbox.workspace_id, b"abc"),
    )  # fmt: skip
    return made


def calls_of(inbox, odd):
    account = {"account_id": inbox.account.public_id}
    yield "list_threads", {"inbox_id": inbox.public_id}
    yield "list_threads", {"inbox_id": inbox.public_id, "limit": 2}
    yield "list_threads", {"inbox_id": inbox.public_id, "label": "zebra"}
    for message in odd:
        yield "get_thread", {"thread_id": message.thread.public_id}
        for more in ({}, {"include_body": False}, {"include_attachments": False}):
            yield "email_get", {**account, "email_id": message.public_id, **more}
    yield "get_thread", {"thread_id": odd[0].thread.public_id, "include_messages": False}
    yield "email_list", {**account, "limit": 50}
    yield "email_list", {**account, "include_body": False}
    yield "email_list", {**account, "folder": "drafts"}


def test_each_answer_is_what_its_model_would_write(actor, inbox, odd):
    identity = Identity.objects.get(account=inbox.account, is_default=True)
    create_draft(
        actor=actor, inbox=inbox, identity=identity, subject="Hi", body="There.",
        to=["ada@customer.example"],
    )  # fmt: skip

    for name, arguments in calls_of(inbox, odd):
        answer = call(name, arguments, actor)
        model = REGISTRY.tool(name).result.model_validate_json(answer.json)
        written = model.model_dump_json(by_alias=True, exclude_none=True)
        assert written == answer.json, (name, arguments)


def test_threads_and_messages_are_those_that_models_make_of_rows(actor, inbox, odd):
    listed = call("list_threads", {"inbox_id": inbox.public_id}, actor).result["threads"]
    rows = {thread.public_id: thread for thread in Thread.objects.all()}
    shapes = thread_shapes([rows[one["id"]] for one in listed])
    assert listed == [one.model_dump(mode="json", exclude_none=True) for one in shapes]
    for message in odd:
        thread = message.thread.public_id
        shape = message_shape(message, thread).model_dump(
            mode="json", exclude_none=True, by_alias=True
        )
        found = call("get_thread", {"thread_id": thread}, actor).result["messages"]
        if sum(len(one["text"]) for one in found) < 20_000:
            assert shape in found


def test_an_email_says_what_its_row_says(actor, inbox, odd):
    flagged, marked = odd[9], odd[7]
    asked = {"account_id": inbox.account.public_id, "email_id": flagged.public_id}
    email = CachedEmail.model_validate_json(call("email_get", asked, actor).json)
    assert (email.importance, email.inference_classification) == ("high", "other")
    assert email.flag.due_date_time.date_time == "2026-03-02T13:00:00"
    assert not email.is_read
    listed = call("email_list", {"account_id": inbox.account.public_id}, actor).result
    read = {one["id"]: one["isRead"] for one in listed}
    assert read[marked.public_id]
    assert not read[odd[8].public_id]


@pytest.mark.parametrize("micro", [0, 1, 500_000])
def test_a_time_is_written_alike_with_its_zone_and_as_stored(micro):
    at = _SECOND.replace(microsecond=micro)
    assert moment(at) == moment(at.replace(tzinfo=None)) == moment(at.astimezone(None))
    assert moment(str(at.replace(tzinfo=None))) == moment(at)


def test_the_next_page_goes_on_where_the_last_one_ended(actor, inbox, odd):
    whole = call("list_threads", {"inbox_id": inbox.public_id}, actor).result["threads"]
    asked, found = {"inbox_id": inbox.public_id, "limit": 3}, []
    while True:
        page = call("list_threads", asked, actor).result
        found += page["threads"]
        if "next_cursor" not in page:
            break
        asked["cursor"] = page["next_cursor"]
    assert found == whole


def test_what_agents_ask_most_takes_few_statements(client, workspace, inbox, odd):
    agent = factories.make_agent(workspace, inboxes=(inbox,))
    _, token = create_token(agent=agent, scopes=known_scopes())
    account = {"account_id": inbox.account.public_id}
    most = {
        "list_threads": (4, {"inbox_id": inbox.public_id}),
        "get_thread": (5, {"thread_id": odd[0].thread.public_id}),
        "email_get": (5, {**account, "email_id": odd[0].public_id}),
        "email_list": (5, account),
    }

    for name, (count, arguments) in most.items():
        for _ in range(2):
            with CaptureQueriesContext(connection) as found:
                answer = client.post(
                    f"/api/tools/{name}", arguments, content_type="application/json",
                    headers={"Authorization": f"Bearer {token}"},
                )  # fmt: skip
        assert answer.status_code == 200
        said = [one["sql"] for one in found if not _CONTROL.match(one["sql"])]
        assert len(said) == count, (name, said)
