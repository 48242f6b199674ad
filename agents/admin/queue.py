"""The queue: what wants a person, most pressing first, read in constant queries and keyset pages.

An approval and an activity compare by `(level, at, kind, key)`. In the open tabs no level holds
both kinds; a level's rows go by what ends first (approvals) or has waited longest (activities).
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, TypeAlias

from django.db.models import (
    BinaryField,
    Case,
    Exists,
    F,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Value,
    When,
)
from django.db.models.functions import Substr
from django.urls import reverse
from django.utils import timezone

from agents.models import Approval, ApprovalState
from inbox.models import Activity, ActivityStatus, Submission, Urgency
from inbox.rfc5322.parse import parse_message
from inbox.submission_states import SubmissionState
from inbox.viewer import Viewer

TABS: dict[str, str] = {
    "needs-you": "Needs you",
    "waiting": "Waiting for approval",
    "surfaced": "Surfaced",
    "review": "Needs review",
    "quarantine": "Quarantine",
    "done": "Done",
}
PAGE = 25
COUNTED = 100
SOON = timedelta(hours=12)
# As much of the sealed bytes as holds the headers that a row shows.
HEADER_BYTES = 16384

_STATUSES: dict[str, tuple[str, ...]] = {
    "needs-you": (ActivityStatus.SURFACED, ActivityStatus.NEEDS_REVIEW),
    "waiting": (),
    "surfaced": (ActivityStatus.SURFACED,),
    "review": (ActivityStatus.NEEDS_REVIEW,),
    "quarantine": (ActivityStatus.QUARANTINED,),
    "done": (ActivityStatus.PROCESSED, ActivityStatus.ARCHIVED),
}
_ENDS = (SubmissionState.SENT, SubmissionState.FAILED, SubmissionState.UNKNOWN)
Kind: TypeAlias = Literal["approval", "activity"]


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the queue; `asof` is the time by which its levels were worked out."""

    asof: datetime
    level: int
    at: datetime
    kind: int
    pk: int

    def __str__(self) -> str:
        times = (_micros(self.asof), self.level, _micros(self.at), self.kind, self.pk)
        return ".".join(str(number) for number in times)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the queue. `who`, `what` and `why` hold untrusted texts."""

    place: Place
    kind: Kind
    url: str
    who: str
    what: str
    why: str
    agent: str
    state: str
    urgency: str
    flags: tuple[str, ...]
    since: datetime
    expires_at: datetime | None
    workspace: str
    more: int = 0


@dataclass(frozen=True, slots=True)
class Page:
    """Rows, and the place to go on from, empty at the end."""

    rows: tuple[Row, ...]
    after: str


def read_place(text: str) -> Place | None:
    """Return the place that an address names; None for anything else."""
    parts = text.split(".")
    if len(parts) != 5 or not all(part.isascii() and part.isdigit() for part in parts):
        return None
    numbers = [int(part) for part in parts]
    if max(numbers) > 2**53:
        return None
    asof, level, at, kind, pk = numbers
    return Place(_time(asof), level, _time(at), kind, pk)


def read_queue(viewer: Viewer, tab: str, after: Place | None = None, size: int = PAGE) -> Page:
    """Return a page of a tab."""
    asof = after.asof if after else timezone.now()
    rows: list[Row] = []
    if tab in {"needs-you", "waiting", "done"}:
        approvals = _approvals(viewer, tab, asof)
        rows += [_approval_row(row, asof, viewer) for row in _slice(approvals, tab, after, size, 0)]
    if _STATUSES[tab]:
        activities = _activities(viewer, tab)
        rows += [
            _activity_row(row, asof, viewer) for row in _slice(activities, tab, after, size, 1)
        ]
    rows.sort(key=lambda row: _order(row.place), reverse=tab == "done")
    kept = tuple(rows[:size])
    return Page(kept, str(kept[-1].place) if len(rows) > size else "")


def count_tabs(viewer: Viewer) -> dict[str, str]:
    """Return how much each open tab holds, `100+` beyond a hundred; Done is not counted."""
    waiting = _bounded(Approval.objects.visible_to(viewer.actor).filter(_open(viewer)))
    counts = {"waiting": waiting} | {
        tab: _bounded(Activity.objects.visible_to(viewer.actor).filter(status=_STATUSES[tab][0]))
        for tab in ("surfaced", "review", "quarantine")
    }
    counts["needs-you"] = counts["waiting"] + counts["surfaced"] + counts["review"]
    return {tab: f"{COUNTED}+" if count > COUNTED else str(count) for tab, count in counts.items()}


def _bounded(rows: QuerySet[Any]) -> int:
    return rows.order_by()[: COUNTED + 1].count()


def _open(viewer: Viewer) -> Q:
    """Return which approvals want a person: to decide, or to settle whether the mail arrived.

    The latter are rare, and read first, so that both sides of the condition have their index.
    """
    unsettled = Submission.objects.visible_to(viewer.actor).filter(state=SubmissionState.UNKNOWN)
    keys = list(unsettled.order_by("-pk").values_list("pk", flat=True)[:COUNTED])
    waiting = Q(state=ApprovalState.WAITING)
    return waiting | Q(submission__in=keys) if keys else waiting


def _approvals(viewer: Viewer, tab: str, asof: datetime) -> Any:
    rows: QuerySet[Any] = Approval.objects.visible_to(viewer.actor).select_related(
        "agent", "submission"
    )
    rows = rows.defer("submission__mime").annotate(
        head=Substr("submission__mime", 1, HEADER_BYTES, output_field=BinaryField())
    )
    if tab == "done":
        rows = rows.exclude(_open(viewer))
        return rows.annotate(level=Value(0), at=F("created_at"))
    level = Case(
        When(expires_at__lte=asof + SOON, then=Value(0)),
        default=Value(20),
        output_field=IntegerField(),
    )
    return rows.filter(_open(viewer)).annotate(level=level, at=F("expires_at"))


def _activities(viewer: Viewer, tab: str) -> Any:
    rows: QuerySet[Any] = Activity.objects.visible_to(viewer.actor).filter(
        status__in=_STATUSES[tab]
    )
    rows = rows.select_related("person", "message").only(
        "workspace_id", "title", "sender", "status", "urgency", "autonomy_tier", "reasoning",
        "option_framing", "summary", "created_at", "person__fn", "message__from_name",
        "message__anomalies", "message__authentication",
    )  # fmt: skip
    level = Value(0) if tab == "done" else _pressing(viewer)
    return rows.annotate(level=level, at=F("created_at"))


def _pressing(viewer: Viewer) -> Case:
    """Return how pressing an activity is; the newest open one of a thread stands for the others."""
    newer = Activity.objects.visible_to(viewer.actor).filter(
        message__thread=OuterRef("message__thread"),
        created_at__gt=OuterRef("created_at"),
        status__in=(ActivityStatus.SURFACED, OuterRef("status")),
    )
    surfaced = Q(status=ActivityStatus.SURFACED)
    high, low, weighty = Q(urgency=Urgency.HIGH), Q(urgency=Urgency.LOW), Q(autonomy_tier=4)
    steps = (
        (Exists(newer), 70),
        (surfaced & high & weighty, 10),
        (surfaced & high, 11),
        (surfaced & weighty & ~low, 30),
        (surfaced & ~low, 31),
        (high, 40),
        (surfaced, 41),
        (~low, 50),
    )
    whens = [When(condition, then=Value(level)) for condition, level in steps]
    return Case(*whens, default=Value(60), output_field=IntegerField())


def _slice(rows: Any, tab: str, after: Place | None, size: int, kind: int) -> Any:
    """Order the rows, begin after a place, and read one more than the page to know the end."""
    newest_first, unsliced = tab == "done", rows
    if after is not None:
        word = "lt" if newest_first else "gt"
        beyond = kind < after.kind if newest_first else kind > after.kind
        same = Q(level=after.level, at=after.at)
        rows = rows.filter(
            Q(**{f"level__{word}": after.level})
            | Q(level=after.level, **{f"at__{word}": after.at})
            | (same if beyond else Q(pk__in=[]))
            | (same & Q(**{f"pk__{word}": after.pk}) if kind == after.kind else Q(pk__in=[]))
        )
    order = ("-level", "-at", "-pk") if newest_first else ("level", "at", "pk")
    # Keys first: a sort that carried the sealed bytes along would read those of every row.
    keys = list(rows.order_by(*order).values_list("pk", flat=True)[: size + 1])
    return unsliced.filter(pk__in=keys).order_by(*order)


def _approval_row(row: Any, asof: datetime, viewer: Viewer) -> Row:
    submission, why = row.submission, _reasons(row)
    if submission is None:
        who, what, more = "", row.tool, 0
    else:
        sealed = parse_message(bytes(row.head))
        recipients = submission.envelope_to
        who, more = recipients[0] if recipients else "", max(len(recipients) - 1, 0)
        what, why = sealed.subject or "(no subject)", why or sealed.snippet
    return Row(
        place=Place(asof, row.level, row.at, 0, row.pk), kind="approval",
        url=reverse("review", args=[row.public_id]), who=who, what=what, why=why or row.reason,
        agent=row.agent.name, state=_fate(row), urgency="", since=row.created_at, more=more,
        flags=tuple(str(flag.get("flag", "")) for flag in row.risk_flags),
        expires_at=row.expires_at if row.state == ApprovalState.WAITING else None,
        workspace=viewer.names.get(row.workspace_id, "") if viewer.has_several else "",
    )  # fmt: skip


def _fate(row: Any) -> str:
    """Return what became of a mail where that is known or asked for, else of its approval."""
    if row.submission is not None and row.submission.awaits_login:
        return "waits"
    ended = row.submission is not None and row.submission.state in _ENDS
    shown = row.submission if ended and row.state == ApprovalState.APPROVED else row
    return str(shown.state)


def _reasons(row: Any) -> str:
    """Return why a person should look closely: the flags' reasons, else nothing."""
    return " ".join(str(flag.get("reason", "")) for flag in row.risk_flags)


def _activity_row(row: Any, asof: datetime, viewer: Viewer) -> Row:
    message = row.message
    flags = list(message.anomalies) if message else []
    if message and message.authentication == "fail":
        flags.insert(0, "authentication_failed")
    name = (message.from_name if message else "") or (row.person.fn if row.person else "")
    return Row(
        place=Place(asof, row.level, row.at, 1, row.pk), kind="activity",
        url=reverse("activity", args=[row.public_id]), who=name or row.sender, what=str(row),
        why=row.option_framing or row.summary or row.reasoning, agent="", state=row.status,
        urgency=row.urgency, flags=tuple(flags), since=row.created_at, expires_at=None,
        workspace=viewer.names.get(row.workspace_id, "") if viewer.has_several else "",
    )  # fmt: skip


def _order(place: Place) -> tuple[int, datetime, int, int]:
    return place.level, place.at, place.kind, place.pk


def _micros(at: datetime) -> int:
    return (at - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


def _time(micros: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=micros)
