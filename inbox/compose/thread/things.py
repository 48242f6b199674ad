"""The things that goals and mail speak of, by the words of each language; pure."""

from collections.abc import Mapping
from functools import cache

import regex

from inbox.extract.roles import named, names
from inbox.languages import any_of, lazy_regex

_FLAGS = regex.IGNORECASE


# Arabic and Japanese words stand in longer ones: an article or a particle grows on to them.
@cache
def _patterns() -> Mapping[str, regex.Pattern[str]]:
    return {name: _pattern(name) for name in names(lambda it: it.things)}


def _pattern(name: str) -> regex.Pattern[str]:
    apart = r"[\p{Latin}\p{M}]"
    return lazy_regex(
        lambda: rf"(?<!{apart}){named(lambda it: it.things, name)}(?!{apart})", _FLAGS
    )


_ARTICLES = lazy_regex(
    lambda: (
        rf"^(?:{any_of(lambda it: it.talk.articles)}\s"
        rf"|{any_of(lambda it: it.talk.articles_joined)})+"
    ),
    _FLAGS,
)


# What is asked for: "a photo", which is nothing to thank for.
ASKED_FOR = frozenset(
    {
        "order number", "invoice number", "customer number", "phone number", "address", "date",
        "screenshot", "photo", "receipt of purchase", "details",
    }
)  # fmt: skip
# What can be asked for besides, by the name of it.
ASKED_TOO = frozenset({"offer", "invoice", "feedback"})
# What is held at a time and can be confirmed, moved or cancelled.
MEETINGS = frozenset({"meeting", "call", "visit"})


def without_article(text: str) -> str:
    """Return the words without the articles and possessives before them."""
    return _ARTICLES.sub("", text.strip()).strip()


def begins_with_article(text: str) -> bool:
    """Return True if an article or a possessive stands before the words."""
    return without_article(text) != text.strip()


def thing_in(text: str) -> str:
    """Return which known thing the words name, if they name nothing besides it; else ""."""
    plain = without_article(text)
    return next((name for name, pattern in _patterns().items() if pattern.fullmatch(plain)), "")


def speaks_of(name: str, text: str) -> bool:
    """Return True if the text speaks of the thing, in whatever language."""
    return _patterns()[name].search(text) is not None


def thing_at(text: str) -> tuple[str, str]:
    """Return which known thing the words begin to speak of, and the words without it."""
    found = [
        (match.start(), -len(match[0]), name, match)
        for name, pattern in _patterns().items()
        if (match := pattern.search(text))
    ]
    if not found:
        return "", text
    *_, name, match = min(found, key=lambda it: it[:2])
    return name, f"{text[: match.start()]} {text[match.end() :]}"
