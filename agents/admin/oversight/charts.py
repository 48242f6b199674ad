"""Where the marks of a chart stand: SVG geometry as text, for attributes; colours are the page's.

Each chart is drawn at three widths, of which the page shows the one that fits, so that its letters
are as large on a phone as on a desk. Numbers are written as text here, for templates write them in
the reader's language, which SVG does not read.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from math import ceil, floor, log10
from typing import Any, TypeAlias

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

SIZES = {"wide": 1120, "half": 560, "narrow": 360}
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 8, 18, 24
# Letters are about so wide; labels nearer than this would touch.
_LABEL = 54


@dataclass(frozen=True, slots=True)
class Bar:
    """A rectangle of a series, with the words that say what it stands for."""

    series: str
    x: str
    y: str
    width: str
    height: str
    words: str

    @property
    def drawn(self) -> SafeString:
        """The rectangle in one piece: of 90 days there are thousands."""
        return mark_safe(  # noqa: S308
            f'<rect class="mark-{self.series}" x="{self.x}" y="{self.y}" width="{self.width}" '
            f'height="{self.height}"><title>{escape(self.words)}</title></rect>'
        )


@dataclass(frozen=True, slots=True)
class Label:
    """Words at a place."""

    x: str
    y: str
    words: str
    anchor: str = "middle"


@dataclass(frozen=True, slots=True)
class ConfidencePoint:
    """A share with its interval."""

    x: str
    y: str
    low: str
    high: str
    words: str


@dataclass(frozen=True, slots=True)
class Chart:
    """One drawing."""

    width: int
    height: int
    left: int
    right: int
    base: str
    marks: tuple[Bar, ...] = ()
    lines: tuple[Label, ...] = ()
    labels: tuple[Label, ...] = ()
    direct: tuple[Label, ...] = ()
    dots: tuple[ConfidencePoint, ...] = ()
    path: str = ""


Sizes: TypeAlias = tuple[tuple[str, Chart], ...]


@dataclass(frozen=True, slots=True)
class Layer:
    """A series of a stacked chart: its code, what it is called, and a number a day."""

    code: str
    name: str
    numbers: Sequence[int]

    @property
    def total(self) -> int:
        """All of it."""
        return sum(self.numbers)


def all_sizes(draw: Callable[..., Chart], *given: Any, **named: Any) -> Sizes:
    """Draw a chart at each width; each comes with the name by which the page picks it."""
    return tuple((name, draw(*given, width=width, **named)) for name, width in SIZES.items())


def ceiling(most: float) -> tuple[float, float]:
    """Return a round top of an axis and the step of its lines, at most five of whole numbers."""
    if most <= 4:
        return max(ceil(most), 1), 1
    power = 10 ** floor(log10(most / 4))
    step = next(nice * power for nice in (1, 2, 5, 10) if nice * power * 4 >= most)
    return ceil(most / step) * step, step


def stacked(
    days: Sequence[date],
    layers: Sequence[Layer],
    *,
    width: int,
    say: Callable[[date], str],
    height: int = 200,
) -> Chart:
    """Draw a bar a day, the layers upon one another, from zero; the highest says its number."""
    totals = [sum(numbers) for numbers in zip(*(layer.numbers for layer in layers), strict=True)]
    top, step = ceiling(max(totals, default=0))
    plot = height - _TOP - _BOTTOM
    slot = (width - _LEFT - _RIGHT) / len(days)
    bar = slot * 0.78 if slot > 6 else max(slot - 1, slot * 0.7)

    def place(number: float) -> float:
        return _TOP + plot * (1 - number / top)

    marks: list[Bar] = []
    for index, day in enumerate(days):
        under = 0
        for layer in layers:
            count = layer.numbers[index]
            if count:
                upper = place(under + count)
                marks.append(
                    Bar(
                        layer.code, _n(_LEFT + index * slot + (slot - bar) / 2), _n(upper), _n(bar),
                        _n(max(place(under) - upper, 0.5)), f"{say(day)}: {layer.name} {count}",
                    )
                )  # fmt: skip
                under += count
    return Chart(
        width, height, _LEFT, width - _RIGHT, _n(_TOP + plot), tuple(marks),
        _lines(top, step, place), _day_labels(days, slot, width, height, say),
        _peak(totals, slot, width, place),
    )  # fmt: skip


def _lines(top: float, step: float, place: Callable[[float], float]) -> tuple[Label, ...]:
    numbers = [step * index for index in range(round(top / step) + 1)]
    return tuple(
        Label(str(_LEFT - 6), _n(place(number)), f"{number:,.0f}", "end") for number in numbers
    )


def _day_labels(
    days: Sequence[date], slot: float, width: int, height: int, say: Callable[[date], str]
) -> tuple[Label, ...]:
    """Write as many days as fit, counted back from today."""
    every = max(1, ceil(_LABEL / slot))
    if every > 2:
        every = ceil(every / 7) * 7
    chosen = range(len(days) - 1, -1, -every)
    labels = []
    for index in chosen:
        x = _LEFT + (index + 0.5) * slot
        last = x > width - _RIGHT - 22
        labels.append(
            Label(
                _n(width - _RIGHT if last else x), str(height - 6), say(days[index]),
                "end" if last else "middle",
            )
        )  # fmt: skip
    return tuple(labels)


def _peak(
    totals: Sequence[int], slot: float, width: int, place: Callable[[float], float]
) -> tuple[Label, ...]:
    most = max(totals, default=0)
    if not most:
        return ()
    x = _LEFT + (totals.index(most) + 0.5) * slot
    x = min(max(x, _LEFT + 10), width - _RIGHT - 10)
    return (Label(_n(x), _n(place(most) - 5), f"{most:,}"),)


def columns(bins: Sequence[tuple[str, str, int]], *, width: int, height: int = 170) -> Chart:
    """Draw a column for each (short name, whole name, count), with the count upon it."""
    top, _ = ceiling(max((count for *_, count in bins), default=0))
    left = 8
    slot = (width - left - _RIGHT) / len(bins)
    plot = height - _TOP - _BOTTOM
    marks, labels, direct = [], [], []
    for index, (short, whole, count) in enumerate(bins):
        x, tall = left + index * slot, plot * count / top
        middle = _n(x + slot / 2)
        labels.append(Label(middle, str(height - 6), short))
        if count:
            y = _TOP + plot - tall
            mark = Bar("took", _n(x + slot * 0.06), _n(y), _n(slot * 0.88), _n(tall), whole)
            marks.append(mark)
            direct.append(Label(middle, _n(y - 5), f"{count:,}"))
    return Chart(
        width, height, left, width - _RIGHT, _n(_TOP + plot), tuple(marks), (), tuple(labels),
        tuple(direct),
    )  # fmt: skip


def row_of(layers: Sequence[Layer], whole: int, *, width: int = 300) -> tuple[Bar, ...]:
    """Draw one lying bar whose full width is `whole`."""
    marks, x = [], 0.0
    for layer in layers:
        if layer.total and whole:
            wide = width * layer.total / whole
            words = f"{layer.name} {layer.total}"
            marks.append(Bar(layer.code, _n(x), "0", _n(wide), "12", words))
            x += wide
    return tuple(marks)


def shares(
    points: Sequence[tuple[str, float, float, float, str]], *, width: int, height: int = 170
) -> Chart:
    """Draw shares of one with their intervals, each (label, share, low, high, words), over time."""
    plot = height - _TOP - _BOTTOM
    slot = (width - _LEFT - _RIGHT) / max(len(points), 1)

    def place(share: float) -> float:
        return _TOP + plot * (1 - share)

    xs = [_LEFT + (index + 0.5) * slot for index in range(len(points))]
    dots = [
        ConfidencePoint(_n(x), _n(place(share)), _n(place(low)), _n(place(high)), words)
        for x, (_, share, low, high, words) in zip(xs, points, strict=True)
    ]
    every = max(1, ceil(_LABEL / slot))
    labels = [
        Label(_n(x), str(height - 6), point[0])
        for index, (x, point) in enumerate(zip(xs, points, strict=True))
        if (len(points) - 1 - index) % every == 0
    ]
    lines = tuple(
        Label(str(_LEFT - 6), _n(place(part / 4)), f"{part * 25} %", "end") for part in range(5)
    )
    joined = [f"M{a.x} {a.y}L{b.x} {b.y}" for a, b in pairwise(dots)]
    return Chart(
        width, height, _LEFT, width - _RIGHT, _n(_TOP + plot), (), lines, tuple(labels), (),
        tuple(dots), "".join(joined),
    )  # fmt: skip


def _n(number: float) -> str:
    return f"{number:.1f}"
