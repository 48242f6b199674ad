"""A call that may need a person is planned once, and what a person approved is what happens."""

import pytest

from agents.contracts import REGISTRY
from agents.dispatching.canonical import CallArguments, canonical, digest, shorten
from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.exchange.folders import remove_file, write_file
from agents.models import Approval, ApprovalState, Receipt
from calendar_app.models import Event
from inbox.models import Activity, Draft, Submission
from tests import factories

pytestmark = pytest.mark.django_db
MEETING = {
    "subject": "Roof", "start": "2027-03-01T09:00:00Z", "end": "2027-03-01T10:00:00Z",
}  # fmt: skip


@pytest.fixture
def plans():
    """How often a tool has made a plan, by its name; what it does stays as it is."""
    made = {}
    watched = [found for found in REGISTRY.tools if found.asks_a_person]
    kept = {found.name: found.run for found in watched}

    def watch(found):
        def run(actor, args):
            made[found.name] = made.get(found.name, 0) + 1
            return kept[found.name](actor, args)

        object.__setattr__(found, "run", run)

    for found in watched:
        watch(found)
    yield made
    for found in watched:
        object.__setattr__(found, "run", kept[found.name])


def test_what_needs_nobody_is_planned_once_and_done(actor, inbox, plans):
    answer = call(
        "calendar_create_event", {"account_id": inbox.account.public_id, **MEETING}, actor, "k"
    )
    again = call(
        "calendar_create_event", {"account_id": inbox.account.public_id, **MEETING}, actor, "k"
    )
    assert again.result == answer.result
    assert Event.objects.get().summary == "Roof"
    assert plans == {"calendar_create_event": 1}
    assert not Approval.objects.exists()


def test_where_nothing_leaves_the_approved_call_is_planned_as_things_stand(
    message, actor, plans, approve
):
    activity = Activity.objects.create(
        workspace=message.workspace, source="email", source_id="x", message=message, title="Roof",
        created_at=message.received_at, status="surfaced", autonomy_tier=4,
    )  # fmt: skip
    lower = {"activity_ids": [activity.public_id], "updates": {"status": "archived"}}
    with pytest.raises(ToolError, match="waits for a person"):
        call("update_activities", lower, actor)
    approve(Approval.objects.get())
    activity.refresh_from_db()
    assert (activity.status, plans) == ("archived", {"update_activities": 2})


def test_sealed_bytes_leave_although_the_call_could_not_be_planned_any_more(actor, inbox, approve):
    write_file(actor, "out/offer.txt", b"10 EUR")
    letter = {
        "account_id": inbox.account.public_id, "to": "ada@customer.example", "subject": "Offer",
        "body": "It is attached.", "attachments": "out/offer.txt", "confirm": True,
    }  # fmt: skip
    approval = call("email_send", letter, actor).approval
    remove_file(actor, "out/offer.txt")
    with pytest.raises(ToolError):
        call("email_send", letter, actor)
    approve(approval)
    submission = Submission.objects.get()
    assert (submission.state, submission.approved_sha256) == ("pending", approval.sha256)
    assert b"MTAgRVVS" in submission.mime_bytes


def test_a_plan_that_fails_leaves_nothing_but_its_receipt_and_gives_the_key_back(actor, message):
    wanted = {"thread_id": message.thread.public_id, "idempotency_key": "k"}
    with pytest.raises(ToolError) as caught:
        call("send_reply", {**wanted, "body_or_draft_id": "drf_none"}, actor)
    assert caught.value.code == "not_found"
    receipt = Receipt.objects.get()
    assert (receipt.outcome, receipt.error_code, receipt.idempotency_key) == (
        "error",
        "not_found",
        None,
    )
    assert not Draft.objects.exists()
    assert (
        call("send_reply", {**wanted, "body_or_draft_id": "Yes."}, actor).approval.state
        == ApprovalState.WAITING
    )


def test_people_invite_by_their_own_mail_and_are_refused_here(inbox, reviewer):
    person = factories.person_actor(reviewer)
    arguments = {
        "account_id": inbox.account.public_id,
        **MEETING,
        "attendees": ["ada@customer.example"],
    }
    with pytest.raises(ToolError) as caught:
        call("calendar_create_event", arguments, person)
    assert caught.value.code == "permission_denied"
    receipt = Receipt.objects.get()
    assert (receipt.decision, receipt.outcome, receipt.reason) == (
        "deny",
        "error",
        caught.value.message,
    )
    assert not Submission.objects.exists()


@pytest.mark.parametrize(
    "given",
    [
        {}, {"a": 47.0, "b": [None, True, 1.5]}, {"text": "x" * 201}, {"text": "\0\ud800"}, {"k" * 300: 1},
        {"n": float("inf")}, {"token": "chy_" + "a" * 40}, {"many": ["y" * 150] * 40}, {"deep": [[[["z" * 300]]]]},
    ],
)  # fmt: skip
def test_arguments_are_shortened_and_hashed_at_once_as_each_for_itself(given):
    found = CallArguments.of(given)
    assert (found.whole, found.short) == (given, shorten(given))
    assert found.sha256 == digest(canonical(given))
