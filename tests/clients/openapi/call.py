"""Calls by the client that openapi-python-client makes."""

import sys

from generated import AuthenticatedClient
from generated.api.house import look_around
from generated.api.mail import get_thread, list_threads
from generated.models import (
    Errors,
    GetThreadInput,
    ListThreadsInput,
    ListThreadsInputStatus,
    ListThreadsOutput,
    LookAroundInput,
    LookAroundInputKind,
    LookAroundOutput,
)

url, token = sys.argv[1:]
with AuthenticatedClient(base_url=url, token=token) as chancery:
    asked = LookAroundInput(kind=LookAroundInputKind.INBOXES)
    around = look_around.sync(client=chancery, body=asked)
    assert isinstance(around, LookAroundOutput)
    assert around.inboxes
    wanted = ListThreadsInput(
        inbox_id=around.inboxes[0].id, status=ListThreadsInputStatus.OPEN, limit=2
    )
    page = list_threads.sync(client=chancery, body=wanted)
    assert isinstance(page, ListThreadsOutput)
    sys.stdout.write(" ".join(thread.id for thread in page.threads) + "\n")
    refused = get_thread.sync(client=chancery, body=GetThreadInput(thread_id="thr_nothere00"))
    assert isinstance(refused, Errors)
    sys.stdout.write(refused.code + "\n")
