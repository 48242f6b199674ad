"""A meeting that is proposed, held against what the other side offered and our calendar; pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from typing import NamedTuple

import regex

from agents.evidence.claims.meetings.busy import concerns, told, words_of
from agents.evidence.claims.meetings.denials import denies, sentences_of
from agents.evidence.claims.meetings.ruled_out import last_said
from agents.evidence.claims.prose import asks, is_question, suits
from agents.evidence.claims.readers.moments import read_dates, read_times
from agents.evidence.claims.readers.zones import moment_of, zone_of
from agents.evidence.claims.records import Cited, Mark, Named, Place, ProposedMessage, Source, Value
from inbox.extract import roles
from inbox.languages import any_of, lazy_regex

# Behind "at" a time was offered, and behind "after" only a part of the day.
_AT = lazy_regex(
    lambda: rf"(?:^|[\s(])(?:{any_of(lambda it: it.clock.at)})\s?$|[,;(]\s?$", regex.IGNORECASE
)
_MOST_OFFERED = 40
# So near before a day stands what makes it a deadline.
_BEFORE = 30
# So few words beside a day ask for that day alone: "What about Monday?".
_FEW = 3


@dataclass(frozen=True, slots=True)
class Invited:
    """A meeting, on the clock of its zone, and where the message says when it is."""

    begins: datetime
    ends: datetime
    is_all_day: bool
    start: int
    end: int


class Offer(NamedTuple):
    """A time that was offered, or a day without one; `is_exact`: not "after 2 pm"."""

    place: Place
    day: date
    at: time | None
    moment: datetime | None
    is_exact: bool
    words: str


def check_invitation(
    invited: Invited, proposed: ProposedMessage, sources: Sequence[Source], known: Sequence[Named]
) -> list[Mark]:
    """Return one mark of when a meeting is: by what differs first, or where it was offered.

    `sources` are the mail of those invited, the newest first, and our events.
    """
    words = proposed.body[invited.start : invited.end]
    made = Mark("time", "body", words, invited.start, invited.end, "found")
    for expected, cited in _objections(invited, proposed, sources, known):
        return [replace(made, state="differs", expected=expected, sources=(cited,))]
    offered = [it.place.cited for it in _offers(sources, proposed) if _is_met(invited, it)]
    return [replace(made, sources=tuple(offered[:1]))] if offered else []


def _objections(
    invited: Invited, proposed: ProposedMessage, sources: Sequence[Source], known: Sequence[Named]
) -> Iterator[tuple[str, Cited]]:
    """Yield what speaks against a meeting, each with the words that say so."""
    if place := last_said(sources).get(invited.begins.date()):
        yield place.cited.excerpt, place.cited
    wanted = read_dates(proposed.goal, proposed.written_on, "")
    is_wanted = any(it.key == invited.begins.date() for it in wanted)
    offers = [] if is_wanted else _offers(sources, proposed)
    if offers and not any(_is_met(invited, it) for it in offers):
        same_day = (it for it in offers if it.day == invited.begins.date())
        offer = next(same_day, offers[0])
        yield offer.words, offer.place.cited
    summary = _summary(proposed)
    for event in sources:
        if event.busy is None or event.text.split("\n")[0] == summary or invited.is_all_day:
            continue
        begins, ends = event.busy
        if begins < invited.ends and invited.begins < ends and concerns(event, proposed, known):
            cited = Cited("event", event.id, " ".join(event.text.split())[:120])
            yield told(event), cited


def _offers(sources: Sequence[Source], proposed: ProposedMessage) -> list[Offer]:
    """Return the days and times to come that the newest message which offers any offers.

    What another meeting with them took up already is offered no more.
    """
    summary = _summary(proposed)
    for source in sources:
        if source.type == "message" and not source.is_ours:
            offered = _offered_in(source, words_of(summary))
            found = [it for it in offered if it.day >= proposed.written_on]
            if any(_is_taken_up(it, source, sources, summary) for it in found):
                return []
            if found:
                return found[:_MOST_OFFERED]
    return []


def _summary(proposed: ProposedMessage) -> str:
    return proposed.subject.partition(": ")[2]


def _is_taken_up(offer: Offer, by: Source, sources: Sequence[Source], summary: str) -> bool:
    """Return True if our calendar has another meeting with those who offered, on that day."""
    return any(
        it.busy is not None and it.busy[0].date() == offer.day
        and it.text.split("\n")[0] != summary
        and any(by.by in guest.lower().split() for guest in it.guests if by.by)
        for it in sources
    )  # fmt: skip


def _offered_in(source: Source, matter: set[str]) -> Iterator[Offer]:
    """Yield the days and times at which a message proposes to meet.

    A sentence that asks for something else, and a day until which it is asked, propose none.
    """
    for offset, sentence in sentences_of(source.text):
        if not asks(sentence, source.language) or denies(sentence, source.language):
            continue
        days = [
            it for it in read_dates(sentence, source.written_on, source.language)
            if isinstance(it.key, date) and it.key >= source.written_on
            and not _is_deadline(sentence, it)
        ]  # fmt: skip
        times = read_times(sentence, source.written_on, source.language)
        asks_only_that = is_question(sentence) and _words_beside(sentence, days) <= _FEW
        said = source.text if asks_only_that else sentence
        if not times and not _speaks_of_meeting(said, matter):
            continue
        for number, day in enumerate(days):
            until = days[number + 1].start if number + 1 < len(days) else len(sentence)
            own = [it for it in times if day.end <= it.start < until]
            yield from _with_times(source, sentence, offset, day, own)


def _is_deadline(sentence: str, day: Value) -> bool:
    """Return True for a day until which something is to be done: "by Monday"."""
    before = sentence[max(0, day.start - _BEFORE) : day.start]
    return any(
        len(before[match.end() :].split()) <= 1 for match in roles.dates()["due"].finditer(before)
    )


def _words_beside(sentence: str, days: Sequence[Value]) -> int:
    """Return how many words a sentence has besides its days."""
    return len(sentence.split()) - sum(len(sentence[it.start : it.end].split()) for it in days)


def _speaks_of_meeting(said: str, matter: set[str]) -> bool:
    """Return True if words speak of meeting, of what suits, or of the `matter` of a meeting."""
    if roles.dates()["meeting"].search(said) or suits(said):
        return True
    return not matter.isdisjoint(words_of(said))


def _with_times(
    source: Source, sentence: str, offset: int, day: Value, times: Sequence[Value]
) -> Iterator[Offer]:
    place = Place(source, Value(day.key, offset + day.start, offset + day.end))
    assert isinstance(day.key, date)  # noqa: S101
    if not times:
        yield Offer(place, day.key, None, None, False, sentence[day.start : day.end])
    for at in times:
        if not isinstance(at.key, time):
            continue
        zone = zone_of(sentence, at)
        moment = moment_of(day.key, at.key, zone) if zone else None
        # Of "between 9 and 12" any time will do.
        is_exact = len(times) == 1 and _AT.search(sentence[: at.start]) is not None
        words = " ".join(sentence[day.start : at.end].split())
        yield Offer(place, day.key, at.key, moment, is_exact, words)


def _is_met(invited: Invited, offer: Offer) -> bool:
    if offer.moment is not None:
        return not offer.is_exact or offer.moment == invited.begins
    if offer.day != invited.begins.date():
        return False
    return not offer.is_exact or invited.is_all_day or offer.at == invited.begins.time()
