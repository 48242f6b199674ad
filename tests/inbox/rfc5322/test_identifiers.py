"""Message-IDs."""

from inbox.rfc5322.parse import (
    MAX_REFERENCES,
    parse_in_reply_to,
    parse_message_id,
    parse_message_ids,
)
from tests.cases import in_one_test


@in_one_test(
    ("text", "identifier"),
    [
        ("<a@b>", "<a@b>"),
        ("a@b", "<a@b>"),
        ("  <a@b> (added by us)", "<a@b>"),
        ("<a\t @b>", "<a@b>"),
        ("<a@b", "<a@b>"),
        ("<>", ""),
        ("", ""),
        ("<a@b><c@d>", "<a@b>"),
    ],
)
def test_one_id_is_read(text: str, identifier: str):
    assert parse_message_id(text) == identifier


def test_references_are_read_once_each_in_order():
    assert parse_message_ids("<a@b> <c@d>\n <a@b>,<e@f>") == ("<a@b>", "<c@d>", "<e@f>")


def test_of_very_many_references_the_first_and_the_newest_stay():
    ids = tuple(f"<{number}@x>" for number in range(5000))
    found = parse_message_ids(" ".join(ids))
    assert len(found) == MAX_REFERENCES
    assert (found[0], found[-1]) == (ids[0], ids[-1])


@in_one_test(
    ("text", "identifier"),
    [
        ("<a@b>", "<a@b>"),
        ('Message from "Ann" <ann@hill.example> of Monday <a@b>', "<a@b>"),
        ("Your message of Monday", ""),
        ("", ""),
    ],
)
def test_what_a_message_answers_is_the_id(text: str, identifier: str):
    assert parse_in_reply_to(text) == identifier
