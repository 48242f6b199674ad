"""Who sells or bills, where a form or a sentence says so; pure."""

from dataclasses import replace

import regex

from inbox.extract.document import Document
from inbox.extract.readers.calendar_words import months, weekdays
from inbox.extract.readers.contacts import Found, find_companies
from inbox.extract.readers.display_names import STRETCH, folded, is_like, keys_of
from inbox.languages import any_of, lazy_regex

TRIMMED = " .,-–'’&+"
BILLED = lazy_regex(
    lambda: rf"\W{{0,4}}{any_of(lambda it: it.people.billed)}(?!\p{{L}})[\s:/(]*", regex.IGNORECASE
)
SELLS = lazy_regex(
    lambda: rf"\W{{0,4}}{any_of(lambda it: it.people.companies)}(?!\p{{L}})[\s:/(]*",
    regex.IGNORECASE,
)


_NAME_LINE = lazy_regex(
    lambda: (
        rf"{any_of(lambda it: it.people.name_labels)}[ ]?[:|\uff1a][ |]*(?P<name>\S[^\n|]{{2,80}})"
    ),
    regex.IGNORECASE,
)
_MOST_BELOW = 6


def in_seller_block(document: Document) -> Found | None:
    """Return what a form below the heading "Seller" has as the name."""
    lines = document.layers[0].split("\n")[:_MOST_LINES]
    for number, line in enumerate(lines):
        head = SELLS.match(line)
        if head is None or head.end() < len(line.rstrip()):
            continue
        for below in lines[number + 1 : number + 1 + _MOST_BELOW]:
            if BILLED.match(below):
                break
            if named := _NAME_LINE.match(below):
                return Found(named["name"].strip(" |"), -1, -1, 0.9)
        if first := _FIRST_CELL.match("\n".join(lines[number + 1 :])):
            whole = [it for it in find_companies(first["name"]) if not it.start]
            if whole:
                return replace(whole[0], start=-1, end=-1, sure=0.9)
    return None


_FIRST_CELL = lazy_regex(r"\s{0,4}(?P<name>[^\n|]{2,80})")
_MOST_LINES = 400


def passed_on_for(document: Document) -> Found | None:
    """Return whose invoice or parcel it is that somebody else writes of: "your parcel from …"."""
    text = document.layers[0][:LONGEST_READ]
    found: list[str] = []
    for lead in _COMES_FROM.finditer(text):
        name = STRETCH.match(text, lead.end())
        whole = next(
            (it for it in find_companies(text[lead.end() : lead.end() + 90]) if not it.start), None
        )
        written = whole.text if whole else name[0].strip(TRIMMED) if name else ""
        if len(folded(written)) > 2 and not _IS_NO_NAME.match(written):
            found.append(written)
    ours = folded(document.recipient_name)
    found = [it for it in found if not (ours and folded(it) in ours)]
    if not found or any(is_like(folded(found[0]), key) for key in keys_of(document)):
        return None
    # "Birch", and "Birch Ltd" further down, are the same.
    longest = max(found, key=len)
    is_one = all(folded(longest).startswith(folded(it)) for it in found)
    return Found(longest, -1, -1, 0.85) if is_one else None


LONGEST_READ = 6_000
_COMES_FROM = lazy_regex(
    lambda: (
        rf"(?<!\p{{L}})(?:{any_of(lambda it: it.contacts.comes_from)})"
        r"[ \t\"'„“*]{1,3}(?=\d?\p{Lu})"
    ),
    regex.IGNORECASE,
)
_IS_NO_NAME = lazy_regex(
    lambda: (
        rf"(?:{'|'.join(regex.escape(it) for it in (*months(), *weekdays()))}"
        rf"|{any_of(lambda it: it.places.countries)})(?!\p{{L}})"
    ),
    regex.IGNORECASE,
)
