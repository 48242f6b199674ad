"""One search over mail, events and files."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agents.dispatching.dispatch import call
from agents.errors import ToolError
from inbox.models import FileNode, Mailbox
from inbox.operations.files import create_file
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def message(inbox):
    made = factories.make_message(inbox, subject="Quarterly report", text="Numbers of the lamps.")
    made.mailboxes.add(Mailbox.objects.get(inbox=inbox, role="inbox"))
    return made


@pytest.fixture
def event(actor, inbox):
    made = {
        "account_id": inbox.account.public_id, "subject": "Quarterly review",
        "start": "2030-03-02T12:00:00Z", "end": "2030-03-02T13:00:00Z",
    }  # fmt: skip
    return call("calendar_create_event", made, actor).result


@pytest.fixture
def file(actor, inbox) -> FileNode:
    return create_file(
        actor=actor, account=inbox.account, path="/Quarterly.txt", content=b"lamps", field="path"
    )


@pytest.fixture
def search(actor, inbox):
    def search(query="quarterly", who=actor, tool="search_unified", **fields):
        return call(tool, {"account_id": inbox.account.public_id, "query": query, **fields}, who)

    return search


def refusal(function, *args, **fields):
    with pytest.raises(ToolError) as caught:
        function(*args, **fields)
    return caught.value


def ids_of(found):
    return {kind: [item["id"] for item in items] for kind, items in found.items()}


def test_everything_is_found_by_its_type(search, message, event, file):
    assert ids_of(search().result) == {
        "message": [message.public_id],
        "event": [event["id"]],
        "driveItem": [file.public_id],
    }


def test_only_the_types_that_were_asked_for_are_searched(search, message, event, file):
    assert list(search(entity_types="event").result) == ["event"]
    found = search(entity_types=["driveItem", "message", "message"]).result
    assert set(found) == {"driveItem", "message"}
    assert search(entity_types=[]).result == {}


def test_an_item_has_the_shape_of_its_list(search, actor, inbox, message):
    (item,) = search(entity_types="message").result["message"]
    account = {"account_id": inbox.account.public_id}
    (listed,) = call("email_list", {**account, "include_body": False}, actor).result
    for one in (item, listed):
        del one["_cached_at"], one["_cache_status"]
    assert item == listed


def test_the_unified_forms_fix_the_type(actor, inbox, message, event):
    parameters = {"account_id": inbox.account.public_id, "query": "quarterly"}
    for resource, kind in (("emails", "message"), ("events", "event")):
        for said in ({}, {"entity_types": kind}, {"entity_types": [kind]}):
            given = {"resource": resource, "parameters": {**parameters, **said}}
            assert list(call("search", given, actor).result) == [kind]
    other = {"resource": "emails", "parameters": {**parameters, "entity_types": "event"}}
    error = refusal(call, "search", other, actor)
    assert error.details["errors"][0]["pointer"] == "/parameters/entity_types"


def test_a_token_finds_only_what_it_may_read(agent, search, message, event, file):
    reader = factories.agent_actor(agent, frozenset({"inbox:read", "storage:read"}))
    assert set(search(who=reader).result) == {"message", "driveItem"}
    for kind in ("event", ["message", "event"]):
        error = refusal(search, who=reader, entity_types=kind)
        assert (error.code, error.details["pointer"]) == ("permission_denied", "/entity_types")


def test_mail_of_every_inbox_of_the_account_is_found_and_of_no_other(
    search, workspace, inbox, message
):
    second = factories.make_inbox(workspace)
    second.account = inbox.account
    second.save()
    also = factories.make_message(second, subject="Quarterly report")
    factories.make_message(factories.make_inbox(workspace), subject="Quarterly report")
    found = search(entity_types="message").result["message"]
    assert {it["id"] for it in found} == {message.public_id, also.public_id}


def test_the_better_hit_comes_first_and_no_more_than_asked_for(search, inbox, message):
    for _ in range(60):
        factories.make_message(inbox, subject="Other", text="It is quarterly, too.")
    best = factories.make_message(inbox, subject="Quarterly report", text="Each is quarterly.")
    found = search(entity_types="message", limit=500).result["message"]
    assert (found[0]["id"], len(found)) == (best.public_id, 62)
    assert len(search(entity_types="message", limit=7).result["message"]) == 7


def test_a_search_takes_as_many_queries_for_many_as_for_few(search, inbox, message, event, file):
    search()
    counts = set()
    for _ in range(3):
        with CaptureQueriesContext(connection) as queries:
            search(force_refresh=True)
        counts.add(len(queries))
        for _ in range(10):
            factories.make_message(inbox, subject="Quarterly")
    assert len(counts) <= 2  # the size of the answer is noted when it differs


@pytest.mark.parametrize("query", ['"', "a AND (", "NEAR(", "%_", "\u202e", "🌍", "x" * 512])
def test_no_character_of_a_query_has_a_meaning_of_its_own(search, message, query):
    assert set(search(query).result) == {"message", "event", "driveItem"}


def test_an_account_that_was_not_granted_does_not_exist(search, workspace):
    other = factories.make_inbox(workspace).account
    for account in (other.public_id, "acc_none", ""):
        error = refusal(search, account_id=account)
        assert (error.code, error.details["pointer"]) == ("not_found", "/account_id")


def test_an_operator_of_one_type_finds_nothing_of_another(search, message, event, file):
    assert ids_of(search("quarterly is:unread").result) == {
        "message": [message.public_id], "event": [], "driveItem": [],
    }  # fmt: skip
    assert ids_of(search("quarterly type:text", entity_types="driveItem").result) == {
        "driveItem": [file.public_id]
    }
    refused = refusal(search, "quarterly after:soon")
    assert "after:" in str(refused)
    assert "type:" in str(refusal(search, "quarterly type:%%", entity_types="driveItem"))
