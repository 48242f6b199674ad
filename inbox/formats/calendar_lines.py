"""Lines of iCalendar taken apart and made (RFC 5545 3.1 to 3.3). No Django.

For what speaks of events in other words than iCalendar: it reads and writes lines of blocks
(`inbox.formats.content_lines`).
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from functools import lru_cache
from typing import Self
from zoneinfo import ZoneInfo, available_timezones

from inbox.formats.content_lines import Block

_HEAD = re.compile(r'(?:"[^"]*"|[^":])*')
_PARAM = re.compile(r';([^=;:"]+)=((?:"[^"]*"|[^":;])*)')
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_STAMP = "%Y%m%dT%H%M%S"


def split_line(line: str) -> tuple[str, dict[str, str], str]:
    """Return a line's name in capitals, its parameters without quotes, and its value as written."""
    found = _HEAD.match(line)
    head = found[0] if found else ""
    params = {
        name.strip().upper(): value.replace('"', "").strip() for name, value in _PARAM.findall(head)
    }
    name = head.partition(";")[0].rpartition(".")[2].strip().upper()
    return name, params, line[len(head) + 1 :]


def make_line(name: str, value: str, params: Mapping[str, str] | None = None) -> str:
    """Return a line; a parameter without a value is left out."""
    given = (params or {}).items()
    said = "".join(f";{key}={_quoted(text)}" for key, text in given if text)
    return f"{name}{said}:{_CONTROLS.sub('', value)}"


def _quoted(text: str) -> str:
    # RFC 6868 has words for a quote, but not every reader knows them.
    plain = _CONTROLS.sub("", " ".join(text.replace('"', "'").split()))
    return f'"{plain}"' if re.search(r"[:;,]", plain) else plain


def text_line(name: str, text: str) -> list[str]:
    """Return the line of a text, none for an empty one (RFC 5545 3.3.11)."""
    return [make_line(name, escape(text))] if text else []


def escape(text: str) -> str:
    """Return a text as a value holds it."""
    for mark in ("\\", ",", ";"):
        text = text.replace(mark, f"\\{mark}")
    return re.sub(r"\r\n|\r|\n", r"\\n", text)


def unescape(value: str) -> str:
    """Return what a value says."""
    return _ESCAPED.sub(lambda found: "\n" if found[1] in "nN" else found[1], value)


def text_in(block: Block, name: str) -> str:
    """Return what the first line of a property says; empty: there is none."""
    return next((unescape(split_line(line)[2]) for line in block.lines(name)), "")


@lru_cache(maxsize=1)
def zone_names() -> frozenset[str]:
    """Return the names of the time zones that are known (IANA)."""
    return frozenset(available_timezones())


@dataclass(frozen=True, slots=True)
class Moment:
    """A time as a calendar says it: on the clock of a zone, or a whole day.

    `zone` is an IANA name, `UTC` for what is said in UTC; empty for a day, and for what is said on
    whatever clock hangs there (RFC 5545 3.3.5, form 1).
    """

    local: datetime
    zone: str = ""
    is_day: bool = False

    @classmethod
    def of_day(cls, day: date) -> Self:
        """Return a whole day."""
        return cls(datetime.combine(day, time()), "", True)

    @classmethod
    def of_instant(cls, instant: datetime, zone: str) -> Self:
        """Return an instant on the clock of a zone, in UTC where that zone is not known."""
        known = zone if zone in zone_names() else "UTC"
        return cls(instant.astimezone(ZoneInfo(known)).replace(tzinfo=None, fold=0), known)

    @property
    def instant(self) -> datetime:
        """The time in UTC; of a day its beginning there."""
        return self.local.replace(tzinfo=ZoneInfo(self.zone or "UTC")).astimezone(UTC)

    def line(self, name: str) -> str:
        """Return the line that says it."""
        if self.is_day:
            return f"{name};VALUE=DATE:{self.local:%Y%m%d}"
        if self.zone in ("", "UTC"):
            return f"{name}:{self.local.strftime(_STAMP)}{'Z' if self.zone else ''}"
        return make_line(name, self.local.strftime(_STAMP), {"TZID": self.zone})


def moments_of(line: str) -> Iterator[Moment]:
    """Yield the times of a line; raises ValueError for what is none, or of a zone unknown here."""
    _name, params, value = split_line(line)
    zone = params.get("TZID", "")
    if zone and zone not in zone_names():
        raise ValueError(f"the time zone {zone[:80]!r} is not known")
    for text in filter(None, value.strip().split(",")):
        if len(text) == 8:
            yield Moment.of_day(datetime.strptime(text, "%Y%m%d").replace(tzinfo=UTC).date())
        else:
            local = datetime.strptime(text.removesuffix("Z"), _STAMP).replace(tzinfo=UTC)
            yield Moment(local.replace(tzinfo=None), "UTC" if text.endswith("Z") else zone)


def moment_in(block: Block, name: str) -> Moment | None:
    """Return the time that the first line of a property says; None: there is none."""
    return next((each for line in block.lines(name) for each in moments_of(line)), None)
