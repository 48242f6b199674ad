"""Differences by words."""

from agents.admin.evidence.differences import difference
from tests.cases import in_one_test


def changes(old, new):
    return [(piece.change, piece.text) for piece in difference(old, new) if piece.change != "same"]


def test_a_changed_phrase_is_one_change():
    assert changes("I am so sorry for it.", "We do apologise for it.") == [
        ("removed", "I am so sorry"),
        ("added", "We do apologise"),
    ]


def test_the_same_text_has_no_changes():
    assert changes("As it was.", "As it was.") == []


@in_one_test(
    ("old", "new"), [("", "new"), ("old", ""), ("", ""), ("a b", "b c"), ("x\ny", "x\n\ny")]
)
def test_the_pieces_make_both_texts(old, new):
    pieces = difference(old, new)
    assert "".join(piece.text for piece in pieces if piece.change != "added") == old
    assert "".join(piece.text for piece in pieces if piece.change != "removed") == new


def test_hostile_texts_are_compared_in_bounded_time():
    """One word again and again, and words that alternate, are what is dear to compare."""
    pieces = difference("a b " * 5_000, "b a a " * 5_000)
    assert "".join(piece.text for piece in pieces if piece.change != "added") == "a b " * 5_000


def test_huge_texts_are_compared_by_lines_or_as_a_whole():
    pieces = difference("a " * 100_000, "b " * 100_000)
    assert [piece.change for piece in pieces] == ["removed", "added"]
