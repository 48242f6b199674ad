"""The fields of a policy, its patterns and kinds of data, one by one."""

import pytest

from inbox.policies import PolicyError, read_policy
from inbox.policies.parsing import read_fields
from inbox.policies.patterns import compile_pattern, compile_phrase, matches_recipient
from inbox.policies.sensitive import find_sensitive


@pytest.mark.parametrize(
    ("kind", "text", "found"),
    [
        ("card", "4444 4444 4444 4444 4", []),  # passes the check, and is no card
        ("card", "4111 1111 1111 1111", ["4111 1111 1111 1111"]),
        ("phone", "+1 23 45 67", ["+1 23 45 67"]),
        ("phone", "+1 2 3 4 5 6", []),
        ("phone", "+123456789012345", ["+123456789012345"]),
        ("phone", "+1234567890123456", []),
        ("secret", "password: hunter2!", ["hunter2!"]),
    ],
)
def test_what_is_sensitive_has_as_many_digits_as_its_kind(kind, text, found):
    assert [text[begin:end] for begin, end in find_sensitive(text, kind)] == found


def test_a_pattern_and_a_phrase_may_be_three_hundred_characters_long():
    assert compile_pattern("a" * 300).search("a" * 300)
    assert compile_phrase("a" * 300).search("a" * 300)
    for compiled, long in ((compile_pattern, "a" * 301), (compile_phrase, "a" * 301)):
        with pytest.raises(ValueError, match="300 characters"):
            compiled(long)
    for nothing in ("", " \t"):
        with pytest.raises(ValueError, match="1 to 300"):
            compile_phrase(nothing)
    # Two strokes hold no pattern between them: they are words.
    assert compile_phrase("//").search("and // or")
    assert compile_phrase("/A+/i").search("bab")


def test_a_question_mark_stands_for_one_sign_of_an_address():
    for entry, matches in (("ad?@x.example", True), ("a?@x.example", False), ("?.example", True)):
        assert matches_recipient("ada@x.example", entry, with_subdomains=False) is matches


@pytest.mark.parametrize(
    ("said", "tone"),
    [("warm", "friendly"), ("professional", "formal"), ("concise", "brief"), ("brief", "brief")],
)
def test_a_tone_may_be_called_otherwise(said, tone):
    assert read_policy(f"tone: {said}").tone == tone


@pytest.mark.parametrize("said", ["credit-card", "Credit card", "credit_cards", "card"])
def test_a_kind_of_data_may_be_written_in_several_ways(said):
    assert read_fields(f"redactions: [{said}]").redactions == ["card"]


@pytest.mark.parametrize("tone", ["friendly", "formal", "brief"])
def test_one_tone_alone_may_have_a_greeting_of_its_own(tone):
    assert read_fields(f"greeting: {{{tone}: Hi}}").greeting == {tone: {"default": "Hi"}}
    assert read_fields("greeting: {en: Hi, de: Hallo}").greeting == {
        "default": {"en": "Hi", "de": "Hallo"}
    }
    assert read_fields("greeting: Hi").greeting == {"default": {"default": "Hi"}}


@pytest.mark.parametrize("source", ["greeting: 5", "tone: 5", "signature: [x]"])
def test_what_is_no_text_where_one_belongs_is_named(source):
    with pytest.raises(PolicyError) as caught:
        read_fields(source)
    assert caught.value.field.split("/")[0] == source.partition(":")[0]
