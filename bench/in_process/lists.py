"""How many queries a list of threads takes, whatever its length, and other calls."""

import json
import re
import time

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agents.operations.agents import create_agent, known_scopes
from bench.results import Result, hand_over
from inbox.models import Inbox, Message

LENGTHS = (1, 10, 50, 200)
MOST_STATEMENTS = 5
CALLS = {
    "list_threads": ("inbox_id",), "get_thread": ("thread_id",), "email_list": ("account_id",),
    "email_get": ("account_id", "email_id"), "search_inbox": ("inbox_id", "query"),
    "cache_get_stats": (),
}  # fmt: skip
_CONTROL = re.compile(r"BEGIN|COMMIT|SAVEPOINT|RELEASE")


def measure() -> list[Result]:
    """Ask for lists of different lengths over HTTP and count."""
    inbox = Inbox.objects.select_related("workspace").get()
    _, token = create_agent(
        workspace=inbox.workspace,
        name=f"Lister {time.time_ns()}",
        scopes=known_scopes(),
        inboxes=[inbox],
    )
    client = Client(headers={"Authorization": f"Bearer {token}", "Host": "127.0.0.1"})
    counts = [count_queries(client, inbox, limit) for limit in (1, *LENGTHS)][1:]
    return [
        *(count_statements(client, inbox, name) for name in CALLS),
        Result(
            "list_threads, 50 threads",
            f"{counts[LENGTHS.index(50)]} queries",
            ", ".join(f"{count} for {n}" for n, count in zip(LENGTHS, counts, strict=True)),
            "constant" if len(set(counts)) == 1 else "grows",
            "constant",
            len(set(counts)) == 1,
        ),
    ]


def count_statements(client: Client, inbox: Inbox, name: str) -> Result:
    """Return how many statements a call takes but the first, beside those of its transaction."""
    message = Message.objects.order_by("pk")[0]
    known = {
        "inbox_id": inbox.public_id, "account_id": inbox.account.public_id,
        "thread_id": message.thread.public_id, "email_id": message.public_id,
        "query": message.subject[:40] or "mail",
    }  # fmt: skip
    asked = {argument: known[argument] for argument in CALLS[name]}
    counts = []
    # Every few seconds one writes what was counted in memory.
    for _ in range(4):
        with CaptureQueriesContext(connection) as queries:
            answer = client.post(f"/api/tools/{name}", asked, content_type="application/json")
        counts.append(sum(not _CONTROL.match(one["sql"]) for one in queries))
    if answer.status_code != 200:
        raise SystemExit(f"{name} answered {answer.content[:200]!r}")
    count = min(counts[1:])
    return Result(
        f"{name}, statements", str(count), "–", str(count), f"≤ {MOST_STATEMENTS}",
        count <= MOST_STATEMENTS,
    )  # fmt: skip


def count_queries(client: Client, inbox: Inbox, limit: int) -> int:
    """Return how many queries a list of `limit` threads takes."""
    with CaptureQueriesContext(connection) as queries:
        answer = client.post(
            "/api/tools/list_threads",
            {"inbox_id": inbox.public_id, "limit": limit},
            content_type="application/json",
        )
    if len(json.loads(answer.content)["threads"]) != limit:
        raise SystemExit(f"the list is not as long as asked: {answer.content[:200]!r}")
    return len(queries)


if __name__ == "__main__":
    hand_over(measure())
