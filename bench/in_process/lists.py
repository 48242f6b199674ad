"""How many queries a list of threads takes, whatever its length."""

import json
import time

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agents.operations.agents import create_agent, known_scopes
from bench.results import Result, hand_over
from inbox.models import Inbox

LENGTHS = (1, 10, 50, 200)


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
        Result(
            "list_threads, 50 threads",
            f"{counts[LENGTHS.index(50)]} queries",
            ", ".join(f"{count} for {n}" for n, count in zip(LENGTHS, counts, strict=True)),
            "constant" if len(set(counts)) == 1 else "grows",
            "constant",
            len(set(counts)) == 1,
        )
    ]


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
