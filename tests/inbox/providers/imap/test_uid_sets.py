"""Sets of UIDs, written and read."""

import random

import pytest

from inbox.providers.imap.keywords import flags_of, keywords_of
from inbox.providers.imap.responses import GarbledAnswerError
from inbox.providers.imap.uid_sets import batches, read_set, write_range, write_set
from tests.cases import in_one_test


def test_what_is_written_is_read_again():
    chance = random.Random(7)
    for _ in range(200):
        uids = chance.sample(range(1, 300), chance.randrange(1, 60))
        assert read_set(write_set(uids)) == sorted(uids)


def test_runs_are_written_as_ranges():
    assert write_set([5, 1, 2, 3, 2]) == b"1:3,5"
    assert write_range(4, None) == b"4:*"
    assert write_range(4, 9) == b"4:9"


def test_ranges_may_be_turned_around_and_are_cut():
    assert read_set(b"9:7,3", low=3, high=8) == [7, 8, 3]


@in_one_test("text", [b"", b"a", b"1,", b"1:*", b"1-3", b"12345678901", b"1:2:3"])
def test_what_is_no_set(text):
    with pytest.raises(GarbledAnswerError):
        read_set(text)


def test_no_command_is_longer_than_servers_take():
    assert max(len(write_set(batch)) for batch in batches(range(1, 2**32, 2**21))) < 7900


def test_flags_and_keywords():
    assert keywords_of(rb"\Seen \Recent \Deleted $Forwarded NonJunk \Strange") == {
        "$seen", "$deleted", "$forwarded", "nonjunk",
    }  # fmt: skip
    assert flags_of({"$seen", "$draft", "nonjunk"}) == rb"(\Draft \Seen nonjunk)"
    assert len(keywords_of(b" ".join(b"k%d" % number for number in range(500)))) == 100
