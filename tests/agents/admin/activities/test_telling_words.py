"""Amounts, days and questions of what came in are marked from their beginning to their end."""

from datetime import date

from hypothesis import given, settings
from hypothesis import strategies as st

from agents.admin.activities.telling_words import telling_spans
from agents.admin.evidence.highlights import cut
from tests.cases import made_up
from tests.inbox.extract.test_whole import THINGS

_WORDS = st.sampled_from(
    ["Can we pay", "am", "until", "Danke.", "Geht", "oder auch", "?", ".", "\n\n", "für", "à"]
)


@settings(max_examples=made_up(400))
@given(st.lists(st.one_of(st.sampled_from(THINGS), _WORDS), min_size=2, max_size=14))
def test_no_mark_ends_within_a_number(words):
    text, places = "", []
    for word in words:
        places += [(len(text), len(text) + len(word))] if word in THINGS else []
        text += f"{word} ; " if word in THINGS else f"{word} "
    ends = 0
    for one in cut(text, telling_spans(text, date(2026, 3, 2))):
        ends += len(one.text)
        # A day within a question is marked twice, and a code may hold another thing.
        assert not any(start < ends < end for start, end in places), (text, text[:ends])


def test_a_long_message_is_not_cut_within_a_number_either():
    text = "x" * 19_990 + " for 12.345.678,00 EUR."
    spans = telling_spans(text, date(2026, 3, 2))
    assert [one.text for one in cut(text, spans) if one.marks] in ([], ["12.345.678,00 EUR"])
