"""Lines and components of iCalendar (RFC 5545 3.1, 3.6), bounded. No Django."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from icalendar.parser import Contentline, unescape_backslash

from inbox.rfc5322.text.unicode_text import clean

MAX_LINES = 20_000
MAX_TEXT = 20_000

# Not splitlines(), which would also break at U+2028 and let a title hold a line of its own.
_NEWLINE = re.compile(r"\r?\n|\r")
# A line without parameters, as most are; the library reads all others.
_PLAIN = re.compile(r"([A-Za-z0-9-]+):(.*)", re.DOTALL)
_FOLD = re.compile(r"\r?\n[ \t]")


class Line(NamedTuple):
    """A content line: name in capitals, the first value of each parameter, the value."""

    name: str
    params: dict[str, str]
    value: str


@dataclass(slots=True)
class Component:
    """What stands between BEGIN and END."""

    name: str
    lines: dict[str, list[Line]] = field(default_factory=lambda: defaultdict(list))
    children: list["Component"] = field(default_factory=list)

    def first(self, name: str) -> Line | None:
        """Return the first line of this name."""
        return self.lines[name][0] if self.lines.get(name) else None

    def value(self, name: str) -> str:
        """Return its value; empty where there is none."""
        line = self.first(name)
        return line.value if line else ""

    def text(self, name: str) -> str:
        """Return it as clean text (RFC 5545 3.3.11)."""
        return clean(unescape_backslash(self.value(name)[:MAX_TEXT]))[0]


def read_tree(text: str, most_lines: int = MAX_LINES) -> Component:
    """Return the VCALENDAR; raises ValueError where it does not close as it opened."""
    lines = _NEWLINE.split(_FOLD.sub("", text))
    if len(lines) > most_lines:
        raise ValueError(f"the calendar has more than {most_lines} lines")
    root = Component("")
    open_ones = [root]
    for line in _parsed(lines):
        match line.name:
            case "BEGIN":
                child = Component(line.value.strip().upper())
                open_ones[-1].children.append(child)
                open_ones.append(child)
            case "END":
                if len(open_ones) < 2 or open_ones.pop().name != line.value.strip().upper():
                    raise ValueError(f"END:{line.value[:40]} closes what is not open")
            case _:
                open_ones[-1].lines[line.name].append(line)
    calendars = [child for child in root.children if child.name == "VCALENDAR"]
    if len(open_ones) != 1 or not calendars:
        raise ValueError("there is no whole VCALENDAR")
    return calendars[0]


def _parsed(lines: Iterable[str]) -> Iterable[Line]:
    for number, line in enumerate(lines, 1):
        if plain := _PLAIN.fullmatch(line):
            yield Line(plain[1].upper(), {}, plain[2])
            continue
        if not line.strip():
            continue
        try:
            name, params, value = Contentline(line).raw_parts()  # type: ignore[no-untyped-call]
        except ValueError as error:
            raise ValueError(f"line {number} of the calendar cannot be read") from error
        flat = {
            key.upper(): item if isinstance(item, str) else item[0] for key, item in params.items()
        }
        yield Line(name.upper(), flat, value)
