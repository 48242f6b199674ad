"""How people decided: of each reviewer, of each agent, and of each flag; a query for each part."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Count, F, Q, QuerySet, Sum, Window
from django.db.models.functions import Lag, RowNumber

from agents.admin.oversight.figures import Seconds
from agents.admin.oversight.scope import Scope
from agents.models import DecisionMeasure, DecisionVerb, DecisionWay, Sight
from agents.operations.sample_checks import Precision

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
    rows = _measures(scope)
    counted = list(_counts(rows))
    reviewers = _hands(counted, "user_id", "user__username")
    agents = _hands(counted, "agent_id", "agent__name")
    _set_times(rows, "user_id", reviewers)
    _set_times(rows, "agent_id", agents)
    for user, seconds in _shifts(rows):
        reviewers[user or 0].shift_seconds = seconds
    return People(_in_order(reviewers), _in_order(agents), _flags(rows), _quick(rows))


def _measures(scope: Scope) -> QuerySet[DecisionMeasure]:
    rows = DecisionMeasure.objects.visible_to(scope.actor).filter(
        decided_at__gte=scope.begins, decided_at__lt=scope.ends
    )
    if scope.agent is not None:
        rows = rows.filter(agent=scope.agent)
    if scope.account is not None:
        rows = rows.filter(approval__submission__account=scope.account)
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


def _set_times(rows: QuerySet[DecisionMeasure], key: str, hands: dict[int, Hand]) -> None:
    """Set median and nine tenths by the nearest rank, of those whose time is known."""
    place = Window(RowNumber(), partition_by=[F(key)], order_by=[F("milliseconds"), F("pk")])
    whole = Window(Count("pk"), partition_by=[F(key)])
    ranked = rows.order_by().filter(milliseconds__isnull=False).annotate(place=place, whole=whole)
    # Whole numbers are divided downwards: the half, and nine tenths, rounded up.
    half, most = (F("whole") + 1) / 2, (F("whole") * 9 + 9) / 10
    found = ranked.filter(Q(place=half) | Q(place=most))
    for of, rank, count, took in found.values_list(key, "place", "whole", "milliseconds"):
        if rank == (count + 1) // 2:
            hands[of or 0].median = took
        if rank == (count * 9 + 9) // 10:
            hands[of or 0].p90 = took


def _shifts(rows: QuerySet[DecisionMeasure]) -> list[tuple[int | None, int]]:
    """Return how long each reviewer was at it: pauses up to the limit count, longer ones do not.

    A stretch begins when its first item was opened, as far as that is known.
    """
    before = Window(
        Lag("decided_at"), partition_by=[F("user_id")], order_by=[F("decided_at"), F("pk")]
    )
    inner = rows.order_by().annotate(before=before).annotate(pause=Seconds("decided_at", "before"))
    sql, parameters = inner.values("user_id", "milliseconds", "pause").query.sql_with_params()
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


def _flags(rows: QuerySet[DecisionMeasure]) -> list[FlagUse]:
    """Count by what flags stood together, which are few, and then by each."""
    final = rows.order_by().exclude(verb=DecisionVerb.FIRST).exclude(flags="")
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for flags, verb, count in final.values_list("flags", "verb").annotate(n=Count("pk")):
        for code in flags.split():
            counts[code][0] += count if verb in _AGAINST else 0
            counts[code][1] += count
    uses = [FlagUse(code, Precision(against, n)) for code, (against, n) in counts.items()]
    return sorted(uses, key=lambda one: (-one.against.total, one.code))


def _quick(rows: QuerySet[DecisionMeasure]) -> list[DecisionMeasure]:
    found = rows.filter(is_quick=True).select_related("user", "agent", "approval")
    found = found.defer("approval__arguments", "approval__marks", "approval__risk_flags")
    return list(found.order_by("-decided_at", "-pk")[:LISTED])


def _in_order(hands: dict[int, Hand]) -> list[Hand]:
    key: Callable[[Hand], tuple[int, str]] = lambda hand: (-hand.decided, hand.name)  # noqa: E731
    return sorted(hands.values(), key=key)
