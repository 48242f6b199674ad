"""Which messages belong together: by the ids they name, and bare replies by their subject.

The result does not depend on the order in which messages arrive. Two messages belong together when
one names an id that the other has or names too (RFC 5322 3.6.4). A reply that names none at all
belongs to what has its subject, was written within a month before, and is by or to the same
correspondent (`answers`). A thread is what hangs together by either.
"""

import hashlib
import re
import unicodedata
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Generic, TypeVar

from inbox.languages import any_of, lazy

Item = TypeVar("Item", bound=Hashable)

# More ids than this on one message are not a history but an attack.
MOST_REFERENCES = 500
# How long before a bare reply the message that it answers may be, and how wrong clocks may be.
WINDOW, CLOCK_ERROR = timedelta(days=30), timedelta(days=1)

_ID = re.compile(r"<([^<>]*)>")
# Re, Fwd and their kin, as mail programs write them.
_PREFIX = lazy(
    lambda: (
        rf"\s*(?:(?P<reply>{any_of(lambda it: it.mail.replies, lambda it: it.mail.references)})"
        rf"|{any_of(lambda it: it.mail.forwards)})"
        r"\s*(?:\[\d{1,3}\]|\(\d{1,3}\)|\^\d{1,3})?\s*:\s*"
    ),
    re.IGNORECASE,
)
_LIST_TAG = re.compile(r"\s*\[[^\]\[]{1,60}\]\s*")
_LONGEST_SUBJECT = 1000
# So many ids and subjects are kept with what came of them; longer ones are not.
_MOST_KEPT, _LONGEST_KEPT = 4096, 200


def reference_key(message_id: str) -> str:
    """Return the key (32 hex digits) of a Message-ID, with or without its angle brackets.

    "" where there is no id. White space that folding left inside is no part of it.
    """
    # Messages of a conversation name the same ones.
    return _known_key(message_id) if len(message_id) <= _LONGEST_KEPT else _key_of(message_id)


def _key_of(message_id: str) -> str:
    found = _ID.search(message_id)
    bare = "".join((found[1] if found else message_id.strip().strip("<>")).split())
    return hashlib.sha256(f"<{bare}>".encode(errors="replace")).hexdigest()[:32] if bare else ""


def message_keys(
    message_id: str, in_reply_to: str = "", references: Iterable[str] = ()
) -> tuple[str, ...]:
    """Return the keys of a message's own id and of those it names, own first, each once."""
    named = list(references)
    # The oldest are the root of the thread, the newest the message itself answers.
    if len(named) > MOST_REFERENCES:
        named = named[:10] + named[-(MOST_REFERENCES - 10) :]
    ids = [message_id, *named, *_ids_in_reply_to(in_reply_to)]
    return tuple(key for key in dict.fromkeys(map(reference_key, ids)) if key)


def _ids_in_reply_to(header: str) -> list[str]:
    """Return the ids of an In-Reply-To; of one that is prose, the last, for names stand before."""
    header = header[:10_000]
    ids = [f"<{found}>" for found in _ID.findall(header) if "@" in found]
    if ids and _ID.sub("", header).strip():
        return ids[-1:]
    return ids[:MOST_REFERENCES]


def base_subject(subject: str) -> str:
    """Return a subject without Re:, Fwd: and list tags, in one case and form (cf. RFC 5256 2.1)."""
    return _strip(subject)[0]


def is_reply_subject(subject: str) -> bool:
    """Return whether a subject says that its message is a reply (not: a forward)."""
    return _strip(subject)[1]


def _strip(subject: str) -> tuple[str, bool]:
    """Return the base subject, and whether the outermost prefix was that of a reply."""
    return _known_strip(subject) if len(subject) <= _LONGEST_KEPT else _take_off(subject)


def _take_off(subject: str) -> tuple[str, bool]:
    text = unicodedata.normalize("NFKC", subject[:_LONGEST_SUBJECT])
    first: str | None = None
    while found := _PREFIX.match(text) or _LIST_TAG.match(text):
        is_tag = found.re is _LIST_TAG
        if is_tag and found.end() == len(text):
            break  # a subject that is nothing but [brackets]
        if not is_tag and first is None:
            first = "reply" if found["reply"] else "forward"
        text = text[found.end() :]
    return " ".join(text.casefold().split()), first == "reply"


_known_key = lru_cache(_MOST_KEPT)(_key_of)
_known_strip = lru_cache(_MOST_KEPT)(_take_off)


def subject_key(subject: str, *, names_others: bool) -> str:
    """Return the key under which messages of one base subject are found; "" where it is empty.

    It starts with `r` on bare replies (those that name no other message), with `s` on all others.
    """
    base, is_reply = _strip(subject)
    if not base:
        return ""
    kind = "r" if is_reply and not names_others else "s"
    return kind + hashlib.sha256(base.encode(errors="replace")).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class ThreadingFacts:
    """What of a message decides by subject; the addresses are in lower case."""

    subject_key: str
    at: datetime
    sender: str
    recipients: frozenset[str]

    @property
    def is_bare_reply(self) -> bool:
        """Whether it says that it is a reply, but not to what."""
        return self.subject_key.startswith("r")


def answers(reply: ThreadingFacts, other: ThreadingFacts, own: frozenset[str]) -> bool:
    """Return whether a bare reply belongs to another message of its subject.

    One of the two must have written to the other; that a list, or one of our `own` addresses, got
    both is not enough.
    """
    if not reply.is_bare_reply or reply.subject_key[1:] != other.subject_key[1:]:
        return False
    if not -CLOCK_ERROR <= reply.at - other.at <= WINDOW:
        return False
    return (other.sender not in own and other.sender in reply.recipients) or (
        reply.sender not in own and reply.sender in other.recipients
    )


class DisjointSets(Generic[Item]):
    """Disjoint sets that grow together (union by rank, with path halving)."""

    def __init__(self) -> None:
        self._parent: dict[Item, Item] = {}
        self._rank: dict[Item, int] = {}

    def find(self, item: Item) -> Item:
        """Return the one that stands for the item's set; a new item is a set of its own."""
        parent = self._parent
        if item not in parent:
            parent[item] = item
            return item
        while parent[item] != item:
            parent[item] = parent[parent[item]]
            item = parent[item]
        return item

    def join(self, one: Item, other: Item) -> None:
        """Make the sets of two items one."""
        one, other = self.find(one), self.find(other)
        if one == other:
            return
        rank = self._rank
        if rank.get(one, 0) < rank.get(other, 0):
            one, other = other, one
        if rank.get(one, 0) == rank.get(other, 0):
            rank[one] = rank.get(one, 0) + 1
        self._parent[other] = one

    def groups(self) -> list[list[Item]]:
        """Return the sets, each in the order in which its items came."""
        found: dict[Item, list[Item]] = {}
        for item in self._parent:
            found.setdefault(self.find(item), []).append(item)
        return list(found.values())
