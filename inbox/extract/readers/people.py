"""Who writes and who is named, and the company they write for; pure."""

from dataclasses import replace
from functools import cache

import regex

from inbox.extract.document import Document
from inbox.extract.readers.contacts import NAME, Found, find_companies
from inbox.languages import any_of, lazy_regex

_CLOSING = lazy_regex(
    lambda: rf"^[ \t]*(?:{any_of(lambda it: it.people.closings)}[ \t]*[,.!]?[ \t]*(?:from )?)$",
    regex.IGNORECASE | regex.MULTILINE,
)
_INLINE_CLOSING = lazy_regex(
    lambda: (
        rf"^[ \t]*{any_of(lambda it: it.people.inline_closings)}[,!]?[ \t]+"
        r"(?P<name>\p{Lu}[^\n,.]{1,40})$"
    ),
    regex.IGNORECASE | regex.MULTILINE,
)


@cache
def _title() -> str:
    return any_of(lambda it: it.people.titles)


_INTRODUCTION = lazy_regex(
    lambda: rf"{any_of(lambda it: it.people.introductions)}\s?{_title()}?\s?", regex.IGNORECASE
)
_WHOLE_INTRODUCTION = lazy_regex(lambda: any_of(lambda it: it.people.introduction_forms))
_ARABIC_NAME = lazy_regex(r"[\p{Arabic}]{2,15}(?:\s[\p{Arabic}]{2,15}){0,2}")
_TITLES = lazy_regex(lambda: rf"^{_title()}\s+", regex.IGNORECASE)
_ORGANISED = lazy_regex(lambda: rf"\b{any_of(lambda it: it.people.organised)}\b", regex.IGNORECASE)


def is_personal(name: str) -> bool:
    """Return True if a display name looks like a person's."""
    words = name.split()
    if not words or len(words) > 5 or "@" in name or regex.search(r"\d", name):
        return False
    return not _ORGANISED.search(name) and all(regex.match(r"[\p{L}'’.-]+,?$", it) for it in words)


def straight_name(name: str) -> str:
    """Return a display name as one says it: `Doe, Jane` → `Jane Doe`, without a title."""
    name = _TITLES.sub("", name.strip().strip("\"'"))
    name = regex.sub(r"\s*\([^)]*\)\s*$", "", name)
    last, comma, first = name.partition(", ")
    return f"{first} {last}" if comma and len(name.split()) <= 4 else name


def find_writer(document: Document) -> Found | None:
    """Return the name of whoever writes: as signed, as introduced, else as the header has it."""
    header = straight_name(document.sender_name)
    known = header if is_personal(header) else ""
    text = document.layers[0] + "\n" + document.layers[1]
    signed = signed_name(text) or _introduced(text)
    if signed is None:
        return Found(known, -1, -1, 0.8) if known else None
    if known and _is_short_for(signed.text, known):
        return Found(known, -1, -1, 0.95)
    return signed


def _is_short_for(signed: str, known: str) -> bool:
    words = known.casefold().split()
    return signed.casefold() != known.casefold() and all(
        any(word.startswith(it.rstrip(".")) for word in words) for it in signed.casefold().split()
    )


def signed_name(text: str) -> Found | None:
    """Return the name below the words that close a letter."""
    for match in reversed(list(_CLOSING.finditer(text))):
        rest = text[match.end() :].lstrip("\n\r \t")
        line = rest.partition("\n")[0].strip(" ,.-*|")
        if found := _as_name(line, len(text) - len(rest)):
            return found
    for match in reversed(list(_INLINE_CLOSING.finditer(text))):
        if found := _as_name(match["name"].strip(), match.start("name")):
            return found
    return None


def _as_name(line: str, start: int) -> Found | None:
    line = regex.split(r"\s[|·–-]\s|,\s|\s\(", line)[0].strip()
    name = straight_name(line)
    if regex.fullmatch(r"[\p{Han}]{1,4}[\s\u3000]?[\p{Han}\p{Hiragana}]{0,4}", name):
        return Found(name, start, start + len(name), 0.85)
    if not is_personal(name) or find_companies(name):
        return None
    arabic = _ARABIC_NAME.fullmatch(name)
    if NAME.fullmatch(name) or arabic:
        return Found(name, start, start + len(name), 0.95 if " " in name else 0.7)
    return None


def _introduced(text: str) -> Found | None:
    for match in _INTRODUCTION.finditer(text):
        name = NAME.match(text, match.end()) or _ARABIC_NAME.match(text, match.end())
        if (
            name
            and is_personal(name[0])
            and (" " in name[0] or ":" in match[0] or "nam" in match[0].lower())
        ):
            return Found(name[0], name.start(), name.end(), 0.9)
    if east := _WHOLE_INTRODUCTION.search(text):
        return Found(east["name"].strip(), east.start("name"), east.end("name"), 0.85)
    return None


def find_named(text: str, label: str) -> Found | None:
    """Return the person that a label of the text names: `Technician: Ms Ada Byron`."""
    pattern = regex.compile(
        rf"(?<!\p{{L}})(?i:(?:{label})(?:\s?{any_of(lambda it: it.people.named)}|"
        rf"\s?[:\uff1a=-])?)\s{{1,2}}(?i:{_title()})?\s?(?P<name>{NAME.pattern})"
    )
    found = pattern.search(text)
    if not found or not is_personal(found["name"]):
        return None
    return Found(found["name"], found.start("name"), found.end("name"), 0.85)


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
    if found := _only_company(document):
        return found
    if document.sender_name and _is_organised(document.sender_name):
        return Found(document.sender_name, -1, -1, 0.5)
    return None


_COMPANY_LABEL = lazy_regex(
    lambda: (
        rf"(?im)^[ \t*]*{any_of(lambda it: it.people.companies)}(?: name)?\s?"
        r"(?:[:\uff1a][ \t]*\n?|[ \t]*\|)[ \t|:]*(\S[^\n|]{1,80})(?:$|\|)"
    )
)


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


def _is_organised(name: str) -> bool:
    """Return True if a display name is that of an organisation, and says which."""
    rest = _ORGANISED.sub("", name)
    return rest != name and regex.search(r"\p{L}{3}", rest) is not None


_BANKED = lazy_regex(
    lambda: rf"(?<!\p{{L}}){any_of(lambda it: it.contacts.registered)}", regex.IGNORECASE
)
_BILLED = lazy_regex(lambda: any_of(lambda it: it.people.billed), regex.IGNORECASE)


def _signed_company(document: Document) -> Found | None:
    """Return the company of the signature, or that has the name that the sender goes by."""
    signature = document.layers[1]
    if found := find_companies(signature):
        return found[0] if len({_folded(it.text) for it in found}) == 1 else None
    text = document.own_text
    closings = list(_CLOSING.finditer(text))
    below = [it for it in find_companies(text) if closings and it.start > closings[-1].start()]
    return (
        replace(below[0], start=-1, end=-1)
        if len({_folded(it.text) for it in below}) == 1
        else None
    )


def _folded(name: str) -> str:
    return "".join(it for it in name.casefold() if it.isalnum())


_NOTED = lazy_regex(r"(?:©|\(c\))\s*$", regex.IGNORECASE)
# By so much more speaks for a company than for any other, or none is given.
_CLEARLY = 0.5
_MOST_NAMED = 60


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
    best = max(scores, key=lambda it: scores[it])
    others = max((it for name, it in scores.items() if name != best), default=0.0)
    if scores[best] <= 0 or scores[best] - others < _CLEARLY:
        return None
    return first[best] if len(first) == 1 else replace(first[best], sure=0.7)


def _speaks_for(company: Found, text: str) -> float:
    """Return what the line of a name, and what is left of it, say for its being whoever writes."""
    above = text.rfind("\n", 0, max(0, text.rfind("\n", 0, company.start)))
    if _BILLED.search(text, above + 1, company.start) or _NOTED.search(text[: company.start][-8:]):
        return -3.0
    end = text.find("\n", company.end)
    line = text[text.rfind("\n", 0, company.start) + 1 : end if end >= 0 else len(text)]
    return 1.5 if _BANKED.search(line) else 0.5
