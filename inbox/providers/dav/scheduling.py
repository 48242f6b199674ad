"""Keeping a server from sending invitations by itself (RFC 6638): we do that, once approved."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from inbox.formats.content_lines import Block, name_of, read_blocks, write_blocks

# It sends them to whom a stored event names, unless the event says that its client does.
FEATURES = frozenset({"calendar-auto-schedule", "calendar-schedule"})
# With every change. Of what is removed nobody is told that we do not come (RFC 6638 8.1). Cyrus
# tells who invited us whatever the event says, and so it is asked to schedule nothing at all.
QUIET = {"Schedule-Reply": "F", "Scheduling-Enabled": "F"}
_ASKS = re.compile(rb"^(?:ORGANIZER|ATTENDEE)[;:]", re.IGNORECASE | re.MULTILINE)
_PEOPLE = frozenset({"ORGANIZER", "ATTENDEE"})
_FOLD = re.compile(rb"\r?\n[ \t]")
_NAME = re.compile(r"[^;:]+")
_PARAMETER = re.compile(r';([A-Za-z0-9-]+)=((?:"[^"]*"|[^";:])*)')
_AGENT = "SCHEDULE-AGENT"
_OURS = frozenset({_AGENT, "SCHEDULE-FORCE-SEND"})


def has_people(raw: bytes) -> bool:
    """Return True if an event has somebody to whom a server might write."""
    return _ASKS.search(_FOLD.sub(b"", raw)) is not None


def address_of(uri: str) -> str:
    """Return the address of somebody in a calendar, in lower case."""
    return uri.strip().lower().removeprefix("mailto:")


def organizers(raw: bytes) -> frozenset[str]:
    """Return the addresses of whoever invites to an event; raises ValueError if unreadable."""
    found = (_Person.read(line) for line in _people(raw))
    return frozenset(each.address for each in found if each.role == "ORGANIZER")


def is_left_to_server(raw: bytes) -> bool:
    """Return True if a guest of an event hears from the server, for nothing says otherwise.

    Raises ValueError if unreadable.
    """
    people = [_Person.read(line) for line in _people(raw)]
    inviting = {each.address for each in people if each.role == "ORGANIZER"}
    return any(
        each.agent in ("", "SERVER") and each.address not in inviting
        for each in people
        if each.role == "ATTENDEE"
    )


def left_to_us(raw: bytes) -> bytes:
    """Return an event that says of everybody in it that its client writes to them.

    Raises ValueError for what is no calendar.
    """
    text = raw.decode("utf-8")
    blocks = read_blocks(text)
    waiting = list(blocks)
    changed = False
    while waiting:
        block = waiting.pop()
        waiting += block.blocks
        changed |= _leave(block)
    return write_blocks(blocks).encode() if changed else raw


def _leave(block: Block) -> bool:
    changed = False
    for at, item in enumerate(block.items):
        if isinstance(item, str) and name_of(item) in _PEOPLE:
            line = _with_agent(item)
            changed |= line != item
            block.items[at] = line
    return changed


@dataclass(frozen=True, slots=True)
class _Person:
    """The line of an organizer or attendee; `kept` are the parameters that say nothing of this."""

    name: str
    kept: str
    value: str
    agent: str
    # It says that its client writes to them, and nothing else.
    is_ours: bool

    @property
    def role(self) -> str:
        """Which property it is."""
        return name_of(f"{self.name}:")

    @property
    def address(self) -> str:
        """Whose line it is."""
        return address_of(self.value)

    @classmethod
    def read(cls, line: str) -> Self:
        """Return what a line says; raises ValueError where that is not plain."""
        found = _NAME.match(line)
        name = found[0] if found else ""
        at, kept = len(name), list[str]()
        ours = list[tuple[str, str]]()
        while parameter := _PARAMETER.match(line, at):
            at = parameter.end()
            if parameter[1].upper() in _OURS:
                ours.append((parameter[1].upper(), parameter[2].strip('"').upper()))
            else:
                kept.append(parameter[0])
        if line[at : at + 1] != ":":
            raise ValueError(f"{name} has parameters that cannot be read")
        agent = next((value for key, value in ours if key == _AGENT), "")
        is_ours = ours == [(_AGENT, "CLIENT")]
        return cls(name, "".join(kept), line[at + 1 :], agent, is_ours)


def _with_agent(line: str) -> str:
    """Return the line of a person with SCHEDULE-AGENT=CLIENT; raises ValueError if unreadable."""
    person = _Person.read(line)
    if person.is_ours:
        return line
    return f"{person.name};{_AGENT}=CLIENT{person.kept}:{person.value}"


def _people(raw: bytes) -> Iterator[str]:
    waiting = read_blocks(raw.decode("utf-8"))
    while waiting:
        block = waiting.pop()
        waiting += block.blocks
        yield from (line for name in sorted(_PEOPLE) for line in block.lines(name))
