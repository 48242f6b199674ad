"""A hundred searches of two words, in process, against `notmuch search --limit=10`."""

import random
import re
import sys
import time
from pathlib import Path

from bench.notmuch import Notmuch
from bench.results import Result, hand_over, milliseconds, percentile
from inbox.actor import system_actor
from inbox.models import Inbox, Message
from inbox.search import search_messages

# The 95th percentile against that of notmuch's command.
GOAL = 0.7
QUERIES, SEED = 100, 8000
_WORD = re.compile(r"\b[a-z]{4,12}\b")


def draw_queries(inbox: Inbox) -> list[tuple[str, str]]:
    """Return pairs of words, each from one message, the same ones for the same corpus."""
    chance = random.Random(SEED)
    keys = list(
        Message.objects.filter(inbox=inbox)
        .order_by("message_id_header")
        .values_list("pk", flat=True)
    )
    queries: list[tuple[str, str]] = []
    while len(queries) < QUERIES:
        text = Message.objects.values_list("new_text", flat=True).get(pk=chance.choice(keys))
        words = sorted(set(_WORD.findall(text)))
        if len(words) >= 2:
            one, other = chance.sample(words, 2)
            queries.append((one, other))
    return queries


def measure(maildir: Path, folder: Path) -> list[Result]:
    """Search in turn, query by query."""
    inbox = Inbox.objects.get()
    actor = system_actor(inbox.workspace_id, "bench")
    notmuch = Notmuch(maildir, folder) if Notmuch.is_installed() else None
    ours: list[float] = []
    anchor: list[float] = []
    for words in draw_queries(inbox):
        start = time.perf_counter()
        search_messages(actor=actor, inbox=inbox, query=" ".join(words))
        ours.append(time.perf_counter() - start)
        if notmuch is not None:
            anchor.append(notmuch.search(*words))
    name, goal, p95 = f"{QUERIES} searches of two words, p95", f"≤ {GOAL}", percentile(ours, 95)
    if not anchor:
        return [Result(name, milliseconds(p95), "notmuch is not installed", "–", goal, None)]
    theirs = percentile(anchor, 95)
    ratio = p95 / theirs
    return [
        Result(
            name,
            milliseconds(p95),
            f"notmuch {milliseconds(theirs)}",
            f"{ratio:.2f}",
            goal,
            ratio <= GOAL,
        )
    ]


if __name__ == "__main__":
    hand_over(measure(Path(sys.argv[1]), Path(sys.argv[2])))
