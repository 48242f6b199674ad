import hashlib
from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from inbox.models import Draft, Mailbox, Message, Submission
from inbox.submission_states import APPROVED_STATES, SUBMISSION_MOVES, SubmissionState
from tests.cases import in_one_test
from tests.factories import make_inbox, make_message, make_person_user, make_workspace

BYTES = b"Subject: sealed\r\n\r\nHello.\r\n"


def make_submission(**fields) -> Submission:
    inbox = make_inbox(make_workspace())
    draft = Draft.objects.create(
        workspace=inbox.workspace, account=inbox.account, inbox=inbox,
        identity=inbox.account.identities.get(), author="agent:1", body="Hello.",
    )  # fmt: skip
    values = {
        "workspace": inbox.workspace, "account": inbox.account, "draft": draft, "draft_version": 1,
        "envelope_from": inbox.address, "envelope_to": ["ada@customer.example"],
        "message_id_header": f"<{draft.pk}@lantern.example>", "mime": BYTES, "size": len(BYTES),
        "sha256": hashlib.sha256(BYTES).hexdigest(), "proposed_by": "agent:1",
        "expires_at": timezone.now() + timedelta(hours=72),
    }  # fmt: skip
    return Submission.objects.create(**values | fields)


def refused(submission: Submission, **changes) -> bool:
    try:
        with transaction.atomic():
            Submission.objects.filter(pk=submission.pk).update(**changes)
    except IntegrityError:
        return True
    return False


@pytest.mark.django_db
@in_one_test(
    ("old", "new"),
    [
        (old, new)
        for old in SubmissionState.values
        for new in SubmissionState.values
        if old != new and new not in SUBMISSION_MOVES[old]
    ],
)
def test_the_database_refuses_an_illegal_move(old, new):
    submission = make_submission()
    walk_to(submission, old)
    assert refused(submission, state=new, approved_sha256=submission.sha256)


def walk_to(submission: Submission, goal: str) -> None:
    """Move along the table from held to the goal."""
    paths = {"held": ["held"]}
    while goal not in paths:
        for state, path in list(paths.items()):
            for following in SUBMISSION_MOVES[state]:
                paths.setdefault(following, [*path, following])
    for state in paths[goal][1:]:
        changes = {"state": state}
        if state in APPROVED_STATES:
            changes["approved_sha256"] = submission.sha256
        assert not refused(submission, **changes)


@pytest.mark.django_db
@pytest.mark.parametrize("approved", ["", "0" * 64])
def test_nothing_leaves_held_without_the_hash_of_its_bytes(approved):
    assert refused(make_submission(), state="pending", approved_sha256=approved)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "changes",
    [
        {"mime": b"other"},
        {"sha256": "0" * 64},
        {"envelope_to": ["eve@evil.example"]},
        {"envelope_from": "eve@evil.example"},
        {"message_id_header": "<other@lantern.example>"},
    ],
)
def test_sealed_columns_cannot_be_changed(changes):
    assert refused(make_submission(), **changes)


@pytest.mark.django_db
def test_a_submission_whose_hash_is_wrong_cannot_be_made():
    with pytest.raises(IntegrityError), transaction.atomic():
        make_submission(sha256="0" * 64)


@pytest.mark.django_db
def test_a_submission_cannot_be_made_as_already_approved():
    user = make_person_user(make_workspace())
    with pytest.raises(IntegrityError), transaction.atomic():
        make_submission(state="pending", approved_by=user)


@pytest.mark.django_db(transaction=True)
def test_what_has_left_held_is_never_removed():
    submission = make_submission()
    walk_to(submission, "sent")
    with pytest.raises(IntegrityError):
        submission.delete()


def test_the_time_of_a_message_stands_wherever_it_was_put(inbox):
    message = make_message(inbox)
    sent, junk = (Mailbox.objects.get(inbox=inbox, role=role) for role in ("sent", "junk"))
    places = Message.mailboxes.through.objects.filter(message=message)
    message.mailboxes.add(sent)
    places.bulk_create([places.model(message=message, mailbox=junk)], ignore_conflicts=True)
    assert {place.received_at for place in places} == {message.received_at}
    later = message.received_at + timedelta(days=1)
    Message.objects.filter(pk=message.pk).update(received_at=later)
    assert [place.received_at for place in places.all()] == [later, later]
