"""Date and Received times (RFC 5322 3.3, 4.3), as aware UTC or not at all."""

import re
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_tz

_USUAL = re.compile(
    r"(?:[A-Za-z]{3},?\s+)?(\d{1,2})\s+([A-Za-z]{3})\s+(\d{4})\s+(\d\d):(\d\d)(?::(\d\d))?"
    r"\s+([+-])(\d\d)(\d\d)\b"
)
# No clock on earth is farther from UTC, in minutes.
_FARTHEST = 14 * 60
_MONTHS = {
    name: number
    for number, name in enumerate(
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], 1
    )
}
# Mail is younger than 1970, and what claims to come from after 2099 is wrong: no clock is asked.
_FIRST, _LAST = datetime(1970, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)


def parse_date(text: str) -> datetime | None:
    """Return the time in UTC; None when it cannot be read or lies outside 1970-2099.

    Two-digit years are read as RFC 5322 4.3 says; without a zone, or with one
    beyond a day, it is UTC.
    """
    usual = _USUAL.match(text)
    month = _MONTHS.get(usual[2].lower()) if usual else None
    if usual is None or month is None:
        return _parse_odd(text)
    offset = (int(usual[8]) * 60 + int(usual[9])) * (-60 if usual[7] == "-" else 60)
    return _moment(
        (int(usual[3]), month, int(usual[1]), int(usual[4]), int(usual[5]), int(usual[6] or 0)),
        offset,
    )


def written_offset(text: str) -> timedelta | None:
    """Return how far from UTC the clock of a Date is (RFC 5322 3.3); None where it does not say.

    `-0000` says that nothing is known, and a name such as `EST` is not looked up.
    """
    usual = _USUAL.match(text)
    if usual is None or usual[7] + usual[8] + usual[9] == "-0000":
        return None
    minutes = int(usual[8]) * 60 + int(usual[9])
    if minutes > _FARTHEST:
        return None
    return timedelta(minutes=-minutes if usual[7] == "-" else minutes)


def _parse_odd(text: str) -> datetime | None:
    try:
        parsed = parsedate_tz(text[:200])
    except (ValueError, IndexError, TypeError, OverflowError):
        return None
    if parsed is None:
        return None
    return _moment(parsed[:6], parsed[9] or 0)


def _moment(fields: tuple[int, ...], offset: int) -> datetime | None:
    year, month, day, hour, minute, second = fields
    if abs(offset) >= 86400:
        offset = 0
    try:
        local = datetime(year, month, day, hour, minute, min(second, 59), tzinfo=UTC)
        moment = local - timedelta(seconds=offset)
    except (ValueError, OverflowError):
        return None
    return moment if _FIRST <= moment < _LAST else None


def received_date(received: str) -> datetime | None:
    """Return the time at which a Received header (RFC 5321 4.4) was added."""
    return parse_date(received.rpartition(";")[2].strip()) if ";" in received else None
