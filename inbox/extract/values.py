"""What in a text may be the value of a field, by the field's kind; each with how surely it is."""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, time
from itertools import pairwise
from typing import Any, TypeAlias

import regex

from inbox.extract import contacts, labels, people, places, roles
from inbox.extract.counts import find_counts
from inbox.extract.dates import find_dates
from inbox.extract.document import Document
from inbox.extract.fields import Field
from inbox.extract.identifiers import find_identifiers, find_matching
from inbox.extract.labels import Candidate
from inbox.extract.meanings import expression_for
from inbox.extract.numbers import find_amounts
from inbox.extract.times import find_lengths, find_times

Finder: TypeAlias = Callable[[Field, Document, str], list[Candidate]]

_KIND_WORDS = frozenset(
    [
        "date",
        "datum",
        "day",
        "time",
        "at",
        "on",
        "number",
        "no",
        "nr",
        "nummer",
        "id",
        "code",
        "reference",
        "ref",
        "amount",
        "total",
        "price",
        "sum",
        "betrag",
        "of",
        "the",
        "customer",
        "name",
        "value",
        "url",
        "link",
        "address",
        "email",
        "phone",
        "is",
        "in",
        "for",
        "by",
        "kunde",
        "tag",
        "uhrzeit",
        "zeit",
        "expected",
        "requested",
        "new",
        "current",
    ]
)


def candidates_for(field: Field, document: Document, text: str) -> list[Candidate]:
    """Return the values for the field in one layer of the document, the surest first."""
    finder = FINDERS.get(field.kind)
    return finder(field, document, text) if finder else []


def _chosen(
    field: Field,
    found: Sequence[Candidate],
    text: str,
    known: dict[str, regex.Pattern[str]],
    free: frozenset[str],
) -> list[Candidate]:
    """Return the candidates in the role that the field asks for.

    Without a label of its own a value is taken for the roles in `free`, or where it is the only
    one and nothing else is said of it.
    """
    role = field.role(known)
    named = labels.with_roles(found, text, known)
    if role and (right := [it for it in named if it.role == role]):
        return _surest(right)
    telling = _telling_words(field)
    if not role and telling and (right := _beside(named, text, telling)):
        return _surest(right)
    unnamed = [it for it in named if not it.role]
    if role in free and (not telling or role):
        return _surest(unnamed) or (
            _surest(named) if not role and len({it.value for it in named}) == 1 else []
        )
    mentioned = role and known[role].search(text)
    if len({it.value for it in named}) == 1 and unnamed and (mentioned or not role):
        return [_less(it, 0.8) for it in unnamed]
    return []


def _surest(found: Sequence[Candidate]) -> list[Candidate]:
    return sorted(found, key=lambda it: (-round(it.sure, 3), it.start))


def _less(candidate: Candidate, factor: float) -> Candidate:
    return Candidate(
        candidate.value, candidate.start, candidate.end, candidate.sure * factor, candidate.written
    )


def _telling_words(field: Field) -> list[str]:
    return [word for word in field.words.split() if word not in _KIND_WORDS and len(word) > 2]


def _any_of(words: Sequence[str]) -> regex.Pattern[str]:
    """Return an expression for any of the words, a long one in whatever form: `departs`."""
    forms = [rf"{regex.escape(word[:6])}\p{{L}}*" for word in words if len(word) > 7]
    forms += [expression_for(word) for word in words]
    return regex.compile(rf"(?<!\p{{Latin}})(?:{'|'.join(forms)})", regex.IGNORECASE)


def _beside(found: Sequence[Candidate], text: str, words: Sequence[str]) -> list[Candidate]:
    pattern = _any_of(words)
    near = []
    for index, it in enumerate(found):
        since = found[index - 1].end if index else 0
        if pattern.search(labels.before(text, it.start, since)):
            near.append(_less(it, 1.4))
        elif pattern.search(labels.after(text, it.end, len(text))):
            near.append(_less(it, 1.2))
    return near


_FIRST, _LAST = frozenset({"start", "checkin"}), frozenset({"end", "checkout"})


def _dates(field: Field, document: Document, text: str) -> list[Candidate]:
    found = [
        Candidate(it.day.isoformat(), it.start, it.end, it.sure, text[it.start : it.end])
        for it in find_dates(text, document.sent_on, document.language)
    ]
    role = field.role(roles.DATE_ROLES)
    if role in _FIRST | _LAST and (pair := _range(found, text)):
        return [pair[role in _LAST]]
    return _chosen(field, found, text, roles.DATE_ROLES, frozenset({"", "meeting", "start"}))


def _range(found: Sequence[Candidate], text: str) -> tuple[Candidate, Candidate] | None:
    """Return the two dates of the only "from … to …" in the text."""
    pairs = [
        (first, last)
        for first, last in pairwise(found)
        if regex.fullmatch(
            (
                r"[\s.]*(?:-|–|to|bis(?: zum)?|until|through|till|and leave on|au|al?|から|～|〜|"
                r"إلى|حتى)[\s(]*(?:the )?(?:\p{L}+,?\s)?"
            ),
            text[first.end : last.start],
            regex.IGNORECASE,
        )
    ]
    return pairs[0] if len(pairs) == 1 else None


def _datetimes(field: Field, document: Document, text: str) -> list[Candidate]:
    days = find_dates(text, document.sent_on, document.language)
    found = []
    for at in find_times(text):
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
    return _chosen(field, found, text, roles.DATE_ROLES, frozenset({"", "meeting", "start"}))


_END = regex.compile(
    r"(?<!\p{L})(?:end|until|till|bis|finish|closing|ende|fin|hasta|終了)(?!\p{L})"
)
_START = frozenset(
    {"start", "starts", "begin", "beginn", "begins", "from", "meeting", "event", "call"}
)


def _times(field: Field, _: Document, text: str) -> list[Candidate]:
    found = [
        Candidate((it.at, it.zone), it.start, it.end, 0.85, text[it.start : it.end])
        for it in find_times(text)
    ]
    wants_end = _END.search(field.words) is not None
    telling = [it for it in _telling_words(field) if it not in _START and not _END.fullmatch(it)]
    if wants_end:
        found = [it for it in found if _END.search(labels.before(text, it.start))] or found[1:2]
    elif telling:
        found = _surest(_beside(found, text, telling)) or (found if len(found) == 1 else [])
    return [
        Candidate(_clock(*it.value, field), it.start, it.end, it.sure, it.written) for it in found
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
    role = field.role(roles.MONEY_ROLES)
    if role == "price" and len({it.value for it in found}) == 1:
        return found
    chosen = _chosen(field, found, text, roles.MONEY_ROLES, frozenset({"", "budget"}))
    if not chosen and role in {"total", "paid", "price"}:
        chosen = _the_only_one(found, text)
    return (
        sorted(chosen, key=lambda it: (-round(it.sure, 3), -it.start))
        if role == "total"
        else chosen
    )


def _the_only_one(found: Sequence[Candidate], text: str) -> list[Candidate]:
    """Take an amount of which nothing is said for the total where no other stands beside it."""
    named = labels.with_roles(found, text, roles.MONEY_ROLES)
    plain = [it for it in named if it.role in {"", "price", "paid", "fee", "refund"}]
    return plain if len({it.value for it in named}) == 1 else []


def _currencies(_: Field, __: Document, text: str) -> list[Candidate]:
    found = [Candidate(it.currency, it.start, it.end, 0.95) for it in find_amounts(text)]
    sure = 0.95 if len({it.value for it in found}) == 1 else 0.6
    most = max((it.value for it in found), key=[it.value for it in found].count, default=None)
    return [_less(it, sure) for it in found if it.value == most]


def _lengths(field: Field, _: Document, text: str) -> list[Candidate]:
    in_hours = (
        regex.search(r"hours?|stunden", f"{field.words} {field.hints}")
        and "minute" not in field.words
    )
    return [
        Candidate(
            it.minutes / 60 if in_hours else it.minutes,
            it.start,
            it.end,
            0.85,
            text[it.start : it.end],
        )
        for it in find_lengths(text)
        if not regex.search(
            r"(?:within|in|innerhalb von|last|past)\s$", text[max(0, it.start - 15) : it.start]
        )
    ]


def _identifiers(field: Field, _: Document, text: str) -> list[Candidate]:
    role = field.role(roles.ID_ROLES) if field.words not in {"number", "id"} else ""
    telling = _telling_words(field)
    label = (
        ""
        if role
        else "|".join(expression_for(word) for word in [" ".join(telling), *telling] if word)
    )
    if not role and not label:
        label = r"number|nummer|nr\.?|no\.|reference|ref\.?|id|#"
    found = find_identifiers(text, role, label)
    if pattern := field.schema.get("pattern"):
        found += find_matching(text, regex.compile(pattern))
    return found


def _plain(find: Callable[[str], list[contacts.Found]]) -> Finder:
    def finder(field: Field, _: Document, text: str) -> list[Candidate]:
        found = [Candidate(it.text, it.start, it.end, it.sure, it.text) for it in find(text)]
        if telling := _telling_words(field):
            return _surest(_beside(found, text, telling)) or found
        return found

    return finder


def _emails(field: Field, document: Document, text: str) -> list[Candidate]:
    found = [
        Candidate(it.text, it.start, it.end, it.sure, it.text)
        for it in contacts.find_emails(text)
        if it.text.lower() not in document.own_emails
    ]
    telling = [
        it for it in _telling_words(field) if it not in {"sender", "contact", "from", "mail"}
    ]
    if telling and (near := _surest(_beside(found, text, telling))):
        return near
    writer = document.sender_email
    if writer and text is document.layers[0] and not telling:
        return [*found[:1], Candidate(writer, -1, -1, 0.85, writer)]
    return found


def _postal(field: Field, _: Document, text: str) -> list[Candidate]:
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
        it
        for it in _telling_words(field)
        if it not in {"street", "city", "postal", "zip", "country", "land", "stadt", "plz"}
    ]:
        candidates = _surest(_beside(candidates, text, telling)) or candidates
    if not candidates and part == "country" and (country := places.find_country(text)):
        candidates = [
            Candidate(country.text, country.start, country.end, country.sure, country.text)
        ]
    return candidates


# A name that is asked for by these is that of whoever writes.
_WRITERS = frozenset(
    [
        "name",
        "full",
        "first",
        "last",
        "given",
        "family",
        "surname",
        "vorname",
        "nachname",
        "contact",
        "customer",
        "client",
        "person",
        "sender",
        "requester",
        "author",
        "kunde",
        "kundin",
        "kontakt",
        "nom",
        "kundenname",
        "candidate",
        "applicant",
        "bewerber",
        "guest",
        "participant",
    ]
)


def _person(field: Field, document: Document, text: str) -> list[Candidate]:
    if text is not document.layers[0]:
        return []
    others = [it for it in field.words.split() if it not in _WRITERS and len(it) > 2]
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


def _company(_: Field, document: Document, text: str) -> list[Candidate]:
    found = people.find_company(document) if text is document.layers[0] else None
    return [Candidate(found.text, found.start, found.end, found.sure)] if found else []


def _locations(field: Field, document: Document, text: str) -> list[Candidate]:
    if labelled := _labelled_text(field, document, text):
        return labelled
    rooms = [
        Candidate(it.text, it.start, it.end, it.sure, it.text) for it in places.find_rooms(text)
    ]
    return rooms or [
        Candidate(it.text, it.start, it.end, 0.7) for it in places.find_postal_addresses(text)
    ]


_MORE_LABELS = {
    "location": (
        r"location|venue|place|where|room|ort|wo|treffpunkt|raum|lieu|lugar|salle|場所|会場|"
        r"المكان|الموقع"
    ),
    "product": r"product|item|article|produkt|artikel|produit|producto|artículo|商品名?|製品名?|المنتج",
    "reason": r"reason|grund|motif|motivo|理由|السبب",
    "department": r"department|abteilung|service|departamento|部署|القسم",
    "position": r"position|job title|role|stelle|poste|puesto|役職|المنصب",
}


def _labelled_text(field: Field, _: Document, text: str) -> list[Candidate]:
    """Find `Label: value`, by the field's name, title or what else it is called."""
    names = [expression_for(field.words), expression_for(field.words.removesuffix(" name"))]
    names += [
        regex.escape(title.lower()) for title in [str(field.schema.get("title", ""))] if title
    ]
    names += [
        more
        for key, more in _MORE_LABELS.items()
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
    found = regex.search(
        (
            r"(?:position|role|stelle|poste|puesto)\s(?:of|as|als|de)\s(?:an?\s|"
            r"une?\s)?(?P<value>[^,.;\n]{3,60})"
        ),
        text,
        regex.IGNORECASE,
    )
    return (
        [Candidate(found["value"].strip(), found.start("value"), found.end("value"), 0.7)]
        if found
        else []
    )


def _text(field: Field, document: Document, text: str) -> list[Candidate]:
    found = _labelled_text(field, document, text)
    return found or (_position(text) if regex.search("position|stelle|job", field.words) else [])


def _subject(_: Field, document: Document, __: str) -> list[Candidate]:
    return [Candidate(document.subject, 0, len(document.subject), 0.95)] if document.subject else []


def _sentence(field: Field, document: Document, text: str) -> list[Candidate]:
    if labelled := _labelled_text(field, document, text):
        return labelled
    if text is not document.layers[0] or not regex.search(
        r"summary|question|request|frage|anliegen|zusammenfassung", field.words
    ):
        return []
    asks = regex.search(r"question|frage", field.words)
    sentences = [
        it for it in _sentences(document.own_text) if not asks or it.endswith(("?", "\uff1f", "؟"))
    ]
    return [Candidate(it, -1, -1, 0.5) for it in sentences[:1]]


def _sentences(text: str) -> Iterator[str]:
    for match in regex.finditer(r"[^.!?。!?؟\n]{12,400}[.!?。!?؟]", text):
        yield match[0].strip()


FINDERS: dict[str, Finder] = {
    "date": _dates,
    "datetime": _datetimes,
    "time": _times,
    "money": _money,
    "currency": _currencies,
    "length": _lengths,
    "count": lambda field, _, text: find_counts(field, text),
    "id": _identifiers,
    "email": _emails,
    "phone": _plain(contacts.find_phones),
    "url": _plain(contacts.find_urls),
    "iban": _plain(contacts.find_ibans),
    "bic": _plain(contacts.find_bics),
    "vat": _plain(contacts.find_vat_ids),
    "address": _postal,
    "street": _postal,
    "postcode": _postal,
    "city": _postal,
    "country": _postal,
    "person": _person,
    "recipient": _person,
    "first_name": _person,
    "last_name": _person,
    "company": _company,
    "location": _locations,
    "text": _text,
    "subject": _subject,
    "sentence": _sentence,
}
