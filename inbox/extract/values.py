"""What in a text may be the value of a field, by the field's kind; each with how surely it is."""

from dataclasses import replace
from datetime import UTC, time
from typing import Any

import regex

from inbox.extract import forms, labels, roles
from inbox.extract.choosing import beside, less_sure, surest
from inbox.extract.document import Document
from inbox.extract.fields import Field, telling_words
from inbox.extract.finding import companies
from inbox.extract.finding.days import find_days, find_moments
from inbox.extract.finding.locations import find_locations
from inbox.extract.finding.positions import find_position
from inbox.extract.finding.sums import find_currencies, find_sums, settle
from inbox.extract.labelled import is_something_else, labelled
from inbox.extract.labels import Candidate
from inbox.extract.meanings import expression_for
from inbox.extract.readers import contacts
from inbox.extract.readers import written_values as written
from inbox.extract.readers.counts import find_counts
from inbox.extract.readers.dates import find_dates
from inbox.extract.readers.identifiers import find_identifiers, find_matching
from inbox.extract.readers.superseded import superseded, without
from inbox.extract.readers.times import (
    find_dotted,
    find_lengths,
    find_stretches,
    find_times,
    only_bounds,
)
from inbox.extract.readers.written_values import Finder
from inbox.languages import ENGLISH, any_of, lazy_regex, words_of


def candidates_for(field: Field, document: Document, text: str) -> list[Candidate]:
    """Return the values for the field in one layer of the document, the surest first."""
    if named := labelled(field, document, text):
        return _settled(field, named, document, text)
    finder = FINDERS.get(field.kind)
    return finder(field, document, text) if finder else []


def _settled(
    field: Field, named: list[Candidate], document: Document, text: str
) -> list[Candidate]:
    """Return what stands by labels, less sure where they name several."""
    if len({it.value for it in named}) == 1:
        return named
    if field.kind == "money":
        named = settle(field, named, document, text)
    if field.kind == "id":
        # A subject may shorten what stands in full below: "Invoice 17" of "INV-17".
        first = named[0].value
        whole = [it for it in named if it.value != first and it.value.endswith(first)]
        named = [*whole, *named]
    return [less_sure(it, 0.85) for it in named]


_END = lazy_regex(lambda: rf"(?<!\p{{L}}){any_of(lambda it: it.schemas.ends)}(?!\p{{L}})")
_IN_HOURS = lazy_regex(lambda: any_of(lambda it: it.schemas.hours))
_TERM = lazy_regex(lambda: rf"{any_of(lambda it: it.clock.within)}\s$")


def _times(field: Field, document: Document, text: str) -> list[Candidate]:
    days = find_dates(text, document.sent_on, document.language)
    times = list(find_times(text))
    dotted = find_dotted(text, [(it.start, it.end) for it in days])
    times += [
        it for it in dotted if not any(it.start < one.end and one.start < it.end for one in times)
    ]
    times = [it for it in times if not only_bounds(it, text)] or times
    found = [
        _in_the_afternoon(
            Candidate((it.at, it.zone), it.start, it.end, 0.85, text[it.start : it.end]), document
        )
        for it in without(sorted(times, key=lambda it: it.start), superseded(text, tuple(days)))
    ]
    wants_end = _END.search(field.words) is not None
    starts = words_of(lambda it: it.schemas.starts)
    telling = [it for it in telling_words(field) if it not in starts and not _END.fullmatch(it)]
    if wants_end:
        found = [it for it in found if _END.search(labels.before(text, it.start))] or found[1:2]
    elif telling:
        found = surest(beside(found, text, telling)) or (found if len(found) == 1 else [])
    else:
        found = _of_the_day(found, document, text)
    return [
        Candidate(_clock(it.value[0], it.value[1], field), it.start, it.end, it.sure, it.written)
        for it in found
    ]


def _in_the_afternoon(found: Candidate, document: Document) -> Candidate:
    """Return "2.30" in English as 14:30, less surely: nobody meets at night."""
    at, zone = found.value
    if document.language != ENGLISH or not _SMALL_HOUR.fullmatch(found.written):
        return found
    return replace(found, value=(at.replace(hour=at.hour + 12), zone), sure=0.65)


_SMALL_HOUR = lazy_regex(r"(?:at\s)?[1-5](?:[.:][0-5]\d)?", regex.IGNORECASE)
_MEETING = Field("", {"type": "string", "format": "date"}, "date", "meeting date")
_LABELS = lazy_regex(lambda: any_of(lambda it: it.forms.times), regex.IGNORECASE)


def _of_the_day(found: list[Candidate], document: Document, text: str) -> list[Candidate]:
    """Return times, those first that are labelled as the beginning or stand beside the day."""
    if len({it.value[0] for it in found}) < 2:
        return found
    pairs = forms.pairs(text, lambda label: _LABELS.fullmatch(label) is not None)
    named = [it for it in found if any(one.start <= it.start < one.end for one in pairs)]
    days = find_days(_MEETING, document, text)[:1]
    beside_it = [
        it
        for it in found
        for day in days
        if text.count("\n", *sorted((day.start, it.start))) <= 1
        and not _SENTENCE_ENDS.search(text, min(day.end, it.end), max(day.start, it.start))
    ]
    first = [*named, *beside_it]
    return [*first, *(less_sure(it, 0.85) for it in found if it not in first)]


_SENTENCE_ENDS = lazy_regex(r"[!?]\s|(?<=[\p{L})]{3})\.\s|\n\s*\n")


def _clock(at: time, zone: Any, field: Field) -> str:
    if field.schema.get("format") != "time":
        return at.strftime("%H:%M")
    return at.replace(tzinfo=zone or UTC).isoformat().replace("+00:00", "Z")


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
        for it in find_lengths(text) or find_stretches(text)
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
    found = find_identifiers(text, "credit") if role == "invoice" else []
    found = found or find_identifiers(text, role, label)
    if role == "invoice" and not any(it.sure > _BY_ITS_PREFIX for it in found):
        # A receipt has another number where it names no invoice.
        found = labelled(_RECEIPT, document, text) or found or find_identifiers(text, "receipt")
    if pattern := field.schema.get("pattern"):
        found += find_matching(text, regex.compile(pattern))
    return [it for it in found if not is_something_else(text, it.start, it.end, document)]


_RECEIPT = Field("", {"type": "string"}, "id", "receipt number")
_BY_ITS_PREFIX = 0.8


def _free_text(field: Field, document: Document, text: str) -> list[Candidate]:
    return written.free_text(field, document, text) or find_position(field, document, text)


FINDERS: dict[str, Finder] = {
    "date": find_days,
    "datetime": find_moments,
    "time": _times,
    "money": find_sums,
    "currency": find_currencies,
    "length": _lengths,
    "count": lambda field, _, text: find_counts(field, text),
    "id": _identifiers,
    "email": written.emails,
    "phone": written.phones,
    "url": written.urls,
    "iban": written.ibans,
    "bic": written.found_by(contacts.find_bics),
    "vat": companies.vat_ids,
    "address": written.postal,
    "street": written.postal,
    "postcode": written.postal,
    "city": written.postal,
    "country": written.postal,
    "person": written.person,
    "recipient": written.person,
    "first_name": written.person,
    "last_name": written.person,
    "company": companies.company,
    "location": find_locations,
    "text": _free_text,
    "subject": written.subject,
    "sentence": written.sentence,
}
