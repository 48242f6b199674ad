"""INTERNALDATE as servers write it (RFC 9051 9, date-time)."""

from datetime import UTC, datetime

import pytest
from imapclient.datetime_util import parse_to_datetime

from inbox.providers.imap.fetching import read_time


@pytest.mark.parametrize(
    ("written", "moment"),
    [
        (b" 1-Mar-2026 12:30:15 +0000", datetime(2026, 3, 1, 12, 30, 15, tzinfo=UTC)),
        (b"01-Mar-2026 00:30:15 +0530", datetime(2026, 2, 28, 19, 0, 15, tzinfo=UTC)),
        (b"31-Dec-1999 23:59:59 -0130", datetime(2000, 1, 1, 1, 29, 59, tzinfo=UTC)),
        (b"29-Feb-2024 23:00:00 -1200", datetime(2024, 3, 1, 11, 0, tzinfo=UTC)),
    ],
)
def test_a_time_is_that_moment_in_utc(written, moment):
    assert read_time(written) == moment == parse_to_datetime(written, normalise=False)


@pytest.mark.parametrize(
    "written",
    [
        b"30-Feb-2026 12:00:00 +0000", b"00-Mar-2026 12:00:00 +0000", b"31-Dec-9999 23:00:00 -0200",
        b"32-Foo-2024 12:00:00", b"", None, 7,
    ],
)  # fmt: skip
def test_what_is_no_time_is_none(written):
    assert read_time(written) is None


def test_an_unusual_form_is_read_as_imapclient_does():
    written = b"1-Mar-99 12:30:15 +0000"
    assert read_time(written) == datetime(1999, 3, 1, 12, 30, 15, tzinfo=UTC)
