"""How many planted items were caught and missed, by reviewer and by kind, each with its bound."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from django.db.models import Count, QuerySet
from django.utils import timezone
from pydantic import BaseModel, ConfigDict

from agents.models import DecisionMeasure, PlantedVerdict
from agents.operations.sample_checks import Precision
from agents.planted.deck import deck, title_of

FORMAT = "chancery-planted-1"


@dataclass(frozen=True, slots=True)
class PlantedCount:
    """Of one reviewer or kind: how many were caught and missed. What nobody decided is neither."""

    code: str
    name: str
    caught: int
    missed: int

    @property
    def misses(self) -> Precision:
        """The share that was missed, with its 95 % interval (Wilson's)."""
        return Precision(self.missed, self.caught + self.missed)


@dataclass(frozen=True, slots=True)
class PlantedCounts:
    """All of a time."""

    whole: PlantedCount
    reviewers: list[PlantedCount]
    kinds: list[PlantedCount]


def by_verdict(rows: QuerySet[DecisionMeasure]) -> QuerySet[Any, Any]:
    """Count `rows` on something planted: (user, name, kind, verdict, number)."""
    told = rows.order_by().filter(approval__planted__isnull=False)
    values = told.values_list(
        "user_id", "user__username", "approval__planted__kind", "approval__planted__verdict"
    )
    return values.annotate(n=Count("pk"))


def count_planted(
    rows: Iterable[tuple[int | None, str, str, str, int]], language: str = "en"
) -> PlantedCounts:
    """Sum the rows of `by_verdict`."""
    counted = list(rows)
    reviewers = _counts((str(user or 0), name or "", what, n) for user, name, _, what, n in counted)
    kinds = _counts((kind, title_of(kind, language), what, n) for _, _, kind, what, n in counted)
    whole = _counts(("", "", what, n) for *_, what, n in counted)
    return PlantedCounts(whole[0] if whole else PlantedCount("", "", 0, 0), reviewers, kinds)


def _counts(rows: Iterable[tuple[str, str, str, int]]) -> list[PlantedCount]:
    """Sum (code, name, verdict, number) by the code; the most first."""
    sums: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    names: dict[str, str] = {}
    for code, name, verdict, number in rows:
        names[code] = name
        sums[code][verdict] += number
    found = [
        PlantedCount(code, names[code], of[PlantedVerdict.CAUGHT], of[PlantedVerdict.MISSED])
        for code, of in sums.items()
    ]
    return sorted(found, key=lambda one: (-one.misses.total, one.name, one.code))


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ExportedCount(_Part):
    """How many were caught and missed, and between which shares the share of missed lies."""

    caught: int
    missed: int
    missed_share: float | None
    # Wilson's 95 % interval; from 0 to 1 where nothing was decided.
    lowest: float
    highest: float


class ReviewerCount(ExportedCount):
    """That of one reviewer; empty: somebody whose login is gone."""

    reviewer: str


class KindCount(ExportedCount):
    """That of one kind of the deck."""

    kind: str
    title: str


class PlantedExport(_Part):
    """Planted items that people decided on within a time."""

    format: Literal["chancery-planted-1"]
    exported_at: datetime
    begins: datetime
    ends: datetime
    kinds_in_deck: int
    whole: ExportedCount
    reviewers: list[ReviewerCount]
    kinds: list[KindCount]


def export_planted(
    rows: QuerySet[DecisionMeasure], begins: datetime, ends: datetime
) -> PlantedExport:
    """Return the figures of these decisions as they are handed out."""
    counts = count_planted(by_verdict(rows))
    return PlantedExport(
        format=FORMAT, exported_at=timezone.now(), begins=begins, ends=ends,
        kinds_in_deck=len(deck()), whole=ExportedCount(**_exported(counts.whole)),
        reviewers=[ReviewerCount(reviewer=one.name, **_exported(one)) for one in counts.reviewers],
        kinds=[KindCount(kind=one.code, title=one.name, **_exported(one)) for one in counts.kinds],
    )  # fmt: skip


def _exported(count: PlantedCount) -> dict[str, Any]:
    misses = count.misses
    low, high = misses.interval
    return {
        "caught": count.caught, "missed": count.missed,
        "missed_share": round(misses.share, 6) if misses.total else None,
        "lowest": round(low, 6), "highest": round(high, 6),
    }  # fmt: skip
