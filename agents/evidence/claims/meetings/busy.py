"""Times that a message agrees to while our calendar has something else; pure."""

from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from functools import cache

import regex

from agents.evidence.claims.distance import plain
from agents.evidence.claims.records import Agreed, Cited, Kind, Mark, Named, ProposedMessage, Source
from agents.evidence.claims.words import small_words
from inbox.extract.readers.calendar_words import months, weekdays
from inbox.languages import any_of, lazy_regex

_WORD = lazy_regex(r"[\p{L}\p{N}][\p{L}\p{N}-]{3,40}")
_EVERYONE = lazy_regex(
    lambda: rf"(?<!\p{{L}}){any_of(lambda it: it.claims.everyone)}(?!\p{{L}})", regex.IGNORECASE
)
# What is agreed takes so long at least; a whole day is as long as people work.
_LEAST = timedelta(minutes=30)
_FROM, _TO = time(9), time(16)
_MOST_DAYS = 20


def check_busy(
    agreed: Sequence[Agreed], proposed: ProposedMessage, events: Sequence[Source],
    days: Sequence[date], known: Sequence[Named],
) -> Iterator[Mark]:  # fmt: skip
    """Yield a mark for each time that is agreed to, and taken in our calendar by something else.

    `days` are those that the thread speaks of, for a time that is agreed to without its day.
    """
    others = [it for it in events if it.busy and concerns(it, proposed, known)]
    for one in agreed:
        if event := next((it for it in others if _is_taken(it, one, days)), None):
            words = proposed.body[one.start : one.end]
            kind: Kind = "time" if one.at else "date"
            yield Mark(
                kind, "body", words, one.start, one.end, "differs", told(event),
                (Cited("event", event.id, " ".join(event.text.split())[:120]),),
            )  # fmt: skip


def told(event: Source) -> str:
    """Return what an event is, and when."""
    assert event.busy  # noqa: S101
    start, end = event.busy
    summary = event.text.split("\n")[0][:80]
    if start.date() == end.date():
        return f"{summary}, {start:%Y-%m-%d %H:%M}-{end:%H:%M}"
    return f"{summary}, {start:%Y-%m-%d} - {end:%Y-%m-%d}"


def concerns(event: Source, proposed: ProposedMessage, known: Sequence[Named]) -> bool:
    """Return True for an event that is not what the message is about, and of those it speaks of."""
    ours = f"{proposed.subject}\n{proposed.body}\n{proposed.goal}"
    people = "\n".join(f"{it.name}\n{it.email}" for it in (*proposed.greeted, *known))
    summary = event.text.split("\n")[0]
    if words_of(summary) & (words_of(ours) | words_of(people)) or _is_with_them(
        event, proposed, known
    ):
        return False
    guests = [words_of(one) for one in event.guests]
    return not guests or any(one & words_of(ours) for one in guests) or _is_for_all(event)


def _is_with_them(event: Source, proposed: ProposedMessage, known: Sequence[Named]) -> bool:
    """Return True for a meeting with somebody outside who reads the message, or wrote before."""
    inside = "@" + proposed.sender.email.lower().rpartition("@")[2]
    emails = {it.email.lower() for it in (*proposed.greeted, *known) if it.email}
    others = {it for it in emails if not it.endswith(inside) or inside == "@"}
    return any(others & {*guest.lower().split()} for guest in event.guests)


def _is_for_all(event: Source) -> bool:
    return _EVERYONE.search(event.text) is not None


def words_of(text: str) -> set[str]:
    """Return the words of a text that tell one matter from another."""
    words = {plain(it) for it in _WORD.findall(text.replace("@", " ").replace(".", " "))}
    return {it for it in words if not it.isdigit()} - small_words("") - _day_words()


@cache
def _day_words() -> frozenset[str]:
    return frozenset(map(plain, (*months(), *weekdays())))


def _is_taken(event: Source, one: Agreed, days: Sequence[date]) -> bool:
    if one.at is None:
        return one.day is not None and _takes_all_of(event, one.day)
    if one.day is not None:
        return _overlaps(event, one.day, one.at)
    return _is_its_place(event, one.sentence) and any(
        _overlaps(event, day, one.at) for day in days[:_MOST_DAYS]
    )


def _overlaps(event: Source, day: date, at: time) -> bool:
    assert event.busy  # noqa: S101
    start, end = event.busy
    begins = datetime.combine(day, at, start.tzinfo)
    # A journey or a fair of several days leaves time between, unless it is everybody's.
    if start.date() != end.date() and not _is_for_all(event):
        return False
    return start < begins + _LEAST and begins < end


def _takes_all_of(event: Source, day: date) -> bool:
    """Return True if an event for everybody takes the hours of a day in which people work."""
    assert event.busy  # noqa: S101
    start, end = event.busy
    first, last = (datetime.combine(day, it, start.tzinfo) for it in (_FROM, _TO))
    return start <= first and last <= end and _is_for_all(event)


def _is_its_place(event: Source, sentence: str) -> bool:
    """Return True if a sentence names the room of an event."""
    lines = event.text.split("\n")
    return len(lines) > 2 and bool(words_of(lines[2]) & words_of(sentence))
