"""What waits to leave: proposed and sealed, released by a person, or ended before it left."""

import hashlib
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, Literal, TypeAlias

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models, transaction
from django.db.models import Case, Exists, OuterRef, Q, When
from django.utils import timezone

from inbox.actor import Actor
from inbox.background.jobs import URGENT, enqueue, publish
from inbox.background.periodic import periodic
from inbox.errors import DomainError, not_found
from inbox.models import (
    Draft,
    DraftAttachment,
    DraftStatus,
    DraftVersion,
    Message,
    PlantedDraft,
    Submission,
    Thread,
)
from inbox.operations.drafts.sealing import describe_attachments, seal_draft
from inbox.operations.sending.durability import sync_on_commit
from inbox.prepared import Prepared, Value
from inbox.reasons import ReasonText, say
from inbox.reasons import phrase as _
from inbox.submission_states import SUBMISSION_MOVES, SubmissionState

S = SubmissionState
Ending: TypeAlias = Literal["rejected", "canceled", "voided", "expired"]
Problem: TypeAlias = Literal[
    "not_held", "expired", "voided", "wrong_hash", "damaged", "too_late", "not_unknown"
]
EXPIRED_AT_ONCE = 500
_SEALABLE = (DraftStatus.OPEN, DraftStatus.PROPOSED, DraftStatus.RETURNED)


class SubmissionError(DomainError):
    """A submission cannot be moved as asked; `problem` says why, `changes` name what drifted."""

    def __init__(
        self, problem: Problem, message: ReasonText, changes: tuple[ReasonText, ...] = ()
    ) -> None:
        super().__init__("conflict", message)
        self.problem = problem
        self.changes = changes


def propose_submission(*, actor: Actor, draft: Draft, proposer: Actor | None = None) -> Submission:
    """Seal the draft as it stands now into a new submission, which waits for a person.

    It is proposed by the actor, or in the name of `proposer`. One that still waits for the same
    draft is voided: the newer takes its place. Raises DomainError where the draft is not the
    actor's to see, was sent or discarded, is already on its way, or cannot be made into a message.
    """
    now, by = timezone.now(), proposer or actor
    with transaction.atomic():
        current = _draft_to_seal(actor, draft)
        _make_room_for_a_new_proposal(current)
        sealed = seal_draft(current, now)
        thread, policy = _followed(current.thread), current.policy
        submission = Submission.objects.create(
            workspace_id=current.workspace_id, account_id=current.account_id, draft=current,
            draft_version=current.version, thread=thread, thread_head=_head(actor, thread),
            policy=policy, policy_version=policy.version if policy else None,
            envelope_from=sealed.envelope_from, envelope_to=sealed.envelope_to,
            attachments=sealed.attachments, message_id_header=sealed.message_id, mime=sealed.mime,
            sha256=hashlib.sha256(sealed.mime).hexdigest(), size=len(sealed.mime),
            proposed_by=by.key, proposed_by_name=by.name,
            expires_at=now + timedelta(hours=settings.APPROVAL_HOURS),
        )  # fmt: skip
        Draft.objects.filter(pk=current.pk).update(status=DraftStatus.PROPOSED)
    draft.status = DraftStatus.PROPOSED
    return submission


def _draft_to_seal(actor: Actor, draft: Draft) -> Draft:
    current = (
        Draft.objects.visible_to(actor)
        .kept()
        .select_for_update(of=("self",))
        .select_related("account", "identity", "policy", "thread", "in_reply_to")
        .filter(pk=draft.pk)
        .first()
    )
    if current is None:
        raise not_found("draft", draft.public_id)
    if current.status not in _SEALABLE:
        raise DomainError(
            "conflict", _("The draft is %(status)s and cannot be proposed.", status=current.status)
        )
    return current


def _make_room_for_a_new_proposal(draft: Draft) -> None:
    """Void what still waits for a person; refuse where one is on its way, or may have left."""
    live = Submission.objects.select_for_update().defer("mime").filter(draft=draft)
    for submission in live.filter(state__in=[S.HELD, S.PENDING, S.SENDING, S.UNKNOWN, S.SENT]):
        if submission.state != S.HELD:
            raise DomainError(
                "conflict",
                _(
                    "The draft is already being sent: its submission is %(status)s.",
                    status=submission.state,
                ),
            )
        _end(submission, S.VOIDED, say("newer_of_draft"))


def _followed(thread: Thread | None) -> Thread | None:
    """Return the thread that a joined one points to."""
    while thread is not None and thread.merged_into is not None:
        thread = thread.merged_into
    return thread


def _head(actor: Actor, thread: Thread | None) -> Message | None:
    if thread is None:
        return None
    return (
        Message.objects.visible_to(actor)
        .kept()
        .filter(thread=thread)
        .only("pk")
        .order_by("-received_at", "-pk")
        .first()
    )


def find_drift(submission: Submission) -> list[ReasonText]:
    """Return what has changed since the submission was sealed; empty: nothing."""
    draft: Draft = next(_DRAFT.rows(draft=submission.draft_id))
    return [
        *_drift_of_draft(submission, draft),
        *_drift_of_policy(submission, draft),
        *_drift_of_thread(submission),
    ]


def _draft(*, draft: int) -> list[Any]:
    return [Draft.objects.select_related("identity", "policy").filter(pk=draft)]


def _attached(*, draft: int) -> list[Any]:
    return [DraftAttachment.objects.select_related("blob").filter(draft=draft)]


_DRAFT, _ATTACHED = Prepared(_draft), Prepared(_attached)


def _drift_of_draft(submission: Submission, draft: Draft) -> Iterator[ReasonText]:
    changed = []
    if draft.status in (DraftStatus.DISCARDED, DraftStatus.SENT):
        yield say("draft_is", status=draft.status)
    if draft.version != submission.draft_version:
        sealed = DraftVersion.objects.filter(draft=draft, version=submission.draft_version).first()
        names = {"to": "to", "cc": "cc", "bcc": "bcc", "subject": "subject", "body": "text"}
        changed = [
            word for name, word in names.items()
            if sealed is None or getattr(sealed, name) != getattr(draft, name)
        ]  # fmt: skip
    attachments = describe_attachments(list(_ATTACHED.rows(draft=draft.pk)))
    if attachments != submission.attachments:
        changed.append("attachments")
    if changed:
        yield say("draft_changed", parts=changed)
    elif draft.version != submission.draft_version:
        yield say("draft_version", now=draft.version, sealed=submission.draft_version)
    if draft.identity.email != submission.envelope_from:
        yield say("sender_changed", now=draft.identity.email, sealed=submission.envelope_from)


def _drift_of_policy(submission: Submission, draft: Draft) -> Iterator[ReasonText]:
    policy = draft.policy
    if draft.policy_id != submission.policy_id or (
        policy is None and submission.policy_version is not None
    ):
        yield say("other_policy")
    elif policy is not None and policy.version != submission.policy_version:
        yield say(
            "policy_version",
            name=policy.name, now=policy.version, sealed=submission.policy_version,
        )  # fmt: skip


def _newer(
    has_head: bool, *, workspace: int, thread: int, own: int, proposed: datetime,
    at: datetime | None = None, last: int = 0,
) -> list[Any]:  # fmt: skip
    newer = Q(created_at__gt=proposed)
    if has_head:
        newer |= Q(received_at__gt=at) | Q(received_at=at, pk__gt=last)
    rows = Message.objects.filter(newer, workspace_id=workspace, thread=thread).kept()
    rows = rows.exclude(submission_id=own).only("from_email", "received_at")
    return [rows.order_by("received_at", "pk")[:1]]


def _known_head(*, head: int) -> list[Any]:
    return [Message.objects.filter(pk=head).only("received_at")]


_NEWER, _HEAD = Prepared(_newer), Prepared(_known_head)


def _drift_of_thread(submission: Submission) -> Iterator[ReasonText]:
    """Name a newer message of the thread; a copy of the submission itself is none."""
    thread = _followed(submission.thread)
    if thread is None:
        return
    key = submission.thread_head_id
    head: Message | None = next(_HEAD.rows(head=key), None) if key else None
    since: dict[str, Value] = {"at": head.received_at, "last": head.pk} if head else {}
    rows = _NEWER.rows(
        bool(head), workspace=submission.workspace_id, thread=thread.pk, own=submission.pk,
        proposed=submission.proposed_at, **since,
    )  # fmt: skip
    message: Message | None = next(rows, None)
    if message is not None:
        yield say("newer_message", who=message.from_email or say("nobody_named"))


def release_submission(
    *, submission: Submission, approved_by: User, sha256: str, undo_seconds: int = 0
) -> Submission:
    """Let a held submission leave once its undo window is over; a person saw the bytes of `sha256`.

    The window is its account's, or `undo_seconds` where that is longer.
    Raises SubmissionError: `not_held`, `wrong_hash` (another hash than that of the bytes),
    `damaged`, `expired`, or `voided` with `changes` where something drifted; the last two are also
    recorded, if the caller's transaction lives on.
    """
    now = timezone.now()
    with transaction.atomic():
        current = lock_submission(submission.pk)
        refusal = _why_not_release(current, sha256, now)
        if refusal is None:
            _release(current, approved_by, now, undo_seconds)
    submission.refresh_from_db()
    if refusal is not None:
        raise refusal
    return submission


def _why_not_release(current: Submission, sha256: str, now: datetime) -> SubmissionError | None:
    if current.state != S.HELD:
        return SubmissionError("not_held", say("submission_already", status=current.state))
    if current.expires_at <= now:
        _end(current, S.EXPIRED, say("nobody_decided"))
        return SubmissionError("expired", say("submission_expired"))
    if sha256 != current.sha256:
        return SubmissionError("wrong_hash", say("other_bytes"))
    if hashlib.sha256(current.mime_bytes).hexdigest() != current.sha256:
        return SubmissionError("damaged", say("damaged"))
    if changes := find_drift(current):
        _end(current, S.VOIDED, say("changes", changes=changes))
        return SubmissionError("voided", say("void", changes=changes), tuple(changes))
    return None


def _release(current: Submission, approved_by: User, now: datetime, undo_seconds: int) -> None:
    send_at = now + timedelta(seconds=max(current.account.undo_seconds, undo_seconds))
    Submission.objects.filter(pk=current.pk, state=S.HELD).update(
        state=S.PENDING, approved_sha256=current.sha256, approved_by=approved_by, approved_at=now,
        send_at=send_at,
    )  # fmt: skip
    enqueue_send(current, send_at)
    sync_on_commit()


def enqueue_send(submission: Submission, at: datetime, suffix: str = "") -> None:
    """Have the worker take the submission at that time; once for each of its attempts."""
    enqueue(
        "submission.send", {"submission_id": submission.pk}, workspace_id=submission.workspace_id,
        key=f"submission.send:{submission.pk}:{submission.attempts}{_round(submission)}{suffix}",
        account_id=submission.account_id, run_at=at, priority=URGENT,
    )  # fmt: skip


def _round(submission: Submission) -> str:
    """Tell an approval from one before it, which a restored backup took back."""
    again = submission.held_again_at
    return f":{again:%Y%m%d%H%M%S%f}" if again else ""


def close_submission(*, submission: Submission, state: Ending, outcome: ReasonText) -> Submission:
    """End a submission before it left, `outcome` saying why; its draft is open again.

    One in its undo window can still be canceled or voided. Raises SubmissionError (`not_held`)
    where it has left, or has ended, already.
    """
    with transaction.atomic():
        current = lock_submission(submission.pk)
        closable = current.state in (S.HELD, S.PENDING) and state in SUBMISSION_MOVES[current.state]
        if not closable:
            raise SubmissionError("not_held", say("submission_already", status=current.state))
        _end(current, state, outcome)
    submission.refresh_from_db()
    return submission


def undo_submission(*, submission: Submission) -> Submission:
    """Take back an approved submission within its undo window; its draft is open again.

    Raises SubmissionError: `too_late` after the window, `not_held` where it does not wait to leave.
    """
    with transaction.atomic():
        current = lock_submission(submission.pk)
        if current.state != S.PENDING:
            raise SubmissionError("not_held", say("submission_already", status=current.state))
        if current.send_at is None or current.send_at <= timezone.now():
            raise SubmissionError("too_late", say("undo_over"))
        _end(current, S.CANCELED, say("undone"))
    submission.refresh_from_db()
    return submission


@periodic(30)
def expire_submissions(now: datetime | None = None) -> int:
    """End the submissions that nobody decided in time; return how many."""
    now = now or timezone.now()
    due = Submission.objects.filter(state=S.HELD, expires_at__lte=now).order_by("expires_at")
    expired = 0
    for pk in due.values_list("pk", flat=True)[:EXPIRED_AT_ONCE]:
        with transaction.atomic():
            current = lock_submission(pk)
            if current.state == S.HELD:
                _end(current, S.EXPIRED, say("nobody_decided"))
                expired += 1
    return expired


def lock_submission(pk: int) -> Submission:
    """Return the submission as it stands, held fast with its draft until the transaction ends.

    The draft comes first, as in `propose_submission`: two who take both never wait for each other.
    """
    of_it = Submission.objects.filter(pk=pk).values("draft_id")
    list(Draft.objects.select_for_update().filter(pk__in=of_it).only("pk"))
    rows = Submission.objects.select_for_update(of=("self",)).select_related("account")
    return rows.get(pk=pk)


def _end(submission: Submission, state: str, outcome: ReasonText) -> None:
    """End a locked submission that has not left."""
    Submission.objects.filter(pk=submission.pk).update(
        state=state, outcome=outcome, finished_at=timezone.now()
    )
    reopen_draft(submission)
    if state in (S.VOIDED, S.EXPIRED):
        tell(submission, state)


def reopen_draft(submission: Submission) -> None:
    """Make the draft of a submission that will not leave one that can be changed and proposed.

    What was planted is discarded instead.
    """
    planted = Exists(PlantedDraft.objects.filter(draft=OuterRef("pk")))
    Draft.objects.filter(pk=submission.draft_id, status=DraftStatus.PROPOSED).update(
        status=Case(
            When(planted, then=models.Value(DraftStatus.DISCARDED)),
            default=models.Value(DraftStatus.OPEN),
        )
    )


def tell(submission: Submission, state: str) -> None:
    """Publish what became of a submission, as the fact `submission.<state>`."""
    payload: dict[str, Any] = {"submission_id": submission.pk}
    publish(
        f"submission.{state}", payload, workspace_id=submission.workspace_id,
        account_id=submission.account_id, priority=2,
    )  # fmt: skip


def tell_found(submission: Submission) -> None:
    """Have an unknown one settled whose copy was just seen with the sent mail."""
    if submission.state == SubmissionState.UNKNOWN:
        enqueue(
            "submission.look", {"submission_id": submission.pk, "found": True},
            workspace_id=submission.workspace_id, account_id=submission.account_id,
            key=f"submission.look:{submission.pk}:found",
        )  # fmt: skip
