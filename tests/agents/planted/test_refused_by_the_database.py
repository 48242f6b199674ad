"""What is planted never leaves: the database refuses each step, whoever takes it and however."""

from contextlib import suppress

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.utils import timezone

from agents.models import Approval, PlantedItem
from inbox.actor import system_actor
from inbox.background.jobs import enqueue
from inbox.models import Draft, Job, PlantedDraft, Submission
from inbox.operations.sending.delivery import send
from inbox.operations.sending.submissions import (
    enqueue_send,
    propose_submission,
    release_submission,
)
from inbox.submission_states import APPROVED_STATES
from tests.cases import in_one_test

pytestmark = pytest.mark.django_db


def refused(words, action, *args, **kwargs):
    with pytest.raises(DatabaseError, match=words), transaction.atomic():
        action(*args, **kwargs)


def row_of(approval):
    return Submission.objects.filter(pk=approval.submission_id)


@in_one_test("state", sorted(APPROVED_STATES))
def test_no_submission_of_it_takes_a_state_in_which_mail_leaves(planted, state):
    approval = planted()
    moved = {"state": state, "approved_sha256": approval.sha256, "send_at": timezone.now()}
    with pytest.raises(DatabaseError), transaction.atomic():
        row_of(approval).update(**moved)
    assert row_of(approval).get().state == "held"


def test_the_database_says_why(planted, reviewer):
    approval = planted()
    words = "a planted message never leaves"
    moved = {"state": "pending", "approved_sha256": approval.sha256}
    refused(words, row_of(approval).update, **moved)
    refused(words, row_of(approval).update, approved_sha256=approval.sha256)
    refused(
        words, release_submission, submission=approval.submission, approved_by=reviewer,
        sha256=approval.sha256,
    )  # fmt: skip
    refused(words, enqueue_send, approval.submission, timezone.now())
    refused(
        words, enqueue, "submission.send", {"submission_id": approval.submission_id},
        workspace_id=approval.workspace_id,
    )  # fmt: skip
    refused(words, Draft.objects.filter(pk=approval.submission.draft_id).update, status="sent")
    assert not Job.objects.filter(kind="submission.send").exists()


def test_a_submission_made_by_hand_of_the_same_draft_does_not_leave_either(planted):
    approval = planted()
    old = row_of(approval).get()
    row_of(approval).update(state="canceled")
    fields = {
        field.name: getattr(old, field.name)
        for field in Submission._meta.concrete_fields if field.name not in {"id", "state"}
    }  # fmt: skip
    again = Submission.objects.create(**{**fields, "message_id_header": "<other@x.example>"})
    refused(
        "a planted message never leaves", Submission.objects.filter(pk=again.pk).update,
        state="pending", approved_sha256=again.sha256,
    )  # fmt: skip
    send({"submission_id": again.pk})
    assert Submission.objects.get(pk=again.pk).state == "held"


def test_its_submission_cannot_change_to_another_draft_nor_another_to_its(planted, propose):
    approval, real = planted(), propose("Another.", "k2")
    other = real.submission.draft_id
    words = "a planted message never leaves"
    refused(words, row_of(approval).update, draft_id=other)
    row_of(approval).update(state="canceled")
    refused(words, row_of(real).update, draft_id=approval.submission.draft_id)


def test_the_approval_itself_is_never_approved_nor_given_another_submission(planted, propose):
    approval, real = planted(), propose("Another.", "k2")
    rows = Approval.objects.filter(pk=approval.pk)
    words = "a planted proposal is never approved"
    refused(words, rows.update, state="approved")
    refused(words, rows.update, submission=None)
    approval.state = "approved"
    refused(words, approval.save)
    rows.update(state="expired")
    Approval.objects.filter(pk=real.pk).update(state="approved")


def test_the_mark_stays_and_what_became_of_it_is_said_once(planted):
    approval = planted()
    mark = PlantedDraft.objects.filter(draft=approval.submission.draft_id)
    words = "the mark of a planted message is never changed or removed"
    refused(words, mark.update, planted_at=timezone.now())
    with connection.cursor() as cursor:
        refused(words, cursor.execute, "DELETE FROM inbox_planteddraft")
    item = PlantedItem.objects.filter(approval=approval)
    words = "a planted item is never removed, and what became of it is said once"
    with connection.cursor() as cursor:
        refused(words, cursor.execute, "DELETE FROM agents_planteditem")
    refused(words, item.update, wrong="Nothing.")
    item.update(verdict="missed")
    refused(words, item.update, verdict="caught")
    refused(words, item.update, verdict="")


def test_what_was_approved_cannot_be_planted_afterwards(propose, approve):
    approval = propose()
    approve(approval)
    draft = Draft.objects.get(submissions=approval.submission_id)
    refused(
        "a message that was approved cannot be planted", PlantedDraft.objects.create, draft=draft
    )


def test_sealing_its_draft_anew_makes_nothing_that_could_leave(planted, workspace, owner):
    approval = planted()
    from_system = propose_submission(
        actor=system_actor(workspace.pk, "Chancery"),
        draft=Draft.objects.get(pk=approval.submission.draft_id),
    )
    with suppress(IntegrityError), transaction.atomic():
        release_submission(submission=from_system, approved_by=owner, sha256=from_system.sha256)
    assert set(Submission.objects.values_list("state", flat=True)) == {"held", "voided"}
