"""The places of the queue, found by its indexes: a slice for each workspace, kind and status.

An approval and an activity compare by `(level, at, kind, pk)`. In the open tabs no level holds
both kinds: what expires within twelve hours is level 0, other approvals 20, and an activity has
its own (`pressing`). Each slice is read from a place on and no further than a page, so that a page
costs the same however much there is.

What came in and waits for the approval of an answer is one matter with it, and stands where the
approval does; so does what an approved answer has closed.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any

from django.db.models import F, IntegerField, Q, QuerySet, Value

from agents.admin.queue.criteria import QueueCriteria
from agents.admin.queue.filtering import narrow_activities, narrow_approvals
from agents.admin.queue.place import ACTIVITY, APPROVAL, Position
from agents.approval.answered import CLOSED_BY_ANSWER, answered_by
from agents.models import QUOTAS, Approval, ApprovalState
from agents.models.approvals import SOON
from inbox.actor import Actor
from inbox.models import Activity, ActivityStatus, Submission
from inbox.operations.batched import in_chunks
from inbox.prepared import Prepared
from inbox.submission_states import SubmissionState

_SOONEST, _LATER = 0, 20
# Filters look at so many of the newest in the tabs of what is over.
LOOKED_AT = 2000
# Messages of which nobody knows whether they left are rare; no more of them are shown at once.
_MOST_UNSETTLED = 100
# A database takes only so many SELECTs in one statement.
SLICES_AT_ONCE = 100
# Of more workspaces what is around a place is read by one statement a side and kind.
_AROUND_AT_ONCE = SLICES_AT_ONCE // 5
WITH_APPROVALS = frozenset({"needs-you", "waiting", "done"})
_OPEN: dict[str, tuple[str, ...]] = {
    "needs-you": (ActivityStatus.SURFACED, ActivityStatus.NEEDS_REVIEW),
    "surfaced": (ActivityStatus.SURFACED, ActivityStatus.NEEDS_REVIEW),
    "quarantine": (ActivityStatus.QUARANTINED,),
}
NOTED = Q(status=ActivityStatus.PROCESSED, autonomy_tier=2)
# What was processed and is not noted, by each of its tiers.
_HANDLED = (1, 3, 4, None)


def place_of_approval(approval: Approval, wanted: QueueCriteria, asof: datetime) -> Position:
    """Return where an approval stands, or stood, in what is wanted."""
    at = approval.created_at if wanted.newest_first else approval.place_at
    return Position(asof, _level(wanted, at, asof), at, APPROVAL, approval.pk)


def place_of_activity(activity: Activity, wanted: QueueCriteria, asof: datetime) -> Position:
    """Return where an activity stands, or would stand, in what is wanted."""
    level = 0 if wanted.newest_first else activity.pressing
    return Position(asof, level, activity.created_at, ACTIVITY, activity.pk)


def find_places(
    actor: Actor,
    wanted: QueueCriteria,
    asof: datetime,
    size: int,
    *,
    after: Position | None = None,
    backward: bool = False,
    marked: Mapping[int, Sequence[str]] = MappingProxyType({}),
    known: tuple[int, ...] | None = None,
) -> list[Position]:
    """Return the first `size` places after one, or before it (`backward`), the nearest first.

    `marked` is what a filter by flags has to know: what `read_marked` returns. `known` are those
    that `unsettled_in` returns, where they were read already.
    """
    up = wanted.newest_first == backward
    soon = after.asof + SOON if after else asof
    known = unsettled_in(actor, wanted) if known is None else known
    ends = _Ends(actor, wanted, asof, size, after, up, marked, soon, known)
    found = [*_approvals(ends), *_activities(ends)]
    found.sort(key=lambda place: place.order, reverse=not up)
    return found[:size]


def find_around(
    actor: Actor,
    wanted: QueueCriteria,
    place: Position,
    *,
    marked: Mapping[int, Sequence[str]] = MappingProxyType({}),
) -> tuple[Position | None, Position | None]:
    """Return the places before and after one, as `find_places` does; None at an end.

    In one statement, where a tab alone chooses the rows.
    """
    known = unsettled_in(actor, wanted)
    soon, asof = place.asof + SOON, place.asof
    ends = [_Ends(actor, wanted, asof, 1, place, up, marked, soon, known) for up in (False, True)]
    if not ends[0].is_plain or len(actor.workspace_ids) > _AROUND_AT_ONCE:
        found = [(end.up, one) for end in ends for one in (*_approvals(end), *_activities(end))]
    else:
        rows = _AROUND.united(
            wanted, place.kind, place.level,
            actor=actor, asof=asof, soon=soon, at=place.at, pk=place.pk,
        )  # fmt: skip
        found = [(number > 1, _position(ends[0], number % 2, *row)) for number, row in rows]
    lower, upper = (
        sorted((it for is_up, it in found if is_up == up), key=lambda it: it.order, reverse=not up)
        for up in (False, True)
    )
    before, after = (upper, lower) if wanted.newest_first else (lower, upper)
    return next(iter(before), None), next(iter(after), None)


def unanswered(actor: Actor) -> Q:
    """Return which activities stand for themselves: no proposal that waits answers them."""
    return ~Q(answered_by(Approval.objects.visible_to(actor).in_queue()))


def not_done_with(actor: Actor) -> Q:
    """Return which activities that are over stand for themselves: no approved answer is theirs."""
    approved = Approval.objects.visible_to(actor).filter(state=ApprovalState.APPROVED)
    return ~Q(answered_by(approved))


def unsettled(actor: Actor) -> list[int]:
    """Return the messages of which a person should say whether they left: few, or none."""
    return list(_UNSETTLED.rows(actor=actor))


def unsettled_in(actor: Actor, wanted: QueueCriteria) -> tuple[int, ...]:
    """Return those that may be among what is wanted."""
    may_be = wanted.tab in WITH_APPROVALS and wanted.kind != "activity"
    return tuple(unsettled(actor)) if may_be else ()


def _unsettled(*, actor: Actor) -> list[QuerySet[Any]]:
    rows = Submission.objects.visible_to(actor).filter(state=SubmissionState.UNKNOWN)
    return [rows.order_by("-pk").values_list("pk", flat=True)[:_MOST_UNSETTLED]]


_UNSETTLED = Prepared(_unsettled)


@dataclass(frozen=True, slots=True)
class _Ends:
    """Where to begin and in which direction, `up` being that of the columns themselves."""

    actor: Actor
    wanted: QueueCriteria
    asof: datetime
    size: int
    after: Position | None
    up: bool
    # What stands at addresses now, for a filter by flags.
    marked: Mapping[int, Sequence[str]]
    # Until when an approval is of the first level, by the time of the place.
    soon: datetime
    unsettled: tuple[int, ...]

    @property
    def is_plain(self) -> bool:
        """Whether a tab alone chooses the rows."""
        return not self.wanted.is_filtered and not self.unsettled

    def each_workspace(self, rows: Any) -> Iterator[QuerySet[Any]]:
        for key in self.actor.workspace_ids:
            yield rows.objects.visible_to(self.actor.within(key))

    def narrow(self, approvals: QuerySet[Any]) -> QuerySet[Any]:
        """Keep the approvals that the filters choose."""
        return narrow_approvals(self.actor, approvals, self.wanted, self.asof, self.marked)

    def beyond(self, rows: QuerySet[Any], column: str, kind: int) -> QuerySet[Any]:
        """Keep the rows past the place, where the column is all that they are ordered by."""
        if self.after is None:
            return rows
        word = "gt" if self.up else "lt"
        at = {column: self.after.at}
        further = Q(**{f"{column}__{word}": self.after.at})
        if kind == self.after.kind:
            further |= Q(**at, **{f"pk__{word}": self.after.pk})
        elif (kind > self.after.kind) == self.up:
            further |= Q(**at)
        # The second condition says nothing new, and lets the database begin at the right place.
        return rows.filter(further, **{f"{column}__{word}e": self.after.at})

    def cut(self, rows: QuerySet[Any], *columns: str) -> QuerySet[Any]:
        """Return the first of the rows in this direction, no more than a page."""
        signs = columns if self.up else [f"-{column}" for column in columns]
        return rows.order_by(*signs)[: self.size]


# -- approvals -------------------------------------------------------------------------------------
def _approvals(ends: _Ends) -> Iterable[Position]:
    if not _shows(APPROVAL, ends.wanted):
        return ()
    found = _rows(ends, _approval_places, _APPROVALS)
    return (_position(ends, APPROVAL, *row) for row in found)


def _approval_places(ends: _Ends) -> list[QuerySet[Any]]:
    column = "created_at" if ends.wanted.newest_first else "place_at"
    slices = [
        ends.cut(reached, column, "pk")
        for rows in _approval_rows(ends)
        if (reached := _within_reach(ends, rows, column)) is not None
    ]
    return _united(slices, Value(0, output_field=IntegerField()), column)


def _approval_rows(ends: _Ends) -> Iterator[QuerySet[Any]]:
    """Yield those waiting of each workspace, and those to be settled; or those that are over."""
    keys = ends.unsettled
    if ends.wanted.tab == "done":
        for rows in ends.each_workspace(Approval):
            over = rows.exclude(state=ApprovalState.WAITING)
            over = over.exclude(submission__in=keys) if keys else over
            yield ends.narrow(_newest(over, ends.wanted))
        return
    for rows in ends.each_workspace(Approval):
        for waiting in _waiting(rows, ends.wanted):
            yield ends.narrow(waiting)
    if keys and not ends.wanted.held:
        rows = Approval.objects.visible_to(ends.actor).filter(submission__in=keys)
        rows = rows.exclude(state=ApprovalState.WAITING)
        yield ends.narrow(rows)


def _waiting(rows: QuerySet[Any], wanted: QueueCriteria) -> Iterator[QuerySet[Any]]:
    """Yield those that wait in the queue; or those that quotas hold, by whose quota it is."""
    for held_by in QUOTAS if wanted.held else ("",):
        yield rows.filter(state=ApprovalState.WAITING, held_by=held_by)


def _within_reach(ends: _Ends, rows: QuerySet[Any], column: str) -> QuerySet[Any] | None:
    """Keep the approvals past the place, by level where that is an activity's; None: none."""
    after = ends.after
    if after is None or after.kind == APPROVAL or ends.wanted.newest_first:
        return ends.beyond(rows, column, APPROVAL)
    if ends.up:
        return rows.filter(place_at__gt=ends.soon) if after.level < _LATER else None
    return rows.filter(place_at__lte=ends.soon) if after.level < _LATER else rows


def _level(wanted: QueueCriteria, at: datetime, asof: datetime) -> int:
    if wanted.newest_first:
        return 0
    return _SOONEST if at <= asof + SOON else _LATER


# -- activities ------------------------------------------------------------------------------------
def _activities(ends: _Ends) -> Iterable[Position]:
    if not _shows(ACTIVITY, ends.wanted):
        return ()
    found = _rows(ends, _activity_places, _ACTIVITIES)
    return (_position(ends, ACTIVITY, *row) for row in found)


def _activity_places(ends: _Ends) -> list[QuerySet[Any]]:
    if not ends.wanted.newest_first:
        slices = [part for rows in _open_rows(ends) for part in _from_place(ends, rows)]
        return _united(slices, F("pressing"), "created_at")
    slices = [
        ends.cut(ends.beyond(rows, "created_at", ACTIVITY), "created_at", "pk")
        for rows in _closed_rows(ends)
    ]
    return _united(slices, Value(0, output_field=IntegerField()), "created_at")


def _open_rows(ends: _Ends) -> Iterator[QuerySet[Any]]:
    for rows in ends.each_workspace(Activity):
        for status in _OPEN[ends.wanted.tab]:
            found = rows.filter(status=status)
            if status in CLOSED_BY_ANSWER:
                found = found.filter(unanswered(ends.actor))
            yield narrow_activities(found, ends.wanted, ends.asof)


def _closed_rows(ends: _Ends) -> Iterator[QuerySet[Any]]:
    """Yield what is over; what a person dismissed was a decision of its own."""
    for rows in ends.each_workspace(Activity):
        if ends.wanted.tab == "noted":
            closed = [rows.filter(NOTED)]
        else:
            archived = _newest(rows.filter(status=ActivityStatus.ARCHIVED), ends.wanted)
            yield narrow_activities(archived, ends.wanted, ends.asof)
            processed = rows.filter(status=ActivityStatus.PROCESSED)
            closed = [processed.filter(autonomy_tier=tier) for tier in _HANDLED]
        for part in closed:
            found = _newest(part, ends.wanted).filter(not_done_with(ends.actor))
            yield narrow_activities(found, ends.wanted, ends.asof)


def _from_place(ends: _Ends, rows: QuerySet[Any]) -> Iterator[QuerySet[Any]]:
    """Yield what is left of the place's own level, and the levels beyond it."""
    if ends.after is None:
        yield ends.cut(rows, "pressing", "created_at", "pk")
        return
    if ends.after.kind == ACTIVITY:
        same = rows.filter(pressing=ends.after.level)
        yield ends.cut(ends.beyond(same, "created_at", ACTIVITY), "created_at", "pk")
    beyond = {f"pressing__{'gt' if ends.up else 'lt'}": ends.after.level}
    yield ends.cut(rows.filter(**beyond), "pressing", "created_at", "pk")


# -- both ------------------------------------------------------------------------------------------
def _newest(rows: QuerySet[Any], wanted: QueueCriteria) -> QuerySet[Any]:
    """Where filters may meet few of very many rows, keep the newest only."""
    if not wanted.is_filtered:
        return rows
    newest = rows.order_by("-created_at", "-pk")[:LOOKED_AT]
    found: QuerySet[Any] = rows.model.objects.filter(pk__in=newest.values("pk"))
    return found


def _united(slices: list[QuerySet[Any]], level: Any, column: str) -> list[QuerySet[Any]]:
    """Return what reads key, level and time of all slices, each ordered and cut by itself."""
    if len(slices) == 1:
        return [_columns(slices[0], level, column)]
    found: list[QuerySet[Any]] = []
    for chunk in in_chunks(slices, SLICES_AT_ONCE):
        parts = [
            _columns(part.model.objects.filter(pk__in=part.values("pk")).order_by(), level, column)
            for part in chunk
        ]
        found.append(parts[0].union(*parts[1:], all=True))
    return found


def _rows(ends: _Ends, places: Any, prepared: Prepared) -> Iterator[tuple[int, int, Any]]:
    """Yield key, level and time of each place, by SQL that is kept where no filter is in it."""
    if not ends.is_plain:
        for part in places(ends):
            yield from part
        return
    after = ends.after
    shape = (ends.wanted, ends.size, ends.up)
    if after is None:
        yield from prepared.rows(*shape, actor=ends.actor, asof=ends.asof)
        return
    yield from prepared.rows(
        *shape, after.kind, after.level,
        actor=ends.actor, asof=ends.asof, soon=ends.soon, at=after.at, pk=after.pk,
    )  # fmt: skip


def _ends(
    wanted: QueueCriteria, size: int, up: bool, kind: int | None = None, level: int = 0,
    *, actor: Actor, asof: datetime, soon: datetime | None = None,
    at: datetime | None = None, pk: int = 0,
) -> _Ends:  # fmt: skip
    """Return the ends that queries are put together for."""
    after = None if kind is None or at is None else Position(asof, level, at, kind, pk)
    return _Ends(actor, wanted, asof, size, after, up, MappingProxyType({}), soon or asof, ())


def _around(wanted: QueueCriteria, kind: int, level: int, **values: Any) -> list[QuerySet[Any]]:
    """Return what reads the places on both sides, of approvals and activities in turn."""
    found: list[QuerySet[Any]] = []
    for up in (False, True):
        ends = _ends(wanted, 1, up, kind, level, **values)
        for which, model, places in (
            (APPROVAL, Approval, _approval_places), (ACTIVITY, Activity, _activity_places),
        ):  # fmt: skip
            slices = places(ends) if _shows(which, wanted) else []
            found += slices or [model.objects.none().values_list("pk")]
    return found


_AROUND = Prepared(_around)
_APPROVALS = Prepared(lambda *shape, **values: _approval_places(_ends(*shape, **values)))
_ACTIVITIES = Prepared(lambda *shape, **values: _activity_places(_ends(*shape, **values)))


def _shows(kind: int, wanted: QueueCriteria) -> bool:
    """Return True if approvals, or activities, may be among what is wanted."""
    if kind == APPROVAL:
        return wanted.tab in WITH_APPROVALS and wanted.kind != "activity"
    return wanted.tab != "waiting" and wanted.kind != "approval" and not wanted.held


def _position(ends: _Ends, kind: int, pk: int, level: int, at: datetime) -> Position:
    level = _level(ends.wanted, at, ends.asof) if kind == APPROVAL else level
    return Position(ends.asof, level, at, kind, pk)


def _columns(rows: QuerySet[Any], level: Any, column: str) -> Any:
    return rows.annotate(place_level=level).values_list("pk", "place_level", column)
