"""The resources over HTTP, under `/api/v1/`: an address for each collection and for its rows."""

from typing import Any, ClassVar, Literal

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import URLPattern, path
from rest_framework.request import Request

from agents import receipts
from agents.contracts import RESOURCES
from agents.contracts.fields import Closed
from agents.dispatching.answers import Answer
from agents.dispatching.dispatch import call, refuse_request
from agents.errors import ToolError, invalid
from agents.lists.etags import etag_of
from agents.models import Agent
from agents.receipts import ReceiptEntry
from agents.resources import COLLECTIONS, read_query, read_uri, registry_of
from agents.surfaces.conditional import make_conditional
from agents.surfaces.deciding import DecisionView
from agents.surfaces.downloads import AttachmentView, MimeView
from agents.surfaces.openapi.document import ContractSchema
from agents.surfaces.request_body import read_bearer, read_json, read_parameters, refuse_parameters
from agents.surfaces.rest import ApiView, answer_response, render_answer
from inbox.actor import Actor
from inbox.models import Inbox
from inbox.reasons import say
from inbox.viewer import viewer_of

# What is read beside the collections, by its address.
_READINGS = {
    "inboxes/<str:inbox_id>/threads": "read_threads",
    "threads/<str:thread_id>/summary": "read_thread_summary",
}
_WRITES = {
    "drafts": {"post": "write_draft"},
    "drafts/<str:draft_id>": {"patch": "change_draft", "delete": "remove_draft"},
}


class ResourceView(ApiView):
    """An address: each method that it takes is a resource, read by GET or changed by another."""

    schema: Any = ContractSchema()
    # By the method in lower case.
    resources: ClassVar[dict[str, str]]

    def find_actor(self, request: HttpRequest) -> Actor:
        """Return whose token it is; without one, a person who is signed in may read."""
        user = getattr(request, "user", None)
        reads = request.method in {"GET", "HEAD"} and "Authorization" not in request.headers
        if reads and isinstance(user, User) and user.is_active:
            actor = viewer_of(request).actor
            if actor.workspace_ids:
                return actor
        return read_bearer(request)

    def get(self, request: Request, **steps: str) -> HttpResponse:
        """Read it; parameters of the query are its filters."""
        name = self.resources["get"]
        try:
            pairs = read_parameters(request._request)
            arguments = read_query(pairs, RESOURCES.tool(name).input_schema)
            _keep_apart(steps, arguments)
        except ToolError as error:
            refuse_request(name, self.actor, error)
            raise
        answer = render_answer(
            name, {**arguments, **steps}, self.actor, None, RESOURCES, standing=self.standing
        )
        return make_conditional(request._request, answer)

    def post(self, request: Request, **steps: str) -> HttpResponse:
        """Make a row: 201 with its address."""
        answer = self._write("post", request, steps)
        response = answer_response(answer)
        response.status_code = 201
        response["Location"] = f"{request.path}/{answer.result['id']}"
        return _with_etag(response, answer)

    def patch(self, request: Request, **steps: str) -> HttpResponse:
        """Change the row that `If-Match` names."""
        answer = self._write("patch", request, steps)
        return _with_etag(answer_response(answer), answer)

    def delete(self, request: Request, **steps: str) -> HttpResponse:
        """Delete the row that `If-Match` names."""
        return answer_response(self._write("delete", request, steps))

    def _write(self, method: str, request: Request, steps: dict[str, str]) -> Answer:
        name = self.resources[method]
        try:
            arguments = self._read_write(name, request._request, steps)
        except ToolError as error:
            refuse_request(name, self.actor, error)
            raise
        key = request.headers.get("Idempotency-Key")
        return call(name, arguments, self.actor, key, RESOURCES)

    def _read_write(self, name: str, request: HttpRequest, steps: dict[str, str]) -> object:
        """Return the arguments: the body, the steps of the address, and the state to change."""
        refuse_parameters(request)
        given = dict(steps)
        if "if_match" in RESOURCES.tool(name).input_schema["properties"]:
            given["if_match"] = _read_if_match(request)
        body = read_json(request)
        if not isinstance(body, dict):
            return body
        _keep_apart(given, body)
        return {**body, **given}


class AnyResourceView(ResourceView):
    """GET reads the resource that `uri` names, as MCP would."""

    schema: Any = None
    http_method_names = ["get", "head"]

    def get(self, request: Request, **steps: str) -> HttpResponse:
        """Read it."""
        try:
            name, arguments = self._what(request)
        except ToolError as error:
            refuse_request("read_resource", self.actor, error)
            raise
        answer = render_answer(name, arguments, self.actor, None, registry_of(name))
        return make_conditional(request._request, answer)

    def _what(self, request: Request) -> tuple[str, dict[str, Any]]:
        parameters = read_query(read_parameters(request._request))
        uri = parameters.pop("uri", None)
        if uri is None or parameters:
            raise invalid("/uri", "is the one parameter", "?uri=email://…, percent-encoded")
        return read_uri(str(uri))


class OwnInbox(Closed):
    """An inbox that the caller was granted."""

    id: str
    address: str


class Me(Closed):
    """Whose the token is: the agent, its scopes, the tools it is for (none: all), its inboxes."""

    agent_id: str
    name: str
    status: Literal["active", "paused"]
    workspace: str
    scopes: list[str]
    tools: list[str]
    inboxes: list[OwnInbox]


class MeView(ApiView):
    """GET tells a token whose it is; it needs no scope."""

    http_method_names = ["get", "head"]
    schema = ContractSchema()
    operation = "read_me"
    answer = Me

    def get(self, request: Request) -> HttpResponse:
        """Return the agent, its scopes and tools, and its inboxes."""
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
            "tools": sorted(self.actor.tools),
            "inboxes": [{"id": one.public_id, "address": one.address} for one in inboxes],
        }
        receipts.record(self.actor, ReceiptEntry(tool="read_me", reason=say("needs_no_scope")))
        return make_conditional(request._request, JsonResponse(body))


def _keep_apart(steps: dict[str, str], arguments: dict[str, Any]) -> None:
    for name in sorted(steps.keys() & arguments.keys()):
        raise invalid(f"/{name}", "stands in the address already", "no such parameter")


def _read_if_match(request: HttpRequest) -> str:
    found: str | None = request.headers.get("If-Match")
    if found is None:
        raise ToolError(
            "precondition_required", "Say which state of the row this is about",
            {"header": "If-Match", "accepted": "the ETag of the row as you have read it"},
        )  # fmt: skip
    return found


def _with_etag(response: HttpResponse, answer: Answer) -> HttpResponse:
    """Name the state of the row; what is said again was its state at the time, so it has none."""
    response["Cache-Control"] = "private, no-cache"
    if not answer.replayed:
        response["ETag"] = etag_of(response.content)
    return response


def addresses() -> dict[str, dict[str, str]]:
    """Return the resources of each address by method, in the order in which they are matched."""
    found: dict[str, dict[str, str]] = {}
    for one in COLLECTIONS.values():
        found[one.noun] = {"get": one.lists}
        found[f"{one.noun}/<str:{one.id_field}>"] = {"get": one.reads}
    for route, name in _READINGS.items():
        found[route] = {"get": name}
    for route, names in _WRITES.items():
        found[route] = {**found[route], **names}
    return found


def _view_of(resources: dict[str, str]) -> Any:
    methods = [*resources, "head"]
    made: Any = type(
        f"{resources['get']}_view", (ResourceView,),
        {"resources": resources, "http_method_names": methods},
    )  # fmt: skip
    return made.as_view()


def resource_paths() -> list[URLPattern]:
    """Return the path of each resource."""
    return [
        path("v1/me", MeView.as_view()),
        path("v1/resource", AnyResourceView.as_view()),
        path("v1/attachments/<str:attachment_id>/content", AttachmentView.as_view()),
        path("v1/submissions/<str:submission_id>/mime", MimeView.as_view()),
        path("v1/approvals/<str:approval_id>/decision", DecisionView.as_view()),
        *(path(f"v1/{route}", _view_of(names)) for route, names in addresses().items()),
    ]
