"""Keywords on both sides: what was changed here, what is news from there, and both together.

A place remembers the keywords that the server had when we last heard of it. What differs from them
there is news, what differs from them here is to be told; so nothing is told back to who said it.
IMAP compares keywords without regard to case (RFC 9051 2.3.2), and there they are in lower case.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

# The server's own business: a mark for the next expunge, and who looked first.
_NOT_OURS = frozenset({"$deleted", "$recent"})
SYSTEM = frozenset({"$seen", "$answered", "$flagged", "$draft"})
# An atom (RFC 9051 9); Dovecot takes 50 characters at most, and what it refuses stays here.
_SHARED = re.compile(r"[!#$&'+,\-./0-9:;<=>?@A-Z\[^_`a-z|}~]{1,50}")


class Difference(NamedTuple):
    """What to tell the server of one place."""

    add: frozenset[str]
    remove: frozenset[str]


def is_shared(keyword: str) -> bool:
    """Return whether a keyword stands on both sides; a category of several words stays here."""
    return keyword.lower() not in _NOT_OURS and _SHARED.fullmatch(keyword) is not None


def shared(keywords: Iterable[str]) -> frozenset[str]:
    """Return those of a message's keywords that the server is to have, in lower case."""
    return frozenset(word.lower() for word in keywords if is_shared(word))


def changed_here(
    ours: Iterable[str], *, known: Iterable[str], takes_free: bool = True
) -> Difference:
    """Return what was changed here since we heard of a place whose keywords were `known`.

    `takes_free`: whether new free keywords can be stored there; otherwise only the system's.
    """
    wanted, there = shared(ours), shared(known)
    add = wanted - there
    return Difference(add if takes_free else add & SYSTEM, there - wanted)


def merged(ours: Iterable[str], *, known: Iterable[str], heard: Iterable[str]) -> list[str]:
    """Return a message's keywords, sorted, once what the server changed is taken over.

    `known` are the place's keywords so far, `heard` those it has now. What was changed here and not
    there stays, and so does the case in which somebody wrote a category.
    """
    before, now = shared(known), shared(heard)
    gone = before - now
    kept = {word for word in ours if word.lower() not in gone}
    there = {word.lower() for word in kept}
    return sorted(kept | {word for word in now - before if word not in there})
