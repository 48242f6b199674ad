"""How high search puts what was looked for, against plain BM25 over the same fields.

A message is looked for by the subject of its conversation, which it began, and by what somebody
wrote in answer to it, without the quote. The figure is the mean reciprocal rank among the first
ten: 1 where it always comes first, 0 where it never comes at all. The anchor is FTS5's bm25() over
any of the query's words, all fields and words alike, in an index of this mail alone. The message
that is asked with is struck from both answers; the same is asked once more where ours has not got
it at all, as when somebody asks with a letter that is not here. Of these those count once more that
no other message names: nobody quotes their words, and nothing tells what they answered.
"""

import random
import re
import sqlite3
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, TypeAlias

from django.utils import timezone

from bench.results import Result, hand_over
from inbox.actor import system_actor
from inbox.models import Inbox, Message
from inbox.rfc5322.text.unspaced import bigrams
from inbox.search import search_messages

SEED, AMONG = 8000, 10
QUERIES = 150
_WORD = re.compile(r"\w+")
_REPLIES = re.compile(r"^(?:\s*(?:re|aw|fwd?|wg|sv)\s*(?:\[\d+\])?:\s*)+", re.IGNORECASE)
_FEWEST_WORDS = 5
_FIELDS = ("subject", "from_name", "from_email", "search_extra", "text")
_Search: TypeAlias = Callable[[str], Sequence[int]]


@dataclass(frozen=True)
class Looked:
    """What is asked, the message it is about, and the one it was taken from."""

    query: str
    sought: int
    asker: int | None = None


def by_subject(inbox: Inbox) -> Iterator[Looked]:
    """Yield the subjects of conversations and the messages that began them, in random order."""
    first: dict[int, tuple[int, str]] = {}
    answered: set[int] = set()
    rows = Message.objects.filter(inbox=inbox).order_by("received_at", "pk")
    for key, thread, subject in rows.values_list("pk", "thread_id", "subject"):
        if thread in first:
            answered.add(thread)
        first.setdefault(thread, (key, _REPLIES.sub("", subject)))
    for thread in _shuffled(answered):
        key, subject = first[thread]
        if _WORD.search(subject):
            yield Looked(subject, key)


def by_reply(inbox: Inbox) -> Iterator[Looked]:
    """Yield the new text of replies and the messages they answer, in random order."""
    rows = Message.objects.filter(inbox=inbox)
    ids = {header: key for key, header in rows.values_list("pk", "message_id_header") if header}
    answers = dict(rows.exclude(in_reply_to="").values_list("pk", "in_reply_to"))
    for key in _shuffled(answers):
        sought = ids.get(answers[key].strip())
        text = rows.values_list("new_text", flat=True).get(pk=key)
        if sought not in {None, key} and len(_WORD.findall(text)) >= _FEWEST_WORDS:
            yield Looked(text, int(sought or 0), key)


def named_by_others(inbox: Inbox) -> set[str]:
    """Return the Message-IDs that a message of the inbox answers or otherwise names."""
    rows = Message.objects.filter(inbox=inbox).values_list("in_reply_to", "references")
    return {name.strip() for answered, names in rows.iterator() for name in (answered, *names)}


def _shuffled(keys: Any) -> list[int]:
    ordered = sorted(keys)
    random.Random(SEED).shuffle(ordered)
    return ordered


def plain_bm25(inbox: Inbox) -> _Search:
    """Return a search that ranks by BM25 and nothing else."""
    database = sqlite3.connect(":memory:")
    fields = ", ".join(_FIELDS)
    database.execute(
        f"CREATE VIRTUAL TABLE mail USING fts5({fields}, "
        "tokenize='porter unicode61 remove_diacritics 2')"
    )
    rows = Message.objects.filter(inbox=inbox).kept().values_list("pk", *_FIELDS)
    marks = ", ".join("?" * (len(_FIELDS) + 1))
    database.executemany(
        f"INSERT INTO mail (rowid, {fields}) VALUES ({marks})",
        rows.iterator(),
    )
    return partial(_ask, database)


def _ask(database: sqlite3.Connection, query: str) -> list[int]:
    words = dict.fromkeys([*_WORD.findall(query.lower()), *bigrams(query)])
    asked = " OR ".join(f'"{word}"' for word in words)
    sql = f"SELECT rowid FROM mail WHERE mail MATCH ? ORDER BY bm25(mail) LIMIT {AMONG + 1}"
    return [key for (key,) in database.execute(sql, [asked])]


def our_search(inbox: Inbox) -> _Search:
    """Return the search that agents have."""
    actor = system_actor(inbox.workspace_id, "bench")

    def search(query: str) -> list[int]:
        hits = search_messages(actor=actor, inbox=inbox, query=query, top_k=AMONG + 1)
        return [hit.message.pk for hit in hits]

    return search


def without_asker(inbox: Inbox, search: _Search, looked: Looked) -> list[int]:
    """Return what is found while the message that is asked with is not there."""
    mail = Message.objects.filter(inbox=inbox, pk=looked.asker)
    mail.update(deleted_at=timezone.now())
    try:
        return list(search(looked.query))
    finally:
        mail.update(deleted_at=None)


def reciprocal_rank(found: Sequence[int], looked: Looked) -> float:
    """Return 1 where it comes first, a half where second, …, 0 where not among the first ten."""
    others = [key for key in found if key != looked.asker][:AMONG]
    return 1 / (others.index(looked.sought) + 1) if looked.sought in others else 0.0


def measure() -> list[Result]:
    """Ask both the same."""
    inbox = Inbox.objects.get()
    ours, anchor = our_search(inbox), plain_bm25(inbox)
    asked = {
        "by its subject": list(islice(by_subject(inbox), QUERIES)),
        "from a reply": list(islice(by_reply(inbox), QUERIES)),
    }
    with_asker = [
        _compare(name, looked, lambda one: ours(one.query), anchor)
        for name, looked in asked.items()
    ]
    unseen = partial(without_asker, inbox, ours)
    name, replies = "from a reply that is not there", asked["from a reply"]
    named = named_by_others(inbox)
    own_ids = dict(inbox.messages.values_list("pk", "message_id_header"))
    alone = [one for one in replies if own_ids[one.asker or 0] not in named]
    return [
        *with_asker,
        _compare(name, replies, unseen, anchor),
        _compare(f"{name}, of which nothing tells", alone, unseen, anchor),
    ]


def _compare(
    name: str,
    asked: Sequence[Looked],
    ours: Callable[[Looked], Sequence[int]],
    anchor: _Search,
) -> Result:
    name, goal = f"a message found {name}, {len(asked)} searches, mean reciprocal rank", "≥ 1.0"
    if not asked:
        return Result(name, "–", "no such mail", "–", goal, None)
    mine = statistics.mean(reciprocal_rank(ours(one), one) for one in asked)
    theirs = statistics.mean(reciprocal_rank(anchor(one.query), one) for one in asked)
    ratio = mine / theirs if theirs else float(mine > 0) + 1
    return Result(
        name, f"{mine:.3f}", f"plain BM25 {theirs:.3f}", f"{ratio:.2f}", goal, mine >= theirs
    )


if __name__ == "__main__":
    hand_over(measure())
