"""Keywords on both sides: what was changed here, what is news from there, and both together.

A place remembers the keywords that the server had when we last heard of it. What differs from them
there is news, what differs from them here is to be told; so nothing is told back to who said it.
IMAP compares keywords without regard to case (RFC 9051 2.3.2), and there they are in lower case.
"""

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from inbox.providers.mail_changes import is_keyword

# The server's own business: a mark for the next expunge, and who looked first.
_NOT_OURS = frozenset({"$deleted", "$recent"})
SYSTEM = frozenset({"$seen", "$answered", "$flagged", "$draft"})
# What any provider could keep, as a category of several words.
_COMPARABLE = re.compile(r"[^\x00-\x1f\x7f]{1,255}")


class Difference(NamedTuple):
    """What to tell the server of one place."""

    add: frozenset[str]
    remove: frozenset[str]


def is_shared(keyword: str) -> bool:
    """Return True if a keyword can stand at an IMAP or JMAP server; several words cannot."""
    return keyword.lower() not in _NOT_OURS and is_keyword(keyword)


def shared(keywords: Iterable[str]) -> frozenset[str]:
    """Return those of a message's keywords that such a server is to have, in lower case."""
    return frozenset(word.lower() for word in keywords if is_shared(word))


def comparable(keywords: Iterable[str]) -> frozenset[str]:
    """Return keywords in lower case, without those that are a server's own business."""
    return frozenset(
        word.lower()
        for word in keywords
        if word.lower() not in _NOT_OURS and _COMPARABLE.fullmatch(word)
    )


def changed_here(
    ours: Iterable[str],
    *,
    known: Iterable[str],
    takes_free: bool = True,
    takes: Callable[[str], bool] = is_shared,
) -> Difference:
    """Return what was changed here since we heard of a place whose keywords were `known`.

    `takes` says which keywords can be told there; what it does not take stays as it is on each
    side. `takes_free`: whether new free keywords can be stored; otherwise only the system's.
    """
    wanted, there = comparable(ours), comparable(known)
    add = frozenset(filter(takes, wanted - there))
    remove = frozenset(filter(takes, there - wanted))
    return Difference(add if takes_free else add & SYSTEM, remove)


def as_there(
    ours: Iterable[str], *, known: Iterable[str], takes: Callable[[str], bool]
) -> list[str]:
    """Return a message's keywords, sorted, once what was changed here is undone.

    `known` are those that it has there; what cannot be told there stays.
    """
    words, there = list(ours), comparable(known)
    kept = {word for word in words if word.lower() in there or not takes(word.lower())}
    return sorted(kept | (there - {word.lower() for word in words}))


def merged(ours: Iterable[str], *, known: Iterable[str], heard: Iterable[str]) -> list[str]:
    """Return a message's keywords, sorted, once what the server changed is taken over.

    `known` are the place's keywords so far, `heard` those it has now. What was changed here and not
    there stays, and so does the case in which somebody wrote a category.
    """
    before, now = comparable(known), comparable(heard)
    gone = before - now
    kept = {word for word in ours if word.lower() not in gone}
    there = {word.lower() for word in kept}
    return sorted(kept | {word for word in now - before if word not in there})
