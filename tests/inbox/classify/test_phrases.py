"""How phrases are written, found and refused."""

import pytest

from inbox.classify.phrases import PhraseIndex, compile_phrase, fold
from tests.cases import in_one_test

LISTS = {"weekday": ["monday", "friday", "montag"], "soon": ["end of (the) day", "noon"]}


def found(phrase: str, text: str) -> list[str]:
    index = PhraseIndex([("it", compile_phrase(phrase, LISTS))])
    folded = fold(text)
    return [folded[hit.start : hit.end] for hit in index.find(folded, frozenset({0}))]


@in_one_test(
    ("phrase", "text", "hit"),
    [
        ("could you", "And COULD  YOU come?", "could  you"),
        ("let me know", "Let me\nknow", None),
        ("(call|write) me", "please write me", "write me"),
        ("by (the) end", "by end", "by end"),
        ("by (the) end", "by the end", "by the end"),
        ("by (next|this|) <weekday>", "by friday", "by friday"),
        ("by (next|this|) <weekday>", "by next Friday", "by next friday"),
        ("by <soon>", "by the end of the day, by end of day", "by end of day"),
        ("let ... know", "let all of them know", "let all of them know"),
        ("let ... know", "let one two three four five know", None),
        ("invoice*", "Invoices", "invoices"),
        ("rechnungs*", "die Rechnungsnummer", "rechnungsnummer"),
        ("<weekday> morning", "Montag morning", "montag morning"),
        ("^send", "send it, then send more", "send"),
        ("call me", "recall me", None),
        ("call me", "call men", None),
        ("call me", "Call. Me?", None),
        ("don't", "I don’t know", "don't"),
        ("ください", "送ってください。", "ください"),
        ("見積...送", "見積書をすぐ送って", "見積書をすぐ送"),
        ("طلب", "والطلب جاهز", "طلب"),
        ("إرسال", "ارسال", "ارسال"),
    ],
)
def test_a_phrase_finds_its_wordings_only(phrase, text, hit):
    assert found(phrase, text) == ([hit] if hit else [])


def test_phrases_that_begin_alike_are_found_side_by_side_and_at_a_start_only_where_they_say_so():
    phrases = ("^send it", "send (it|them)", "^send *", "send it now")
    index = PhraseIndex((it, compile_phrase(it, LISTS)) for it in phrases)
    hits = index.find("send it now, then send them, then send nothing", frozenset({0}))
    assert [(hit.name, hit.start, hit.end) for hit in hits] == [
        ("^send it", 0, 7), ("send (it|them)", 0, 7), ("^send *", 0, 7), ("send it now", 0, 11),
        ("send (it|them)", 18, 27),
    ]  # fmt: skip


@in_one_test(
    "phrase",
    ["", "()", "(a|b", "a)", "<month> days", "*", "ab*", "a ... b ... c ... d ... e", "x" * 3000],
)
def test_a_phrase_that_cannot_be_is_refused(phrase):
    with pytest.raises(ValueError, match="phrase"):
        compile_phrase(phrase, LISTS)


def test_a_phrase_is_no_regular_expression():
    assert found("a+b .", "a+b .") in (["a+b ."], [])
    assert found("a.c", "abc") == []


def test_folding_keeps_the_length():
    for text in ("İstanbul", "Straße", "ﬁn", "“a”", "أإآ"):
        assert len(fold(text)) == len(text)
