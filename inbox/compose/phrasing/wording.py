"""The sentences that drafts are made of, and how a language writes dates, times and sums."""

from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal

from inbox.languages import ENGLISH, language
from inbox.languages.model import Language
from inbox.languages.writing import Informal

_WITHOUT_CENTS = frozenset({"JPY", "KRW"})


@dataclass(frozen=True, slots=True)
class Wording:
    """The phrases of one language; `is_informal` for whom one is on first-name terms with."""

    of: Language
    is_informal: bool = False

    @property
    def _other(self) -> Informal:
        return self.of.reply.informal if self.is_informal else Informal()

    @property
    def language(self) -> str:
        """The code of the language."""
        return self.of.code

    def say(self, key: str, **parts: str) -> str:
        """Return a sentence with its parts filled in; "" where the language has none."""
        template = self._other.phrases.get(key) or self.of.reply.phrases.get(key, "")
        return template.format(**parts) if template else ""

    def greeting(self, tone: str) -> str:
        """Return the greeting of a tone, or of `nobody`."""
        other = self._other.greeting if tone != "nobody" else ""
        return other or self.of.reply.greeting.get(tone, "")

    def closing(self, tone: str) -> str:
        """Return the closing of a tone."""
        return self.of.reply.closing.get(tone, "")

    def opener(self, tone: str) -> str:
        """Return the first sentence of a tone; "" where it has none."""
        formal = self.of.reply.opener.get(tone, "")
        return formal and (self._other.opener or formal)

    def thing(self, name: str) -> str:
        """Return what a goal speaks of, as this language puts it; "" where it has no word."""
        return self._other.things.get(name) or self.of.reply.things.get(name, "")

    @property
    def joint(self) -> str:
        """What stands between two sentences."""
        return self.of.compose.formats.joint

    def day(self, day: date) -> str:
        """Return a date as one writes it."""
        names = self.of.compose.months.split()
        month = names[day.month - 1] if names else ""
        formats = self.of.compose.formats
        first = formats.first if day.day == 1 else ""
        return formats.date.format(
            day=first or day.day, month=month, number=day.month, year=day.year
        )

    def weekday(self, day: date) -> str:
        """Return the name of the day of the week."""
        return self.of.compose.weekdays.split()[day.weekday()]

    def day_of_week(self, day: date) -> str:
        """Return a date with the name of its day, where one writes both."""
        return self.of.compose.formats.day_of_week.format(
            weekday=self.weekday(day), day=self.day(day)
        )

    def clock(self, at: time) -> str:
        """Return a time of day as one writes it."""
        formats = self.of.compose.formats
        template = formats.clock if at.minute else formats.full_hour or formats.clock
        return template.format(hour=at.hour, minute=at.minute)

    def amount(self, value: Decimal, currency: str) -> str:
        """Return a sum of money as one writes it."""
        formats = self.of.compose.formats
        text = f"{value:,.0f}" if currency in _WITHOUT_CENTS else f"{value:,.2f}"
        text = text.translate(str.maketrans(",.", formats.thousands + formats.decimal))
        own = formats.own_currency.get(currency)
        return own.format(amount=text) if own else f"{text} {currency}"


def is_written(code: str) -> bool:
    """Return True if drafts can be written in the language."""
    known = language(code)
    return known is not None and bool(known.reply.phrases)


def wording(code: str, *, is_informal: bool = False) -> Wording:
    """Return the phrases of the language, or the English ones."""
    known = language(code if is_written(code) else ENGLISH)
    assert known is not None  # noqa: S101
    return Wording(known, is_informal)
