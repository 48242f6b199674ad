import pytest

from inbox.search.words import (
    LONGEST_SNIPPET,
    MOST_TERMS,
    Term,
    open_last,
    parse_query,
    snippet,
    words_of,
)
from tests.cases import in_one_test


def texts(query: str) -> list[str]:
    return [term.text for term in parse_query(query)]


@in_one_test(
    ("query", "terms"),
    [
        ("lamp oil", ["lamp", "oil"]),
        ('lamp "oil and wick"', ["lamp", "oil and wick"]),
        ('"oil, and: wick"', ["oil and wick"]),
        ("ada@customer.example", ["ada@customer.example"]),
        ("plan-v2.pdf, lamp;(oil)", ["plan-v2.pdf", "lamp", "oil"]),
        ("lamp lamp Lamp", ["lamp"]),
        ('"never closed oil', ["never", "closed", "oil"]),
        ("NOT a* OR ^b: -c", ["NOT", "a", "OR", "b", "c"]),
        ("会議資料", ["会議", "議資", "資料"]),
        ("lamp会議", ["会議", "lamp"]),
        ("Schöne Grüße", ["Schöne", "Grüße"]),
        ("", []),
        ('"" * -- ^ :', []),
        ("\x00\ud800lamp", ["lamp"]),
    ],
)
def test_a_query_is_words_and_phrases_and_nothing_else(query, terms):
    assert texts(query) == terms


def test_a_single_character_of_an_unspaced_script_stays_open():
    assert parse_query("会") == (Term("会", is_open=True),)


def test_the_words_of_a_query_are_single_but_for_what_was_quoted_addresses_and_identifiers():
    query = 'https://lamp.example/a-b "oil and wick" ada@customer.example group_thread_cnt'
    assert [word.text for word in words_of(parse_query(query))] == [
        "https", "lamp", "example", "a", "b", "oil and wick", "ada@customer.example",
        "group_thread_cnt",
    ]  # fmt: skip


def test_a_letter_s_quotation_marks_keep_nothing_together():
    letter = f'{"greetings " * 20} "oil and wick"'
    assert texts(letter) == ["greetings", "oil", "and", "wick"]


def test_a_query_is_bounded():
    assert len(parse_query(" ".join(f"w{number}" for number in range(1000)))) == MOST_TERMS


def test_the_last_word_may_be_a_beginning():
    assert open_last(parse_query("lamp oi")) is None
    assert open_last(parse_query("oil lam")) == (Term("oil"), Term("lam", is_open=True))
    assert open_last(parse_query('"oil lamp"')) is None


LONG = (
    "Nothing here. " * 100 + "The lamps were delivered on Friday with oil. " + "More text. " * 100
)


def test_a_snippet_shows_the_hit_in_its_context():
    shown = snippet(parse_query("lamp"), LONG, [])
    assert "The lamps were delivered on Friday" in shown
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert len(shown) <= LONGEST_SNIPPET


def test_a_snippet_prefers_where_most_words_are():
    text = "lamp " + "x " * 400 + "the oil for the lamp" + " y" * 400
    assert "the oil for the lamp" in snippet(parse_query("lamp oil"), text, [])


def test_other_endings_of_a_word_are_hits():
    assert "delivered" in snippet(parse_query("delivering"), LONG, [])


def test_a_hit_in_the_middle_of_a_word_is_none():
    assert snippet(parse_query("ear"), "We hear. " * 60 + "An ear.", []).startswith("…")


@pytest.mark.parametrize(
    ("label", "value"), [("Subject", "The zeppelin"), ("Attachment", "zeppelin-plan.pdf")]
)
def test_a_hit_elsewhere_is_shown_with_its_name(label, value):
    shown = snippet(parse_query("zeppelin"), "The text.", [("From", "Ada"), (label, value)])
    assert shown == f"{label}: {value} · The text."


def test_a_hit_in_an_unspaced_script_is_shown():
    text = "挨拶。" * 200 + "会議の資料を送ります。" + "以上。" * 200
    assert "会議の資料" in snippet(parse_query("会議"), text, [])


def test_without_a_hit_the_beginning_is_shown():
    assert snippet(parse_query("zeppelin"), LONG, []).startswith("Nothing here.")
    assert snippet(parse_query("!"), "Short.", []) == "Short."


def test_a_snippet_is_one_line_and_bounded_whatever_the_text():
    for text in ("a\n\n" * 1000, "x" * 100_000, "lamp" * 100_000, ""):
        shown = snippet(parse_query("lamp x a"), text, [("Subject", "s" * 9999)])
        assert len(shown) <= LONGEST_SNIPPET
        assert "\n" not in shown
