from inbox.search.words import (
    MOST_TERMS,
    Term,
    open_last,
    parse_query,
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
