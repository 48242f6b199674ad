"""Where the changes of a task are pushed to: kept, told and carried out (A2A 1.0, 3.1.7 and 4.3).

An address that an agent chose could carry away what it has read, in its very name. So only hosts
that the operator named are pushed to, and what is pushed says how a task stands, never its answer.
"""

import json
import secrets
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction

from agents import receipts
from agents.dispatching.statements import agent_status
from agents.models import A2APush, A2ATask, AgentStatus
from agents.receipts import ReceiptEntry
from agents.surfaces.a2a.refusals import RpcError, bad_field
from agents.surfaces.a2a.requests import PushConfig
from agents.surfaces.a2a.told import tell_status
from inbox.accounts.account_settings import is_allowed
from inbox.accounts.credentials import decrypt, encrypt
from inbox.actor import Actor
from inbox.background.jobs import Payload, RetryLater
from inbox.providers.http.outbound import NotAllowed, NotReached, check_url, post

MOST = 10
TIMEOUT = 10.0
_MEDIA = "application/a2a+json"
_NONE = "PUSH_NOTIFICATION_NOT_SUPPORTED"


def check_supported() -> None:
    """Raise RpcError where the operator has named no host that is pushed to."""
    if not settings.A2A_PUSH_HOSTS:
        raise RpcError(_NONE, "Nothing is pushed here: read the task again instead")


def keep_push(actor: Actor, task: A2ATask, asked: PushConfig) -> A2APush:
    """Keep where a task's changes go, in the place of one with the same id; raises RpcError."""
    check_supported()
    _check_url(asked.url)
    name = asked.id or f"push-{secrets.token_hex(8)}"
    proof = asked.authentication
    secret = {
        "token": asked.token,
        "scheme": proof.scheme if proof else "",
        "credentials": proof.credentials if proof else "",
    }
    with transaction.atomic():
        others = task.pushes.exclude(config_id=name).order_by("pk")
        if len(others[:MOST]) == MOST:
            raise bad_field("taskId", f"has {MOST} such addresses already; accepted: fewer")
        kept = {"url": asked.url, "secret": encrypt(json.dumps(secret))}
        push, _ = A2APush.objects.update_or_create(task=task, config_id=name, defaults=kept)
        _record(actor, "create_push", push)
    return push


def find_push(task: A2ATask, config_id: str) -> A2APush:
    """Return an address of a task; raises RpcError `TASK_NOT_FOUND`."""
    found = task.pushes.filter(config_id=config_id).first()
    if found is None:
        about = {"taskId": task.public_id, "id": config_id[:200]}
        raise RpcError("TASK_NOT_FOUND", "There is no such push notification config", about)
    return found


def remove_push(actor: Actor, task: A2ATask, config_id: str) -> None:
    """Push nothing there any more; that there was nothing is no error."""
    found = task.pushes.filter(config_id=config_id).first()
    if found is not None:
        with transaction.atomic():
            _record(actor, "remove_push", found)
            found.delete()


def tell_push(task: A2ATask, push: A2APush) -> dict[str, Any]:
    """Return an address as its agent reads it: without what proves us there."""
    return {"id": push.config_id, "taskId": task.public_id, "url": push.url}


def deliver(payload: Payload) -> None:
    """Tell an address how its task stands now; what does not arrive is tried again."""
    rows = A2APush.objects.select_related("task__approval")
    push = rows.filter(pk=payload["push_id"]).first()
    if push is None or agent_status(push.task.agent_id) != AgentStatus.ACTIVE:
        return
    if not _goes_to(push.url):
        return
    task = push.task
    told = {"taskId": task.public_id, "contextId": task.context_id, "status": tell_status(task)}
    body = json.dumps({"statusUpdate": told}, separators=(",", ":"), ensure_ascii=False)
    try:
        answered = post(
            push.url, body=body.encode(), headers=_headers(push), allowed=settings.WEBHOOK_ALLOW,
            seconds=TIMEOUT,
        )  # fmt: skip
    except NotAllowed:
        return
    except NotReached as error:
        raise RetryLater(str(error)) from error
    if not 200 <= answered.status < 300:
        raise RetryLater(f"HTTP {answered.status}")


def _headers(push: A2APush) -> dict[str, str]:
    secret = json.loads(decrypt(bytes(push.secret)).reveal())
    headers = {"content-type": _MEDIA, "a2a-version": "1.0"}
    if secret["token"]:
        headers["x-a2a-notification-token"] = secret["token"]
    if secret["credentials"]:
        headers["authorization"] = f"{secret['scheme']} {secret['credentials']}"
    return headers


def _check_url(url: str) -> None:
    try:
        check_url(url, settings.WEBHOOK_ALLOW)
    except NotAllowed as error:
        raise bad_field("url", f"is refused: {error}; accepted: an https address") from None
    if not _goes_to(url):
        raise bad_field("url", "leads to no host that the operator has named for this")


def _goes_to(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    return bool(settings.A2A_PUSH_HOSTS) and is_allowed(host, settings.A2A_PUSH_HOSTS)


def _record(actor: Actor, tool: str, push: A2APush) -> None:
    arguments = {"task_id": push.task.public_id, "config_id": push.config_id, "url": push.url}
    receipts.record(actor, ReceiptEntry(tool=tool, arguments=arguments))
