"""Serves the review of one database and asks for its pages, as `bench.review_pages` tells it.

First it prints its pages and how many queries each makes, as JSON; then, for each name of a page on
a line of the input, how many seconds the answer took.
"""

import http.client
import json
import sys
import time

from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from agents.admin.queue.criteria import TABS
from agents.models import Approval, ApprovalState
from bench.in_process.review_desk import REVIEWER
from bench.in_process.tool_calls import serving
from inbox.models import Activity


def find_pages() -> dict[str, str]:
    """Return the addresses of the pages by their names."""
    waiting = Approval.objects.filter(state=ApprovalState.WAITING).order_by("pk")
    approval = waiting[waiting.count() // 2]
    activity = Activity.objects.filter(status="surfaced").order_by("pk").first()
    assert activity is not None
    queue = reverse("queue")
    pages = {f"queue, {tab}": f"{queue}?tab={tab}" for tab in TABS}
    return {
        **pages,
        "review page": reverse("review", args=[approval.public_id]),
        "activity page": reverse("activity", args=[activity.public_id]),
    }


def sign_in() -> Client:
    """Return a client with a session, and nothing cached that a server has not."""
    client = Client(HTTP_HOST="127.0.0.1")
    client.force_login(User.objects.get(username=REVIEWER))
    return client


def count_queries(client: Client, path: str) -> int:
    """Return how many queries a page makes once it is asked for again."""
    client.get(path)
    with CaptureQueriesContext(connection) as queries:
        answer = client.get(path)
    if answer.status_code != 200:
        raise SystemExit(f"{path} answered {answer.status_code}")
    return len(queries)


def ask(server: http.client.HTTPConnection, path: str, cookie: str) -> float:
    """Read a whole page; return the seconds."""
    start = time.perf_counter()
    server.request("GET", path, headers={"Cookie": cookie})
    answer = server.getresponse()
    answer.read()
    seconds = time.perf_counter() - start
    if answer.status != 200:
        raise SystemExit(f"{path} answered {answer.status}")
    return seconds


def main() -> None:
    """Serve until the input ends."""
    client, pages = sign_in(), find_pages()
    name = settings.SESSION_COOKIE_NAME
    cookie = f"{name}={client.cookies[name].value}"
    queries = {page: count_queries(client, path) for page, path in pages.items()}
    print(json.dumps(queries), flush=True)
    with serving() as server:
        for line in sys.stdin:
            print(json.dumps(ask(server, pages[line.strip()], cookie)), flush=True)


if __name__ == "__main__":
    main()
