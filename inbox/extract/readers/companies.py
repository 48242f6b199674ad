"""The company that somebody writes for, also one without a legal form; pure.

What the sender goes by, in the name and in the domain of the address, tells which words of a text
name the company: "Copper Beech Ventures" is whose mail comes from copperbeech.example.
"""

import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

import regex

from inbox.extract.document import Document
from inbox.extract.fields import Field
from inbox.extract.labels import Candidate
from inbox.extract.readers import contacts
from inbox.extract.readers.contacts import Found, find_companies
from inbox.extract.readers.people import (
    closings_in,
    is_automatic,
    is_personal,
    signed_name,
    straight_name,
)
from inbox.languages import any_of, lazy_regex, words_of
from inbox.languages.model import Language
from inbox.rfc5322.addresses.mailbox_providers import PUBLIC_DOMAINS

_COMPANY_LABEL = lazy_regex(
    lambda: (
        rf"(?im)^[ \t*]*{any_of(lambda it: it.people.companies)}(?: name)?\s?"
        r"(?:[:\uff1a][ \t]*\n?|[ \t]*\|)[ \t|:]*(\S[^\n|]{1,80})(?:$|\|)"
    )
)
_NOTED = lazy_regex(r"(?:©|\(c\))\s*$", regex.IGNORECASE)
_BANKED = lazy_regex(
    lambda: rf"(?<!\p{{L}}){any_of(lambda it: it.contacts.registered)}", regex.IGNORECASE
)
_BILLED = lazy_regex(
    lambda: rf"\W{{0,4}}{any_of(lambda it: it.people.billed)}(?!\p{{L}})[\s:/(]*", regex.IGNORECASE
)
_SELLS = lazy_regex(
    lambda: rf"\W{{0,4}}{any_of(lambda it: it.people.companies)}(?!\p{{L}})[\s:/(]*",
    regex.IGNORECASE,
)
# So many lines above a name may say whose it is: a heading, a number, and "Name:".
_MOST_ABOVE = 4
# By so much more speaks for a company than for any other, or none is given.
_CLEARLY = 0.5
_MOST_NAMED = 60
# A name that a domain gives has so many letters at least.
_SHORTEST_KEY = 5
_WORD = r"\p{Lu}[\p{L}\d'’.-]{0,30}"
_STRETCH = lazy_regex(
    lambda: (
        rf"(?<![\p{{L}}\d@&'’.-])(?:{_WORD}|\p{{Ll}}{{1,3}}(?=['’]\p{{Lu}}))"
        rf"(?:[ ](?:{_WORD}|&|\+|{any_of(_joints, _particles)}|\p{{Ll}}{{2,3}})){{0,6}}(?!@)"
    )
)
_TRIMMED = " .,-–'’&+"


def _joints(it: Language) -> str:
    return it.contacts.company_joints


def _particles(it: Language) -> str:
    return it.contacts.company_particles


def find_company(document: Document) -> Found | None:
    """Return the company that the sender writes for; None where nothing names one."""
    for text in (document.layers[1], document.layers[0]):
        for label in _COMPANY_LABEL.finditer(text):
            if named := _company_at(text, label):
                return named
    if found := _signed_company(document):
        return found
    if find_companies(document.sender_name):
        return Found(document.sender_name, -1, -1, 0.85)
    return _only_company(document) or _called_like_the_sender(document) or _by_its_name(document)


def _company_at(text: str, label: regex.Match[str]) -> Found | None:
    """Return what a label says is the company: one of a legal form, else what is only a name."""
    start = label.start(1)
    for it in find_companies(text[start : start + 160]):
        return replace(it, start=start + it.start, end=start + it.end, sure=0.95)
    name = label[1].strip(" |")
    if regex.search(r"[\d:]", name) or name.endswith((",", ".")) or not 1 < len(name.split()) < 7:
        return None
    below = "\n" in label[0].strip()
    return None if below else Found(name, start, start + len(name), 0.9)


def _signed_company(document: Document) -> Found | None:
    """Return the company of the signature."""
    signature = document.layers[1]
    if found := find_companies(signature):
        return found[0] if len({_folded(it.text) for it in found}) == 1 else None
    text = document.own_text
    closings = closings_in(text)
    below = [it for it in find_companies(text) if closings and it.start >= closings[-1]]
    return (
        replace(below[0], start=-1, end=-1)
        if len({_folded(it.text) for it in below}) == 1
        else None
    )


@lru_cache(maxsize=2048)
def _folded(name: str) -> str:
    """Return the letters and digits of a name, without case and accents."""
    plain = unicodedata.normalize("NFKD", name.casefold().replace("ß", "ss").replace("ø", "o"))
    return "".join(it for it in plain if it.isalnum() and not unicodedata.combining(it))


def _only_company(document: Document) -> Found | None:
    """Return the company that the text speaks for: of several that with the account or the head."""
    text = document.layers[0]
    ours = _folded(document.recipient_name)
    named = [it for it in find_companies(text) if _folded(it.text) not in ours][:_MOST_NAMED]
    if not named:
        return None
    first = {_folded(it.text): it for it in reversed(named)}
    scores = dict.fromkeys(first, 0.0)
    # What stands at the head is whoever writes, unless something says otherwise.
    scores[_folded(named[0].text)] += 0.5
    for it in named:
        scores[_folded(it.text)] += _speaks_for(it, text)
    keys = _keys(document)
    for name in scores:
        scores[name] += 2.0 if any(_is_like(name, key) for key in keys) else 0.0
    best = max(scores, key=lambda it: scores[it])
    others = max((it for name, it in scores.items() if name != best), default=0.0)
    if scores[best] <= 0 or scores[best] - others < _CLEARLY:
        return None
    return first[best] if len(first) == 1 else replace(first[best], sure=0.75)


def _is_like(name: str, key: str) -> bool:
    """Return True if one of two folded names begins with the other, and that is not short."""
    return name.startswith(key) or (len(name) >= _SHORTEST_KEY and key.startswith(name))


def is_of_customer(text: str, start: int) -> bool:
    """Return True if what stands here is under what introduces whom a bill is for."""
    return _whose(text, start) == "customer"


def _whose(text: str, start: int) -> str:
    """Return whose the block is in which something stands: seller, customer or ""; by its head."""
    lines = text[max(0, start - 600) : start].split("\n")
    column = _columns(lines[-1]) - 1
    for number, line in enumerate(reversed(lines[-_MOST_ABOVE - 1 :])):
        cells = line.split("|") if number else [line]
        if whose := _head_of(cells[column] if len(cells) > column > 0 else cells[0], number):
            return whose
        # Across a blank line only a heading is of the same block.
        if number > 1 and not lines[-number].strip():
            return ""
    return ""


def _head_of(cell: str, number: int) -> str:
    for pattern, whose in ((_BILLED, "customer"), (_SELLS, "seller")):
        head = pattern.match(cell)
        # A heading says no more than that; in the line itself the name follows.
        if head is not None and (not number or head.end() == len(cell) or ":" in head[0]):
            return whose
    return ""


def _columns(line: str) -> int:
    return line.count("|") + 1


def _speaks_for(company: Found, text: str) -> float:
    """Return what the line of a name, and what is left of it, say for its being whoever writes."""
    whose = _whose(text, company.start)
    if whose == "customer" or _NOTED.search(text[: company.start][-8:]):
        return -3.0
    if whose == "seller":
        return 1.5
    end = text.find("\n", company.end)
    line = text[text.rfind("\n", 0, company.start) + 1 : end if end >= 0 else len(text)]
    return 1.5 if _BANKED.search(line) else 0.5


_DESK = lazy_regex(
    lambda: rf"(?:.*[._+-])?{any_of(lambda it: it.contacts.desks)}(?:[._+\d-].*)?$",
    regex.IGNORECASE,
)
_SECOND_LEVEL = frozenset({"co", "com", "org", "net", "ac", "gov", "edu", "or", "ne"})


def _is_desk(document: Document) -> bool:
    """Return True if the sender's address is that of a task in a house, and of no person."""
    local = document.sender_email.partition("@")[0]
    return is_automatic(document.sender_email) or _DESK.match(local) is not None


def _domain_key(address: str) -> str:
    """Return the name that the domain of an address has, folded; "" where anybody gets one."""
    domain = address.rpartition("@")[2].lower()
    labels = domain.split(".")[:-1]
    if len(labels) > 1 and labels[-1] in _SECOND_LEVEL:
        labels = labels[:-1]
    if not labels or domain in PUBLIC_DOMAINS:
        return ""
    return _folded(labels[-1])


def _keys(document: Document) -> list[str]:
    """Return what the company may be called, folded, by whom the message comes from."""
    keys = [_domain_key(document.sender_email), _folded(_own_name(document))]
    return [it for it in keys if len(it) >= _SHORTEST_KEY]


_PARTS = lazy_regex(r"\s[–—|•·-]\s|[,:;(/]\s?|\s@\s")


def _own_name(document: Document) -> str:
    """Return the display name without words of any desk: "Harrow Ltd, Accounts"; "" for none."""
    name = straight_name(document.sender_name)
    if is_personal(name) and not _is_desk(document):
        key = _domain_key(document.sender_email)
        if not key or not _is_like(_folded(name), key) or _is_local_part(name, document):
            return ""
    parts = [" ".join(_without_desks(it.split())) for it in _PARTS.split(name)]
    return max(parts, key=len, default="")


def _is_local_part(name: str, document: Document) -> bool:
    """Return True if the address is made of the words of a name, as that of a person is."""
    local = _folded(document.sender_email.partition("@")[0])
    return any(len(it) > 1 and _folded(it) in local for it in name.split())


def _without_desks(words: list[str]) -> list[str]:
    generic = words_of(lambda it: it.classify.of_anybody)
    while words and (words[-1].casefold().strip(".") in generic or not words[-1][0].isalnum()):
        words = words[:-1]
    while words and words[0].casefold() in generic:
        words = words[1:]
    return words


def _called_like_the_sender(document: Document) -> Found | None:
    """Return the name in the text that the domain or the display name gives, else in the line."""
    keys = _keys(document)
    texts = (document.layers[1], document.own_text)
    found = [it for text in texts for key in keys for it in _named_like(text, key)]
    person = _folded(straight_name(document.sender_name))
    signed = signed_name(document.own_text + "\n" + document.layers[1])
    people = {person, _folded(signed.text) if signed else ""} if not _is_desk(document) else set()
    found = [it for it in found if _folded(it) not in people]
    if found:
        return Found(max(found, key=lambda it: (found.count(it), len(it))), -1, -1, 0.8)
    return _in_signature(document)


def _named_like(text: str, key: str) -> Iterator[str]:
    """Yield the stretches of capitalised words that begin with what a key says."""
    for match in _STRETCH.finditer(text[:20_000]):
        words = match[0].split(" ")
        for first in range(len(words)):
            rest = words[first:]
            joined = _folded("".join(rest).replace("&", "and"))
            if not (joined.startswith(key) or _folded("".join(rest)).startswith(key)):
                continue
            while rest and (not rest[-1][:1].isupper() or len(_without_desks(rest)) < len(rest)):
                rest = rest[:-1]
            if _folded("".join(rest)).startswith(key[:_SHORTEST_KEY]):
                yield " ".join(rest).strip(_TRIMMED)
            break


_ORGANISATION = lazy_regex(
    lambda: rf"(?<!\p{{L}})(?:{any_of(lambda it: it.people.organisations)})(?!\p{{L}})"
)
_LINES_BELOW = 6


def _in_signature(document: Document) -> Found | None:
    """Return a cell below who signs that has that name in it, or says that it is a house."""
    signed = signed_name(document.own_text + "\n" + document.layers[1])
    person = signed.text if signed else straight_name(document.sender_name)
    surname = person.split()[-1] if len(person.split()) > 1 else ""
    text = document.layers[1] or document.own_text
    closings = closings_in(text)
    below = (
        text[closings[-1] :] if closings else "\n".join(text.strip().split("\n")[-_LINES_BELOW:])
    )
    for line in below.strip().split("\n")[: _LINES_BELOW + 1]:
        for cell in regex.split(r"\s[|·•–]\s|,\s", line):
            name = cell.strip(_TRIMMED + "*|")
            if not _STRETCH.fullmatch(name) or not 1 < len(name.split()) < 7:
                continue
            if name == person and not _ORGANISATION.search(name):
                continue
            has_surname = surname and surname in name.split() and not name.startswith(person)
            if has_surname or _ORGANISATION.search(name):
                return Found(name, -1, -1, 0.7)
    return None


def _by_its_name(document: Document) -> Found | None:
    """Return the display name where it is that of a house."""
    name = _own_name(document)
    if len(_folded(name)) < 3 or name.startswith("http") or "@" in name:
        return None
    key = _domain_key(document.sender_email)
    is_like = bool(key) and _is_like(_folded(name), key)
    if not is_like and (is_automatic(document.sender_email) or not _is_desk(document)):
        return None
    return Found(name, -1, -1, 0.75 if is_like else 0.5)


# Fields that ask for whom somebody writes, and not who bills.
_OF_A_WRITER = frozenset({"company", "organisation", "organization", "employer"})


def company(field: Field, document: Document, text: str) -> list[Candidate]:
    """Find the company that the sender writes for."""
    found = find_company(document) if text is document.layers[0] else None
    if found is None or (field.words in _OF_A_WRITER and not _is_the_writers(found, document)):
        return []
    return [Candidate(found.text, found.start, found.end, found.sure)]


def _is_the_writers(found: Found, document: Document) -> bool:
    """Return True unless a company is only spoken of, by somebody who may be of another."""
    if is_automatic(document.sender_email):
        return False
    if found.start < 0 or _is_desk(document):
        return True
    if any(_is_like(_folded(found.text), key) for key in _keys(document)):
        return True
    text = document.layers[0]
    if found.sure > 0.85 or text.find(found.text, found.start - 1) < 0:
        return True
    line = text[text.rfind("\n", 0, found.start) + 1 : found.start]
    signed = signed_name(document.own_text + "\n" + document.layers[1])
    names = [straight_name(document.sender_name), signed.text if signed else ""]
    return not regex.search(r"[.!?]\s|\p{Ll}\s", line) or any(it and it in line for it in names)


def vat_ids(_: Field, __: Document, text: str) -> list[Candidate]:
    """Find numbers by which a company pays taxes; the customer's come last."""
    found = [*contacts.find_named_vat_ids(text), *contacts.find_vat_ids(text)]
    theirs = [it for it in found if is_of_customer(text, it.start)]
    ours = sorted((it for it in found if it not in theirs), key=lambda it: (-it.sure, it.start))
    return [Candidate(it.text, it.start, it.end, it.sure, it.text) for it in ours]
