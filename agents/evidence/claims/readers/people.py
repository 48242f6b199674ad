"""Whom a message greets and names; pure."""

from collections.abc import Iterable, Iterator
from functools import cache

import regex

from agents.evidence.claims.distance import is_misspelt, plain
from agents.evidence.claims.records import Claim, Named, Place, Reader, Value
from agents.evidence.claims.words import small_words
from inbox.extract.readers.calendar_words import months, weekdays
from inbox.extract.readers.contacts import NAME
from inbox.extract.readers.display_names import is_personal, straight_name
from inbox.languages import any_of, language, lazy_regex
from inbox.languages.model import Language


def _titles(it: Language) -> str:
    claims = it.claims
    return "|".join(
        filter(None, (claims.before_names, claims.misters, claims.madams, claims.titles))
    )


# A name, titles with their points before it: `M. Castaing`, `dott.ssa Marchetti`.
_GREETING = lazy_regex(
    lambda: (
        rf"^[ \t]*{any_of(lambda it: it.letters.greetings)},?[ \t]+"
        r"(?P<name>(?:(?<!\p{L})\p{L}{1,6}\.(?:\p{L}{1,3}(?!\p{L}))?|[^\n,!:;،、。.]){2,60}?)"
        r"(?=[ \t]*(?:[,!:،、。]|[.]?[ \t]*$))"
    ),
    regex.IGNORECASE | regex.MULTILINE,
)
_BEFORE = lazy_regex(
    lambda: rf"^(?:{any_of(lambda it: it.people.titles, _titles)}(?:[ ]+|$))+",
    regex.IGNORECASE,
)
# Whoever is greeted by what he is: a team, colleagues.
_ANYBODY = lazy_regex(
    lambda: rf"(?<!\p{{L}}){any_of(lambda it: it.claims.anybody)}(?!\p{{L}})", regex.IGNORECASE
)
_CLOSING = lazy_regex(
    lambda: (
        rf"^[ \t]*{any_of(lambda it: it.people.closings, lambda it: it.people.inline_closings)}"
        r"(?!\p{L})"
    ),
    regex.IGNORECASE,
)
_WORD = lazy_regex(r"\p{L}[\p{L}\p{M}'’]*")
_CAPITALISED = lazy_regex(
    r"(?<![\p{L}\p{N}@./_-])\p{Lu}[\p{Ll}\p{M}]{3,24}(?![\p{L}\p{N}@_]|[./]\p{L})"
)
# Words with a capital that follow each other, a title or a greeting among them.
_NAME_WORD = r"(?:\p{Lu}\p{Ll}{1,3}\.|\p{Lu}[\p{Ll}\p{M}'’]{1,20}[\p{L}\p{M}-]{0,20})"
_NAMES = lazy_regex(
    rf"(?<![\p{{L}}\p{{N}}@./_-]){_NAME_WORD}(?:[ ]{_NAME_WORD}){{1,4}}"
    r"(?![\p{L}\p{N}@_]|[./]\p{L}|[ ]\p{Lu})"
)
_BEFORE_NAMES = lazy_regex(
    lambda: (
        rf"(?P<title>{any_of(lambda it: it.people.titles, lambda it: it.claims.titles)})[ ]+"
        rf"|{any_of(lambda it: it.letters.greetings)}[ ]+"
    ),
    regex.IGNORECASE,
)
# Below this a name is too short to be told from another by one letter.
_SHORTEST = 4
# From here on two words that are nearly the same are one name, spelt in two ways.
_LONG = 8
_MOST_LINES = 6
# A first name and a last one.
_WHOLE_NAME = 2
# Sources of which each name is a person's.
_PEOPLE = frozenset({"recipient", "contact"})
# What stands before a word that a line or a sentence begins with.
_BEGINS, _BEGIN = lazy_regex(r"(?:^|[\n.:!?¡¿(])[\s\"'«„*-]{0,4}$"), 6


def read_names(text: str, *_: object) -> list[Value]:
    """Return the names in a text: surely those with a title, perhaps two words with a capital."""
    found = []
    for match in _NAMES.finditer(text):
        start, is_titled = match.start(), False
        for word in _WORD.finditer(text, *match.span()):
            before = _BEFORE_NAMES.match(text, word.start(), match.end())
            if before is not None and (before["title"] or word.start() == start):
                start, is_titled = before.end(), is_titled or before["title"] is not None
        if titles := _BEFORE.match(text[start : match.end()]):
            start, is_titled = start + titles.end(), True
        words = tuple(plain(word) for word in _WORD.findall(text[start : match.end()]))
        # "Frau Demir Ihnen": a small word with a capital is none of a name.
        end = match.end()
        while is_titled and len(words) > 1 and words[-1] in small_words(""):
            words = words[:-1]
            end = text.rindex(" ", start, end)
        if is_titled and words and len(words[-1]) >= _SHORTEST:
            found.append(Value(words[-_WHOLE_NAME:], start, end))
        elif len(words) in {_WHOLE_NAME, _WHOLE_NAME + 1} and words[0] not in small_words(""):
            found.append(Value(words, start, match.end(), is_sure=False))
    return found


def near_name(claim: Value, other: Value) -> float:
    """Return how near two names are: another first name before the same last one, or a slip."""
    one, two = claim.key, other.key
    assert isinstance(one, tuple) and isinstance(two, tuple)  # noqa: S101, PT018
    if len(one) == len(two) > 1 and _nearly(one, two):
        return 0.9
    if len(one) != _WHOLE_NAME or len(two) != _WHOLE_NAME or one[1] != two[1]:
        return 0.0
    return 0.0 if _is_short_for(one[0], two[0]) else 0.8


def is_somebody(claim: Claim, other: Place, code: str) -> bool:
    """Return True if a name of a source that a claim may mean is surely one, and of a person.

    Two words with a capital may be anything where a sentence begins, and anywhere in a language,
    as the message's `code` may be, that gives one to all nouns; or the same name, declined.
    """
    if claim.value.is_sure and (other.value.is_sure or other.source.type in _PEOPLE):
        return True
    one, two = claim.value.key, other.value.key
    assert isinstance(one, tuple) and isinstance(two, tuple)  # noqa: S101, PT018
    if any(a != b and (a.startswith(b) or b.startswith(a)) for a, b in zip(one, two, strict=False)):
        return False
    if len(one) == len(two) and _nearly(one, two):
        return True
    is_noun = any(
        known.claims.capitalised for it in (code, other.source.language) if (known := language(it))
    )
    places = [(claim.text, claim.value)]
    if other.source.type not in _PEOPLE:
        places.append((other.source.text, other.value))
    begins = (_BEGINS.search(text[max(0, it.start - _BEGIN) : it.start]) for text, it in places)
    return not is_noun and not any(begins)


def _nearly(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return all(map(_is_nearly, one, other))


def _is_nearly(one: str, other: str) -> bool:
    return one == other or (min(len(one), len(other)) >= _SHORTEST and is_misspelt(one, other))


def words_of(people: Iterable[Named], *, by_address: bool = True) -> dict[str, Named]:
    """Return what people may be called by: each word of their names and of their addresses."""
    found: dict[str, Named] = {}
    for one in people:
        local = one.email.partition("@")[0] if by_address else ""
        for text in (straight_name(one.name), local.replace(".", " ").replace("_", " ")):
            for word in _WORD.findall(text):
                found.setdefault(plain(word), one)
    return found


def greeting(body: str) -> "regex.Match[str] | None":
    """Return how a message begins by greeting somebody, with whom as `name`."""
    head = "\n".join(body.split("\n")[:_MOST_LINES])
    matches = (it for it in _GREETING.finditer(head) if not _CLOSING.match(it[0]))
    return next(matches, None)


def names_anybody(name: str) -> bool:
    """Return True for what is no one person's name: "Accounts", "Sales team"."""
    return _ANYBODY.search(name) is not None


def greeted_name(body: str) -> Value | None:
    """Return the name that a message greets, without titles; None where it greets nobody so."""
    match = greeting(body)
    if match is None or _ANYBODY.search(match["name"]):
        return None
    start, end = match.span("name")
    if title := _BEFORE.match(match["name"]):
        start += title.end()
    name = body[start:end].strip()
    is_name = is_personal(name) and NAME.match(name) and len(_WORD.findall(name)) <= 4
    return Value(name, start, start + len(name)) if is_name else None


def is_titled(body: str) -> bool:
    """Return True if a message greets somebody by a title."""
    match = greeting(body)
    return match is not None and _BEFORE.match(match["name"]) is not None


def fits(name: str, known: Iterable[str]) -> bool:
    """Return True if one word of a name is among the known ones, or is a short form of one."""
    words = [plain(word) for word in _WORD.findall(name)]
    return any(_is_short_for(word, one) for word in words for one in known)


# The endings of names that Slavic languages decline as adjectives.
_ADJECTIVE = lazy_regex(
    r"(?P<stem>.{2,}(?:sk|ck|dzk))(?:i|a|y|iego|iemu|im|iej|ich|imi|u|ho|eho|emu|e|ou|aya|oy|oyu|uyu)"
)


def is_same_adjective(word: str, name: str) -> bool:
    """Return True for two forms of a name that is an adjective: Zieliński, Zielińskiej."""
    one, other = _ADJECTIVE.fullmatch(word), _ADJECTIVE.fullmatch(name)
    return bool(one and other and one["stem"] == other["stem"])


def _is_declined(word: str, name: str) -> bool:
    """Return True for a name as Slavic languages call somebody: Ewo, Marku for Marek."""
    if is_same_adjective(word, name):
        return True
    if word[:-1] == name[:-1] and word.endswith("o") and name.endswith("a"):
        return True
    stem = name[:-2] + name[-1]
    return name[-2:-1] == "e" and word in {stem + "u", stem + "e", stem + "ie"}


def _is_short_for(word: str, name: str) -> bool:
    """Return True for the name itself, its beginning, and its middle where that is long enough."""
    if word == name or (len(word) >= _SHORTEST and word in name):
        return True
    shorter, longer = sorted((word, name), key=len)
    if len(shorter) >= _SHORTEST - 1 and longer.startswith(shorter):
        return True
    return _is_declined(word, name)


NAMES = Reader("name", read_names, near_name)


def misspelt_names(
    body: str, known: dict[str, Named], used: set[str], *, only_known: bool = False
) -> Iterator[tuple[Value, Named]]:
    """Yield the names in a text that are nearly somebody's, with whose.

    `used` are the words with a capital that the sources have: they are right as they are, and a
    long one of them that is spelt otherwise is a name as well, unless `only_known`.
    """
    small = small_words("") | _day_words()
    longer = () if only_known else (it for it in used if len(it) >= _LONG)
    long_ones = {word: Named(word.capitalize(), "") for word in longer}
    for match in _CAPITALISED.finditer(body):
        word = plain(match[0])
        if word in known or word in used or word in small or len(word) < _SHORTEST:
            continue
        if any(is_same_adjective(word, name) for name in (*known, *used)):
            continue
        near = (name for name in known if len(name) >= _SHORTEST and _is_slip(word, name))
        other = (it for it in long_ones if is_misspelt(word, it) and not _is_inflected(word, it))
        if (name := next(near, None)) is not None:
            yield Value(match[0], *match.span()), known[name]
        elif len(word) >= _LONG and (name := next(other, None)) is not None:
            yield Value(match[0], *match.span()), long_ones[name]


@cache
def _day_words() -> frozenset[str]:
    return frozenset(map(plain, (*months(), *weekdays())))


def _is_slip(word: str, name: str) -> bool:
    """Return True for a misspelt name; of a short one the first letter is the same."""
    return is_misspelt(word, name) and (len(name) > _SHORTEST + 1 or word[0] == name[0])


def _is_inflected(one: str, other: str) -> bool:
    """Return True if two words differ in their endings alone."""
    return one[:-3] == other[:-3] or one.startswith(other) or other.startswith(one)


def written_words(texts: Iterable[str]) -> set[str]:
    """Return the words with a capital of texts, as `plain` writes them."""
    return {plain(match[0]) for text in texts for match in _CAPITALISED.finditer(text)}
