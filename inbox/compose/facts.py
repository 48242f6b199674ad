"""What the thread and the goal lend a sentence: the number it is about, the day and time."""

from dataclasses import dataclass
from datetime import time

from inbox.compose.goals import Act
from inbox.compose.situation import Fact, Situation
from inbox.compose.wording import Wording
from inbox.extract.calendar_words import WEEKDAYS
from inbox.extract.dates import find_dates
from inbox.extract.times import find_times
from inbox.models import Message


@dataclass(frozen=True)
class Saying:
    """The thread that is answered, and the language in which."""

    situation: Situation
    words: Wording

    @property
    def english(self) -> bool:
        """Whether words of an English goal can be said as they are."""
        return self.words.language == "en"


def about_what(saying: Saying) -> tuple[str, tuple[Message, ...]]:
    """Name the one order, invoice or case that the thread is about."""
    for kind in ("order", "invoice", "ticket"):
        fact: Fact | None = saying.situation.numbers.get(kind)
        if fact is not None:
            return saying.words.say(f"about_{kind}", number=fact.text), (fact.message,)
    return "", ()


def when_named(text: str, saying: Saying) -> str:
    """Return the day and time that the goal names, in the reader's language; "" if none."""
    answered = saying.situation.answered
    if answered is None:
        return ""
    sent_on = (answered.sent_at or answered.received_at).date()
    parts = []
    days = find_dates(text, sent_on)
    if days:
        written = text[days[0].start : days[0].end].lower()
        named = any(word in written for word in WEEKDAYS)
        day = saying.words.weekday(days[0].day) if named else saying.words.day(days[0].day)
        key = "on_weekday" if named and saying.words.say("on_weekday", day=day) else "on_day"
        parts.append(saying.words.say(key, day=day))
    if times := find_times(text):
        parts.append(saying.words.say("at_time", time=saying.words.clock(times[0].at)))
    return "".join(parts)


def meeting_when(act: Act, saying: Saying) -> str:
    """Return when the meeting is: as the goal says, else as the mail proposes."""
    situation = saying.situation
    if (when := when_named(act.rest, saying)) and not _is_the_day(act.rest, situation):
        return when
    if situation.meeting_on is None:
        return ""
    day = f"{saying.words.weekday(situation.meeting_on)}, {saying.words.day(situation.meeting_on)}"
    if saying.words.language in {"ja", "ar"}:
        day = saying.words.day(situation.meeting_on)
    when = saying.words.say("on_day", day=day)
    if situation.meeting_at:
        at = time.fromisoformat(situation.meeting_at)
        when += saying.words.say("at_time", time=saying.words.clock(at))
    return when


def _is_the_day(text: str, situation: Situation) -> bool:
    """Tell whether the goal's day is the one that the mail proposes."""
    if situation.meeting_on is None or find_times(text):
        return False
    days = find_dates(text, situation.meeting_on)
    return bool(days) and any(
        name in text.lower()
        for name, number in WEEKDAYS.items()
        if number == situation.meeting_on.weekday()
    )
