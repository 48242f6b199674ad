"""What must hold whatever happened, read from what the servers saw, what was pressed, and the rows.

Never sent twice, never lost, never unapproved, never other than approved, never silent; and where
TLS was asked for, never in the clear, nor to whom shows a wrong certificate.
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import quote

from django.conf import settings

from agents.models import Approval, ApprovalState, Receipt
from inbox.models import Job, Message, Submission
from tests.faults.smtp_peer import Whole
from tests.faults.stage import Case, Lane, Stage
from tests.faults.tls_faults import said_openly

_ENDS = {"sent", "failed", "unknown", "voided", "canceled", "rejected", "expired", "held"}
_REFUSAL = re.compile(r"[45]\d\d[ -]")
_TOLD = ("sent", "failed", "unknown")
_NO_TLS = ("does not offer STARTTLS; nothing was sent", "cannot be trusted")


def check(stage: Stage) -> list[str]:
    """Return in words what does not hold on the whole stage."""
    broken = [words for lane in stage.lanes for words in check_lane(lane, stage)]
    stuck = Job.objects.filter(state="failed", kind__startswith="submission.")
    broken += [f"the job {job.kind} was given up: {job.error[-300:]}" for job in stuck]
    return broken


def check_lane(lane: Lane, stage: Stage, cases: Iterable[Case] = ()) -> Iterator[str]:
    """Yield what does not hold of an account, or only of some of its cases."""
    chosen = list(cases) or lane.cases
    approvals = _approvals_of(chosen)
    wanted = {it.submission_id: it for it in approvals}
    submissions = list(Submission.objects.filter(pk__in=wanted))
    there = arrived(lane)
    if not cases:
        yield from _strangers(there, submissions)
    yield from _open_words(lane, min((case.before for case in chosen), default=0))
    for case in chosen:
        own = [it for it in submissions if wanted[it.pk] in case.line]
        for submission in own:
            seen = [it for it in there if it.message_id == submission.message_id_header]
            for words in _broken(submission, case, seen, lane, stage):
                yield f"{submission.public_id} ({submission.state}): {words}; {case.told()}"


def _approvals_of(cases: Iterable[Case]) -> list[Approval]:
    """Return the approvals of the cases and what took their place, by following the line."""
    found = []
    for case in cases:
        approval: Approval | None = Approval.objects.get(pk=case.approval.pk)
        case.line = []
        while approval is not None:
            case.line.append(approval)
            approval = approval.replaced_by
        found += case.line
    return found


def arrived(lane: Lane) -> list[Whole]:
    """Return what the server behind an account was given."""
    if lane.smtp is not None:
        return list(lane.smtp.whole)
    folder = Path(settings.LOCAL_MAIL_DIR) / quote(lane.inbox.address, safe="@+")
    files = [*folder.glob("new/*"), *folder.glob("cur/*")]
    return [Whole(0, 0, lane.inbox.address, [], file.read_bytes(), "taken") for file in files]


def _strangers(arrived: list[Whole], submissions: list[Submission]) -> Iterator[str]:
    known = {submission.message_id_header for submission in submissions}
    for whole in arrived:
        if whole.message_id not in known:
            yield f"something left that nobody proposed: {whole.content[:200]!r}"


def _open_words(lane: Lane, start: int) -> Iterator[str]:
    """Yield what a server that is to speak TLS was told without, from the so-manieth piece on."""
    if lane.certificates is None or lane.smtp is None:
        return
    said: dict[int, bytes] = defaultdict(bytes)
    for piece in lane.smtp.log[start:]:
        if piece.to_peer and not piece.encrypted:
            said[piece.connection] += piece.data
    for words in filter(None, map(said_openly, said.values())):
        yield f"IN THE CLEAR, or to a stranger: {words[:200]!r}"


# -- one submission --------------------------------------------------------------------------------
def _broken(
    submission: Submission, case: Case, seen: list[Whole], lane: Lane, stage: Stage
) -> Iterator[str]:
    delivered = [it for it in seen if it.may_be_delivered]
    if len(delivered) > 1:
        yield f"SENT TWICE: {len(delivered)} times"
    yield from _unapproved(submission, case, seen, stage)
    yield from _altered(submission, seen, lane)
    yield from _lost(submission, case, delivered)
    yield from _silent(submission)
    if submission.state == "failed" and submission.pk == case.line[-1].submission_id:
        yield from _wordless(submission, _refusals(case))
    yield from _copies(submission, lane)


def _unapproved(
    submission: Submission, case: Case, seen: list[Whole], stage: Stage
) -> Iterator[str]:
    if not seen:
        return
    if submission.sha256 not in case.pressed:
        yield "UNAPPROVED: nobody pressed the button for these bytes"
    if submission.approved_sha256 != submission.sha256:
        yield "UNAPPROVED: the approved hash is another one"
    if submission.approved_by_id != stage.reviewer.pk or submission.approved_at is None:
        yield "UNAPPROVED: no person is named"
    # Before that a server may have refused it, for now.
    since = case.taken_back.get(submission.pk)
    if since is not None and any(it.at > since or it.may_be_delivered for it in seen):
        yield "UNAPPROVED: it was taken back, and the answer was yes"


def _altered(submission: Submission, seen: list[Whole], lane: Lane) -> Iterator[str]:
    for whole in seen:
        if hashlib.sha256(whole.content).hexdigest() != submission.sha256:
            yield "OTHER THAN APPROVED: the bytes"
        if b"\nbcc:" in whole.content.partition(b"\r\n\r\n")[0].lower():
            yield "OTHER THAN APPROVED: the bytes name who was to stay hidden"
        if lane.smtp is None:
            continue
        if whole.sender != submission.envelope_from or whole.recipients != submission.envelope_to:
            yield f"OTHER THAN APPROVED: the envelope {whole.sender} {whole.recipients}"


def _lost(submission: Submission, case: Case, delivered: list[Whole]) -> Iterator[str]:
    state = submission.state
    if state not in _ENDS:
        yield "LOST: it has come to no end"
    if state == "sent" and not delivered:
        yield "LOST: it counts as sent, and no server took it"
    if delivered and state not in ("sent", "unknown"):
        yield f"LOST: a server took it, and it counts as {state}"
    granted = submission.sha256 in case.granted and submission.pk not in case.taken_back
    if granted and state not in (*_TOLD, "voided"):
        yield "LOST: the approval was confirmed, and nothing came of it"


def _silent(submission: Submission) -> Iterator[str]:
    state = submission.state
    if state != "held" and not submission.outcome.strip():
        yield "SILENT: no words say what became of it"
    if state in _TOLD:
        told = Receipt.objects.filter(
            tool=f"submission.{state}", idempotency_key=f"submission.{state}:{submission.pk}"
        )
        if told.count() != 1:
            yield f"SILENT: {told.count()} receipts tell of it"
    approval = Approval.objects.get(submission=submission)
    if state in _TOLD and approval.state != ApprovalState.APPROVED:
        yield f"SILENT: its approval is {approval.state}"
    if state == "voided" and approval.state == ApprovalState.WAITING:
        yield "SILENT: its approval still waits"


def _refusals(case: Case) -> list[str]:
    """Return what the server said no with since the mail was proposed, and what we may say of TLS."""
    if case.lane.smtp is None:
        return []
    pieces = [it for it in case.lane.smtp.log[case.before :] if not it.to_peer]
    lines = [line.decode("utf-8", "replace") for it in pieces for line in it.data.splitlines()]
    refused = [line.strip() for line in lines if _REFUSAL.match(line)]
    return [*refused, *(_NO_TLS if case.lane.certificates else ())]


def _wordless(submission: Submission, refusals: list[str]) -> Iterator[str]:
    if refusals and not any(words in submission.outcome for words in refusals):
        yield f"SILENT: {submission.outcome!r} has none of the server's words {refusals}"


def _copies(submission: Submission, lane: Lane) -> Iterator[str]:
    copies = Message.objects.filter(submission=submission)
    if copies.count() != (1 if submission.state == "sent" else 0):
        yield f"COPY: there are {copies.count()} in its thread"
    if lane.imap is None:
        return
    filed = [
        it for it in lane.imap.mailboxes["Sent"].messages.values()
        if submission.message_id_header.encode() in it.raw
    ]  # fmt: skip
    if len(filed) != (1 if submission.state == "sent" else 0):
        yield f"COPY: there are {len(filed)} in the Sent mailbox"
    if any(it.raw != submission.mime_bytes for it in filed):
        yield "COPY: that in the Sent mailbox is another"
