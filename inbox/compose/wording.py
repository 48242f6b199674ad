"""The sentences that drafts are made of, and how a language writes dates, times and sums."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

LANGUAGES = ("en", "de", "fr", "es", "ja", "ar")
_MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": (
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
    ),
    "ar": "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر",
}
_WEEKDAYS = {
    "en": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "de": "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
    "fr": "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "es": "lunes martes miércoles jueves viernes sábado domingo",
    "ja": "月曜日 火曜日 水曜日 木曜日 金曜日 土曜日 日曜日",
    "ar": "الاثنين الثلاثاء الأربعاء الخميس الجمعة السبت الأحد",
}


@lru_cache(maxsize=1)
def _phrases() -> Mapping[str, Any]:
    path = Path(__file__).with_name("phrases.yaml")
    loaded: Mapping[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return loaded


@dataclass(frozen=True, slots=True)
class Wording:
    """The phrases of one language."""

    language: str

    @property
    def phrases(self) -> Mapping[str, Any]:
        """The phrases as the file has them."""
        language: Mapping[str, Any] = _phrases()[self.language]
        return language

    def say(self, key: str, **parts: str) -> str:
        """Return a sentence with its parts filled in; "" where the language has none."""
        template = self.phrases.get(key, "")
        return template.format(**parts) if template else ""

    def by_tone(self, key: str, tone: str) -> str:
        """Return a phrase that depends on the tone; "" where the tone has none."""
        return str(self.phrases[key].get(tone, ""))

    def thing(self, name: str) -> str:
        """Return what a goal speaks of, as this language puts it; "" where it has no word."""
        return str(self.phrases["things"].get(name, ""))

    def day(self, day: date) -> str:
        """Return a date as one writes it."""
        if self.language == "ja":
            return f"{day.year}年{day.month}月{day.day}日"
        month = _MONTHS[self.language].split()[day.month - 1]
        if self.language == "de":
            return f"{day.day}. {month} {day.year}"
        if self.language == "es":
            return f"{day.day} de {month} de {day.year}"
        return f"{day.day} {month} {day.year}"

    def weekday(self, day: date) -> str:
        """Return the name of the day of the week."""
        return _WEEKDAYS[self.language].split()[day.weekday()]

    def clock(self, at: time) -> str:
        """Return a time of day as one writes it."""
        if self.language == "ja":
            return f"{at.hour}時" + (f"{at.minute}分" if at.minute else "")
        if self.language == "fr":
            return f"{at.hour} h" + (f" {at.minute:02}" if at.minute else "")
        return f"{at.hour}:{at.minute:02}"

    def amount(self, value: Decimal, currency: str) -> str:
        """Return a sum of money as one writes it."""
        if self.language == "ja" and currency == "JPY":
            return f"{value:,.0f}円"
        text = f"{value:,.2f}" if currency not in {"JPY", "KRW"} else f"{value:,.0f}"
        if self.language in {"de", "es"}:
            text = text.translate(str.maketrans(",.", ".,"))
        elif self.language == "fr":
            text = text.translate(str.maketrans(",.", "\u202f,"))
        return f"{text} {currency}"


def wording(language: str) -> Wording:
    """Return the phrases of the language, or the English ones."""
    short = language.partition("-")[0].lower()
    return Wording(short if short in LANGUAGES else "en")
