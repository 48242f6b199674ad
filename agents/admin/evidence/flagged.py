"""Whether what waits is flagged: one answer for the queue, for a batch and for a fresh sign-in.

It is where its seal raised flags, where the sealed message itself is odd, and where anything stands
at an address that it would reach.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from agents.admin.evidence.recipients import Known, Recipient, read_known, read_recipients
from agents.approval.due import check_due
from agents.models import Approval
from inbox.actor import Actor
from inbox.admin.messages.anomalies import QUIET
from inbox.models import Submission
from inbox.rfc5322.parse import ParsedMessage, parse_outgoing


def is_flagged(actor: Actor, approval: Approval) -> bool:
    """Return True if a person should decide on this one alone, freshly signed in."""
    check_due([approval])
    if approval.risk_flags or approval.submission is None:
        return bool(approval.risk_flags)
    submission = approval.submission
    parsed = parse_outgoing(submission.mime_bytes)
    return is_odd(
        anomalies=parsed.anomalies, sender=parsed.sender.email, leaves_as=submission.envelope_from,
        recipients=_recipients(actor, submission, parsed),
    )  # fmt: skip


def is_odd(
    *, anomalies: Sequence[str], sender: str, leaves_as: str, recipients: Iterable[Recipient]
) -> bool:
    """Return True if a sealed message shows by itself what a flag would say."""
    if not QUIET.issuperset(anomalies) or sender.lower() != leaves_as.lower():
        return True
    return any(one.is_flagged for one in recipients)


def find_address_marks(
    actor: Actor,
    submissions: Iterable[tuple[Submission, ParsedMessage]],
    *,
    with_imitated: bool = False,
) -> dict[int, tuple[str, ...]]:
    """Return, by a submission's key, the flags that stand at its addresses, each once.

    Of the submissions only their headers are looked at. A constant number of queries a workspace.
    Whom an address imitates takes milliseconds to find; it is new besides, and so marked anyway.
    """
    submissions = list(submissions)
    known = {
        place: there if with_imitated else replace(there, imitated=())
        for place, there in read_known_of(actor, [one for one, _ in submissions]).items()
    }
    marks = {}
    for submission, parsed in submissions:
        recipients = _recipients(actor, submission, parsed, known[submission.workspace_id])
        found = dict.fromkeys(mark for one in recipients for mark in one.marks)
        marks[submission.pk] = tuple(found)
    return marks


def read_known_of(actor: Actor, submissions: Iterable[Submission]) -> dict[int, Known]:
    """Return what is known in each workspace of those whom its submissions reach."""
    reached: dict[int, set[str]] = {}
    for submission in submissions:
        emails = (str(email).lower() for email in submission.envelope_to)
        reached.setdefault(submission.workspace_id, set()).update(emails)
    return {place: read_known(actor, place, frozenset(emails)) for place, emails in reached.items()}


def _recipients(
    actor: Actor, submission: Submission, parsed: ParsedMessage, known: Known | None = None
) -> tuple[Recipient, ...]:
    return read_recipients(
        actor, submission, parsed,
        messages=(), editions=(), flagged={}, shown=frozenset(), known=known,
    )  # fmt: skip
