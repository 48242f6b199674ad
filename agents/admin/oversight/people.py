"""How people decided: of each reviewer, of each agent, and of each flag; a query for each part."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from django.db import connection
from django.db.models import Count, F, Q, QuerySet, Sum, Window
from django.db.models.functions import Lag, RowNumber

from agents.admin.oversight.figures import Seconds
from agents.admin.oversight.scope import Scope
from agents.models import DecisionMeasure, DecisionVerb, DecisionWay, Sight
from agents.operations.sample_checks import Precision
from agents.planted.counting import PlantedCounts, by_verdict, count_planted
from inbox.actor import Actor
from inbox.prepared import Prepared

# Decisions with no longer pause between them are one stretch of work.
PAUSE_SECONDS = 15 * 60
# As many of those that were approved too quickly are listed, the newest.
LISTED = 20
_AGAINST = (DecisionVerb.EDITED, DecisionVerb.REJECTED, DecisionVerb.RETURNED)


@dataclass(slots=True)
class Hand:
    """What one reviewer decided, or what was decided of one agent's."""

    key: int
    name: str
    decided: int = 0
    in_batches: int = 0
    edited: int = 0
    # Of the edited: their words, and how many of them were changed.
    edited_words: int = 0
    changed_words: int = 0
    quick: int = 0
    # Of how many it is known what was on the screen, and of how many end and source were.
    known: int = 0
    seen: int = 0
    median: int | None = None
    p90: int | None = None
    shift_seconds: int = 0


@dataclass(frozen=True, slots=True)
class FlagUse:
    """A flag, how many decided proposals carried it, and how many of them were not let through."""

    code: str
    against: Precision


@dataclass(frozen=True, slots=True)
class People:
    """Everything about the decisions of a time."""

    reviewers: list[Hand]
    agents: list[Hand]
    flags: list[FlagUse]
    quick: list[DecisionMeasure]


def read_people(scope: Scope) -> People:
    """Read how people decided within the scope."""
    counted = list(_read("counts", scope))
    reviewers = _hands(counted, "user_id", "user__username")
    agents = _hands(counted, "agent_id", "agent__name")
    _set_times(scope, "user_id", reviewers)
    _set_times(scope, "agent_id", agents)
    for user, seconds in _shifts(scope):
        reviewers[user or 0].shift_seconds = seconds
    quick = list(_read("quick", scope))
    return People(_in_order(reviewers), _in_order(agents), _flags(scope), quick)


def _planted(**given: Any) -> list[Any]:
    return [by_verdict(_decisions(**given))]


_PLANTED = Prepared(_planted)


def read_planted(scope: Scope, language: str) -> PlantedCounts:
    """Count what was caught and missed of the planted items that were decided within the scope."""
    return count_planted(_PLANTED.rows(**scope.within), language)


def decisions_in(scope: Scope) -> QuerySet[DecisionMeasure]:
    """Return every decision within the scope, also those on what was planted."""
    return _decisions(**scope.within)


def _measures(**given: Any) -> QuerySet[DecisionMeasure]:
    """Return the decisions on what was really proposed."""
    return _decisions(**given).filter(approval__planted__isnull=True)


def _decisions(
    *, actor: Actor, begins: datetime, ends: datetime, agents: tuple[int, ...],
    accounts: tuple[int, ...],
) -> QuerySet[DecisionMeasure]:  # fmt: skip
    rows = DecisionMeasure.objects.visible_to(actor).filter(
        decided_at__gte=begins, decided_at__lt=ends
    )
    if agents:
        rows = rows.filter(agent__in=agents)
    if accounts:
        rows = rows.filter(approval__submission__account__in=accounts)
    return rows


def _counts(rows: QuerySet[DecisionMeasure]) -> Any:
    """Count by reviewer and agent at once."""
    edited = Q(verb=DecisionVerb.EDITED)
    known = Q(end__in=(Sight.SEEN, Sight.UNSEEN))
    both = Q(end=Sight.SEEN, source__in=(Sight.SEEN, Sight.NONE))
    return rows.order_by().values("user_id", "user__username", "agent_id", "agent__name").annotate(
        n_decided=Count("pk"), n_in_batches=Count("pk", filter=Q(way=DecisionWay.BATCH)),
        n_edited=Count("pk", filter=edited), n_quick=Count("pk", filter=Q(is_quick=True)),
        n_edited_words=Sum("words", filter=edited),
        n_changed_words=Sum("changed_words", filter=edited),
        n_known=Count("pk", filter=known), n_seen=Count("pk", filter=both),
    )  # fmt: skip


def _hands(counted: Sequence[dict[str, Any]], key: str, name: str) -> dict[int, Hand]:
    hands: dict[int, Hand] = {}
    for row in counted:
        found = row[key] or 0
        hand = hands.setdefault(found, Hand(found, row[name] or ""))
        for column, number in row.items():
            if column.startswith("n_"):
                field = column.removeprefix("n_")
                setattr(hand, field, getattr(hand, field) + (number or 0))
    return hands


def _set_times(scope: Scope, key: str, hands: dict[int, Hand]) -> None:
    """Set median and nine tenths by the nearest rank, of those whose time is known."""
    for of, rank, count, took in _read(key, scope):
        if rank == (count + 1) // 2:
            hands[of or 0].median = took
        if rank == (count * 9 + 9) // 10:
            hands[of or 0].p90 = took


def _ranked(rows: QuerySet[DecisionMeasure], key: str) -> Any:
    """Return who, the rank, of how many, and the time at the two ranks of each."""
    place = Window(RowNumber(), partition_by=[F(key)], order_by=[F("milliseconds"), F("pk")])
    whole = Window(Count("pk"), partition_by=[F(key)])
    ranked = rows.order_by().filter(milliseconds__isnull=False).annotate(place=place, whole=whole)
    # Whole numbers are divided downwards: the half, and nine tenths, rounded up.
    half, most = (F("whole") + 1) / 2, (F("whole") * 9 + 9) / 10
    found = ranked.filter(Q(place=half) | Q(place=most))
    return found.values_list(key, "place", "whole", "milliseconds")


def _paused(**given: Any) -> list[Any]:
    """Return each decision with the seconds since the one before it of the same reviewer."""
    before = Window(
        Lag("decided_at"), partition_by=[F("user_id")], order_by=[F("decided_at"), F("pk")]
    )
    inner = _measures(**given).order_by().annotate(before=before)
    paused = inner.annotate(pause=Seconds("decided_at", "before"))
    return [paused.values("user_id", "milliseconds", "pause")]


_PAUSED = Prepared(_paused)


def _shifts(scope: Scope) -> list[tuple[int | None, int]]:
    """Return how long each reviewer was at it: pauses up to the limit count, longer ones do not.

    A stretch begins when its first item was opened, as far as that is known.
    """
    sql, parameters = _PAUSED.sql(**scope.within)
    statement = (
        "SELECT worked.user_id, SUM(CASE "  # noqa: S608
        "WHEN worked.pause <= %s THEN worked.pause "
        "WHEN worked.milliseconds > %s THEN %s "
        "ELSE COALESCE(worked.milliseconds, 0) / 1000 END) "
        f"FROM ({sql}) worked GROUP BY worked.user_id"
    )
    limits = (PAUSE_SECONDS, PAUSE_SECONDS * 1000, PAUSE_SECONDS)
    with connection.cursor() as cursor:
        cursor.execute(statement, [*limits, *parameters])
        return [(user, int(seconds)) for user, seconds in cursor.fetchall()]


def _flags(scope: Scope) -> list[FlagUse]:
    """Count by what flags stood together, which are few, and then by each."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for flags, verb, count in _read("flags", scope):
        for code in flags.split():
            counts[code][0] += count if verb in _AGAINST else 0
            counts[code][1] += count
    uses = [FlagUse(code, Precision(against, n)) for code, (against, n) in counts.items()]
    return sorted(uses, key=lambda one: (-one.against.total, one.code))


def _flagged(rows: QuerySet[DecisionMeasure]) -> Any:
    final = rows.order_by().exclude(verb=DecisionVerb.FIRST).exclude(flags="")
    return final.values_list("flags", "verb").annotate(n=Count("pk"))


def _quick(rows: QuerySet[DecisionMeasure]) -> Any:
    found = rows.filter(is_quick=True).select_related("user", "agent", "approval")
    found = found.defer("approval__arguments", "approval__marks", "approval__risk_flags")
    return found.order_by("-decided_at", "-pk")[:LISTED]


_QUERIES: dict[str, Callable[[QuerySet[DecisionMeasure]], Any]] = {
    "counts": _counts, "flags": _flagged, "quick": _quick,
    "user_id": partial(_ranked, key="user_id"), "agent_id": partial(_ranked, key="agent_id"),
}  # fmt: skip
_PREPARED = Prepared(lambda name, **given: [_QUERIES[name](_measures(**given))])


def _read(name: str, scope: Scope) -> Any:
    return _PREPARED.rows(name, **scope.within)


def _in_order(hands: dict[int, Hand]) -> list[Hand]:
    key: Callable[[Hand], tuple[int, str]] = lambda hand: (-hand.decided, hand.name)  # noqa: E731
    return sorted(hands.values(), key=key)
