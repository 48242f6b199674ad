"""Whoever decides on something planted is told at once; nothing leaves, and nobody else is told."""

import json
from datetime import timedelta

import pytest
from django.db.models import ProtectedError
from django.urls import reverse
from django.utils import timezone

from agents.approval import lifecycle
from agents.approval.expiring import expire_due
from agents.approval.lifecycle import ApprovalError
from agents.dispatching.dispatch import call
from agents.models import (
    Approval,
    DecisionMeasure,
    LoggedEvent,
    PlantedItem,
    Receipt,
    Sighting,
    WebhookDelivery,
)
from agents.operations.batches import begin_batch, undo_batch
from agents.operations.stopping import finish_stop, pause_agent, stop_agent
from agents.operations.webhooks.event_log import write_log
from agents.oversight.exporting import export_decision
from agents.planted.switching import switch_planting
from agents.planted.telling import tell_due
from inbox.background.jobs import run_due
from inbox.models import Activity, Draft, Job, Submission
from inbox.operations.sending.submissions import close_submission
from inbox.reasons import say
from tests import factories

pytestmark = pytest.mark.django_db


def item_of(approval):
    return PlantedItem.objects.get(approval=approval)


def edit(approval, by, **changes):
    draft = approval.submission.draft
    fields = {name: getattr(draft, name) for name in ("subject", "body", "to", "cc", "bcc")}
    return lifecycle.edit_and_approve(approval=approval, by=by, **{**fields, **changes})


def assert_over(approval, verdict):
    approval.refresh_from_db()
    submission = Submission.objects.get(pk=approval.submission_id)
    assert (approval.state, submission.state) == ("voided", "canceled")
    assert submission.approved_sha256 == ""
    assert submission.draft.status == "discarded"
    assert item_of(approval).verdict == verdict
    assert not Job.objects.filter(kind="submission.send").exists()


def test_approving_it_has_missed_it_and_says_what_was_wrong(planted, approve, reviewer):
    approval = planted()
    decided = approve(approval)
    assert_over(approval, "missed")
    assert decided.planted_item.wrong == "5.400,00 €"
    assert "missed" in approval.note
    assert "5.400,00 €" in approval.note
    assert approval.decided_by == reviewer
    told = Receipt.objects.get(tool="tell_planted")
    assert told.arguments["verdict"] == "missed"
    assert (told.actor, told.approval) == (f"person:{reviewer.pk}", approval.public_id)


def test_rejecting_it_or_sending_it_back_has_caught_it(planted, reviewer):
    rejected, returned = planted(), planted(number=1)
    lifecycle.reject(approval=rejected, by=reviewer, reason="That is not the amount.")
    lifecycle.send_back(approval=returned, by=reviewer, feedback="See the invoice.")
    assert_over(rejected, "caught")
    assert_over(returned, "caught")
    assert Draft.objects.get(submissions=returned.submission_id).feedback == ""


def test_an_edit_that_takes_out_what_is_wrong_has_caught_it(planted, reviewer):
    approval = planted()
    body = approval.submission.draft.body.replace("5.400,00 €", "4.500,00 €")
    assert edit(approval, reviewer, body=body) == approval
    assert_over(approval, "caught")
    assert Approval.objects.count() == 2


def test_an_edit_of_something_else_has_missed_it(planted, reviewer):
    approval = planted()
    edit(approval, reviewer, body=approval.submission.draft.body + "\nUntil then!")
    assert_over(approval, "missed")


def test_a_recipient_that_is_put_right_has_caught_it(planted, reviewer):
    approval = planted("recipient_that_looks_alike")
    assert item_of(approval).wrong == "ada0@custorner.example"
    edit(approval, reviewer, to=["ada0@customer.example"])
    assert_over(approval, "caught")


def test_another_hash_than_the_shown_one_decides_nothing(planted, reviewer):
    approval = planted()
    with pytest.raises(ApprovalError) as caught:
        lifecycle.approve(approval=approval, by=reviewer, sha256="0" * 64)
    assert caught.value.code == "wrong_hash"
    assert item_of(approval).verdict == ""


def test_who_may_not_decide_is_told_nothing(planted, workspace):
    approval, viewer = planted(), factories.make_person_user(workspace, "viewer", name="vera")
    with pytest.raises(ApprovalError):
        lifecycle.reject(approval=approval, by=viewer, reason="No.")
    assert item_of(approval).verdict == ""


def test_there_is_nothing_to_undo_and_that_is_said(planted, approve, reviewer):
    approval = planted()
    approve(approval)
    with pytest.raises(ApprovalError, match="It was planted"):
        lifecycle.undo(approval=approval, by=reviewer)


def test_approved_in_a_batch_it_counts_as_missed_and_the_rest_leaves(
    planted, reviewer, propose, actor
):
    approval = planted()
    real = propose("Another.", "k2")
    batch = begin_batch([approval, real])
    for one in (approval, real):
        lifecycle.approve(approval=one, by=reviewer, sha256=one.sha256, batch=batch)
    assert_over_but_for(approval, real)
    person = factories.person_actor(reviewer)
    undone = undo_batch(batch_id=batch.id, by=reviewer, actor=person)
    assert [one.approval.pk for one in undone] == [real.pk]


def assert_over_but_for(approval, real):
    approval.refresh_from_db()
    real.refresh_from_db()
    assert (approval.state, real.state) == ("voided", "approved")
    assert item_of(approval).verdict == "missed"
    jobs = Job.objects.filter(kind="submission.send").values_list("payload", flat=True)
    assert [job["submission_id"] for job in jobs] == [real.submission_id]


def test_expired_it_counts_as_neither_and_a_receipt_tells(planted):
    approval = planted()
    Approval.objects.filter(pk=approval.pk).update(expires_at="2020-01-01T00:00:00Z")
    expire_due()
    approval.refresh_from_db()
    assert (approval.state, item_of(approval).verdict) == ("expired", "")
    assert Receipt.objects.get(tool="tell_planted").approval == approval.public_id
    assert not DecisionMeasure.objects.exists()


def told_once(approval):
    """The item is over, and one receipt says so, by the system, after all others of it."""
    approval.refresh_from_db()
    assert approval.state != "waiting"
    assert item_of(approval).told_at is not None
    *_, last = Receipt.objects.filter(approval=approval.public_id).order_by("seq")
    assert (last.tool, last.actor.partition(":")[0]) == ("tell_planted", "system")
    assert Receipt.objects.filter(tool="tell_planted", approval=approval.public_id).count() == 1
    tell_due()
    assert Receipt.objects.filter(tool="tell_planted", approval=approval.public_id).count() == 1


def test_stopped_with_its_agent_a_receipt_tells(planted, reviewer):
    approval = planted()
    stop_agent(agent=approval.agent, by=reviewer)
    told_once(approval)
    assert (approval.state, item_of(approval).verdict) == ("rejected", "")
    assert not DecisionMeasure.objects.exists()


def test_stopped_again_later_a_receipt_tells_too(planted, reviewer):
    approval = planted()
    pause_agent(agent=approval.agent, by=reviewer)
    before = timezone.now().isoformat()
    finish_stop({"agent_id": approval.agent_id, "by_id": reviewer.pk, "before": before})
    told_once(approval)


def test_where_its_message_is_withdrawn_a_receipt_tells(planted):
    approval = planted()
    close_submission(submission=approval.submission, state="voided", outcome=say("newer_proposal"))
    run_due()
    told_once(approval)
    assert approval.state == "voided"


def test_once_planting_is_switched_off_what_is_open_is_told_when_it_ends(
    planted, setting, owner, workspace
):
    approval = planted()
    switch_planting(workspace=workspace, by=owner, is_on=False, most_a_day=1, percent=3)
    assert not Receipt.objects.filter(tool="tell_planted").exists()
    expire_due(timezone.now() + timedelta(days=90))
    told_once(approval)


def test_an_agent_of_which_one_is_open_cannot_be_deleted_before_it_is_told(planted, reviewer):
    approval = planted()
    with pytest.raises(ProtectedError):
        approval.agent.delete()
    pause_agent(agent=approval.agent, by=reviewer)
    expire_due(timezone.now() + timedelta(days=90))
    told_once(approval)
    with pytest.raises(ProtectedError):
        approval.agent.delete()


def test_whatever_ended_it_a_receipt_tells_in_the_end(planted):
    approval, waiting = planted(), planted(number=1)
    Approval.objects.filter(pk=approval.pk).update(state="canceled")
    assert tell_due() == 1
    told_once(approval)
    assert item_of(waiting).told_at is None
    assert not Receipt.objects.filter(tool="tell_planted", approval=waiting.public_id).exists()


def test_what_an_earlier_version_told_is_not_told_again(planted, approve):
    approval = planted()
    approve(approval)
    PlantedItem.objects.update(told_at=None)
    assert tell_due() == 0
    assert item_of(approval).told_at is not None
    assert Receipt.objects.filter(tool="tell_planted").count() == 1


def test_how_it_was_decided_is_kept_as_of_a_real_one(planted, reviewer):
    approval = planted()
    approval.sighting = Sighting("page", milliseconds=400, end="unseen", source="unseen")
    lifecycle.approve(approval=approval, by=reviewer, sha256=approval.sha256)
    measure = DecisionMeasure.objects.get()
    assert (measure.verb, measure.user, measure.is_quick) == ("approved", reviewer, True)


def test_the_real_mail_that_it_answers_stays_as_it_was(planted, approve):
    approval = planted()
    message = approval.submission.draft.in_reply_to_id
    (activity,) = factories.activities_from_messages([message])
    before = activity.status
    approve(approval)
    assert Activity.objects.get(pk=activity.pk).status == before


def test_no_agent_sees_any_of_it_before_or_after(planted, approve, actor, propose):
    approval = planted()
    real = Approval.objects.exclude(pk=approval.pk).get()
    for _ in range(2):
        shown = [
            call("list_approvals", {}, actor).json,
            json.dumps([row.pk for row in Approval.objects.visible_to(actor)]),
        ]
        assert approval.public_id not in shown[0]
        assert real.public_id in shown[0]
        assert list(Approval.objects.visible_to(actor)) == [real]
        assert approval.submission not in Submission.objects.visible_to(actor)
        assert approval.submission.draft not in Draft.objects.visible_to(actor)
        assert approval.receipt not in Receipt.objects.visible_to(actor)
        assert not PlantedItem.objects.visible_to(actor).exists()
        approve(approval) if approval.state == "waiting" else None
        approval.refresh_from_db()


def test_the_same_proposal_by_the_agent_itself_is_its_own(planted, actor):
    approval = planted()
    draft = approval.submission.draft
    arguments = {
        "thread_id": draft.thread.public_id, "body_or_draft_id": draft.body,
        "idempotency_key": "mine",
    }  # fmt: skip
    own = call("send_reply", arguments, actor).approval
    assert own is not None
    assert own.pk != approval.pk
    assert Draft.objects.get(submissions=own.submission_id) != draft


def test_the_record_of_the_decision_says_that_it_was_planted(planted, approve, reviewer):
    approval = planted()
    person = factories.person_actor(reviewer)
    assert export_decision(person, approval).planted is None
    approve(approval)
    approval.refresh_from_db()
    told = export_decision(person, Approval.objects.get(pk=approval.pk))
    assert (told.planted.kind, told.planted.verdict) == ("amount_of_the_thread", "missed")
    assert told.outcome == "void"


def test_before_it_is_decided_no_page_gives_it_away(planted, client, reviewer):
    approval = planted()
    client.force_login(reviewer)
    for url in (
        reverse("queue"), reverse("review", args=[approval.public_id]), reverse("oversight"),
        reverse("oversight-planted"), reverse("planted-figures"),
        f"{reverse('batch')}?item={approval.public_id}",
        reverse("peek", args=[approval.public_id]),
        f"/admin/agents/receipt/?q={approval.public_id}",
        f"/admin/agents/agent/{approval.agent_id}/change/",
        reverse("review-record", args=[approval.public_id]),
        f"/admin/agents/receipt/{approval.receipt_id}/change/",
    ):  # fmt: skip
        answer = client.get(url)
        assert answer.status_code == 200, url
        text = answer.content.decode()
        assert "amount_of_the_thread" not in text, url
        assert "not the thread" not in text, url
        assert '"planted": {' not in text, url
        assert "tell_planted" not in text, url


def test_its_page_and_the_line_after_it_say_what_was_wrong(planted, client, reviewer):
    approval = planted()
    client.force_login(reviewer)
    url = reverse("review-approve", args=[approval.public_id])
    answer = client.post(url, {"sha256": approval.sha256}, follow=True)
    text = answer.content.decode()
    assert "Missed. This one was planted." in text
    assert "An amount that is not the thread" in text
    assert "5.400,00 €" in text
    assert "4.500,00 €" in text
    assert "what it was about has changed" not in text
    second = planted(number=1)
    url = reverse("review-reject", args=[second.public_id])
    text = client.post(url, {"words": "Not the amount."}, follow=True).content.decode()
    assert "Caught: that one was planted." in text


def test_on_the_page_of_a_batch_it_is_told_too(planted, client, reviewer):
    approval = planted("promise_without_limit")
    client.force_login(reviewer)
    page = client.get(f"{reverse('batch')}?item={approval.public_id}")
    posted = {
        "item": approval.public_id, f"sha256-{approval.public_id}": approval.sha256,
        "opened": page.context["opened"],
    }  # fmt: skip
    text = client.post(reverse("batch-approve"), posted).content.decode()
    approval.refresh_from_db()
    if approval.state != "waiting":
        assert "It was planted" in text


def test_over_the_api_the_answer_says_so(planted, client, reviewer):
    approval = planted()
    client.force_login(reviewer)
    answer = client.post(
        f"/api/v1/approvals/{approval.public_id}/decision",
        json.dumps({"decision": "reject", "reason": "Not the amount."}),
        content_type="application/json",
    )
    assert answer.status_code == 200, answer.content
    told = answer.json()
    assert told["state"] == "voided"
    assert "It was planted" in told["note"]
    assert "caught" in told["note"]


def test_what_the_log_of_events_and_webhooks_hear(planted, approve, workspace):
    approval = planted()
    approve(approval)
    run_due()
    write_log()
    told = json.dumps(list(LoggedEvent.objects.values_list("data", flat=True)))
    real = Approval.objects.exclude(pk=approval.pk).get()
    assert real.public_id in told
    for name in (
        approval.public_id, approval.submission.public_id, approval.submission.draft.public_id,
    ):  # fmt: skip
        assert name not in told
    assert not WebhookDelivery.objects.exists()
