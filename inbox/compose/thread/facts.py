"""What the thread and the goal lend a sentence: the number it is about, the day and time."""

from dataclasses import dataclass
from datetime import date, time

import regex

from inbox.compose.phrasing.wording import Wording
from inbox.compose.thread.meetings import Proposal
from inbox.compose.thread.ordinals import with_dates, with_hours_apart
from inbox.compose.thread.situation import Fact, Situation
from inbox.compose.thread.things import thing_at
from inbox.extract.readers.calendar_words import near_days, weekdays
from inbox.extract.readers.dates import FoundDate, find_dates
from inbox.extract.readers.numbers import Amount, find_amounts
from inbox.extract.readers.times import FoundTime, find_times
from inbox.languages import ENGLISH, any_of, lazy_regex
from inbox.models import Message

_FLAGS = regex.IGNORECASE
# Words that say nothing of their own beside a thing, a day or a sum.
_JOINTS = lazy_regex(
    lambda: (
        rf"(?<!\p{{L}}){any_of(lambda it: it.talk.small_words)}(?!\p{{L}})|"
        rf"{any_of(lambda it: it.talk.small_joined)}|[،,:\-–()\"']"
    ),
    _FLAGS,
)
_COMING = lazy_regex(lambda: any_of(lambda it: it.calendar.coming))
_UNITS = lazy_regex(lambda: any_of(lambda it: it.calendar.unit_signs))


@dataclass(frozen=True)
class Saying:
    """The thread that is answered, and the language in which."""

    situation: Situation
    words: Wording

    @property
    def english(self) -> bool:
        """Whether words of an English goal can be said as they are."""
        return self.words.language == ENGLISH


@dataclass(frozen=True)
class Named:
    """What the words of an instruction name, and `left`, those that name nothing known.

    `when` is the day and time in the message's language; "" where there is none or cannot be said.
    """

    thing: str = ""
    when: str = ""
    days: tuple[FoundDate, ...] = ()
    times: tuple[FoundTime, ...] = ()
    amount: Amount | None = None
    left: str = ""


def named_in(text: str, saying: Saying) -> Named:
    """Return what the words name."""
    answered = saying.situation.answered
    sent_on = (answered.sent_at or answered.received_at).date() if answered else date(2000, 1, 1)
    text, zone = _without_zone(with_dates(text, sent_on), saying)
    days, times = tuple(find_dates(text, sent_on)), tuple(find_times(with_hours_apart(text)))
    amounts = find_amounts(text)
    bare = text
    spans = [*((it.start, it.end) for it in days), *((it.start, it.end) for it in times)]
    for start, end in spans:
        bare = bare[:start] + " " * (end - start) + bare[end:]
    for amount in amounts[:1]:
        bare = bare[: amount.start] + " " * (amount.end - amount.start) + bare[amount.end :]
    for fact in saying.situation.numbers.values():
        bare = regex.sub(rf"(?<!\w)#?{regex.escape(fact.text)}(?!\w)", " ", bare)
    thing, bare = thing_at(_without_weekday(bare, days))
    when = _when(text, days, times, saying)
    when += f" {zone}" if zone and when and times else ""
    left = " ".join(_JOINTS.sub(" ", bare).split())
    if (days or times) and not when:
        left = left or text
    return Named(thing, when, days, times, amounts[0] if amounts else None, left)


# "17:00 Tokyo time": said as the goal says it, in English alone.
_PLACE_TIME = lazy_regex(
    r"(?<=\d\s?(?:[ap]\.?m\.?)?\s|noon\s)"
    r"(?:(?:\p{Lu}\p{L}+|our|my|their|his|her)\stime|(?:Eastern|Central|Pacific|Mountain))(?=\W|$)"
)


def _without_zone(text: str, saying: Saying) -> tuple[str, str]:
    """Return the text without the place whose time it means, and the words for that."""
    found = _PLACE_TIME.search(text) if saying.english else None
    if found is None or not find_times(text[: found.start()]):
        return text, ""
    said = regex.sub(r"^(?:their|his|her)\b", "your", found[0])
    return f"{text[: found.start()]} {text[found.end() :]}", said


def is_written(named: Named, saying: Saying) -> bool:
    """Return True if the newest message that came in names every day and every time as well."""
    answered = saying.situation.answered
    if answered is None:
        return False
    sent_on = (answered.sent_at or answered.received_at).date()
    text = with_dates(f"{answered.subject}\n{answered.new_text[:8000]}", sent_on)
    days = {it.day for it in find_dates(text, sent_on, answered.language)}
    times = [it.at for it in find_times(with_hours_apart(text)) if it.at is not None]
    return all(it.day in days for it in named.days) and all(
        any(_same(it.at, at) for at in times) for it in named.times
    )


def _without_weekday(text: str, days: tuple[FoundDate, ...]) -> str:
    """Leave out the "Monday" beside "9 March", where that day is one."""
    for word in regex.findall(r"\p{L}+", text):
        known = weekdays().get(word.lower())
        if known is not None and len(days) == 1 and days[0].day.weekday() == known:
            return regex.sub(rf"\b{word}\b", " ", text)
    return text


def _when(
    text: str, days: tuple[FoundDate, ...], times: tuple[FoundTime, ...], saying: Saying
) -> str:
    """Return one day and time in the message's language; "" for several, or what it cannot say."""
    if len(days) > 1 or len(times) > 1 or (times and times[0].at is None):
        return ""
    parts = []
    if days:
        written = text[days[0].start : days[0].end].lower()
        day = _day(written, days[0], saying, with_weekday=_without_weekday(text, days) != text)
        if not day:
            return ""
        parts.append(day)
    if times:
        written = text[times[0].start : times[0].end]
        zone = regex.search(r"\s?\p{Lu}{2,5}(?:[+-]\d\d?)?$", written)
        if times[0].zone is not None and not zone:
            return ""
        clock = saying.words.clock(times[0].at) + (
            f" {zone[0].strip()}" if times[0].zone and zone else ""
        )
        parts.append(saying.words.say("at_time", time=clock))
    return "".join(parts)


def _day(written: str, found: FoundDate, saying: Saying, *, with_weekday: bool = False) -> str:
    """Return a day as the goal speaks of it: by its date, its weekday, or as tomorrow."""
    words = saying.words
    if written in near_days():
        return words.say(f"day_{near_days()[written]}") if near_days()[written] >= 0 else ""
    if any(name in written for name in weekdays()) and not regex.search(r"\d", written):
        weekday = words.weekday(found.day)
        if _COMING.search(written):
            return words.say("on_next", day=weekday)
        return words.say("on_weekday", day=weekday) or words.say("on_day", day=weekday)
    if (
        regex.search(r"\d", written)
        and regex.search(r"\p{L}{3}|\d[./月-]", written)
        and not _UNITS.search(written)
    ):
        day = words.day_of_week(found.day) if with_weekday else words.day(found.day)
        return words.say("on_date", day=day) or words.say("on_day", day=day)
    return ""


def about_what(saying: Saying) -> tuple[str, tuple[Message, ...]]:
    """Name the one order, invoice or case that the thread is about."""
    for kind in ("order", "invoice", "ticket"):
        fact: Fact | None = saying.situation.numbers.get(kind)
        if fact is not None:
            return saying.words.say(f"about_{kind}", number=fact.text), (fact.message,)
    return "", ()


def proposal_when(proposal: Proposal, saying: Saying) -> str:
    """Return a proposed time in the message's language, by its whole date."""
    words = saying.words
    when = words.say("on_day", day=words.day_of_week(proposal.day))
    return when + words.say("at_time", time=words.clock(proposal.at)) if proposal.at else when


def matching(named: Named, saying: Saying) -> list[Proposal]:
    """Return the proposed times that are the one which the instruction names."""
    days = {it.day for it in named.days}
    return [
        it
        for it in saying.situation.proposals
        if (
            not days
            or it.day in days
            or it.day.weekday() in {day.weekday() for day in days if _is_weekday(named)}
        )
        and (
            not named.times or it.at is None or any(_same(time_.at, it.at) for time_ in named.times)
        )
    ]


def _is_weekday(named: Named) -> bool:
    return all(it.sure <= 0.7 for it in named.days)


def _same(named: time, proposed: time) -> bool:
    """Return True for the same time of day; "at 3" may be the afternoon's."""
    return named == proposed or (
        named.hour < 8 and named.minute == proposed.minute and named.hour + 12 == proposed.hour
    )
