"""What in a text may be the value of a field, by the field's kind; each with how surely it is."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, time
from itertools import pairwise
from typing import Any

import regex

from inbox.extract import forms, labels, roles
from inbox.extract.choosing import beside, choose, less_sure, surest, telling_words
from inbox.extract.document import Document
from inbox.extract.fields import Field
from inbox.extract.labelled import is_something_else, labelled
from inbox.extract.labels import Candidate
from inbox.extract.meanings import expression_for
from inbox.extract.readers import contacts
from inbox.extract.readers import written_values as written
from inbox.extract.readers.counts import find_counts
from inbox.extract.readers.dates import COUNTED_SURE, WEEKDAY_SURE, FoundDate, find_dates
from inbox.extract.readers.identifiers import find_identifiers, find_matching
from inbox.extract.readers.numbers import CURRENCY_CODES, find_amounts
from inbox.extract.readers.superseded import superseded, without
from inbox.extract.readers.times import find_lengths, find_times
from inbox.extract.readers.written_values import Finder
from inbox.languages import any_of, language, languages, lazy_regex, words_of


def candidates_for(field: Field, document: Document, text: str) -> list[Candidate]:
    """Return the values for the field in one layer of the document, the surest first."""
    if named := labelled(field, document, text):
        return _settled(field, named, document, text)
    finder = FINDERS.get(field.kind)
    return finder(field, document, text) if finder else []


def _settled(
    field: Field, named: list[Candidate], document: Document, text: str
) -> list[Candidate]:
    """Return what stands by labels; of several sums the last, for it is that of all."""
    if len({it.value for it in named}) == 1:
        return named
    role = field.role(roles.money()) if field.kind == "money" else ""
    if role == "total" and (right := _added_up(named, document, text)):
        return right
    if role in {"total", "net", "tax"}:
        named.reverse()
    return [less_sure(it, 0.85) for it in named]


def _added_up(named: list[Candidate], document: Document, text: str) -> list[Candidate]:
    """Return those of the totals that are what is without the tax and the tax together."""
    parts = [
        labelled(Field("", {"type": "number"}, "money", words), document, text)
        for words in ("net", "tax")
    ]
    sums = {net.value + tax.value for net in parts[0] for tax in parts[1]}
    return [it for it in named if it.value in sums]


_FIRST, _LAST = frozenset({"start", "checkin"}), frozenset({"end", "checkout"})


def _dates(field: Field, document: Document, text: str) -> list[Candidate]:
    days = find_dates(text, document.sent_on, document.language)
    found = [
        Candidate(it.day.isoformat(), it.start, it.end, it.sure, text[it.start : it.end])
        for it in without(days, superseded(text, tuple(days)))
    ]
    role = field.role(roles.dates())
    if role in _FIRST | _LAST and (pair := _range(found, text)):
        return _in_full([pair[role in _LAST]], field, found, document, text)
    return _choose_day(field, found, document, text)


_FREE = frozenset({"", "meeting", "start"})
# Roles that a date has by a small word before it: "moved to 17 March", "from 17 March on".
_ANY_MEETING = frozenset({"", "meeting", "start", "end"})


def _choose_day(
    field: Field, found: Sequence[Candidate], document: Document, text: str
) -> list[Candidate]:
    chosen = choose(field, found, text, roles.dates(), _FREE)
    return _in_full(chosen, field, found, document, text)


def _in_full(
    chosen: list[Candidate],
    field: Field,
    found: Sequence[Candidate],
    document: Document,
    text: str,
) -> list[Candidate]:
    """Return what was chosen; for a bare weekday of the subject, the full date that the text has.

    That is the next one on that weekday, else the next that is not over, of those that are not
    said to be something else ("your invoice of 2 March").
    """
    weekdays = _subject_weekdays(found, document, text)
    if not weekdays or (chosen and chosen[0].start not in weekdays):
        return chosen
    full = _full_dates(field, found, document, text)
    if not chosen and full:
        rest = [it for it in found if it.start not in weekdays]
        return choose(field, rest, text, roles.dates(), _FREE)
    same = [it for it in full if chosen and _weekday(it) == _weekday(chosen[0])]
    best = next(iter(same or full), None)
    return [replace(best, sure=chosen[0].sure), *chosen] if best else chosen


def _subject_weekdays(found: Sequence[Candidate], document: Document, text: str) -> frozenset[int]:
    """Return where those candidates begin that are only a weekday in the subject."""
    if text is not document.layers[0]:
        return frozenset()
    days = find_dates(text, document.sent_on, document.language)
    return frozenset(
        it.start
        for it in found
        if it.start < len(document.subject)
        and all(day.sure == WEEKDAY_SURE for day in _within(it, days))
    )


def _full_dates(
    field: Field, found: Sequence[Candidate], document: Document, text: str
) -> list[Candidate]:
    """Return the dates of the text that are written out, not over, and may be what is asked for."""
    days = [
        it
        for it in find_dates(text, document.sent_on, document.language)
        if it.sure not in (WEEKDAY_SURE, COUNTED_SURE)
        and regex.search(r"\d", text[it.start : it.end])
    ]
    return [
        it
        for it in labels.with_roles(found, text, roles.dates())
        if it.start >= len(document.subject)
        and it.role in {field.role(roles.dates()), *_ANY_MEETING}
        and it.value[:10] >= document.sent_on.isoformat()
        and _within(it, days)
    ]


def _within(candidate: Candidate, days: Sequence[FoundDate]) -> list[FoundDate]:
    return [it for it in days if candidate.start <= it.start and it.end <= candidate.end]


def _weekday(candidate: Candidate) -> int:
    return datetime.fromisoformat(candidate.value).weekday()


def _range(found: Sequence[Candidate], text: str) -> tuple[Candidate, Candidate] | None:
    """Return the two dates of the only "from … to …" in the text."""
    pairs = [
        (first, last)
        for first, last in pairwise(found)
        if regex.fullmatch(
            rf"[\s.]*(?:-|–|{any_of(lambda it: it.calendar.ranges)})[\s(]*"
            rf"{any_of(lambda it: it.calendar.before_day)}?(?:\p{{L}}+,?\s)?",
            text[first.end : last.start],
            regex.IGNORECASE,
        )
    ]
    return pairs[0] if len(pairs) == 1 else None


def _datetimes(field: Field, document: Document, text: str) -> list[Candidate]:
    days = find_dates(text, document.sent_on, document.language)
    old = superseded(text, tuple(days))
    days = without(days, old)
    found = []
    for at in without(find_times(text), old):
        near = [
            it
            for it in days
            if -40 <= at.start - it.end <= 40
            and "\n\n" not in text[min(it.end, at.end) : max(it.start, at.start)]
        ]
        if not near:
            continue
        day = min(near, key=lambda it: abs(at.start - it.end))
        moment = datetime.combine(day.day, at.at, tzinfo=at.zone or UTC)
        sure = day.sure * (1.0 if at.zone else 0.8)
        start, end = min(day.start, at.start), max(day.end, at.end)
        found.append(
            Candidate(moment.isoformat().replace("+00:00", "Z"), start, end, sure, text[start:end])
        )
    return _choose_day(field, found, document, text)


_END = lazy_regex(lambda: rf"(?<!\p{{L}}){any_of(lambda it: it.schemas.ends)}(?!\p{{L}})")
_IN_HOURS = lazy_regex(lambda: any_of(lambda it: it.schemas.hours))
_TERM = lazy_regex(lambda: rf"{any_of(lambda it: it.clock.within)}\s$")


def _times(field: Field, document: Document, text: str) -> list[Candidate]:
    days = find_dates(text, document.sent_on, document.language)
    found = [
        Candidate((it.at, it.zone), it.start, it.end, 0.85, text[it.start : it.end])
        for it in without(find_times(text), superseded(text, tuple(days)))
    ]
    wants_end = _END.search(field.words) is not None
    starts = words_of(lambda it: it.schemas.starts)
    telling = [it for it in telling_words(field) if it not in starts and not _END.fullmatch(it)]
    if wants_end:
        found = [it for it in found if _END.search(labels.before(text, it.start))] or found[1:2]
    elif telling:
        found = surest(beside(found, text, telling)) or (found if len(found) == 1 else [])
    return [
        Candidate(_clock(it.value[0], it.value[1], field), it.start, it.end, it.sure, it.written)
        for it in found
    ]


def _clock(at: time, zone: Any, field: Field) -> str:
    if field.schema.get("format") != "time":
        return at.strftime("%H:%M")
    return at.replace(tzinfo=zone or UTC).isoformat().replace("+00:00", "Z")


def _money(field: Field, _: Document, text: str) -> list[Candidate]:
    currency = str(field.schema.get("x-currency", ""))
    found = [
        Candidate(it.value, it.start, it.end, 0.95, text[it.start : it.end])
        for it in find_amounts(text)
        if not currency or it.currency == currency
    ]
    role = field.role(roles.money())
    if role == "price" and len({it.value for it in found}) == 1:
        return found
    chosen = choose(field, found, text, roles.money(), frozenset({"", "budget"}))
    if not chosen and role in {"total", "paid", "price"}:
        chosen = _the_only_one(found, text)
    return (
        sorted(chosen, key=lambda it: (-round(it.sure, 3), -it.start))
        if role == "total"
        else chosen
    )


def _the_only_one(found: Sequence[Candidate], text: str) -> list[Candidate]:
    """Take an amount of which nothing is said for the total where no other stands beside it."""
    named = labels.with_roles(found, text, roles.money())
    plain = [it for it in named if it.role in {"", "price", "paid", "fee", "refund"}]
    return plain if len({it.value for it in named}) == 1 else []


def _currencies(_: Field, document: Document, text: str) -> list[Candidate]:
    """Return the currency of the total, else that of most sums, else the one that is named."""
    amounts = find_amounts(text)
    total = Field("", {"type": "number"}, "money", "total", types=frozenset({"number"}))
    named = {it.start for it in labelled(total, document, text)[-1:]}
    of_total = [it for it in amounts if it.start in named]
    if of_total:
        it = of_total[0]
        return [Candidate(_local(it.currency, document), it.start, it.end, 0.95)]
    found = [Candidate(_local(it.currency, document), it.start, it.end, 0.95) for it in amounts]
    if not found:
        codes = [Candidate(it[0], it.start(), it.end(), 0.8) for it in _CODE.finditer(text)]
        return codes if len({it.value for it in codes}) == 1 else []
    sure = 0.95 if len({it.value for it in found}) == 1 else 0.6
    most = max((it.value for it in found), key=[it.value for it in found].count, default=None)
    return [less_sure(it, sure) for it in found if it.value == most]


_CODE = lazy_regex(
    rf"(?<![\p{{L}}\d])(?:{'|'.join(sorted(CURRENCY_CODES - {'TRY'}))})(?![\p{{L}}\d])"
)


def _local(currency: str, document: Document) -> str:
    """Return whose crown "kr" is: by the language of the mail, else by that of its labels."""
    known = language(document.language)
    if known is not None and (here := known.money.read_as.get(currency)):
        return here
    others = [it for it in languages() if currency in it.money.read_as]
    if not others or (known is not None and currency in known.money.currencies):
        return currency
    text = document.layers[0]
    at_home = [it for it in languages() if currency in it.money.currencies]
    most = max(forms.labels_in(text, it.code) for it in at_home)
    best = max(others, key=lambda it: forms.labels_in(text, it.code))
    is_other = forms.labels_in(text, best.code) > most
    return best.money.read_as[currency] if is_other else currency


def _lengths(field: Field, _: Document, text: str) -> list[Candidate]:
    in_hours = _IN_HOURS.search(f"{field.words} {field.hints}") and "minute" not in field.words
    return [
        Candidate(
            it.minutes / 60 if in_hours else it.minutes,
            it.start,
            it.end,
            0.85,
            text[it.start : it.end],
        )
        for it in find_lengths(text)
        if not _TERM.search(text[max(0, it.start - 15) : it.start])
    ]


def _identifiers(field: Field, document: Document, text: str) -> list[Candidate]:
    role = field.role(roles.numbers()) if field.words not in {"number", "id"} else ""
    telling = telling_words(field)
    label = (
        ""
        if role
        else "|".join(expression_for(word) for word in [" ".join(telling), *telling] if word)
    )
    if not role and not label:
        label = any_of(lambda it: it.numbering.called)
    found = find_identifiers(text, role, label)
    if pattern := field.schema.get("pattern"):
        found += find_matching(text, regex.compile(pattern))
    return [it for it in found if not is_something_else(text, it.start, it.end, document)]


FINDERS: dict[str, Finder] = {
    "date": _dates,
    "datetime": _datetimes,
    "time": _times,
    "money": _money,
    "currency": _currencies,
    "length": _lengths,
    "count": lambda field, _, text: find_counts(field, text),
    "id": _identifiers,
    "email": written.emails,
    "phone": written.found_by(contacts.find_phones),
    "url": written.found_by(contacts.find_urls),
    "iban": written.found_by(contacts.find_ibans),
    "bic": written.found_by(contacts.find_bics),
    "vat": written.found_by(contacts.find_vat_ids),
    "address": written.postal,
    "street": written.postal,
    "postcode": written.postal,
    "city": written.postal,
    "country": written.postal,
    "person": written.person,
    "recipient": written.person,
    "first_name": written.person,
    "last_name": written.person,
    "company": written.company,
    "location": written.locations,
    "text": written.free_text,
    "subject": written.subject,
    "sentence": written.sentence,
}
