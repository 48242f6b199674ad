"""What persons decided, as a policy is tried on it."""

from collections.abc import Iterable, Sequence

from agents.approval.demands import kinds_of
from agents.models import Approval, ApprovalState
from inbox.flags import read_flags
from inbox.models import DraftVersion
from inbox.policies import Outgoing
from inbox.trials.decisions import PastDecision, Verdict, decisions_reader
from inbox.trials.past import MOST, Scope

# What a person sent back they did not want to leave, either.
_STATES: dict[Verdict, tuple[str, ...]] = {
    "approved": (ApprovalState.APPROVED,),
    "rejected": (ApprovalState.REJECTED, ApprovalState.RETURNED),
}


@decisions_reader
def read_past_decisions(scope: Scope) -> list[PastDecision]:
    """Return what persons rejected and approved last, at most `MOST` of each."""
    found = [(verdict, row) for verdict in _STATES for row in _decided(scope, verdict)]
    texts = _read_texts(row for _verdict, row in found)
    return [_past(verdict, row, texts.get(row.submission_id)) for verdict, row in found]


def _decided(scope: Scope, verdict: Verdict) -> Sequence[Approval]:
    rows = Approval.objects.visible_to(scope.actor).filter(
        state__in=_STATES[verdict], decided_at__isnull=False, decided_by__isnull=False
    )
    if scope.inbox_id:
        rows = rows.filter(submission__draft__inbox_id=scope.inbox_id)
    if scope.since:
        rows = rows.filter(decided_at__gte=scope.since)
    rows = rows.select_related("submission__draft", "decided_by").defer("submission__mime")
    return list(rows.order_by("-decided_at", "-pk")[:MOST])


def _read_texts(rows: Iterable[Approval]) -> dict[int | None, tuple[str, str]]:
    """Return subject and body of what was sealed, by the submission's key."""
    sealed = {
        (one.submission.draft_id, one.submission.draft_version): one.submission_id
        for one in rows if one.submission
    }  # fmt: skip
    versions = DraftVersion.objects.filter(draft_id__in={draft for draft, _version in sealed})
    values = versions.values_list("draft_id", "version", "subject", "body")
    return {
        sealed[draft, version]: (subject, body)
        for draft, version, subject, body in values if (draft, version) in sealed
    }  # fmt: skip


def _past(verdict: Verdict, row: Approval, text: tuple[str, str] | None) -> PastDecision:
    subject, body = text or ("", "")
    submission = row.submission
    outgoing = Outgoing(body, subject, tuple(submission.envelope_to)) if submission else None
    return PastDecision(
        public_id=row.public_id, verdict=verdict, what=subject if submission else row.tool,
        by=row.decided_by.get_username() if row.decided_by else "",
        at=row.decided_at or row.created_at, words=str(row.note), kinds=kinds_of(row),
        flags=tuple(read_flags(row.risk_flags)), outgoing=outgoing,
    )  # fmt: skip
