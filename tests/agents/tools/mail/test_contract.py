"""The mail contract's tools on real rows: each argument has its effect."""

from datetime import timedelta

import pytest
from jsonschema import Draft202012Validator

from agents.contracts import REGISTRY
from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.models import Approval
from inbox.models import (
    Direction,
    Draft,
    ExtractionSchema,
    Mailbox,
    Message,
    ReplyPolicy,
    Submission,
    Taxonomy,
)
from inbox.operations.activities.understanding import ensure_defaults, save_version
from tests import factories
from tests.sending_tools import check_proposed

pytestmark = pytest.mark.django_db


@pytest.fixture
def ask(actor):
    """Call a tool and check its answer against its own schema."""

    def ask(name, **arguments):
        result = call(name, arguments, actor).result
        Draft202012Validator(REGISTRY.schemas_of(name)[1]).validate(result)
        return result

    return ask


def refusal(ask, name, **arguments):
    with pytest.raises(ToolError) as caught:
        ask(name, **arguments)
    return caught.value


def threads(result):
    return [thread["id"] for thread in result["threads"]]


@pytest.fixture
def defaults(workspace):
    ensure_defaults(workspace)
    return {
        "taxonomy_id": Taxonomy.objects.get(workspace=workspace).public_id,
        "policy_id": ReplyPolicy.objects.get(workspace=workspace).public_id,
    }


def test_threads_come_newest_first_page_by_page(ask, inbox):
    made = [factories.make_message(inbox).thread.public_id for _ in range(7)]
    seen, cursor = [], {}
    while True:
        page = ask("list_threads", inbox_id=inbox.public_id, limit=3, **cursor)
        seen += threads(page)
        if "next_cursor" not in page:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert seen == made[::-1]


def test_threads_of_one_moment_are_neither_lost_nor_repeated(ask, inbox):
    made = {factories.make_message(inbox, at=factories.NOON).thread.public_id for _ in range(7)}
    first = ask("list_threads", inbox_id=inbox.public_id, limit=4)
    second = ask("list_threads", inbox_id=inbox.public_id, limit=4, cursor=first["next_cursor"])
    assert len(threads(first) + threads(second)) == 7
    assert set(threads(first) + threads(second)) == made


def test_a_cursor_keeps_its_place_while_mail_comes_in(ask, inbox):
    made = [factories.make_message(inbox).thread.public_id for _ in range(4)][::-1]
    first = ask("list_threads", inbox_id=inbox.public_id, limit=2)
    factories.make_message(inbox)
    second = ask("list_threads", inbox_id=inbox.public_id, limit=2, cursor=first["next_cursor"])
    assert threads(first) + threads(second) == made


@pytest.mark.parametrize(
    "cursor", ["", "x", "e30", "WzEsMiwzXQ", "W10", "é", "A" * 10000, "WzFlNDAwLDEsIngiXQ"]
)
def test_a_cursor_that_is_none_is_refused(ask, inbox, cursor):
    error = refusal(ask, "list_threads", inbox_id=inbox.public_id, cursor=cursor)
    assert error.details["errors"][0]["pointer"] == "/cursor"


def test_a_cursor_of_another_query_is_refused(ask, inbox):
    for _ in range(3):
        factories.make_message(inbox)
    cursor = ask("list_threads", inbox_id=inbox.public_id, limit=1)["next_cursor"]
    error = refusal(ask, "list_threads", inbox_id=inbox.public_id, status="open", cursor=cursor)
    assert "another query" in error.message


def test_a_label_is_a_mailbox_s_name_or_role_in_any_case(ask, inbox):
    thread = factories.make_message(inbox).thread
    factories.make_message(inbox)
    junk = Mailbox.objects.get(inbox=inbox, role="junk")
    junk.name = "Spam, the worst"
    junk.save()
    thread.mailboxes.add(junk)
    for label in ("JUNK", "spam, the WORST"):
        found = ask("list_threads", inbox_id=inbox.public_id, label=label)
        assert threads(found) == [thread.public_id]
        assert found["threads"][0]["labels"] == ["Spam, the worst"]
    assert threads(ask("list_threads", inbox_id=inbox.public_id, label="nothing")) == []


def test_updated_after_leaves_out_that_very_moment(ask, inbox):
    old = factories.make_message(inbox, at=factories.NOON)
    new = factories.make_message(inbox, at=factories.NOON + timedelta(seconds=1))
    found = ask("list_threads", inbox_id=inbox.public_id, updated_after="2026-03-02T13:00:00+01:00")
    assert threads(found) == [new.thread.public_id]
    earlier = ask(
        "list_threads", inbox_id=inbox.public_id, updated_after="2026-03-02T11:59:59.999999Z"
    )
    assert len(threads(earlier)) == 2
    assert old.thread.public_id in threads(earlier)


def test_a_thread_has_its_messages_oldest_first(ask, inbox):
    first = factories.make_message(inbox)
    last = factories.make_message(inbox, thread=first.thread, text="And by post, please.")
    found = ask("get_thread", thread_id=first.thread.public_id)
    assert [message["id"] for message in found["messages"]] == [first.public_id, last.public_id]
    assert {message["thread_id"] for message in found["messages"]} == {found["thread"]["id"]}


def test_a_thread_without_its_messages(ask, inbox):
    thread = factories.make_message(inbox).thread
    assert "messages" not in ask("get_thread", thread_id=thread.public_id, include_messages=False)


def test_the_id_of_a_joined_thread_leads_to_the_whole(ask, inbox):
    whole = factories.make_message(inbox).thread
    part = factories.make_message(inbox).thread
    part.merged_into = whole
    part.save()
    assert ask("get_thread", thread_id=part.public_id)["thread"]["id"] == whole.public_id
    assert threads(ask("list_threads", inbox_id=inbox.public_id)) == [whole.public_id]


def test_a_deleted_message_is_gone(ask, inbox):
    message = factories.make_message(inbox)
    Message.objects.update(deleted_at=factories.NOON)
    assert ask("get_thread", thread_id=message.thread.public_id)["messages"] == []


def test_search_takes_operators_and_names_one_that_has_a_bad_value(ask, inbox):
    made = factories.make_message(inbox, text="The walnut table is ready.", at=factories.NOON)
    factories.make_message(inbox, text="The walnut chair is ready.", at=factories.NOON)
    found = ask("search_inbox", inbox_id=inbox.public_id, query="walnut -chair after:2020")
    assert [hit["message_id"] for hit in found["results"]] == [made.public_id]
    with pytest.raises(ToolError) as caught:
        ask("search_inbox", inbox_id=inbox.public_id, query="walnut is:blue")
    (problem,) = caught.value.details["errors"]
    assert problem["pointer"] == "/query"
    assert "is: does not take 'blue'" in problem["message"]
    assert "is:unread" in problem["accepted"]


def test_search_says_which_word_it_looked_for_in_place_of_one_that_no_mail_has(inbox):
    factories.make_message(inbox, text="The walnut table is ready.")
    actor = factories.agent_actor(factories.make_agent(inbox.workspace, inboxes=(inbox,)))
    for name, place, key in (
        ("search_inbox", {"inbox_id": inbox.public_id}, "results"),
        ("search_unified", {"account_id": inbox.account.public_id}, "message"),
    ):
        answer = call(name, {"query": "wallnut tabel", **place}, actor)
        assert len(answer.result[key]) == 1
        assert answer.remarks[0] == (
            'Nothing for "wallnut", "tabel", showing "walnut", "table". '
            "In quotation marks a word is taken as it is."
        )
        answer = call(name, {"query": '"wallnut" tabel', **place}, actor)
        assert 'Nothing for "tabel", showing "table".' in answer.remarks[0]
        answer = call(name, {"query": "walnut", **place}, actor)
        assert not answer.remarks


def test_search_finds_words_within_a_time_range(ask, inbox):
    early = factories.make_message(inbox, text="The walnut table is ready.", at=factories.NOON)
    late = factories.make_message(
        inbox, text="Another walnut table.", at=factories.NOON + timedelta(days=2)
    )
    factories.make_message(inbox, text="Nothing of the kind.")
    found = ask("search_inbox", inbox_id=inbox.public_id, query="walnut table")["results"]
    assert {hit["message_id"] for hit in found} == {early.public_id, late.public_id}
    assert {hit["thread_id"] for hit in found} == {early.thread.public_id, late.thread.public_id}
    span = {"start": "2026-03-02T12:00:00Z", "end": "2026-03-04T12:00:00Z"}
    found = ask("search_inbox", inbox_id=inbox.public_id, query="walnut", time_range=span)[
        "results"
    ]
    assert [hit["message_id"] for hit in found] == [early.public_id]
    assert "walnut" in found[0]["snippet"]
    assert (
        len(ask("search_inbox", inbox_id=inbox.public_id, query="table", top_k=1)["results"]) == 1
    )


def test_a_time_range_that_ends_before_it_starts_is_refused(ask, inbox):
    span = {"start": "2026-03-04T12:00:00Z", "end": "2026-03-04T12:00:00Z"}
    error = refusal(ask, "search_inbox", inbox_id=inbox.public_id, query="x", time_range=span)
    assert error.details["errors"][0]["pointer"] == "/time_range/end"


def test_search_costs_the_same_for_one_hit_as_for_many(actor, inbox, django_assert_max_num_queries):
    wanted = {"inbox_id": inbox.public_id, "query": "walnut", "top_k": 20}
    factories.make_message(inbox, text="A walnut table.")
    call("search_inbox", wanted, actor)  # the first text shown opens a quota's count
    for _ in range(20):
        factories.make_message(inbox, text="A walnut table.")
    with django_assert_max_num_queries(14):
        call("search_inbox", wanted, actor)


def test_triage_follows_the_taxonomy(ask, inbox, defaults):
    message = factories.make_message(
        inbox, subject="Refund", text="I want my money back. Please refund order 12."
    )
    found = ask("triage_message", message_id=message.public_id, taxonomy_id=defaults["taxonomy_id"])
    assert "refund" in found["intent"]
    error = refusal(ask, "triage_message", message_id=message.public_id, taxonomy_id="tax_none")
    assert (error.code, error.details["pointer"]) == ("not_found", "/taxonomy_id")


def test_extraction_fills_in_a_stored_schema(ask, inbox, defaults):
    message = factories.make_message(
        inbox, subject="Invoice 2026-17", text="Invoice number 2026-17, total 120.50 EUR."
    )
    for schema in ExtractionSchema.objects.all():
        found = ask("extract_to_schema", message_id=message.public_id, schema_id=schema.public_id)
        assert 0 <= found["confidence"] <= 1


def test_a_reply_is_drafted_stored_and_sent_by_its_text(ask, inbox, defaults):
    message = factories.make_message(inbox)
    thread_id = message.thread.public_id
    drafted = ask("draft_reply_with_policy", thread_id=thread_id, policy_id=defaults["policy_id"],
                  goal="Say that the offer comes on Friday.")  # fmt: skip
    draft = Draft.objects.get()
    assert draft.body == drafted["draft"]
    assert drafted["cited_message_ids"] == [message.public_id]
    ask("send_reply", thread_id=thread_id, body_or_draft_id=drafted["draft"], idempotency_key="k")
    assert Submission.objects.get().draft == draft
    check_proposed()
    flags = {flag["flag"] for flag in Approval.objects.get().risk_flags}
    assert flags == set(drafted["risk_flags"])


def test_a_reply_is_sent_by_its_draft_s_id_of_this_thread_only(ask, inbox, defaults):
    thread = factories.make_message(inbox).thread
    other = factories.make_message(inbox).thread
    ask(
        "draft_reply_with_policy",
        thread_id=thread.public_id,
        policy_id=defaults["policy_id"],
        goal="Thank them.",
    )
    draft_id = Draft.objects.get().public_id
    error = refusal(
        ask, "send_reply", thread_id=other.public_id, body_or_draft_id=draft_id, idempotency_key="a"
    )
    assert error.code == "not_found"
    ask("send_reply", thread_id=thread.public_id, body_or_draft_id=draft_id, idempotency_key="b")
    assert Submission.objects.get().draft.public_id == draft_id


def test_another_agent_s_draft_does_not_exist(ask, inbox, defaults, workspace):
    thread = factories.make_message(inbox).thread
    ask(
        "draft_reply_with_policy",
        thread_id=thread.public_id,
        policy_id=defaults["policy_id"],
        goal="Thank them.",
    )
    other = factories.agent_actor(factories.make_agent(workspace, "Other", (inbox,)))
    arguments = {
        "thread_id": thread.public_id, "body_or_draft_id": Draft.objects.get().public_id, "idempotency_key": "k",
    }  # fmt: skip
    with pytest.raises(ToolError) as caught:
        call("send_reply", arguments, other)
    assert caught.value.code == "not_found"


@pytest.mark.parametrize("body", ["", "   ", "\n"])
def test_an_empty_reply_is_refused_by_its_field(ask, inbox, body):
    thread = factories.make_message(inbox).thread
    error = refusal(
        ask, "send_reply", thread_id=thread.public_id, body_or_draft_id=body, idempotency_key="k"
    )
    assert error.details["errors"][0]["pointer"] == "/body_or_draft_id"
    assert not Draft.objects.exists()


def test_what_the_policy_blocks_is_not_held(ask, inbox, workspace):
    save_version(
        ReplyPolicy,
        workspace=workspace,
        name="Strict",
        content="recipients:\n  block: [customer.example]\n",
    )
    thread = factories.make_message(inbox).thread
    error = refusal(
        ask, "send_reply", thread_id=thread.public_id, body_or_draft_id="Yes.", idempotency_key="k"
    )
    assert (error.code, error.status) == ("policy_blocked", 403)
    assert error.details["risk_flags"][0]["excerpt"] == "ada@customer.example"
    assert not Approval.objects.exists()
    assert not Draft.objects.exists()


def test_a_reply_never_goes_to_ourselves(ask, inbox):
    ours = factories.make_message(inbox, sender=inbox.address, direction=Direction.INBOUND)
    ours.to = [{"email": inbox.address}]
    ours.save()
    error = refusal(
        ask,
        "send_reply",
        thread_id=ours.thread.public_id,
        body_or_draft_id="x",
        idempotency_key="k",
    )
    assert error.code == "conflict"
