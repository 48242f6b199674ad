"""Values that are words: names, companies, addresses, places, and what a label introduces."""

from collections.abc import Callable, Iterator
from typing import TypeAlias

import regex

from inbox.extract.choosing import beside, surest
from inbox.extract.document import Document
from inbox.extract.fields import Field, telling_words
from inbox.extract.labels import Candidate
from inbox.extract.meanings import expression_for
from inbox.extract.readers import contacts, people, places
from inbox.extract.readers.display_names import is_automatic
from inbox.extract.roles import named
from inbox.extract.roles import names as table_names
from inbox.languages import any_of, lazy_regex, words_of

Finder: TypeAlias = Callable[[Field, Document, str], list[Candidate]]


def found_by(find: Callable[[str], list[contacts.Found]]) -> Finder:
    """Return the finder of a kind of contact data, of several the one that is called so."""

    def finder(field: Field, _: Document, text: str) -> list[Candidate]:
        found = [Candidate(it.text, it.start, it.end, it.sure, it.text) for it in find(text)]
        if telling := telling_words(field):
            return surest(beside(found, text, telling)) or found
        return found

    return finder


def ibans(_: Field, __: Document, text: str) -> list[Candidate]:
    """Find accounts; one whose check digits are wrong only where it is called an IBAN."""
    found = contacts.find_ibans(text) or contacts.find_named_ibans(text)
    return [Candidate(it.text, it.start, it.end, it.sure, it.text) for it in found]


def emails(field: Field, document: Document, text: str) -> list[Candidate]:
    """Find e-mail addresses that are not ours; the sender's own is one of them."""
    found = [
        Candidate(it.text, it.start, it.end, it.sure, it.text)
        for it in contacts.find_emails(text)
        if it.text.lower() not in document.own_emails
    ]
    telling = [it for it in telling_words(field) if it not in {"sender", "contact", "from", "mail"}]
    if telling and (near := surest(beside(found, text, telling))):
        return near
    writer = "" if is_automatic(document.sender_email) else document.sender_email
    if not writer or text is not document.layers[0] or telling:
        return found
    header = Candidate(writer, -1, -1, 0.85, writer)
    own = [it for it in found if it.value.lower() == writer.lower() or _is_own_line(text, it)]
    # A colleague's is none of the writer's.
    house = writer.lower().partition("@")[2]
    others = [it for it in found if it.value.lower().partition("@")[2] != house]
    return [*(own or others)[:1], header]


_OWN_EMAIL = lazy_regex(r"(?i:e-?mail|mail|e)\W{0,3}$")


def _is_own_line(text: str, found: Candidate) -> bool:
    """Return True if an address begins its line but for what it is called: "E-mail: …"."""
    line = text[text.rfind("\n", 0, found.start) + 1 : found.start]
    return _OWN_EMAIL.fullmatch(line.strip()) is not None


def phones(field: Field, document: Document, text: str) -> list[Candidate]:
    """Find telephone numbers, those of whoever signs before others that the text names."""
    found = [
        Candidate(it.text, it.start, it.end, it.sure, it.text) for it in contacts.find_phones(text)
    ]
    if telling := telling_words(field):
        return surest(beside(found, text, telling)) or found
    closings = people.closings_in(text)
    signed = people.signed_name(text)
    since = [*closings[-1:], *([signed.start] if signed else [])]
    own = [it for it in found if since and it.start >= min(since)]
    # What begins its line but for what it is called is no aside about an old one.
    own = own or [it for it in found if _PHONE_LINE.fullmatch(_before_in_line(text, it.start))]
    named = [it for it in found if _is_beside_the_writer(text, it, document)]
    return [*(own or named), *found]


_PHONE_LINE = lazy_regex(
    lambda: rf"[ \t*|]*(?:{any_of(lambda it: it.contacts.phones)})\p{{L}}{{0,9}}[.:\s|*]{{1,12}}",
    regex.IGNORECASE,
)


def _before_in_line(text: str, start: int) -> str:
    return text[text.rfind("\n", 0, start) + 1 : start]


def _is_beside_the_writer(text: str, found: Candidate, document: Document) -> bool:
    end = text.find("\n", found.end)
    line = text[text.rfind("\n", 0, found.start) + 1 : end if end >= 0 else len(text)]
    return bool(document.sender_email) and document.sender_email.lower() in line.lower()


def urls(field: Field, document: Document, text: str) -> list[Candidate]:
    """Find addresses of the web; that of the sender's own domain however it ends."""
    found = contacts.find_urls(text)
    domain = document.sender_email.rpartition("@")[2]
    if domain and not any(domain.lower() in it.text.lower() for it in found):
        own = regex.compile(rf"(?<![\w@.-])(?:www\.)?{regex.escape(domain)}(?![\w@-])", regex.I)
        found = [*(contacts.Found(it[0], *it.span(), 0.8) for it in own.finditer(text)), *found]
    candidates = [Candidate(it.text, it.start, it.end, it.sure, it.text) for it in found]
    if telling := telling_words(field):
        return surest(beside(candidates, text, telling)) or candidates
    return candidates


def postal(field: Field, _: Document, text: str) -> list[Candidate]:
    """Find a postal address, or the part of it that the field asks for."""
    part = {"street": "street", "postcode": "postcode", "city": "city", "country": "country"}.get(
        field.kind, "text"
    )
    found = places.find_postal_addresses(text)
    if part in {"postcode", "city"} and not any(getattr(it, part) for it in found):
        found = places.find_city_lines(text)
    candidates = [
        Candidate(getattr(it, part).rstrip("."), it.start, it.end, 0.9, it.text)
        for it in found
        if getattr(it, part)
    ]
    if telling := [
        it for it in telling_words(field) if it not in words_of(lambda it: it.schemas.address_words)
    ]:
        candidates = surest(beside(candidates, text, telling)) or candidates
    if not candidates and part == "country" and (country := places.find_country(text)):
        candidates = [
            Candidate(country.text, country.start, country.end, country.sure, country.text)
        ]
    return candidates


def person(field: Field, document: Document, text: str) -> list[Candidate]:
    """Find whom the field names: the writer, or whoever stands beside the field's word."""
    if text is not document.layers[0]:
        return []
    writers = words_of(lambda it: it.schemas.writers)
    others = [it for it in field.words.split() if it not in writers and len(it) > 2]
    found = (
        people.find_named(document.everything, "|".join(expression_for(it) for it in others))
        if others
        else people.find_writer(document)
    )
    if field.kind == "recipient":
        return [Candidate(document.recipient_name, -1, -1, 0.8)] if document.recipient_name else []
    if found is None:
        return []
    value = found.text
    if field.kind in {"first_name", "last_name"}:
        found = people.find_writer(document) or found
        first, _, last = found.text.partition(" ")
        last = regex.sub(r"^(?:\p{Lu}\.\s)+", "", last)
        value = first if field.kind == "first_name" else last
    return [Candidate(value, found.start, found.end, found.sure)] if value else []


def _labelled_text(field: Field, _: Document, text: str) -> list[Candidate]:
    """Find `Label: value`, by the field's name, title or what else it is called."""
    names = [expression_for(field.words), expression_for(field.words.removesuffix(" name"))]
    names += [
        regex.escape(title.lower()) for title in [str(field.schema.get("title", ""))] if title
    ]
    names += [
        named(lambda it: it.labels.more, key)
        for key in table_names(lambda it: it.labels.more)
        if key in field.words.split() or key == field.kind
    ]
    label = "|".join(names)
    own_line = regex.compile(
        rf"^[ \t>*•|-]*(?:{label})[ \t]?(?:[:\uff1a]|\s[=–-]\s)[ \t]*(?P<value>\S[^\n]{{0,200}})$",
        regex.IGNORECASE | regex.MULTILINE,
    )
    within = regex.compile(
        rf"(?<=[.;,!]\s)(?:{label})[:\uff1a]\s?(?P<value>[^\n.;,]{{1,80}})", regex.IGNORECASE
    )
    return [
        Candidate(it["value"].strip(" *|"), it.start("value"), it.end("value"), 0.9, it["value"])
        for pattern in (own_line, within)
        for it in pattern.finditer(text, timeout=0.5)
    ]


def _position(text: str) -> list[Candidate]:
    """Find what somebody applies for: "the position of backend developer"."""
    found = _POSITION.search(text)
    return (
        [Candidate(found["value"].strip(), found.start("value"), found.end("value"), 0.7)]
        if found
        else []
    )


_POSITION = lazy_regex(
    lambda: rf"{any_of(lambda it: it.labels.positions)}(?P<value>[^,.;\n]{{3,60}})",
    regex.IGNORECASE,
)
_OF_A_POSITION = lazy_regex(lambda: any_of(lambda it: it.schemas.positions))
_OF_A_QUESTION = lazy_regex(lambda: any_of(lambda it: it.schemas.questions))
_OF_A_SENTENCE = lazy_regex(
    lambda: any_of(lambda it: it.schemas.sentences, lambda it: it.schemas.questions)
)


def free_text(field: Field, document: Document, text: str) -> list[Candidate]:
    """Find any text by its label."""
    found = _labelled_text(field, document, text)
    return found or (_position(text) if _OF_A_POSITION.search(field.words) else [])


def subject(_: Field, document: Document, __: str) -> list[Candidate]:
    """Return the subject of the message."""
    return [Candidate(document.subject, 0, len(document.subject), 0.95)] if document.subject else []


def sentence(field: Field, document: Document, text: str) -> list[Candidate]:
    """Find a sentence: as labelled, else the first of the text (or its first question)."""
    if labelled := _labelled_text(field, document, text):
        return labelled
    if text is not document.layers[0] or not _OF_A_SENTENCE.search(field.words):
        return []
    asks = _OF_A_QUESTION.search(field.words)
    sentences = [
        it for it in _sentences(document.own_text) if not asks or it.endswith(("?", "\uff1f", "؟"))
    ]
    return [Candidate(it, -1, -1, 0.5) for it in sentences[:1]]


def _sentences(text: str) -> Iterator[str]:
    for match in regex.finditer(r"[^.!?。!?؟\n]{12,400}[.!?。!?؟]", text):
        yield match[0].strip()
