"""The figures as panels: a chart at each width, its legend, and the same numbers as a table."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from typing import Any

from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext_lazy, ngettext
from django.utils.translation import gettext as _

from agents.admin.oversight.charts import (
    Bar,
    Layer,
    Sizes,
    all_sizes,
    columns,
    row_of,
    shares,
    stacked,
)
from agents.admin.oversight.figures import PERSONS, Figures, OfAgent, Series, quantile
from agents.admin.oversight.scope import Scope
from agents.operations.sample_checks import Precision

NAMES: dict[str, Promise] = {
    "silent": gettext_lazy("handled silently"),
    "noted": gettext_lazy("noted"),
    "asked": gettext_lazy("sent to review"),
    "surfaced": gettext_lazy("surfaced"),
    "quarantined": gettext_lazy("quarantined"),
    "other": gettext_lazy("not classified"),
    "approved": gettext_lazy("approved as it was"),
    "edited": gettext_lazy("approved after an edit"),
    "rejected": gettext_lazy("rejected"),
    "returned": gettext_lazy("sent back"),
    "canceled": gettext_lazy("undone"),
    "expired": gettext_lazy("expired"),
    "sent": gettext_lazy("sent"),
    "refused": gettext_lazy("refused"),
    "failed": gettext_lazy("failed"),
}
# The ends of the stretches in which decisions fall, in seconds, and what they are called.
_BINS: tuple[tuple[int, Promise, Promise], ...] = (
    (60, gettext_lazy("<1m"), gettext_lazy("under a minute")),
    (300, gettext_lazy("5m"), gettext_lazy("1 to 5 minutes")),
    (900, gettext_lazy("15m"), gettext_lazy("5 to 15 minutes")),
    (3600, gettext_lazy("1h"), gettext_lazy("15 minutes to an hour")),
    (14_400, gettext_lazy("4h"), gettext_lazy("1 to 4 hours")),
    (43_200, gettext_lazy("12h"), gettext_lazy("4 to 12 hours")),
    (86_400, gettext_lazy("1d"), gettext_lazy("12 hours to a day")),
    (172_800, gettext_lazy("2d"), gettext_lazy("1 to 2 days")),
    (2**62, gettext_lazy("2d+"), gettext_lazy("over 2 days")),
)


@dataclass(frozen=True, slots=True)
class Panel:
    """A chart with everything about it; no charts: there was nothing."""

    code: str
    title: str
    words: str
    charts: Sizes
    layers: tuple[Layer, ...] = ()
    headings: tuple[str, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()

    @property
    def shown(self) -> Hashable:
        """All that it shows, by which its part of the page is kept: its table has every number."""
        totals = tuple((layer.name, layer.total) for layer in self.layers)
        return self.code, self.title, self.words, self.headings, self.rows, totals


@dataclass(frozen=True, slots=True)
class AgentRow:
    """An agent's line, with its bar beside the others'."""

    of: OfAgent
    marks: tuple[Bar, ...]
    median: str

    @property
    def words(self) -> str:
        """What its bar shows."""
        return ", ".join(mark.words for mark in self.marks) or _("nothing")


def span_words(seconds: int | None) -> str:
    """Return a span as a person says it; empty where there is none."""
    if seconds is None:
        return "—"
    if seconds < 60:
        return _("under a minute")
    if seconds < 2 * 3600:
        return _("%(count)d min") % {"count": round(seconds / 60)}
    if seconds < 48 * 3600:
        return _("%(count)d h") % {"count": round(seconds / 3600)}
    return ngettext("%(count)d day", "%(count)d days", seconds // 86400) % {
        "count": round(seconds / 86400)
    }


def came_panel(scope: Scope, figures: Figures) -> Panel:
    """What came in."""
    came = {name: counts for name, counts in figures.came.items() if name != "other" or any(counts)}
    return _daily("came", _("Incoming items"), _("by classification"), scope, came)


def decisions_panel(scope: Scope, figures: Figures) -> Panel:
    """What people decided, and what nobody did."""
    words = _("by outcome, on the day of the decision")
    return _daily("decisions", _("Decisions"), words, scope, figures.ended)


def sent_panel(scope: Scope, figures: Figures) -> Panel:
    """What left."""
    words = _("mail that a server accepted")
    return _daily("sent", _("What was sent"), words, scope, figures.sent, height=140)


def troubles_panel(scope: Scope, figures: Figures) -> Panel:
    """What was refused or failed."""
    words = _("calls and actions that had no effect, in all accounts")
    title = _("Errors and denials")
    return _daily("troubles", title, words, scope, figures.troubles, height=140)


def _daily(
    code: str, title: str, words: str, scope: Scope, series: Series, *, height: int = 200
) -> Panel:
    days = tuple(day.date for day in scope.days)
    counted = tuple((name, tuple(counts)) for name, counts in series.items())
    return _draw_daily((get_language(), code, title, words), days, counted, height)


@lru_cache(maxsize=500)
def _draw_daily(
    about: tuple[str, str, str, str], days: tuple[date, ...],
    series: tuple[tuple[str, tuple[int, ...]], ...], height: int,
) -> Panel:  # fmt: skip
    """Draw numbers once, in each language: of the same days only today's change."""
    _language, code, title, words = about
    layers = tuple(Layer(name, str(NAMES[name]), counts) for name, counts in series)
    short = {day: _short(day) for day in days}
    if not any(layer.total for layer in layers):
        return Panel(code, title, words, (), layers)
    rows = [
        (_long(day), *(layer.numbers[index] for layer in layers)) for index, day in enumerate(days)
    ]
    drawn = all_sizes(stacked, days, layers, say=short.__getitem__, height=height)
    return Panel(
        code, title, words, drawn, layers,
        (_("Day"), *(layer.name for layer in layers)), tuple(reversed(rows)),
    )  # fmt: skip


def time_panel(figures: Figures) -> Panel:
    """How long decisions took."""
    title = _("Time to decide")
    seconds = figures.seconds
    if not seconds:
        return Panel("time", title, "", ())
    words = _("time from proposal to decision: half within %(median)s, nine in ten within %(p90)s")
    words %= {
        "median": span_words(quantile(seconds, 0.5)), "p90": span_words(quantile(seconds, 0.9)),
    }  # fmt: skip
    bins, low = [], 0
    for end, short, whole in _BINS:
        count = sum(1 for took in seconds if low <= took < end)
        bins.append((str(short), f"{whole}: {count}", str(whole), count))
        low = end
    drawn = [(short, spoken, count) for short, spoken, _whole, count in bins]
    rows = tuple((whole, count) for _short, _spoken, whole, count in bins)
    headings = (_("Duration"), _("Decisions"))
    return Panel("time", title, words, all_sizes(columns, drawn), (), headings, rows)


def agent_rows(figures: Figures) -> list[AgentRow]:
    """Return a line for each agent, the bars to one scale."""
    ends = (*PERSONS, "canceled", "expired")
    whole = max((each.ends.total() for each in figures.agents), default=0)
    return [
        AgentRow(
            each,
            row_of([Layer(end, str(NAMES[end]), [each.ends[end]]) for end in ends], whole),
            span_words(each.median),
        )
        for each in figures.agents
    ]


def precision_panel(weeks: Sequence[tuple[date, Precision]], whole: Precision) -> Panel:
    """How often the silence was right, week by week."""
    title = _("Was it right not to ask?")
    if not whole.total:
        return Panel("precision", title, "", ())
    points, rows = [], []
    for begins, precision in weeks:
        low, high = precision.interval
        words = _("week of %(day)s: %(right)d of %(total)d right, %(low)d to %(high)d %%") % {
            "day": _short(begins), "right": precision.right, "total": precision.total,
            "low": round(low * 100), "high": round(high * 100),
        }  # fmt: skip
        points.append((_short(begins), precision.share, low, high, words))
        between = f"{low * 100:.0f}–{high * 100:.0f} %"
        rows.append((_long(begins), precision.right, precision.total, between))
    headings = (_("Week of"), _("right"), _("checked"), _("95 % interval"))
    low, high = whole.interval
    words = _(
        "For %(right)d of %(total)d items you checked, it was right not to ask; for all items "
        "that is %(low)d to %(high)d %% (95 %% confidence)"
    ) % {
        "right": whole.right, "total": whole.total, "low": round(low * 100),
        "high": round(high * 100),
    }  # fmt: skip
    drawn = all_sizes(shares, points)
    return Panel("precision", title, words, drawn, (), headings, tuple(reversed(rows)))


def monday_of(day: date) -> date:
    """Return the day on which its week began."""
    return day - timedelta(days=day.weekday())


def _short(day: date) -> str:
    return date_format(day, _("j M"))


def _long(day: date) -> str:
    return date_format(day, _("D, j M Y"))
