"""Date and Received times."""

from datetime import UTC, datetime

from inbox.rfc5322.dates import parse_date, received_date
from tests.cases import in_one_test


@in_one_test(
    ("text", "expected"),
    [
        ("Mon, 2 Mar 2026 10:00:00 +0100", datetime(2026, 3, 2, 9, tzinfo=UTC)),
        ("2 Mar 2026 10:00 -0000", datetime(2026, 3, 2, 10, tzinfo=UTC)),
        ("Mon, 02 Mar 2026 10:00:00 GMT", datetime(2026, 3, 2, 10, tzinfo=UTC)),
        ("Mon, 2 Mar 2026 10:00:00 EST", datetime(2026, 3, 2, 15, tzinfo=UTC)),
        ("Mon, 2 Mar 2026 10:00:00", datetime(2026, 3, 2, 10, tzinfo=UTC)),
        ("2 Mar 98 10:00:00 +0000", datetime(1998, 3, 2, 10, tzinfo=UTC)),
        ("2 Mar 05 10:00:00 +0000", datetime(2005, 3, 2, 10, tzinfo=UTC)),
        ("Mon, 2 Mar 2026 10:00:00 +9999", datetime(2026, 3, 2, 10, tzinfo=UTC)),
        ("31 Dec 2016 23:59:60 +0000", datetime(2016, 12, 31, 23, 59, 59, tzinfo=UTC)),
        ("31 Feb 2026 10:00:00 +0000", None),
        ("2 Mar 0000 10:00:00 +0000", None),
        ("2 Mar 9999 23:59:59 -2359", None),
        ("2 Mar 1969 10:00:00 +0000", None),
        ("soon", None),
        ("", None),
        ("2 Xxx 2026 10:00:00 +0000", None),
        ("99999999999999999999", None),
    ],
)
def test_a_date_is_aware_utc_or_nothing(text: str, expected: datetime | None):
    assert parse_date(text) == expected


def test_a_received_field_ends_in_its_time():
    received = "from a.example by b.example; id 1; Mon, 2 Mar 2026 10:00:00 +0000 (UTC)"
    assert received_date(received) == datetime(2026, 3, 2, 10, tzinfo=UTC)
    assert received_date("from a.example") is None
