"""The tools over HTTP: one view for each, made from the registry."""

import logging
from typing import Any, ClassVar, cast

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import URLPattern, path
from rest_framework.request import Request
from rest_framework.views import APIView

from agents.contracts import REGISTRY, Effect, Registry, Tool
from agents.contracts.fields import Closed
from agents.dispatch import Answer, call, refuse_request
from agents.errors import ToolError
from agents.holding import review_url
from agents.surfaces.openapi import ContractSchema
from agents.surfaces.reading import read_bearer, read_json
from inbox.actor import Actor

log = logging.getLogger(__name__)


class ApiView(APIView):
    """A view of the API: a bearer's request in, JSON or the house error out."""

    schema: Any = None
    http_method_names = ["get", "post", "head"]

    def perform_authentication(self, request: Request) -> None:
        """Set `actor`; there is no user."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Find out who asks before anything else is looked at."""
        super().initial(request, *args, **kwargs)
        self.actor: Actor = read_bearer(request._request)

    def http_method_not_allowed(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Answer 405 and say what is allowed."""
        allowed = ", ".join(self.allowed_methods)
        error = ToolError("method_not_allowed", "This address takes another method",
                          {"method": request.method or "", "accepted": allowed})  # fmt: skip
        response = render_error(error)
        response["Allow"] = allowed
        return response

    def handle_exception(self, exc: Exception) -> Any:
        """Render every error in the house shape; one that nobody foresaw is logged."""
        if isinstance(exc, ToolError):
            return render_error(exc)
        log.error("the request failed", exc_info=exc)
        return render_error(ToolError("internal", "Something went wrong; it has been logged"))


class ToolView(ApiView):
    """POST runs the tool with the body as its arguments."""

    http_method_names = ["post"]
    schema = ContractSchema()
    tool: ClassVar[Tool]

    def post(self, request: Request) -> HttpResponse:
        """Run it."""
        try:
            arguments = read_json(request._request)
        except ToolError as error:
            refuse_request(self.tool.name, self.actor, error)
            raise
        key = request.headers.get("Idempotency-Key")
        return render_answer(self.tool.name, arguments, self.actor, key)


class UnknownToolView(ApiView):
    """Any other name: there is no such tool."""

    http_method_names = ["post"]

    def post(self, request: Request, name: str) -> HttpResponse:
        """Say so, and leave a receipt."""
        return render_answer(name, {}, self.actor, None)


class ListedTool(Closed):
    """A tool, with its schemas self-contained."""

    name: str
    description: str
    family: str
    domain: str
    effect: Effect
    scope: str
    asks_a_person: bool
    input_schema_id: str
    output_schema_id: str
    input_schema: dict[str, Any]
    output_schema: dict[str, Any]


class ToolList(Closed):
    """Every tool, with its schemas and the scope that it needs."""

    tools: list[ListedTool]


class ToolListView(ApiView):
    """GET lists the tools."""

    http_method_names = ["get", "head"]
    schema = ContractSchema()
    operation = "list_tools"
    answer = ToolList

    def get(self, request: Request) -> HttpResponse:
        """Return every tool with its schemas, self-contained."""
        return JsonResponse({"tools": [describe_tool(tool) for tool in REGISTRY]})


class NowhereView(ApiView):
    """An address of the API that leads nowhere."""

    def get(self, request: Request, rest: str = "") -> HttpResponse:
        """Say so."""
        raise ToolError("not_found", "There is nothing at this address")

    post = get


def describe_tool(tool: Tool) -> dict[str, Any]:
    """Return a tool as `GET /api/tools` lists it."""
    input_schema, output_schema = REGISTRY.schemas_of(tool.name)
    input_id, output_id = tool.schema_ids
    return {
        "name": tool.name,
        "description": tool.description,
        "family": tool.family,
        "domain": tool.domain,
        "effect": tool.effect,
        "scope": tool.scope,
        "asks_a_person": tool.seal is not None or tool.guard is not None,
        "input_schema_id": input_id,
        "output_schema_id": output_id,
        "input_schema": input_schema,
        "output_schema": output_schema,
    }


def render_answer(
    name: str,
    arguments: object,
    actor: Actor,
    idempotency_key: str | None,
    registry: Registry = REGISTRY,
) -> HttpResponse:
    """Call the tool and return its answer, with the receipt and any approval as headers."""
    answer = call(name, arguments, actor, idempotency_key, registry)
    response = HttpResponse(answer.json, content_type="application/json")
    response["Chancery-Receipt"] = answer.receipt_id
    if answer.replayed:
        response["Idempotency-Replayed"] = "true"
    _add_approval(response, answer)
    return response


def _add_approval(response: HttpResponse, answer: Answer) -> None:
    if answer.approval is not None:
        response["Chancery-Approval"] = answer.approval.public_id
        response["Link"] = f'<{review_url(answer.approval)}>; rel="approval"'


def render_error(error: ToolError) -> HttpResponse:
    """Return an error in the house shape, with its status and headers."""
    response = JsonResponse(error.as_json(), status=error.status)
    if error.status == 401:
        response["WWW-Authenticate"] = 'Bearer realm="chancery"'
    if "approval_id" in error.details:
        response["Chancery-Approval"] = error.details["approval_id"]
    if "review_url" in error.details:
        response["Link"] = f'<{error.details["review_url"]}>; rel="approval"'
    return response


def serve_schema(request: HttpRequest, schema_id: str) -> HttpResponse:
    """Serve a schema document under its `$id`; they are public, like the contracts."""
    if request.method not in {"GET", "HEAD"}:
        error = ToolError("method_not_allowed", "Schemas are only read", {"accepted": "GET, HEAD"})
        response = render_error(error)
        response["Allow"] = "GET, HEAD"
        return response
    schema = REGISTRY.documents.get(schema_id)
    if schema is None:
        error = ToolError("not_found", "There is no such schema", {"schema_id": schema_id[:200]})
        return render_error(error)
    return JsonResponse(schema, content_type="application/schema+json")


def _view_of(tool: Tool) -> type[ToolView]:
    """Return the view class of a tool."""
    return cast("type[ToolView]", type(f"{tool.name}_view", (ToolView,), {"tool": tool}))


def tool_paths() -> list[URLPattern]:
    """Return a path for each tool, and one for every other name."""
    paths = [
        path(f"tools/{tool.name}", _view_of(tool).as_view(), name=f"tool-{tool.name}")
        for tool in REGISTRY
    ]
    return [
        path("tools", ToolListView.as_view()),
        *paths,
        path("tools/<path:name>", UnknownToolView.as_view()),
        path("schemas/<path:schema_id>", serve_schema),
    ]
