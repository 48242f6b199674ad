"""The same proposal again while it waits is answered with the first; a person reads it once."""

from datetime import timedelta

import pytest
from django.utils import timezone

from agents.approval import lifecycle
from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.exchange.folders import write_file
from agents.models import Approval, ApprovalState, Receipt
from calendar_app.models import Event
from inbox.models import Activity, Draft, ReplyPolicy, Submission
from inbox.operations.activities.understanding import ensure_defaults
from inbox.operations.drafts.writing import revise_draft
from tests import factories
from tests.agents.tools.calendars import ADA, BO, desk

__all__ = ["desk"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def letter(inbox):
    """The arguments of a letter to somebody."""
    return {
        "account_id": inbox.account.public_id, "to": "ada@customer.example", "subject": "Offer",
        "body": "It comes on Friday.", "confirm": True,
    }  # fmt: skip


def answered(name, arguments, who, key=None):
    """The approval that a call names, answered or refused."""
    try:
        return call(name, arguments, who, key).approval.public_id
    except ToolError as error:
        if error.code != "approval_required":
            raise
        return error.details["approval_id"]


def test_a_change_that_waits_is_not_made_twice(message, actor):
    activity = Activity.objects.create(
        workspace=message.workspace, source="email", source_id="x", message=message, title="Roof",
        created_at=message.received_at, status="surfaced", autonomy_tier=4,
    )  # fmt: skip
    lower = {"activity_ids": [activity.public_id], "updates": {"status": "archived"}}
    ids = {answered("update_activities", lower, actor, key) for key in (None, "a", "b", None)}
    assert ids == {Approval.objects.get().public_id}


def test_another_change_is_another_proposal(message, actor):
    (activity,) = factories.activities_from_messages([message.pk])
    Activity.objects.update(status="surfaced", autonomy_tier=4)
    ids = {
        answered(
            "update_activities", {"activity_ids": [activity.public_id], "updates": change}, actor
        )
        for change in ({"status": "archived"}, {"status": "processed"})
    }
    assert len(ids) == 2


@pytest.mark.parametrize("keys", [(None, None), ("a", "b"), ("a", None), (None, "b")])
def test_key_or_not_it_is_the_same(actor, letter, keys):
    one, two = (call("email_send", letter, actor, key) for key in keys)
    assert one.approval == two.approval == Approval.objects.get()


def test_the_receipt_says_that_it_was_proposed_again(actor, letter):
    first = call("email_send", letter, actor)
    second = call("email_send", letter, actor, "k2")
    receipt = Receipt.objects.with_public_id(second.receipt_id).get()
    assert second.receipt_id != first.receipt_id
    assert (receipt.outcome, receipt.approval) == ("held", first.approval.public_id)
    assert receipt.reason == (
        f"the same proposal as {first.approval.public_id}, which still needs approval"
    )


def test_the_second_key_learns_what_became_of_the_first(actor, letter, approve):
    call("email_send", letter, actor, "k1")
    call("email_send", letter, actor, "k2")
    approve(Approval.objects.get())
    for key in ("k1", "k2"):
        assert call("email_send", letter, actor, key).approval.state == ApprovalState.APPROVED
    assert Approval.objects.count() == 1


def test_a_key_with_other_content_is_a_conflict_still(actor, letter):
    call("email_send", letter, actor, "k1")
    call("email_send", letter, actor, "k2")
    with pytest.raises(ToolError) as refused:
        call("email_send", {**letter, "body": "On Monday."}, actor, "k2")
    assert refused.value.code == "idempotency_conflict"


@pytest.mark.parametrize(
    "change",
    [{"to": "bob@customer.example"}, {"subject": "Offers"}, {"body": "On Monday."},
     {"cc": "bob@customer.example"}],
)  # fmt: skip
def test_another_letter_is_another_proposal(actor, letter, change):
    assert answered("email_send", letter, actor) != answered(
        "email_send", {**letter, **change}, actor
    )


def test_one_address_alone_or_in_a_list_is_the_same_letter(actor, letter):
    in_list = {**letter, "to": [letter["to"]]}
    assert answered("email_send", letter, actor) == answered("email_send", in_list, actor)


@pytest.fixture
def reply(message):
    """Propose the same words to answer a message, by the tool of this name."""

    def reply(name, who, words="It comes on Friday.", key="k"):
        of_mail = {"account_id": message.inbox.account.public_id, "email_id": message.public_id,
                   "body": words, "confirm": True}  # fmt: skip
        of_thread = {"thread_id": message.thread.public_id, "body_or_draft_id": words,
                     "idempotency_key": key}  # fmt: skip
        return call(name, of_thread if name == "send_reply" else of_mail, who)

    return reply


REPLIES = ("send_reply", "email_reply", "email_reply_all")


@pytest.mark.parametrize(
    ("one", "other"), [(one, other) for one in REPLIES for other in REPLIES if one != other]
)
def test_the_same_reply_by_another_tool_is_answered_with_the_first(
    reply, actor, one, other, approve
):
    first, second = reply(one, actor), reply(other, actor)
    assert (second.approval, second.replayed) == (first.approval, True)
    assert second.result["message_id"] == first.result["message_id"]
    assert Approval.objects.count() == Submission.objects.count() == Draft.objects.count() == 1
    assert Receipt.objects.with_public_id(second.receipt_id).get().tool == other
    # The second call's key learns what becomes of it too.
    approve(first.approval)
    if other == "send_reply":
        assert reply(other, actor).approval.state == ApprovalState.APPROVED


def test_a_reply_to_others_in_the_same_words_is_another_letter(reply, message, actor):
    message.cc = [{"email": "bo@customer.example"}]
    message.save(update_fields=["cc"])
    to_all = reply("email_reply_all", actor)
    assert reply("email_reply", actor).approval != to_all.approval
    assert reply("send_reply", actor).approval == reply("email_reply", actor).approval


def test_a_reply_whose_lines_end_otherwise_is_the_same(reply, actor):
    first = reply("email_reply", actor, "On Friday.\r\nYours, Clerk")
    assert reply("send_reply", actor, "On Friday.\nYours, Clerk").approval == first.approval


def test_a_draft_proposed_by_its_id_and_in_its_words_by_another_tool_waits_once(
    reply, message, actor
):
    ensure_defaults(message.workspace)
    goal = {"thread_id": message.thread.public_id, "goal": "Thank them.",
            "policy_id": ReplyPolicy.objects.get().public_id}  # fmt: skip
    words = call("draft_reply_with_policy", goal, actor).result["draft"]
    first = reply("send_reply", actor, Draft.objects.get().public_id)
    assert reply("email_reply", actor, words).approval == first.approval


def test_another_agent_s_letter_is_its_own(workspace, inbox, actor, letter):
    other = factories.agent_actor(factories.make_agent(workspace, "Scout", (inbox,)))
    assert answered("email_send", letter, actor) != answered("email_send", letter, other)


@pytest.mark.parametrize("end", ["reject", "send_back"])
def test_what_was_decided_may_be_proposed_again(actor, letter, reviewer, end):
    first = call("email_send", letter, actor).approval
    words = {"reject": {"reason": "No."}, "send_back": {"feedback": "Shorter."}}[end]
    getattr(lifecycle, end)(approval=first, by=reviewer, **words)
    second = call("email_send", letter, actor).approval
    assert second != first
    assert second.state == ApprovalState.WAITING
    assert call("email_send", letter, actor).approval == second


def test_what_has_left_may_be_proposed_again(actor, letter, approve):
    first = approve(call("email_send", letter, actor).approval)
    assert call("email_send", letter, actor).approval != first


def test_what_was_taken_back_waits_again_and_is_found(actor, letter, approve, reviewer):
    first = call("email_send", letter, actor).approval
    approve(first)
    undone = lifecycle.undo(approval=first, by=reviewer)
    assert call("email_send", letter, actor).approval == undone


def test_what_has_expired_unseen_gives_way_to_a_new_one(actor, letter):
    first = call("email_send", letter, actor).approval
    Approval.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    second = call("email_send", letter, actor).approval
    first.refresh_from_db()
    assert (first.state, second.state) == (ApprovalState.EXPIRED, ApprovalState.WAITING)


def test_a_reply_to_a_thread_that_has_gone_on_is_a_new_one(actor, message, propose):
    first = propose(key="k1")
    factories.make_message(message.inbox, thread=message.thread, text="Wait, not yet.",
                           at=timezone.now())  # fmt: skip
    second = propose(key="k2")
    first.refresh_from_db()
    assert second != first
    assert (first.state, second.state) == (ApprovalState.VOIDED, ApprovalState.WAITING)


def test_a_draft_that_waits_by_its_words_waits_by_its_id_too(actor, message, propose):
    first = propose(text="Here is the offer.", key="k1")
    draft = Draft.objects.get()
    assert propose(text=draft.public_id, key="k2") == first
    assert propose(text="Here is the offer.", key="k3") == first
    assert Draft.objects.count() == 1


def test_a_draft_that_was_changed_is_proposed_anew(actor, message, propose):
    first = propose(text="Here is the offer.", key="k1")
    draft = Draft.objects.get()
    revise_draft(draft=draft, author_key=actor.key, author_name=actor.name, body="On Monday.",
                 subject=draft.subject, to=draft.to, cc=draft.cc, bcc=draft.bcc)  # fmt: skip
    second = propose(text="Here is the offer.", key="k2")
    first.refresh_from_db()
    assert (first.state, second.state) == (ApprovalState.VOIDED, ApprovalState.WAITING)


def test_a_file_at_the_same_path_with_other_bytes_is_another_letter(actor, letter):
    given = {**letter, "attachments": "out/offer.txt"}
    write_file(actor, "out/offer.txt", b"10 EUR")
    first = answered("email_send", given, actor)
    assert answered("email_send", given, actor) == first
    write_file(actor, "out/dear.txt", b"900 EUR")
    other = {**letter, "attachments": "out/dear.txt"}
    assert answered("email_send", other, actor) != first


@pytest.fixture
def meeting(desk):
    """The id of a meeting that two were invited to."""
    desk.create(attendees=[ADA, BO])
    desk.leave()
    return Event.objects.get().public_id


@pytest.mark.parametrize("tool", ["calendar_update_event", "calendar_delete_event"])
def test_a_change_of_a_meeting_is_told_once(desk, meeting, tool):
    change = {"updates": {"location": "Yard"}} if "update" in tool else {"confirm": True}
    first, second = (desk.ask(tool, event_id=meeting, **change) for _ in range(2))
    assert first == second
    assert len(desk.waiting()) == 1


def test_who_is_not_invited_any_more_is_told_once(desk, meeting):
    """One call, two messages: one to those who stay, and one to who does not."""
    ask = {"event_id": meeting, "updates": {"attendees": [ADA]}}
    for _ in range(2):
        desk.ask("calendar_update_event", **ask)
    stays, goes = desk.waiting()
    lifecycle.reject(approval=stays, by=desk.reviewer, reason="Not yet.")
    desk.ask("calendar_update_event", **ask)
    goes.refresh_from_db()
    assert goes.state == ApprovalState.VOIDED
    assert len(desk.waiting()) == 2


def test_a_change_of_a_meeting_that_has_changed_since_is_a_new_one(desk, meeting):
    ask = {"event_id": meeting, "updates": {"location": "Yard"}}
    desk.ask("calendar_update_event", **ask)
    (first,) = desk.waiting()
    Event.objects.update(sequence=7)
    desk.ask("calendar_update_event", **ask)
    (second,) = desk.waiting()
    first.refresh_from_db()
    assert (first.state, first == second) == (ApprovalState.VOIDED, False)
