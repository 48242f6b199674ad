"""Somebody of whom a message says another house than the card has; pure."""

from collections.abc import Iterable, Iterator, Sequence

import regex

from agents.evidence.claims.distance import plain
from agents.evidence.claims.records import Cited, Mark, Source
from agents.evidence.claims.words import small_words
from inbox.languages import any_of, lazy_regex

_PART = lazy_regex(r"\p{L}[\p{L}\p{M}'’-]+")
_HOUSE = r"(?P<house>\p{Lu}[\p{L}\p{M}&'’-]{2,30}(?:[ ](?:&[ ])?\p{Lu}[\p{L}\p{M}&'’-]{1,30}){0,3})"
_BELONGS = lazy_regex(
    lambda: rf"[ ]?(?:[(,][ ]?)?(?:(?i:{any_of(lambda it: it.claims.belongs)})[ ]){{1,2}}{_HOUSE}"
)
_LEAST = 2


def check_members(body: str, code: str, sources: Iterable[Source]) -> Iterator[Mark]:
    """Yield a mark for the house that somebody is said to be of, and only others' cards have."""
    cards = [it for it in sources if it.type == "contact"]
    for card in cards:
        name, _, rest = card.text.partition("\n")
        words = _PART.findall(name)
        if len(words) < _LEAST or not rest:
            continue
        for match in regex.finditer(rf"(?<!\p{{L}}){regex.escape(words[-1])}(?!\p{{L}})", body):
            told = _BELONGS.match(body, match.end())
            others = [it for it in cards if it is not card and _last(it) != _last(card)]
            if told and _is_another(told["house"], card, others, code):
                start, end = told.span("house")
                expected = rest.split("\n")[0]
                cited = (Cited("contact", card.id, " ".join(card.text.split())[:120]),)
                words_of = told["house"]
                yield Mark("name", "body", words_of, start, end, "differs", expected, cited)


def _last(card: Source) -> str:
    return plain(card.text.partition("\n")[0].split()[-1]) if card.text.strip() else ""


def _is_another(house: str, card: Source, others: Sequence[Source], code: str) -> bool:
    """Return True if a house is on the cards of others alone."""
    telling = {plain(it) for it in _PART.findall(house)} - small_words(code)
    own = {plain(it) for it in _PART.findall(card.text)}
    theirs = [{plain(it) for it in _PART.findall(one.text)} for one in others]
    return bool(telling) and not telling & own and any(telling <= it for it in theirs)
