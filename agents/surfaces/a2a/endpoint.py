"""`POST /a2a`: one request of JSON-RPC 2.0 and its answer (A2A 1.0, section 9)."""

import logging
from collections.abc import Callable
from typing import Any, TypeAlias

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt

from agents.errors import ToolError
from agents.surfaces.a2a import reading, sending
from agents.surfaces.a2a.card import VERSION, extended_card
from agents.surfaces.a2a.pushes import (
    check_supported,
    find_push,
    keep_push,
    remove_push,
    tell_push,
)
from agents.surfaces.a2a.refusals import RpcError, bad_field, by_tool_error
from agents.surfaces.a2a.requests import (
    GetTask,
    ListPushes,
    ListTasks,
    OfPush,
    OfTask,
    PushConfig,
    SendMessage,
    read,
)
from agents.surfaces.request_body import read_bearer, read_json
from agents.surfaces.rest import render_error
from inbox.actor import Actor

log = logging.getLogger(__name__)
Params: TypeAlias = dict[str, Any]
_HEADER = "A2A-Version"
# Told by the HTTP status too.
_BY_STATUS = frozenset({401, 413, 415, 429})


@csrf_exempt
def serve(request: HttpRequest) -> HttpResponse:
    """Answer a request; a bearer's token is all the leave there is, and no session counts."""
    if request.method != "POST":
        details = {"method": request.method or "", "accepted": "POST"}
        response = render_error(ToolError("method_not_allowed", "Requests are posted", details))
        response["Allow"] = "POST"
        return response
    asked: Any = None
    try:
        actor = read_bearer(request)
        asked = read_json(request)
        return JsonResponse(_around(asked) | {"result": _answer(request, actor, asked)})
    except RpcError as error:
        return JsonResponse(_around(asked) | {"error": error.as_json()})
    except ToolError as error:
        return _refused(asked, error)
    except Exception:
        log.exception("the request failed")
        broken = ToolError("internal", "Something went wrong on our side; it has been logged")
        return JsonResponse(_around(asked) | {"error": by_tool_error(broken).as_json()})


def _refused(asked: Any, error: ToolError) -> HttpResponse:
    by_http = render_error(error)
    known = by_tool_error(error) if asked is not None or error.status in _BY_STATUS else None
    refusal = known or RpcError("JSON_PARSE", error.message)
    status = error.status if error.status in _BY_STATUS else 200
    response = JsonResponse(_around(asked) | {"error": refusal.as_json()}, status=status)
    for name in ("WWW-Authenticate", "Retry-After"):
        if name in by_http:
            response[name] = by_http[name]
    return response


def _around(asked: Any) -> dict[str, Any]:
    given = asked.get("id") if isinstance(asked, dict) else None
    is_id = isinstance(given, str) or type(given) in {int, float}
    return {"jsonrpc": "2.0", "id": given if is_id else None}


def _answer(request: HttpRequest, actor: Actor, asked: Any) -> Any:
    if not isinstance(asked, dict) or asked.get("jsonrpc") != "2.0":
        raise RpcError("INVALID_REQUEST", "The body is no single request of JSON-RPC 2.0")
    method, params = asked.get("method"), asked.get("params", {})
    if not isinstance(method, str) or not isinstance(params, dict):
        raise RpcError("INVALID_REQUEST", "The method is no text, or its params are no object")
    _check_version(request)
    if method not in _METHODS:
        about = {"method": method[:100], "accepted": ", ".join(_METHODS)}
        raise RpcError("METHOD_NOT_FOUND", "There is no such method", about)
    reading.check_active(actor)
    return _METHODS[method](actor, params)


def _check_version(request: HttpRequest) -> None:
    """Raise RpcError unless the client speaks ours; who says nothing speaks 0.3 (3.6.2)."""
    given = request.headers.get(_HEADER) or request.GET.get(_HEADER) or "0.3"
    if given.split(".")[:2] != VERSION.split("."):
        about = {"version": given[:40], "accepted": VERSION}
        raise RpcError("VERSION_NOT_SUPPORTED", f"This is A2A {VERSION} ({_HEADER})", about)


def _send(actor: Actor, params: Params) -> Any:
    return sending.send_message(actor, read(SendMessage, params))


def _stream(_actor: Actor, _params: Params) -> Any:
    # Whoever serves streams took it before.
    raise RpcError("UNSUPPORTED_OPERATION", "This server does not stream: read the task again")


def _get(actor: Actor, params: Params) -> Any:
    return reading.get_task(actor, read(GetTask, params))


def _list(actor: Actor, params: Params) -> Any:
    return reading.list_tasks(actor, read(ListTasks, params))


def _cancel(actor: Actor, params: Params) -> Any:
    return reading.cancel_task(actor, read(OfTask, params))


def _create_push(actor: Actor, params: Params) -> Any:
    check_supported()
    asked = read(PushConfig, params)
    if not asked.task_id:
        raise bad_field("taskId", "is required; accepted: the id of a task")
    task = sending.find_task(actor, asked.task_id)
    return tell_push(task, keep_push(actor, task, asked))


def _get_push(actor: Actor, params: Params) -> Any:
    check_supported()
    asked = read(OfPush, params)
    task = sending.find_task(actor, asked.task_id)
    return tell_push(task, find_push(task, asked.id))


def _list_pushes(actor: Actor, params: Params) -> Any:
    check_supported()
    task = sending.find_task(actor, read(ListPushes, params).task_id)
    return {"configs": [tell_push(task, push) for push in task.pushes.order_by("pk")]}


def _delete_push(actor: Actor, params: Params) -> Any:
    check_supported()
    asked = read(OfPush, params)
    remove_push(actor, sending.find_task(actor, asked.task_id), asked.id)
    return {}


def _extended(actor: Actor, _params: Params) -> Any:
    return extended_card(actor)


_METHODS: dict[str, Callable[[Actor, Params], Any]] = {
    "SendMessage": _send,
    "SendStreamingMessage": _stream,
    "GetTask": _get,
    "ListTasks": _list,
    "CancelTask": _cancel,
    "SubscribeToTask": _stream,
    "CreateTaskPushNotificationConfig": _create_push,
    "GetTaskPushNotificationConfig": _get_push,
    "ListTaskPushNotificationConfigs": _list_pushes,
    "DeleteTaskPushNotificationConfig": _delete_push,
    "GetExtendedAgentCard": _extended,
}
