"""What a draft says that neither goal nor thread has, and what is left in it of the instruction."""

from functools import cache
from pathlib import Path

import regex
import yaml

from bench.understanding.drafts.goals import Goal
from inbox.extract.readers.calendar_words import near_days, weekdays
from inbox.extract.readers.dates import find_dates
from inbox.extract.readers.numbers import find_amounts
from inbox.extract.readers.times import find_times
from inbox.languages import language, languages

_NUMBER = regex.compile(r"\d+(?:[.,:\u202f\u00a0 ]\d{3}(?!\d))*(?:[.,:]\d{1,2}(?!\d))?")
_NAME = regex.compile(r"(?<![.!?:–-]\s)(?<!^)(?<!\n)(?<!\n- )\b\p{Lu}\p{L}+")
_INSTRUCTIONS = Path(__file__).with_name("instructions.yaml")


@cache
def _instructions() -> dict[str, dict[str, str]]:
    """Return the patterns of words of instructions, those that begin a sentence and others."""
    page = yaml.safe_load(_INSTRUCTIONS.read_text("utf-8"))
    return {
        kind: {code: "".join(part.strip() for part in it.split("\n")) for code, it in those.items()}
        for kind, those in page.items()
    }


@cache
def _begins() -> regex.Pattern[str]:
    begins = "|".join(_instructions()["begins"].values())
    return regex.compile(
        rf"(?:^|[.!?:;]\s|\n(?:- )?)(?:(?:please|kindly)\s)?(?:{begins})", regex.IGNORECASE
    )


def strange_facts(text: str, goal: Goal) -> list[str]:
    """Return the numbers, days and names of a draft that neither goal nor thread has."""
    source = "\n".join(
        [goal.text, *(f"{it.subject}\n{it.text}\n{it.from_name}" for it in goal.thread)]
    )
    known = _values(source, goal)
    days = _weekdays_of(source, goal)
    found = [f"the number {it}" for it in _numbers(text) if it not in known]
    found += [f"the day {it}" for it in _weekdays_in(text) if weekdays()[it] not in days]
    low = source.casefold()
    found += [
        f"the name {it}"
        for it in _NAME.findall(text)
        if it.casefold() not in low
        and it.casefold() not in _vocabulary()
        and it.casefold() not in weekdays()
        and not _is_month(it)
    ]
    return found


def _numbers(text: str) -> set[str]:
    return {_plain(it) for it in _NUMBER.findall(text)}


def _plain(number: str) -> str:
    """Return the digits of a number without separators, and without decimals that are zero."""
    whole = regex.sub(r"[.,:](00?)$", "", number)
    return regex.sub(r"\D", "", whole).lstrip("0") or "0"


def _values(source: str, goal: Goal) -> set[str]:
    """Return the numbers of the source, as they may be written in another language."""
    known = _numbers(source) | {"0"}
    known |= {part.lstrip("0") for it in regex.findall(r"\d+", source) if (part := it)}
    sent = goal.thread[-1].received_at.date()
    for day in find_dates(source, sent, goal.thread[-1].language):
        known |= {str(day.day.day), str(day.day.month), str(day.day.year)}
    for at in find_times(source):
        if at.at is not None:
            hours = {at.at.hour, (at.at.hour + 12) % 24}
            known |= {str(it) for it in hours}
            known |= {f"{it}{at.at.minute:02}" for it in hours}
            known |= {str(at.at.minute)}
    for amount in find_amounts(source):
        known.add(_plain(f"{amount.value:.2f}"))
    return known | {str(sent.year), str(sent.year + 1)}


def _weekdays_in(text: str) -> list[str]:
    return [it for it in regex.findall(r"[\p{L}-]+", text.casefold()) if it in weekdays()]


def _weekdays_of(source: str, goal: Goal) -> set[int]:
    sent = goal.thread[-1].received_at.date()
    found = {weekdays()[it] for it in _weekdays_in(source)}
    return found | {it.day.weekday() for it in find_dates(source, sent, goal.thread[-1].language)}


@cache
def _months() -> frozenset[str]:
    known = [language(code) for code in ("en", "de", "fr", "es", "it", "nl", "pl", "pt")]
    return frozenset(
        month.casefold() for it in known if it is not None for month in it.compose.months.split()
    )


def _is_month(word: str) -> bool:
    return word.casefold() in _months() or word.casefold() in near_days()


@cache
def _vocabulary() -> frozenset[str]:
    """Return the words of the phrases that drafts are made of, in whichever language."""
    texts = ["I EUR USD GBP"]
    for known in languages():
        reply, other = known.reply, known.reply.informal
        texts += [
            *reply.phrases.values(), *reply.things.values(), *reply.opener.values(),
            *(said for _, said in known.carrying.leads), other.opener,
            *other.phrases.values(), *other.things.values(),
        ]  # fmt: skip
    return frozenset(word.casefold() for text in texts for word in regex.findall(r"\p{L}+", text))


def words_of_instruction(text: str, goal: Goal) -> list[str]:
    """Return what is left in a draft of the words that tell what to write."""
    found = [f"instruction {it[0].strip()!r}" for it in _begins().finditer(text)]
    third = _instructions()["third"].get(goal.thread[-1].language, "")
    if third and not _names_others(goal):
        found += [f"not to the reader: {it[0]!r}" for it in regex.finditer(third, text, regex.I)]
    return found


def _names_others(goal: Goal) -> bool:
    """Return True if a pronoun of the draft may mean somebody else, whom the goal names."""
    return bool(regex.search(r"\bdoctor|driver|Fahrer|gardien", goal.text))
