"""Where something takes place: by a label, an address, or what stands behind "at" near its time.

A place that is only spoken of is none: it stands in a sentence that names a day or a time. Of two
that are equally near none is given.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import regex

from inbox.extract import forms
from inbox.extract.document import Document
from inbox.extract.fields import Field
from inbox.extract.labels import Candidate
from inbox.extract.readers.calendar_words import months, weekdays
from inbox.extract.readers.dates import find_dates
from inbox.extract.readers.people import closings_in
from inbox.extract.readers.places import find_postal_addresses, find_rooms
from inbox.extract.readers.superseded import superseded
from inbox.extract.readers.times import find_times
from inbox.languages import any_of, language, lazy_regex
from inbox.languages.model import Language

_LABEL = lazy_regex(
    lambda: any_of(lambda it: it.forms.places, lambda it: it.labels.more.get("location", "")),
    regex.IGNORECASE,
)
_WEB = lazy_regex(r"https?:|www\.")
# A label within a sentence: "Ort wie gehabt: …", "the room changes too: …".
_LABEL_WITHIN = lazy_regex(
    lambda: (
        rf"(?<=^|[.,;!(?]\s|\n)(?:\p{{L}}{{2,4}}\s)?(?:{_LABEL.pattern})"
        r"(?:(?:\s\p{L}+){0,3}\s?[:\uff1a]\s*"
        rf"|\s(?:{any_of(lambda it: it.labels.equals)})\s"
        rf"(?:(?:{any_of(lambda it: it.places.our)})\s)?(?=\p{{Lu}}))"
        r"(?P<value>[\p{L}\d][^\n;!?]{1,120}?)(?=$|[;!?\n]|\.(?:\s|$)|\s[–—-]\s)"
    ),
    regex.IGNORECASE,
)
_SENTENCE = lazy_regex(
    r"(?:[^.!?\n]|(?<=\d|(?<!\p{L})\p{L}{1,3})\.|\.(?=\S)|[!?](?=\S)|\n(?!\s*\n))+"
)
_CAPITAL = r"\p{Lu}[\p{L}'’-]*(?:(?<=(?<!\p{L})\p{Lu}\p{Ll}{0,2})\.)?"
_LONGEST_READ = 8_000
# How sure what stands behind "at" is, and an address.
_BY_A_WORD, _BY_AN_ADDRESS = 0.75, 0.8
_IN_THE_NEXT = 0.65


def find_locations(_: Field, document: Document, text: str) -> list[Candidate]:
    """Return where something takes place, the surest first; [] where that is not clear."""
    if labelled := _labelled(document, text):
        return labelled
    if text is not document.layers[0]:
        return []
    text = text[:_LONGEST_READ]
    days = find_dates(text, document.sent_on, document.language)
    moments = [(it.start, it.end) for it in days]
    moments += [(it.start, it.end) for it in find_times(text)]
    found = [it for it in _said(document, text, moments) if not _is_signed(it, document, text)]
    old = superseded(text, tuple(days))
    said = [it for it in found if not any(start <= it.start < end for start, end in old)]
    # What stands in the sentence of the day itself, before what stands in the next one.
    said = [it for it in said if it.sure > _IN_THE_NEXT] or said
    # Else the only room that is named at all.
    best = _widest(said, text) or [
        Candidate(it.text, it.start, it.end, 0.6, it.text)
        for it in find_rooms(text)
        if not _BARE_SPOT.fullmatch(it.text)
    ]
    return best if len({it.value.casefold() for it in best}) == 1 else []


def _is_signed(it: Candidate, document: Document, text: str) -> bool:
    """Return True for what stands in the own words below what closes them: whose address it is."""
    closings = closings_in(document.own_text)
    since = text.find(document.own_text.strip()[:200]) if closings else -1
    end = since + len(document.own_text)
    return since >= 0 and since + closings[-1] <= it.end and it.start < end


def _labelled(document: Document, text: str) -> list[Candidate]:
    found = [
        Candidate(text[it.start : it.end].strip(" *|"), it.start, it.end, 0.93)
        for it in forms.pairs(text, lambda label: _LABEL.fullmatch(label) is not None)
    ]
    found += [
        Candidate(it["value"].strip(" *|"), *it.span("value"), 0.88)
        for it in _LABEL_WITHIN.finditer(text[:_LONGEST_READ], timeout=0.5)
    ]
    return [it for it in found if _is_place(it.value) and it.value not in document.own_emails]


def _is_place(value: str) -> bool:
    return 2 < len(value) < 160 and not _WEB.match(value) and "@" not in value


@dataclass(frozen=True, slots=True)
class _Forms:
    """What places look like in a sentence."""

    lead: regex.Pattern[str]
    place: regex.Pattern[str]


def _joints(it: Language) -> str:
    joined = (it.places.before, it.places.city_joints, it.contacts.name_particles)
    return "|".join(one for one in joined if one)


@lru_cache(maxsize=32)
def _patterns(code: str) -> _Forms:
    """Return the patterns for a text in a language, which need not be known."""
    known = language(code)
    # Whether a capital letter shows a name.
    capitals = known.places.capitals if known else True
    first = "" if capitals else r"(?=\p{Lu})"
    spot = rf"{first}(?i:{any_of(lambda it: it.places.spots)})(?!\p{{L}})"
    small = rf"(?:{any_of(lambda it: it.places.our)}|\p{{Ll}}{{3,12}})"
    joint = rf"(?:{any_of(_joints, lambda it: it.contacts.company_particles)}|&)"
    number = r"[A-Z]?\d[\w-]*(?:\.\d+)*|[A-Z](?!\p{L})"
    # "salle des mariages": a small word behind it, if nothing follows that.
    behind = rf"(?:{joint}\s){{1,2}}\p{{Ll}}{{3,16}}(?=[,.;()\n]|$)"
    named = rf"{spot}(?:\s(?:(?:{joint}\s){{0,2}}{_CAPITAL}|{number}|{behind}))*"
    # A name of a place, words before what it is called, or a number behind that.
    core = rf"(?:(?:{small}\s){{0,3}}?(?:{_CAPITAL}\s){{0,4}}{named})"
    if capitals:
        core += rf"|(?:{_CAPITAL}(?:\s(?:(?:{joint}\s){{0,2}}{_CAPITAL}|&))*(?:\s\d+)?)"
    more = (
        rf"(?:,\s{spot}\s(?:{number})(?!\p{{L}})"
        rf"|,\s(?:{_CAPITAL}|\d|{spot})[^,.;:!?()\n]{{1,40}}?(?=[,.;:!?()\n]|$)"
        r"|\s\([^()\n]{3,60}\))"
    )
    before = (known.places.before if known else "") or any_of(lambda it: it.places.before)
    our = any_of(lambda it: it.places.our)
    lead = rf"(?:(?<!\p{{L}})(?:{before})\s(?i:(?:{our})\s)?|,\s)"
    return _Forms(regex.compile(lead), regex.compile(rf"(?P<core>{core})(?P<more>(?:{more})*)"))


_SPOT = lazy_regex(
    lambda: rf"(?<!\p{{L}})(?:{any_of(lambda it: it.places.spots)})(?!\p{{L}})", regex.IGNORECASE
)
_BARE_SPOT = lazy_regex(
    lambda: (
        rf"(?:(?:{any_of(lambda it: it.places.our)})\s)?(?:{any_of(lambda it: it.places.spots)})"
    )
)
_NO_PLACE = lazy_regex(
    lambda: (
        rf"(?:{'|'.join(regex.escape(it) for it in (*months(), *weekdays()))})(?!\p{{L}})"
        r"|\d|[A-Z]{1,2}(?!\p{L})"
    ),
    regex.IGNORECASE,
)


def _said(document: Document, text: str, moments: Sequence[tuple[int, int]]) -> Iterator[Candidate]:
    """Yield the places of sentences that name a day or a time."""
    kind = _patterns(document.language)
    addresses = find_postal_addresses(text)
    before = False
    for sentence in _SENTENCE.finditer(text):
        start, end = sentence.span()
        near = [it for it in moments if start <= it[0] < end]
        if not near and not before:
            continue
        is_next, before = not near, bool(near)
        for it in addresses:
            if start <= it.start < end:
                yield _with_neighbours(text, it.start, it.end, end)
        for lead in kind.lead.finditer(text, start, end):
            found = _place_behind(lead, kind, near, end)
            if found is None or _is_no_place(found["core"], document, bare=is_next):
                continue
            begin = lead.end()
            rest = found["more"][2:]
            is_bare = _BARE_SPOT.fullmatch(found["core"]) and not _SPOT.match(rest)
            if is_bare and found["more"].startswith(", ") and regex.search(r"\d", rest):
                # "At our office, 9 Mill Lane": the address is the place.
                begin = found.start("more") + 2
            written = text[begin : found.end()].strip(" ,.")
            sure = _IN_THE_NEXT if is_next else _BY_A_WORD
            yield Candidate(written, begin, begin + len(written), sure)


def _place_behind(
    lead: "regex.Match[str]", kind: _Forms, near: Sequence[tuple[int, int]], end: int
) -> "regex.Match[str] | None":
    """Return the place that stands behind "at", or behind a day or time and a comma."""
    is_comma = lead[0].startswith(",")
    if is_comma and not any(0 <= lead.start() - it[1] <= _NEAR for it in near):
        return None
    found = kind.place.match(lead.string, lead.end(), min(end, lead.end() + _LONGEST_PLACE))
    if found is None or (is_comma and _SPOT.search(found["core"]) is None):
        return None
    # A day or a time is no place.
    is_moment = any(found.start() < it[1] and it[0] < found.end("core") for it in near)
    return None if is_moment else found


_NEAR, _LONGEST_PLACE = 8, 140


def _is_no_place(core: str, document: Document, *, bare: bool) -> bool:
    """Return True for a month or a person; where none is near, for a bare name as well."""
    has_spot = _SPOT.search(core) is not None
    # "I am in the office from 8."
    is_unnamed = _BARE_SPOT.fullmatch(core) is not None
    if _NO_PLACE.match(core) or (bare and (is_unnamed or not has_spot)):
        return True
    names = {*document.recipient_name.split(), *document.sender_name.split()}
    return not has_spot and core.split(maxsplit=1)[0] in names


_CITY_BEHIND = lazy_regex(rf",\s{_CAPITAL}(?:[ -]{_CAPITAL}){{0,2}}(?=[).,;\n]|\s\(|$)")
_HOUSE_BEFORE = lazy_regex(
    rf"(?P<house>{_CAPITAL}(?:[ ](?:\p{{Ll}}{{1,3}}[ ])?{_CAPITAL}|[ ]&|[ ]\d+){{0,4}}),\s$"
)


def _with_neighbours(text: str, start: int, end: int, stop: int) -> Candidate:
    """Return an address with the house before it and the town behind it."""
    if behind := _CITY_BEHIND.match(text, end, stop + 1):
        end = behind.end()
    before = _HOUSE_BEFORE.search(text, max(0, start - 60), start)
    if before is not None and not _NO_PLACE.match(before["house"]):
        start = before.start("house")
    written = text[start:end].strip(" ,.")
    return Candidate(" ".join(written.split()), start, start + len(written), _BY_AN_ADDRESS)


def _widest(found: Sequence[Candidate], text: str) -> list[Candidate]:
    """Return what overlaps as one place; those with an address or a kind of place first."""
    made: list[Candidate] = []
    for it in sorted(found, key=lambda it: (it.start, -it.end)):
        if made and it.start < made[-1].end:
            last = made[-1]
            end, sure = max(last.end, it.end), max(last.sure, it.sure)
            made[-1] = Candidate(" ".join(text[last.start : end].split()), last.start, end, sure)
        else:
            made.append(it)
    for better in (
        [it for it in made if it.sure > _BY_A_WORD],
        [it for it in made if _SPOT.search(it.value) is not None],
    ):
        if better:
            return better
    return made
