"""Who writes and who is named; pure."""

import regex

from inbox.extract.document import Document
from inbox.extract.readers.contacts import NAME, Found, find_companies, find_emails
from inbox.extract.readers.display_names import is_automatic, is_personal, straight_name, title
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


_INTRODUCTION = lazy_regex(
    lambda: rf"{any_of(lambda it: it.people.introductions)}\s?{title()}?\s?", regex.IGNORECASE
)
_WHOLE_INTRODUCTION = lazy_regex(lambda: any_of(lambda it: it.people.introduction_forms))
_ARABIC_NAME = lazy_regex(r"[\p{Arabic}]{2,15}(?:\s[\p{Arabic}]{2,15}){0,2}")


def find_introduced(document: Document) -> tuple[Found, str] | None:
    """Return whom a letter introduces, and the address: the only one in it, made of that name.

    Whose own address stands in the letter introduces nobody.
    """
    ours = {*document.own_emails, document.sender_email.lower()}
    text = document.own_text[:_LONGEST_READ]
    emails = {it.text.lower() for it in find_emails(text)}
    if len(emails) != 1 or emails & ours:
        return None
    email = emails.pop()
    local, _, domain = email.partition("@")
    if domain == document.sender_email.lower().rpartition("@")[2] or is_automatic(email):
        return None
    header = straight_name(document.sender_name)
    for name in NAME.finditer(text):
        words = name[0].casefold().split()
        fits = len(words) > 1 and is_personal(name[0]) and name[0] != header
        if fits and words[0] in local and (words[-1] in local or words[-1] in domain):
            return Found(name[0], *name.span(), 0.85), email
    return None


_LONGEST_READ = 6_000


def find_writer(document: Document) -> Found | None:
    """Return the name of whoever writes: as signed, as introduced, else as the header has it."""
    if introduced := find_introduced(document):
        return introduced[0]
    header = straight_name(document.sender_name)
    known = header if is_personal(header) else ""
    text = document.layers[0] + "\n" + document.layers[1]
    if known and (whole := _in_full(known, text)):
        return whole
    signed = signed_name(text) or _introduced(text)
    if signed is None:
        return Found(known, -1, -1, 0.8) if known else None
    if known and _is_short_for(signed.text, known):
        return Found(known, -1, -1, 0.95)
    return signed


def _in_full(known: str, text: str) -> Found | None:
    """Return the name of the header as a cell of its own has it: with further names behind it."""
    more = regex.compile(
        rf"(?<=^|\||·|•)[ \t*]*(?P<name>{regex.escape(known)}(?:[ ]{_FURTHER}){{1,2}})"
        r"[ \t*]*(?=$|[|·•,(–-])",
        regex.MULTILINE,
    )
    found = list(more.finditer(text, max(0, len(text) - _LONGEST_END)))
    if not found or not is_personal(found[-1]["name"]):
        return None
    return Found(found[-1]["name"], *found[-1].span("name"), 0.9)


_FURTHER = r"\p{Lu}[\p{L}'’-]{1,25}"
# Whoever writes signs within so many characters of the end.
_LONGEST_END = 700


def _is_short_for(signed: str, known: str) -> bool:
    words = known.casefold().split()
    return signed.casefold() != known.casefold() and all(
        any(word.startswith(it.rstrip(".")) for word in words) for it in signed.casefold().split()
    )


def closings_in(text: str) -> list[int]:
    """Return where the lines end that close a letter."""
    return [it.end() for it in _CLOSING.finditer(text)]


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
        rf"\s?[:\uff1a=-])?)\s{{1,2}}(?i:{title()})?\s?(?P<name>{NAME.pattern})"
    )
    found = pattern.search(text)
    if not found or not is_personal(found["name"]):
        return None
    return Found(found["name"], found.start("name"), found.end("name"), 0.85)
