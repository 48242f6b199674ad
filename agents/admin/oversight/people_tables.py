"""How people decided, as tables; each cell in words of the reader."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from agents.admin.oversight.figures import Figures
from agents.admin.oversight.panels import span_words
from agents.admin.oversight.people import PAUSE_SECONDS, FlagUse, Hand, People
from agents.models import DecisionMeasure
from agents.oversight.measuring import READ_A_SECOND
from agents.planted.counting import PlantedCount, PlantedCounts
from inbox.flags import title_of


@dataclass(frozen=True, slots=True)
class Cell:
    """What stands in a cell, and where it leads."""

    words: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A row: whose it is, and its cells."""

    name: str
    cells: tuple[Cell, ...]
    url: str = ""

    def labelled(self, headings: Sequence[str]) -> list[tuple[str, Cell]]:
        """Return each cell with the heading of its column, for narrow screens."""
        return list(zip(headings[1:], self.cells, strict=True))


@dataclass(frozen=True, slots=True)
class Table:
    """A panel with a table; no lines: there was nothing."""

    code: str
    title: str
    words: str
    headings: tuple[str, ...]
    lines: tuple[Line, ...]

    @property
    def rows(self) -> list[tuple[Line, list[tuple[str, Cell]]]]:
        """The lines with their cells, each with its column's heading."""
        return [(line, line.labelled(self.headings)) for line in self.lines]


def tables_of(people: People, figures: Figures) -> list[Table]:
    """Return all of them."""
    return [
        _reviewers(people.reviewers), _agents(people.agents, figures), _flags(people.flags),
        _quick(people.quick),
    ]  # fmt: skip


def planted_tables(counts: PlantedCounts) -> list[Table]:
    """Return how many planted items were caught and missed, by reviewer and by kind."""
    words = _("of the planted items that people decided on; what nobody decided counts as neither")
    headings = (_("Caught"), _("Missed"), _("Share missed"), _("95 % interval"))
    return [
        Table(
            f"planted-{code}", title, words, (first, *headings),
            tuple(Line(one.name or _("Someone"), _planted_cells(one)) for one in rows),
        )
        for code, title, first, rows in (
            ("reviewers", _("Planted items by reviewer"), _("Reviewer"), counts.reviewers),
            ("kinds", _("Planted items by kind"), _("What was wrong"), counts.kinds),
        )
    ]  # fmt: skip


def _planted_cells(count: PlantedCount) -> tuple[Cell, ...]:
    low, high = count.misses.interval
    return (
        Cell(_n(count.caught)), Cell(_n(count.missed)),
        Cell(_share(count.missed, count.misses.total)),
        Cell(f"{low * 100:.0f}–{high * 100:.0f} %"),
    )  # fmt: skip


def took_words(milliseconds: int | None) -> str:
    """Return how long somebody looked: to the second below two minutes."""
    if milliseconds is None:
        return "—"
    if milliseconds < 10_000:
        return _("%(count)s s") % {"count": number_format(milliseconds / 1000, 1)}
    if milliseconds < 120_000:
        return _("%(count)s s") % {"count": round(milliseconds / 1000)}
    return span_words(milliseconds // 1000)


def _reviewers(hands: Sequence[Hand]) -> Table:
    words = _(
        "decisions at most %(minutes)d minutes apart count as one stretch of work, which starts "
        "when the first item is opened"
    ) % {"minutes": PAUSE_SECONDS // 60}
    lines = [
        Line(hand.name or _("Someone"), (*_cells(hand), Cell(span_words(hand.shift_seconds))))
        for hand in hands
    ]
    headings = (_("Reviewer"), *_headings(), _("Working"))
    return Table("reviewers", _("By reviewer"), words, headings, tuple(lines))


def _agents(hands: Sequence[Hand], figures: Figures) -> Table:
    expired = {each.agent.pk: each.ends["expired"] for each in figures.agents}
    lines = [
        Line(
            hand.name, (*_cells(hand), Cell(_n(expired.get(hand.key, 0)))),
            reverse("admin:agents_agent_change", args=[hand.key]),
        )
        for hand in hands
    ]  # fmt: skip
    headings = (_("Agent"), *_headings(), _("Expired"))
    words = _("from opening an item to deciding")
    title = _("How each agent's proposals were decided")
    return Table("hands", title, words, headings, tuple(lines))


def _headings() -> tuple[str, ...]:
    return (
        _("Decided"), _("Median"), _("Nine in ten"), _("Read in full, source seen"),
        _("In batches"),
        _("Edited"), _("Words changed"), _("Too fast"),
    )  # fmt: skip


def _cells(hand: Hand) -> tuple[Cell, ...]:
    return (
        Cell(_n(hand.decided)), Cell(took_words(hand.median)), Cell(took_words(hand.p90)),
        Cell(_share(hand.seen, hand.known)), Cell(_share(hand.in_batches, hand.decided)),
        Cell(_share(hand.edited, hand.decided)),
        Cell(_share(hand.changed_words, hand.edited_words)),
        Cell(_n(hand.quick), "#quick-heading" if hand.quick else ""),
    )  # fmt: skip


def _flags(uses: Sequence[FlagUse]) -> Table:
    words = _("share of flagged proposals that were rejected, sent back or edited")
    headings = (
        _("Flag"), _("Decided"), _("Rejected or edited"), _("Share"), _("95 % interval"),
    )  # fmt: skip
    lines = []
    for use in uses:
        low, high = use.against.interval
        cells = (
            Cell(_n(use.against.total)), Cell(_n(use.against.right)),
            Cell(_share(use.against.right, use.against.total)),
            Cell(f"{low * 100:.0f}–{high * 100:.0f} %"),
        )  # fmt: skip
        lines.append(Line(title_of(use.code) or use.code, cells))
    return Table("flags", _("How useful flags are"), words, headings, tuple(lines))


def _quick(measures: Sequence[DecisionMeasure]) -> Table:
    words = _("more than %(count)d words a second, faster than anyone reads; the newest") % {
        "count": READ_A_SECOND
    }
    lines = []
    for one in measures:
        said = ngettext("%(count)d word in %(took)s", "%(count)d words in %(took)s", one.words)
        said %= {"count": one.words, "took": took_words(one.milliseconds)}
        who = one.user.get_username() if one.user else _("Someone")
        url = reverse("review", args=[one.approval.public_id])
        lines.append(Line(said, (Cell(who), Cell(one.agent.name)), url))
    headings = (_("Approved"), _("Reviewer"), _("Agent"))
    title = _("Approved faster than anyone can read")
    return Table("quick", title, words, headings, tuple(lines))


def _share(part: int, whole: int) -> str:
    return f"{part / whole * 100:.0f} %" if whole else "—"


def _n(count: int) -> str:
    return str(number_format(count, use_l10n=True, force_grouping=True))
