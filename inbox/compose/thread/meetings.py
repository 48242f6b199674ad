"""The times for a meeting that a thread proposes; pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, time

import regex

from inbox.compose.thread.ordinals import with_dates, with_hours_apart
from inbox.extract.readers.dates import FoundDate, find_dates
from inbox.extract.readers.times import FoundTime, find_times, only_bounds
from inbox.languages import ENGLISH, any_of, language, lazy_regex
from inbox.models import Message

_FLAGS = regex.IGNORECASE
_MEETING = lazy_regex(
    lambda: (
        rf"\b{any_of(lambda it: it.talk.meetings)}\b|{any_of(lambda it: it.talk.meetings_joined)}"
    ),
    _FLAGS,
)
# A day of which this is said is not proposed.
_NOT_PROPOSED = lazy_regex(
    lambda: (
        rf"\b{any_of(lambda it: it.talk.refusals)}\b|{any_of(lambda it: it.talk.refusals_joined)}"
    ),
    _FLAGS,
)
_SENTENCE = lazy_regex(
    r"(?:[^.!?。!?؟\n]|(?<=\b[ap])\.|\.(?=m\b)|(?<=\d)\.(?=\d|\s?\p{L}*\s?\d|\s\p{L})|\n(?!\s*\n|"
    r"\s*[-*•\d]))+"
)
# What is on its way at a time is no meeting.
_GOODS = lazy_regex(lambda: rf"\b{any_of(lambda it: it.talk.goods)}\b", _FLAGS)
_TO = lazy_regex(
    lambda: (
        rf"\s*(?:-|–|—|~|〜|{any_of(lambda it: it.talk.until)})\s*"
        rf"(?:{any_of(lambda it: it.talk.at)} )?"
    ),
    _FLAGS,
)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A day, and mostly a time, that a message proposes for a meeting."""

    day: date
    at: time | None
    message: Message


def speaks_of_meeting(messages: Sequence[Message]) -> bool:
    """Return True if anything in the thread is about a meeting."""
    return any(_MEETING.search(f"{it.subject}\n{it.new_text[:8000]}") for it in messages)


def proposed_times(messages: Sequence[Message]) -> tuple[Proposal, ...]:
    """Return the times that the newest message with any proposes, each once.

    The messages are given oldest first. After a message that says no to a time none is proposed.
    """
    for message in reversed(messages[-8:]):
        found = tuple(dict.fromkeys(_proposals(message)))
        if found:
            timed = {it.day for it in found if it.at is not None}
            kept = tuple(it for it in found if it.at is not None or it.day not in timed)
            return kept if timed else _with_time(kept, messages)
        if _says_no(message):
            return ()
    return ()


def _with_time(days: tuple[Proposal, ...], messages: Sequence[Message]) -> tuple[Proposal, ...]:
    """Return the day of "Thursday is fine" with the time that was proposed for it before."""
    earlier = [it for message in messages[-8:] for it in _proposals(message) if it.at is not None]
    timed = tuple(dict.fromkeys((it.day, it.at) for it in earlier if it.day == days[0].day))
    if len(days) != 1 or len(timed) != 1:
        return days
    return (next(it for it in earlier if (it.day, it.at) == timed[0]),)


def _says_no(message: Message) -> bool:
    return any(
        _NOT_PROPOSED.search(sentence[0])
        and (_MEETING.search(sentence[0]) or _days(sentence[0], message))
        for sentence in _SENTENCE.finditer(message.new_text[:8000])
    )


def _days(text: str, message: Message) -> list[FoundDate]:
    sent_on = (message.sent_at or message.received_at).date()
    return [it for it in find_dates(text, sent_on, message.language) if it.day >= sent_on]


def _is_due(before: str, message: Message) -> bool:
    """Return True if the words before a day say that something is due by then."""
    known = language(message.language or ENGLISH)
    if known is None or not known.talk.by:
        return False
    ends = rf"(?<!\p{{L}})(?:{known.talk.by})(?:\s\p{{L}}{{1,3}})?(?:\s\d[\w:.]*)?\s$"
    return regex.search(ends, before, _FLAGS) is not None


def _proposals(message: Message) -> Iterator[Proposal]:
    """Yield the days and times of the sentences that are about meeting."""
    near = _MEETING.search(message.subject) is not None
    meets = near or _MEETING.search(message.new_text[:8000]) is not None
    sent_on = (message.sent_at or message.received_at).date()
    for sentence in _SENTENCE.finditer(with_dates(message.new_text[:8000], sent_on)):
        text = sentence[0]
        about = near or _MEETING.search(text) is not None
        if not about and meets and not _GOODS.search(text):
            about = bool(_days(text, message) and find_times(text))
        if about and not _NOT_PROPOSED.search(text):
            days = [it for it in _days(text, message) if not _is_due(text[: it.start], message)]
            times = _starts(find_times(with_hours_apart(text)), text)
            for index, day in enumerate(days):
                until = days[index + 1].start if index + 1 < len(days) else len(text)
                own = [it for it in times if it.start >= day.end and it.start < until]
                if not own and len(days) == 1:
                    own = times
                yield from (Proposal(day.day, it.at, message) for it in own)
                if not own:
                    yield Proposal(day.day, None, message)
        near = about


def _starts(times: Sequence[FoundTime], text: str) -> list[FoundTime]:
    """Return the times without those that only end a span: "from 14:00 to 15:00".

    Nor is one proposed that only bounds when it may be: "on Thursday after 5 pm".
    """
    return [
        it
        for index, it in enumerate(times)
        if (not index or not _TO.fullmatch(text[times[index - 1].end : it.start]))
        and not only_bounds(it, text)
    ]
