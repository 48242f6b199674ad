"""Whether the name that a sender shows has anything to do with the address it writes from."""

import unicodedata
from functools import cache
from typing import Final, Literal, TypeAlias

from inbox.languages import lazy, words_of
from inbox.rfc5322.addresses.lookalikes import unicode_domain

# Whose name it is: the domain's, the mailbox's before it alone, or neither's; "" says nothing.
Belongs: TypeAlias = Literal["domain", "mailbox", "neither", ""]

_WORD: Final = lazy(r"[a-z0-9]+")
# Shorter ones stand in any domain by chance.
_SHORTEST: Final = 3
_WHOLE: Final = 4


def name_belongs(name: str, email: str) -> Belongs:
    """Return whose the name is: a word of it, its initials or all of it stand in the address.

    A name in letters that no domain is compared with, or made of words such as "Customer Service"
    alone, says nothing.
    """
    local, _, domain = email.lower().rpartition("@")
    every = _words(name)
    words = [word for word in every if len(word) >= _SHORTEST and word not in _of_anybody()]
    if not domain or not any(any(map(str.isalpha, word)) for word in words):
        return ""
    labels = unicode_domain(domain).split(".")
    chosen, above = _chosen(labels)
    if _shares(every, words, chosen):
        return "domain"
    return "mailbox" if _shares(every, words, f"{above} {local}") else "neither"


def _shares(every: list[str], words: list[str], place: str) -> bool:
    """Return True if a place of an address has a word, the initials, or a part of the name."""
    tokens = _words(place)
    squeezed = "".join(tokens)
    if any(word in squeezed if len(word) >= _WHOLE else word in tokens for word in words):
        return True
    named = "".join(every)
    initials = ["".join(word[0] for word in some) for some in (every, words)]
    return any(
        (len(token) >= _WHOLE and token in named)
        or any(_abbreviates(token, letters) for letters in initials)
        for token in tokens
    )


def _abbreviates(token: str, initials: str) -> bool:
    """Return True if a token is the initials, with a letter or two behind them at most."""
    return len(initials) > 1 and token.startswith(initials) and len(token) <= len(initials) + 2


def _chosen(labels: list[str]) -> tuple[str, str]:
    """Return the label that the domain's owner chose and paid for, and those above it."""
    ending = 2 if len(labels) > 2 and len(labels[-1]) == 2 and len(labels[-2]) <= 3 else 1
    own = labels[: len(labels) - ending] or labels
    return own[-1], " ".join(own[:-1])


def _words(text: str) -> list[str]:
    """Return the words of a text in plain Latin letters: `Köln` as `koln`, styled letters too."""
    plain = unicodedata.normalize("NFKD", text[:300].replace("ß", "ss"))
    return _WORD.findall("".join(c for c in plain.lower() if not unicodedata.combining(c)))


@cache
def _of_anybody() -> frozenset[str]:
    """Return the words that name nobody."""
    found = words_of(lambda it: it.classify.of_anybody)
    return frozenset(plain for word in found for plain in _words(word))
