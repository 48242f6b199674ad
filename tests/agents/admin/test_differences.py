"""Differences by words, and the words that a flag points at."""

import pytest

from agents.admin.differences import difference, mark_excerpts


def changes(old, new):
    return [(piece.change, piece.text) for piece in difference(old, new) if piece.change != "same"]


def test_a_changed_phrase_is_one_change():
    assert changes("I am so sorry for it.", "We do apologise for it.") == [
        ("removed", "I am so sorry"),
        ("added", "We do apologise"),
    ]


def test_the_same_text_has_no_changes():
    assert changes("As it was.", "As it was.") == []


@pytest.mark.parametrize(
    ("old", "new"), [("", "new"), ("old", ""), ("", ""), ("a b", "b c"), ("x\ny", "x\n\ny")]
)
def test_the_pieces_make_both_texts(old, new):
    pieces = difference(old, new)
    assert "".join(piece.text for piece in pieces if piece.change != "added") == old
    assert "".join(piece.text for piece in pieces if piece.change != "removed") == new


def test_huge_texts_are_compared_by_lines_or_as_a_whole():
    pieces = difference("a " * 100_000, "b " * 100_000)
    assert [piece.change for piece in pieces] == ["removed", "added"]


def marked(text, *excerpts):
    return [(piece.mark, piece.text) for piece in mark_excerpts(text, excerpts) if piece.mark]


def test_an_excerpt_is_found_whatever_its_case_and_spaces():
    assert marked("Our\n  Offer holds.", "our offer") == [(1, "Our\n  Offer")]


def test_of_two_that_overlap_the_first_is_marked():
    assert marked("one two three", "two three", "one two") == [(2, "one two")]


def test_an_empty_or_absent_excerpt_marks_nothing():
    assert marked("one two", "", "  …", "four") == []


def test_an_excerpt_is_no_pattern():
    assert marked("a(b)c.*", "(b)c.*") == [(1, "(b)c.*")]


def test_marking_keeps_every_letter():
    text = "one two three"
    assert "".join(piece.text for piece in mark_excerpts(text, ["two", "x"])) == text
