"""Values by the labels of forms and tables, which are surer than words around a value; pure."""

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

import regex

from inbox.extract import forms, roles
from inbox.extract.document import Document
from inbox.extract.fields import Field, telling_words
from inbox.extract.forms import Pair
from inbox.extract.labels import Candidate
from inbox.extract.meanings import expression_for
from inbox.extract.readers.contacts import find_ibans, find_phones
from inbox.extract.readers.dates import find_dates
from inbox.extract.readers.numbers import NUMBER, find_amounts, plain_digits, read_number
from inbox.languages import any_of, lazy_regex

SURE, LESS_SURE = 0.97, 0.85
# So far into what stands beside a label its value begins.
_LATEST = 24
# An identifier: letters and digits with what joins them, and groups of capitals or digits.
_IDENTIFIER = lazy_regex(
    r"(?:[#№]\s?)?(?P<id>[A-Z]{2} ?\d{3} ?\d{3} ?\d{3} ?[A-Z]{2}(?![\p{L}\d])"
    r"|(?=[^\s]{0,24}\d|\p{Lu}{1,6}[ ]\S{0,24}\d)[\p{L}\d]+(?:[-_/.][\p{L}\d]+)*"
    r"(?: (?=[\p{Lu}\d/_.-]*\d)[\p{Lu}\d]+(?:[-_/.][\p{Lu}\d]+)*){0,4})"
)
_WHOLE_CELL = lazy_regex(
    r"(?P<id>(?=[^\d]{0,8}\d)[\p{Lu}\d]{1,20}(?:[-_/.][\p{Lu}\d]{1,20})*"
    r"(?: [\p{Lu}\d]{2,8}){2,8})\s*"
)
_NUMBER_WORD = lazy_regex(
    lambda: rf"(?:{any_of(lambda it: it.forms.number_words)})[.:\s°º]{{1,3}}", regex.IGNORECASE
)
_BARE_SUM = lazy_regex(rf"(?P<sign>-)?(?P<number>{NUMBER})(?:,[-–])?")
_COUNT = lazy_regex(r"(?P<count>\d{1,6})(?![\d.,:/-]*\d)")

# A credit note names the invoice as well.
_BEFORE = {"invoice": ("credit",)}
_ELSE = {"order": ("purchase",)}

Matches = Callable[[str], bool]


def labelled(field: Field, document: Document, text: str) -> list[Candidate]:
    """Return the values that stand by a label of what the field asks for, the surest first."""
    reader = _READERS.get(field.kind)
    if reader is None:
        return []
    for matches, sure in _labels(field):
        found: list[Candidate] = []
        for pair in forms.pairs(text, matches):
            found += reader(pair, sure, document, text)
        if field.kind == "money":
            # That nothing is left to be paid is no sum to pay.
            found = [it for it in found if it.value]
        if found:
            return found
    return []


def asks_what_is_due(field: Field) -> bool:
    """Return True if a sum that is asked for is what is to be paid, whatever it all came to."""
    return roles.money()["payable"].search(f"{field.words} {field.hints}") is not None


def _labels(field: Field) -> Iterator[tuple[Matches, float]]:
    """Yield what tells the labels of a field, the surest first."""
    tables: dict[str, tuple[Mapping[str, regex.Pattern[str]], Mapping[str, regex.Pattern[str]]]] = {
        "date": (roles.dates(), forms.dates()),
        "money": (roles.money(), forms.money()),
        "id": (roles.numbers(), forms.numbers()),
        "count": (roles.counts(), forms.counts()),
    }
    known, labels = tables[field.kind]
    role = field.role(known)
    for one in _called(field, role):
        if one in labels:
            yield _is(labels[one]), SURE
    if field.kind == "money" and role in labels:
        yield forms.with_more_behind(_is(labels[role])), LESS_SURE
    if field.kind == "id":
        for one in (it for it in _called(field, role) if it in labels):
            yield forms.with_modifier(_is(labels[one])), LESS_SURE
    own = " ".join(telling_words(field)) if not role else field.words
    if own:
        yield _whole(expression_for(own)), SURE
    if field.kind == "date" and role in {"invoice", "", "meeting", "order"}:
        yield _is(labels["any"]), LESS_SURE


def _called(field: Field, role: str) -> tuple[str, ...]:
    """Return the roles whose labels a field has, the surest first."""
    if field.kind == "money" and role in {"payable", "total"}:
        return ("payable", "total") if asks_what_is_due(field) else ("total",)
    if field.kind == "id":
        return (*_BEFORE.get(role, ()), role, *_ELSE.get(role, ()))
    return (role,)


@lru_cache(maxsize=256)
def _pattern(words: str) -> "regex.Pattern[str]":
    return regex.compile(f"(?:{words})", regex.IGNORECASE)


def _whole(words: str) -> Matches:
    return _is(_pattern(words))


def _is(pattern: "regex.Pattern[str]") -> Matches:
    return lambda label: pattern.fullmatch(label) is not None


def _dates(pair: Pair, sure: float, document: Document, text: str) -> Iterator[Candidate]:
    for it in find_dates(text, document.sent_on, document.language):
        if pair.start <= it.start <= pair.start + _LATEST and it.end <= pair.end:
            yield Candidate(
                it.day.isoformat(), it.start, it.end, min(sure, it.sure), text[it.start : it.end]
            )
            return


def _money(pair: Pair, sure: float, _: Document, text: str) -> Iterator[Candidate]:
    for it in find_amounts(text):
        if pair.start <= it.start <= pair.start + _LATEST and it.end <= pair.end + 1:
            yield Candidate(it.value, it.start, it.end, sure, text[it.start : it.end])
            return
    written = plain_digits(text[pair.start : pair.end]).strip()
    match = _BARE_SUM.fullmatch(written)
    value = read_number(match["number"]) if match else None
    if match is not None and value is not None:
        value = -value if match["sign"] else value
        yield Candidate(value, pair.start, pair.end, sure - 0.05, written)


def _identifier(pair: Pair, sure: float, document: Document, text: str) -> Iterator[Candidate]:
    plain = plain_digits(text)
    word = _NUMBER_WORD.match(plain, pair.start, pair.end)
    since = word.end() if word else pair.start
    # A cell of nothing else is one: "PP 4471 0098 22 GB".
    match = _WHOLE_CELL.fullmatch(plain, since, pair.end)
    match = match or _IDENTIFIER.match(plain, since, pair.end)
    if match is None or len(match["id"]) > 40:
        return
    start, end = match.span("id")
    if is_something_else(text, start, end, document) or _is_a_year(match["id"], pair.label):
        return
    yield Candidate(match["id"], start, end, sure, match["id"])


def _is_a_year(written: str, label: str) -> bool:
    """Return True for the year of a bill: "Annual statement 2025"; a label may call it a number."""
    is_year = regex.fullmatch(r"(?:19|20)\d\d", written) is not None
    return is_year and _SAYS_NUMBER.search(label.casefold()) is None


_SAYS_NUMBER = lazy_regex(lambda: rf"[#№]|{any_of(lambda it: it.numbering.says_number)}")


def is_something_else(text: str, start: int, end: int, document: Document) -> bool:
    """Return True if a stretch of the text is a date, a sum or an account, and no identifier."""
    others = (
        find_amounts(text), find_ibans(text),
        find_dates(text, document.sent_on, document.language),
    )  # fmt: skip
    for found in others:
        if any(it.start <= start and end <= it.end and it.end - it.start > 1 for it in found):
            return True
    return any(
        it.start <= start and end <= it.end for it in find_phones(text) if text[it.start] == "+"
    )


def _count(pair: Pair, sure: float, _: Document, text: str) -> Iterator[Candidate]:
    match = _COUNT.match(plain_digits(text), pair.start, pair.end)
    if match is not None:
        value = read_number(match["count"])
        yield Candidate(value, *match.span("count"), sure, match["count"])


_READERS = {"date": _dates, "money": _money, "id": _identifier, "count": _count}
