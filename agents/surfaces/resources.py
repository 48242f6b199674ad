"""The resources over HTTP, under `/api/v1/`."""

from typing import Any, ClassVar, Literal
from urllib.parse import parse_qsl

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import URLPattern, path
from rest_framework.request import Request

from agents import receipts
from agents.contracts import RESOURCES
from agents.contracts.fields import Closed
from agents.dispatch import refuse_request
from agents.errors import ToolError, invalid
from agents.models import Agent
from agents.receipts import Deed
from agents.resources import read_query, read_uri
from agents.surfaces.openapi import ContractSchema
from agents.surfaces.rest import ApiView, render_answer
from inbox.models import Inbox

_THREAD = "threads/<str:thread_id>"
_ROUTES = {
    "inboxes": "list_inboxes",
    "inboxes/<str:inbox_id>": "read_inbox",
    "inboxes/<str:inbox_id>/threads": "read_threads",
    _THREAD: "read_thread",
    f"{_THREAD}/summary": "read_thread_summary",
    "messages/<str:message_id>": "read_message",
    "taxonomies": "list_taxonomies",
    "schemas": "list_schemas",
    "policies": "list_policies",
}


class ResourceView(ApiView):
    """GET reads the resource of this address; parameters of the query are its filters."""

    http_method_names = ["get", "head"]
    schema = ContractSchema()
    resource: ClassVar[str]

    def get(self, request: Request, **steps: str) -> HttpResponse:
        """Read it."""
        try:
            arguments = read_query(_query_of(request._request))
            for name in steps.keys() & arguments.keys():
                raise invalid(f"/{name}", "stands in the address already", "no such parameter")
        except ToolError as error:
            refuse_request(self.resource, self.actor, error)
            raise
        return render_answer(self.resource, {**arguments, **steps}, self.actor, None, RESOURCES)


class AnyResourceView(ApiView):
    """GET reads the resource that `uri` names, as MCP would."""

    http_method_names = ["get", "head"]

    def get(self, request: Request) -> HttpResponse:
        """Read it."""
        try:
            name, arguments = self._what(request)
        except ToolError as error:
            refuse_request("read_resource", self.actor, error)
            raise
        return render_answer(name, arguments, self.actor, None, RESOURCES)

    def _what(self, request: Request) -> tuple[str, dict[str, Any]]:
        parameters = read_query(_query_of(request._request))
        uri = parameters.pop("uri", None)
        if uri is None or parameters:
            raise invalid("/uri", "is the one parameter", "?uri=email://…, percent-encoded")
        return read_uri(str(uri))


class OwnInbox(Closed):
    """An inbox that the caller was granted."""

    id: str
    address: str


class Me(Closed):
    """Whose the token is: the agent, its scopes and its inboxes."""

    agent_id: str
    name: str
    status: Literal["active", "paused"]
    workspace: str
    scopes: list[str]
    inboxes: list[OwnInbox]


class MeView(ApiView):
    """GET tells a token whose it is; it needs no scope."""

    http_method_names = ["get", "head"]
    schema = ContractSchema()
    operation = "read_me"
    answer = Me

    def get(self, request: Request) -> HttpResponse:
        """Return the agent, its scopes and its inboxes."""
        agent = (
            Agent.objects.visible_to(self.actor).select_related("workspace").get(pk=self.actor.id)
        )
        inboxes = Inbox.objects.visible_to(self.actor).order_by("address")
        body: dict[str, Any] = {
            "agent_id": agent.public_id,
            "name": agent.name,
            "status": agent.status,
            "workspace": agent.workspace.slug,
            "scopes": sorted(self.actor.scopes),
            "inboxes": [{"id": one.public_id, "address": one.address} for one in inboxes],
        }
        receipts.record(self.actor, Deed(tool="read_me", reason="needs no scope"))
        return JsonResponse(body)


def _query_of(request: HttpRequest) -> list[tuple[str, str]]:
    text = request.META.get("QUERY_STRING", "")
    try:
        return parse_qsl(text, keep_blank_values=True, max_num_fields=50, errors="strict")
    except ValueError:
        raise ToolError("invalid_input", "The query of the address cannot be read") from None


def _view_of(name: str) -> Any:
    return type(f"{name}_view", (ResourceView,), {"resource": name}).as_view()  # type: ignore[attr-defined]


def resource_paths() -> list[URLPattern]:
    """Return the path of each resource."""
    return [
        path("v1/me", MeView.as_view()),
        path("v1/resource", AnyResourceView.as_view()),
        *(path(f"v1/{route}", _view_of(name)) for route, name in _ROUTES.items()),
    ]
