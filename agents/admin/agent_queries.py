"""What an agent's page shows: what waits, what it did, and how its proposals were decided."""

from collections import Counter
from dataclasses import dataclass
from datetime import date, timedelta

from django.db.models import Q, QuerySet
from django.utils import timezone

from agents.models import (
    Agent,
    Approval,
    ApprovalState,
    Outcome,
    Receipt,
    Token,
)
from inbox import ids
from inbox.models import Account

WAITING_SHOWN = 20
CALLS_SHOWN = 25
TOKENS_SHOWN = 50
# The tallies look at so many of the newest, which is said where there are more.
TALLIED = 1000
DAYS = 30


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposal in one line."""

    approval: Approval
    what: str
    whom: tuple[str, ...]

    @property
    def is_leaving(self) -> bool:
        """Whether it is being sent at this moment."""
        submission = self.approval.submission
        return submission is not None and submission.state == "sending"


@dataclass(frozen=True, slots=True)
class ToolTally:
    """How often a tool was called on a day, and what came of it."""

    tool: str
    ok: int
    held: int
    failed: int


@dataclass(frozen=True, slots=True)
class Day:
    """The calls of a day, the newest first, and how many of each tool."""

    day: date
    tallies: list[ToolTally]
    receipts: list[Receipt]


@dataclass(frozen=True, slots=True)
class Decided:
    """How the newest proposals of a time were decided."""

    approved: int
    edited: int
    rejected: int
    returned: int
    taken_back: int
    lapsed: int
    waiting: int
    is_cut: bool

    @property
    def total(self) -> int:
        """How many a person decided."""
        return self.approved + self.edited + self.rejected + self.returned


def in_lines(approvals: "QuerySet[Approval]") -> list[Proposal]:
    """Return proposals in lines: the subject and the recipients, or what the call is."""
    return [_in_line(approval) for approval in approvals]


def _in_line(approval: Approval) -> Proposal:
    submission = approval.submission
    if submission is None:
        return Proposal(approval, "", ())
    return Proposal(approval, submission.draft.subject, tuple(submission.envelope_to))


def read_waiting(agent: Agent) -> tuple[list[Proposal], bool]:
    """Return what of an agent waits, the soonest to expire first, and whether there is more."""
    rows = Approval.objects.filter(
        workspace_id=agent.workspace_id, agent=agent, state=ApprovalState.WAITING
    )
    lean = rows.select_related("submission__draft").defer("submission__mime")
    found = in_lines(lean.order_by("place_at", "pk")[: WAITING_SHOWN + 1])
    return found[:WAITING_SHOWN], len(found) > WAITING_SHOWN


def read_calls(agent: Agent, before: str = "") -> tuple[list[Day], str]:
    """Return a page of what an agent did, by days, and the place where an older page begins.

    `before` is such a place; one that is none begins with the newest.
    """
    rows = Receipt.objects.filter(workspace_id=agent.workspace_id, actor=f"agent:{agent.pk}")
    # What was planted is none of its calls, which is said once it does not wait any more.
    real, waits = Q(held_call__planted__isnull=True), Q(held_call__state=ApprovalState.WAITING)
    rows = rows.filter(real | waits)
    key = (ids.decode(Receipt.ID_PREFIX, before) or (0,))[0]
    if key:
        rows = rows.filter(pk__lt=key)
    found = list(rows.defer("result").order_by("-pk")[: CALLS_SHOWN + 1])
    shown = found[:CALLS_SHOWN]
    return _by_days(shown), shown[-1].public_id if len(found) > CALLS_SHOWN else ""


def _by_days(receipts: list[Receipt]) -> list[Day]:
    days: dict[date, list[Receipt]] = {}
    for receipt in receipts:
        days.setdefault(timezone.localtime(receipt.opened_at).date(), []).append(receipt)
    return [Day(day, _tally(calls), calls) for day, calls in days.items()]


def _tally(receipts: list[Receipt]) -> list[ToolTally]:
    counts = Counter((receipt.tool, receipt.outcome) for receipt in receipts)
    tools = Counter(receipt.tool for receipt in receipts)
    return [
        ToolTally(
            tool, counts[tool, Outcome.OK], counts[tool, Outcome.HELD], counts[tool, Outcome.ERROR]
        )
        for tool, _ in tools.most_common()
    ]


def read_decided(agent: Agent) -> Decided:
    """Count how an agent's proposals of the last 30 days were decided, the newest 1,000 at most."""
    since = timezone.now() - timedelta(days=DAYS)
    rows = (
        Approval.objects.counted()
        .filter(workspace_id=agent.workspace_id, agent=agent, created_at__gte=since)
        .order_by("-created_at", "-pk")
    )
    # What a person's own edit made is approved with it: the proposal counts, as edited.
    fields = rows.values_list("state", "decided_by_id", "replaces__state", "replaced_by_id")
    found = list(fields[: TALLIED + 1])
    counts = Counter(_fate(*fields) for fields in found[:TALLIED])
    return Decided(
        approved=counts["approved"], edited=counts["edited"], rejected=counts["rejected"],
        returned=counts["returned"], taken_back=counts["canceled"],
        lapsed=counts["expired"] + counts["voided"], waiting=counts["waiting"],
        is_cut=len(found) > TALLIED,
    )  # fmt: skip


def _fate(state: str, decided_by: int | None, before: str | None, after: int | None) -> str:
    if state == ApprovalState.VOIDED and decided_by and after:
        return "edited"
    if state == ApprovalState.APPROVED and before == ApprovalState.VOIDED:
        return "edit itself"
    return str(state)


def read_tokens(agent: Agent) -> list[Token]:
    """Return the newest tokens of an agent."""
    rows = Token.objects.filter(workspace_id=agent.workspace_id, agent=agent)
    return list(rows.select_related("connection").order_by("-pk")[:TOKENS_SHOWN])


def is_live(token: Token) -> bool:
    """Whether a token still opens anything."""
    is_over = token.expires_at is not None and token.expires_at <= timezone.now()
    return token.revoked_at is None and not is_over


def read_accounts(agent: Agent) -> list[Account]:
    """Return the accounts that an agent works with."""
    rows = Account.objects.filter(workspace_id=agent.workspace_id)
    granted = rows.filter(pk__in=agent.grants.values("account_id"))
    return list(granted.only("address", "name").order_by("address")[:200])
