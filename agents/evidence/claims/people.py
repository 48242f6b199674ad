"""Whom a message greets and names; pure."""

import unicodedata
from collections.abc import Iterable, Iterator

import regex

from agents.evidence.claims.distance import is_misspelt
from agents.evidence.claims.records import Named, Value
from inbox.extract.readers.contacts import NAME
from inbox.extract.readers.people import is_personal, straight_name
from inbox.languages import any_of, lazy_regex

_GREETING = lazy_regex(
    lambda: (
        rf"^[ \t]*{any_of(lambda it: it.letters.greetings)}[ \t]+"
        r"(?P<name>[^\n,!:;،、。.]{2,60})[ \t]*[,!:،、。.]?[ \t]*$"
    ),
    regex.IGNORECASE | regex.MULTILINE,
)
_TITLES = lazy_regex(
    lambda: rf"^(?:{any_of(lambda it: it.people.titles, lambda it: it.claims.before_names)}[ ]+)+",
    regex.IGNORECASE,
)
_WORD = lazy_regex(r"\p{L}[\p{L}\p{M}'’]*")
_CAPITALISED = lazy_regex(
    r"(?<![\p{L}\p{N}@./_-])\p{Lu}[\p{Ll}\p{M}]{3,24}(?![\p{L}\p{N}@_]|[./]\p{L})"
)
# Below this a name is too short to be told from another by one letter.
_SHORTEST = 4
# From here on two words that are nearly the same are one name, spelt in two ways.
_LONG = 8
_MOST_LINES = 6


def plain(name: str) -> str:
    """Return a name in lower case and without accents, as people leave them out."""
    apart = unicodedata.normalize("NFKD", name.casefold())
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


def words_of(people: Iterable[Named]) -> dict[str, Named]:
    """Return what people may be called by: each word of their names and of their addresses."""
    found: dict[str, Named] = {}
    for one in people:
        local = one.email.partition("@")[0]
        for text in (straight_name(one.name), local.replace(".", " ").replace("_", " ")):
            for word in _WORD.findall(text):
                found.setdefault(plain(word), one)
    return found


def greeted_name(body: str) -> Value | None:
    """Return the name that a message greets, without titles; None where it greets nobody so."""
    head = "\n".join(body.split("\n")[:_MOST_LINES])
    match = _GREETING.search(head)
    if match is None:
        return None
    start, end = match.span("name")
    if title := _TITLES.match(match["name"]):
        start += title.end()
    name = body[start:end].strip()
    is_name = is_personal(name) and NAME.match(name) and len(_WORD.findall(name)) <= 4
    return Value(name, start, start + len(name)) if is_name else None


def fits(name: str, known: Iterable[str]) -> bool:
    """Return True if one word of a name is among the known ones, or is a short form of one."""
    words = [plain(word) for word in _WORD.findall(name)]
    return any(_is_short_for(word, one) for word in words for one in known)


def _is_short_for(word: str, name: str) -> bool:
    """Return True for the name itself, its beginning, and its middle where that is long enough."""
    if word == name or (len(word) >= _SHORTEST and word in name):
        return True
    shorter, longer = sorted((word, name), key=len)
    return len(shorter) >= _SHORTEST - 1 and longer.startswith(shorter)


def misspelt_names(
    body: str, known: dict[str, Named], used: set[str]
) -> Iterator[tuple[Value, Named]]:
    """Yield the names in a text that are nearly somebody's, with whose.

    `used` are the words with a capital that the sources have: they are right as they are, and a
    long one of them that is spelt otherwise is a name as well.
    """
    long_ones = {word: Named(word.capitalize(), "") for word in used if len(word) >= _LONG}
    for match in _CAPITALISED.finditer(body):
        word = plain(match[0])
        if word in known or word in used or len(word) < _SHORTEST:
            continue
        near = (name for name in known if len(name) >= _SHORTEST and is_misspelt(word, name))
        other = (it for it in long_ones if is_misspelt(word, it) and not _is_inflected(word, it))
        if (name := next(near, None)) is not None:
            yield Value(match[0], *match.span()), known[name]
        elif len(word) >= _LONG and (name := next(other, None)) is not None:
            yield Value(match[0], *match.span()), long_ones[name]


def _is_inflected(one: str, other: str) -> bool:
    """Return True if two words differ in their endings alone."""
    return one[:-3] == other[:-3] or one.startswith(other) or other.startswith(one)


def written_words(texts: Iterable[str]) -> set[str]:
    """Return the words with a capital of texts, as `plain` writes them."""
    return {plain(match[0]) for text in texts for match in _CAPITALISED.finditer(text)}
