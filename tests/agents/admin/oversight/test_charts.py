"""Charts: bars as high as their numbers, on axes from zero."""

from datetime import date, timedelta
from itertools import pairwise

import pytest

from agents.admin.oversight.charts import Bar, Layer, ceiling, columns, row_of, shares, stacked
from tests.cases import in_one_test

DAYS = [date(2026, 3, 1) + timedelta(days=number) for number in range(7)]


@in_one_test(
    ("most", "top", "step"),
    [(0, 1, 1), (3, 3, 1), (4, 4, 1), (5, 6, 2), (17, 20, 5), (100, 150, 50), (999, 1000, 500)],
)
def test_an_axis_ends_at_a_round_number_at_or_above_the_highest(most, top, step):
    found = ceiling(most)
    assert found[0] >= most
    assert found[0] % found[1] == 0
    assert found[0] / found[1] <= 5
    assert found[0] <= max(top, 2 * most)
    assert found[1] >= step or most > 4


def draw(*numbers, width=560):
    layers = [Layer("silent", "silent", numbers), Layer("asked", "asked", [1] * 7)]
    return stacked(DAYS, layers, width=width, say=str)


def test_layers_stand_upon_one_another_and_are_as_high_as_their_numbers():
    chart = draw(3, 1, 0, 0, 0, 0, 2)
    lower, upper = (mark for mark in chart.marks if mark.words.startswith("2026-03-01"))
    assert float(lower.y) + float(lower.height) == pytest.approx(float(chart.base), abs=0.1)
    assert float(upper.y) + float(upper.height) == pytest.approx(float(lower.y), abs=0.1)
    assert float(lower.height) == pytest.approx(3 * float(upper.height), abs=0.2)


def test_only_the_highest_day_says_its_number_and_every_bar_says_its_own_on_pointing():
    chart = draw(3, 1, 0, 0, 0, 0, 2)
    assert [label.words for label in chart.direct] == ["4"]
    assert len(chart.marks) == 3 + 7
    assert all(mark.words for mark in chart.marks)


@in_one_test("width", [1120, 560, 360])
@in_one_test("days", [7, 30, 90])
def test_labels_of_days_do_not_touch_and_nothing_is_beyond_the_edge(width, days):
    dates = [date(2026, 1, 1) + timedelta(days=number) for number in range(days)]
    chart = stacked(dates, [Layer("sent", "sent", [5] * days)], width=width, say=str)
    places = sorted(float(label.x) for label in chart.labels if label.anchor == "middle")
    assert all(b - a >= 40 for a, b in pairwise(places))
    assert all(float(mark.x) + float(mark.width) <= width for mark in chart.marks)
    assert chart.labels[0].words == str(dates[-1])


def test_columns_bear_their_counts_and_an_empty_one_bears_none():
    chart = columns([("1m", "a", 4), ("1h", "b", 0), ("1d", "c", 2)], width=360)
    assert [label.words for label in chart.direct] == ["4", "2"]
    assert [label.words for label in chart.labels] == ["1m", "1h", "1d"]
    first, second = chart.marks
    assert float(first.height) == pytest.approx(2 * float(second.height), abs=0.1)


def test_a_lying_bar_fills_its_share_of_the_longest():
    marks = row_of([Layer("approved", "approved", [3]), Layer("expired", "expired", [1])], 8)
    assert sum(float(mark.width) for mark in marks) == pytest.approx(150)


def test_shares_stand_between_nought_and_all_with_their_intervals():
    chart = shares([("1 Mar", 1.0, 0.5, 1.0, "w"), ("8 Mar", 0.5, 0.2, 0.8, "w")], width=360)
    first, second = chart.dots
    assert float(first.y) < float(second.y)
    assert float(second.low) > float(second.y) > float(second.high)


def test_what_a_mark_says_is_escaped_where_it_is_drawn():
    drawn = Bar("sent", "1.0", "2.0", "3.0", "4.0", '<b>"News" & more</b>').drawn
    assert "<title>&lt;b&gt;&quot;News&quot; &amp; more&lt;/b&gt;</title>" in drawn
