"""The words that something points at, however many point at them."""

from agents.admin.evidence.claims import claim_spans, number_claims
from agents.admin.evidence.highlights import Flagged, Highlight, Span, cut, flag_spans
from tests.cases import in_one_test


def flagged(*excerpts):
    return [Flagged(Highlight("flag", n), words, "") for n, words in enumerate(excerpts, start=1)]


def marked(text, *excerpts):
    spans = flag_spans(text, flagged(*excerpts))
    return [
        ([mark.number for mark in one.marks], one.text) for one in cut(text, spans) if one.marks
    ]


def test_an_excerpt_is_found_whatever_its_case_and_spaces():
    assert marked("Our\n  Offer holds.", "our offer") == [([1], "Our\n  Offer")]


def test_what_a_pattern_takes_for_alike_is_looked_for():
    """Words are compared before any pattern is made, which may leave none of them out."""
    for letter, other in (("s", "\u017f"), ("k", "\u212a"), ("i", "\u0131"), ("\u03c3", "\u03c2")):
        said, text = f"a {letter}ecret", f"Told: A\n {other}ecret"
        assert [(one.start, one.end) for one in flag_spans(text, flagged(said))] == [(6, 15)]


def test_of_two_that_overlap_both_are_shown():
    assert marked("one two three", "two three", "one two") == [
        ([2], "one "), ([1, 2], "two"), ([1], " three"),
    ]  # fmt: skip


def test_of_one_within_another_both_are_shown_and_each_opens_once():
    spans = [Span(0, 9, Highlight("flag", 1)), Span(2, 4, Highlight("passage", 1))]
    found = cut("abcdefghi", spans)
    assert [one.text for one in found] == ["ab", "cd", "efghi"]
    assert [one.opens for one in found] == [(Highlight("flag", 1),), (Highlight("passage", 1),), ()]


def test_every_place_of_an_excerpt_is_marked_and_the_first_one_opens():
    found = cut("ab ab", flag_spans("ab ab", flagged("ab")))
    assert [(one.text, bool(one.marks), bool(one.opens)) for one in found] == [
        ("ab", True, True), (" ", False, False), ("ab", True, False),
    ]  # fmt: skip


def test_what_was_opened_in_another_text_is_not_opened_again():
    used: set[Highlight] = set()
    spans = [Span(0, 2, Highlight("flag", 1))]
    assert cut("ab", spans, used)[0].opens
    assert not cut("ab", spans, used)[0].opens


def test_an_empty_or_absent_excerpt_marks_nothing():
    assert marked("one two", "", "  …", "four") == []


def test_an_excerpt_is_no_pattern():
    assert marked("a(b)c.*", "(b)c.*") == [([1], "(b)c.*")]


def test_marking_keeps_every_letter():
    text = "one two three"
    found = cut(text, flag_spans(text, flagged("two", "x", "wo thr")))
    assert "".join(one.text for one in found) == text


def test_an_empty_text_is_cut_into_nothing():
    assert cut("", []) == ()


def test_each_item_of_a_flag_opens_at_a_place_of_its_own():
    both = [
        Flagged(Highlight("flag", 1, item), words, "") for item, words in ((1, "one"), (2, "two"))
    ]
    found = cut("one two", flag_spans("one two", both))
    assert [[mark.place for mark in one.opens] for one in found] == [["1"], [], ["1-2"]]


def pieces(text, *excerpts):
    return [one.text for one in cut(text, flag_spans(text, flagged(*excerpts))) if one.marks]


@in_one_test(
    ("text", "excerpt", "whole"),
    [
        ("the invoice RE-2026-118 over 4.500,00 €", "026-118 over 4.500,", "RE-2026-118 over 4.500,00 €"),
        ("über 4.500,00 € am 4. März 2026", "500,00 € am 4.", "4.500,00 € am 4. März 2026"),
        ("Betrag CHF 1'234.50 auf CH93 0076 2011 6238 5295 7", "234.50 auf CH93 0076", "CHF 1'234.50 auf CH93 0076 2011 6238 5295 7"),
        ("de 1 234,50 € à 14:30", "234,50 € à 14", "1 234,50 € à 14:30"),
        ("₹1,23,456.78 to +91 98765 43210", "23,456.78 to +91 98765", "₹1,23,456.78 to +91 98765 43210"),
    ],
)  # fmt: skip
def test_words_that_were_cut_within_a_number_are_marked_with_all_of_it(text, excerpt, whole):
    assert pieces(text, excerpt) == [whole]


def test_a_number_that_stands_alone_is_not_marked_within_others():
    text = "RE-2026-118: 26 chairs for 26.500,00 €, paid by 26"
    assert pieces(text, "26") == ["26", "26"]
    assert pieces("RE-2026-118", "26") == ["RE-2026-118"]
    assert Span(12, 15, Highlight("claim", 1)) in claim_spans(
        "body", "no 4.348,00 348", number_claims([{"part": "body", "excerpt": "348", "start": 9}])
    )
