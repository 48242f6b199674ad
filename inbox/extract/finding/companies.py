"""The company that somebody writes for, also one without a legal form; pure.

What the sender goes by, in the name and in the domain of the address, tells which words of a text
name the company: "Copper Beech Ventures" is whose mail comes from copperbeech.example.
"""

from collections.abc import Iterator
from dataclasses import replace

import regex

from inbox.extract.document import Document
from inbox.extract.fields import Field
from inbox.extract.finding.sellers import (
    BILLED,
    LONGEST_READ,
    SELLS,
    TRIMMED,
    in_seller_block,
    passed_on_for,
)
from inbox.extract.labels import Candidate
from inbox.extract.readers import contacts
from inbox.extract.readers.contacts import Found, find_companies
from inbox.extract.readers.display_names import (
    ORGANISATION,
    SHORTEST_KEY,
    STRETCH,
    domain_key,
    folded,
    is_automatic,
    is_desk,
    is_like,
    is_personal,
    keys_of,
    own_name,
    straight_name,
    without_desks,
)
from inbox.extract.readers.people import closings_in, find_introduced, signed_name
from inbox.languages import any_of, lazy_regex

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
# So many lines above a name may say whose it is: a heading, a number, and "Name:".
_MOST_ABOVE = 4
# By so much more speaks for a company than for any other, or none is given.
_CLEARLY = 0.5
_SELLS_CLEARLY = 1.5
_MOST_NAMED = 60


def find_company(document: Document) -> Found | None:
    """Return the company that the sender writes for; None where nothing names one."""
    for text in (document.layers[1], document.layers[0]):
        for label in _COMPANY_LABEL.finditer(text):
            if named := _company_at(text, label):
                return named
    if found := in_seller_block(document) or passed_on_for(document) or _signed_company(document):
        return _as_it_goes_by(found, document)
    if find_companies(document.sender_name):
        return Found(document.sender_name, -1, -1, 0.85)
    return (
        _own_name_in_text(document)
        or _only_company(document)
        or _called_like_the_sender(document)
        or _begun_alike(document)
        or _by_its_name(document)
    )


def _as_it_goes_by(found: Found, document: Document) -> Found:
    """Return the whole name where a legal form stands within it: "Kerk & Co Accounting"."""
    name = straight_name(document.sender_name)
    is_longer = name.startswith(f"{found.text} ") and name in document.everything
    return Found(name, -1, -1, found.sure) if is_longer else found


def _own_name_in_text(document: Document) -> Found | None:
    """Return what the text calls the house that the display name names: in full, if it does.

    In full is with its legal form, or as a line or cell of its own that begins with the name.
    """
    names = (straight_name(document.sender_name), own_name(document))
    text = "\n".join((document.layers[1], document.layers[0]))[: 2 * LONGEST_READ]
    for name in names if own_name(document) else ():
        if len(folded(name)) < SHORTEST_KEY - 1 or "@" in name:
            continue
        words = r"\s+".join(regex.escape(it) for it in name.split())
        whole = regex.compile(rf"(?<![\p{{L}}\d]){words}(?![\p{{L}}\d]|-\d)", regex.IGNORECASE)
        hits = list(whole.finditer(text))
        if hits:
            found = [it[0] for it in hits] + [it for hit in hits for it in _in_full(text, hit)]
            return Found(max(found, key=len), -1, -1, 0.9)
    return None


_END_OF_CELL = lazy_regex(r"[ \t]*(?:$|[|\n·•,*])")


def _in_full(text: str, hit: "regex.Match[str]") -> Iterator[str]:
    """Yield longer names that begin where a name was found: of a legal form, or a whole cell."""
    for it in find_companies(text[hit.start() : hit.end() + 40]):
        if not it.start and len(it.text) > len(hit[0]):
            yield it.text
    before = text[: hit.start()].rstrip(" \t*")
    stretch = STRETCH.match(text, hit.start())
    if (not before or before[-1] in "\n|") and stretch and stretch.end() > hit.end():
        more = stretch[0][hit.end() - hit.start() :].split()
        rest = text[stretch.end() :].partition("\n")[0]
        # What stands in a row with numbers is what was sold: "Harrow Pro, 6 x €16.50".
        is_sold = regex.search(r"\d[.,]\d\d(?!\d)|[×x]\s?\d", rest)
        if len(more) < 4 and not is_sold and _END_OF_CELL.match(text, stretch.end()):
            yield stretch[0]


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
    if found := [
        it for it in find_companies(signature) if not _is_only_told_of(it, signature, document)
    ]:
        return found[0] if len({folded(it.text) for it in found}) == 1 else None
    text = document.own_text
    closings = closings_in(text)
    below = [
        it
        for it in find_companies(text)
        if closings and it.start >= closings[-1] and not _is_only_told_of(it, text, document)
    ]
    return (
        replace(below[0], start=-1, end=-1) if len({folded(it.text) for it in below}) == 1 else None
    )


def _is_only_told_of(company: Found, text: str, document: Document) -> bool:
    """Return True if a signature names another house within a sentence: whose program it is."""
    own = folded(own_name(document))
    if not own or any(is_like(folded(company.text), key) for key in keys_of(document)):
        return False
    before = text[: company.start].rpartition("\n")[2]
    return regex.search(r"\p{Ll}{2,},?\s$", before) is not None


def _only_company(document: Document) -> Found | None:
    """Return the company that the text speaks for: of several that with the account or the head."""
    text = document.layers[0]
    ours = folded(document.recipient_name)
    named = [it for it in find_companies(text) if folded(it.text) not in ours][:_MOST_NAMED]
    if not named:
        return None
    first = {folded(it.text): it for it in reversed(named)}
    scores = dict.fromkeys(first, 0.0)
    # What stands at the head is whoever writes, unless something says otherwise.
    scores[folded(named[0].text)] += 0.5
    for it in named:
        scores[folded(it.text)] += _speaks_for(it, text)
    keys = keys_of(document)
    for name in scores:
        scores[name] += 2.0 if any(is_like(name, key) for key in keys) else 0.0
    best = max(scores, key=lambda it: scores[it])
    # A house that goes by a name of its own is another one only where that sells or is paid.
    is_own = any(is_like(best, key) for key in keys)
    if not is_own and own_name(document) and scores[best] < _SELLS_CLEARLY:
        return None
    others = max((it for name, it in scores.items() if name != best), default=0.0)
    if scores[best] <= 0 or scores[best] - others < _CLEARLY:
        return None
    return first[best] if len(first) == 1 else replace(first[best], sure=0.75)


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
    for pattern, whose in ((BILLED, "customer"), (SELLS, "seller")):
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


def _called_like_the_sender(document: Document) -> Found | None:
    """Return the name in the text that the domain or the display name gives, else in the line."""
    keys = keys_of(document)
    texts = (document.layers[1], document.own_text)
    found = [it for text in texts for key in keys for it in named_like(text, key)]
    person = folded(straight_name(document.sender_name))
    signed = signed_name(document.own_text + "\n" + document.layers[1])
    people = {person, folded(signed.text) if signed else ""} if not is_desk(document) else set()
    found = [it for it in found if folded(it) not in people]
    if found:
        return Found(max(found, key=lambda it: (found.count(it), len(it))), -1, -1, 0.8)
    return _in_signature(document)


def named_like(text: str, key: str) -> Iterator[str]:
    """Yield the stretches of capitalised words that begin with what a key says."""
    for match in STRETCH.finditer(text[:20_000]):
        words = match[0].split(" ")
        for first in range(len(words)):
            rest = words[first:]
            joined = folded("".join(rest).replace("&", "and"))
            is_short = len(joined) >= SHORTEST_KEY and len(joined) * 5 >= len(key) * 3
            if not (
                joined.startswith(key)
                or folded("".join(rest)).startswith(key)
                or (is_short and key.startswith(joined))
            ):
                continue
            while rest and (not rest[-1][:1].isupper() or without_desks(rest)[-1:] != rest[-1:]):
                rest = rest[:-1]
            written = "".join(rest)
            beginnings = (folded(written), folded(written.replace("&", "and")))
            if any(it.startswith(key[:SHORTEST_KEY]) for it in beginnings):
                yield " ".join(rest).strip(TRIMMED)
            break


_LINES_BELOW = 6


def _in_signature(document: Document) -> Found | None:
    """Return a cell below who signs that has that name in it, or says that it is a house."""
    signed = signed_name(document.own_text + "\n" + document.layers[1])
    person = signed.text if signed else straight_name(document.sender_name)
    is_house = signed is None and (is_desk(document) or not is_personal(person))
    surname = person.split()[-1] if len(person.split()) > 1 and not is_house else ""
    text = document.layers[1] if document.layers[1].strip() else document.own_text
    closings = closings_in(text)
    below = (
        text[closings[-1] :] if closings else "\n".join(text.strip().split("\n")[-_LINES_BELOW:])
    )
    for line in below.strip().split("\n")[: _LINES_BELOW + 1]:
        for cell in regex.split(r"\s[|·•–]\s|,\s", line):
            name = cell.strip(TRIMMED + "*|")
            if not STRETCH.fullmatch(name) or not 1 < len(name.split()) < 7:
                continue
            if name == person and not ORGANISATION.search(name):
                continue
            has_surname = surname and surname in name.split() and not name.startswith(person)
            if has_surname or ORGANISATION.search(name):
                return Found(name, -1, -1, 0.7)
    return None


def _begun_alike(document: Document) -> Found | None:
    """Return the house of a line of its own that begins as the short name of the sender does.

    "Pine Hill Owners Association" is whose mail comes from "Pine Hill OA".
    """
    first = without_desks(own_name(document).split())[:1]
    if not first or len(folded(first[0])) < SHORTEST_KEY:
        return None
    cells = (it.strip(" *") for line in document.layers[0].split("\n") for it in line.split("|"))
    found = {
        it
        for it in cells
        if it.startswith(f"{first[0]} ") and STRETCH.fullmatch(it) and ORGANISATION.search(it)
    }
    return Found(found.pop(), -1, -1, 0.75) if len(found) == 1 else None


def _by_its_name(document: Document) -> Found | None:
    """Return the display name where it is that of a house."""
    name = own_name(document)
    if len(folded(name)) < 3 or name.startswith("http") or "@" in name:
        return None
    key = domain_key(document.sender_email)
    is_its_own = bool(key) and is_like(folded(name), key)
    if not is_its_own and (is_automatic(document.sender_email) or not is_desk(document)):
        return None
    return Found(name, -1, -1, 0.75 if is_its_own else 0.5)


# Fields that ask for whom somebody writes, and not who bills.
_OF_A_WRITER = frozenset({"company", "organisation", "organization", "employer"})


def company(field: Field, document: Document, text: str) -> list[Candidate]:
    """Find the company that the sender writes for."""
    if text is not document.layers[0]:
        return []
    introduced = find_introduced(document) if field.words in _OF_A_WRITER else None
    if introduced is not None:
        named = max(named_like(text, domain_key(introduced[1])), key=len, default="")
        return [Candidate(named, -1, -1, 0.8)] if named else []
    found = find_company(document)
    if found is None and field.words not in _OF_A_WRITER:
        found = _who_works_alone(document)
    if found is None or (field.words in _OF_A_WRITER and not _is_the_writers(found, document)):
        return []
    return [Candidate(found.text, found.start, found.end, found.sure)]


def _who_works_alone(document: Document) -> Found | None:
    """Return the sender's own name where the address is that of no other house."""
    name = straight_name(document.sender_name)
    words = [folded(it) for it in name.split()]
    if len(words) < 2 or is_desk(document) or not is_personal(name):
        return None
    key = domain_key(document.sender_email)
    return Found(name, -1, -1, 0.6) if not key or words[-1] in key else None


def _is_the_writers(found: Found, document: Document) -> bool:
    """Return True unless a company is only spoken of, by somebody who may be of another."""
    if is_automatic(document.sender_email):
        return False
    if found.start < 0 or is_desk(document):
        return True
    if any(is_like(folded(found.text), key) for key in keys_of(document)):
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
