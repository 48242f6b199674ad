"""The tools over HTTP: one view for each, made from the registry."""

import json
import logging
from typing import Any, ClassVar, cast

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import URLPattern, path
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.views import APIView

from agents.approval.pending import review_url
from agents.contracts import REGISTRY, Declared, Registry
from agents.contracts.families import render_error as error_of
from agents.dispatching.answers import Answer
from agents.dispatching.dispatch import call, refuse_request
from agents.dispatching.statements import Standing
from agents.errors import ToolError, invalid
from agents.surfaces.forms import FORMATS
from agents.surfaces.openapi.document import ContractSchema
from agents.surfaces.request_body import accepts, find_bearer_of, read_json
from inbox.actor import Actor

log = logging.getLogger(__name__)
LONGEST_REMARK = 600


class ApiView(APIView):
    """A view of the API: a bearer's request in, JSON or the house error out."""

    schema: Any = None
    http_method_names = ["get", "post", "head"]
    # What it calls, in whose family's shape errors are told.
    tool: ClassVar[Declared | None] = None
    # What it answers with, where all goes well.
    media_type = "application/json"
    # How an agent that asks stands, as its token says.
    standing: Standing | None = None

    def perform_authentication(self, request: Request) -> None:
        """Set `actor`; there is no user."""

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        """Raise ToolError `not_acceptable` where the caller would not take what there is."""
        if not accepts(request._request, self.media_type):
            details = {"header": "Accept", "accepted": self.media_type}
            raise ToolError("not_acceptable", "The answer is of another media type", details)
        return JSONRenderer(), self.media_type

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Find out who asks before anything else is looked at."""
        super().initial(request, *args, **kwargs)
        self.actor: Actor = self.find_actor(request._request)

    def find_actor(self, request: HttpRequest) -> Actor:
        """Return who asks; raises ToolError `unauthenticated`."""
        bearer = find_bearer_of(request)
        self.standing = bearer.standing
        return bearer.actor

    def http_method_not_allowed(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Answer 405 and say what is allowed."""
        allowed = ", ".join(self.allowed_methods)
        error = ToolError("method_not_allowed", "This address takes another method",
                          {"method": request.method or "", "accepted": allowed})  # fmt: skip
        response = render_error(error, self.tool)
        response["Allow"] = allowed
        return response

    def handle_exception(self, exc: Exception) -> Any:
        """Render every error in the house shape; one that nobody foresaw is logged."""
        if isinstance(exc, ToolError):
            return render_error(exc, self.tool)
        log.error("the request failed", exc_info=exc)
        unforeseen = ToolError("internal", "Something went wrong; it has been logged")
        return render_error(unforeseen, self.tool)


class ToolView(ApiView):
    """POST runs the tool with the body as its arguments."""

    http_method_names = ["post"]
    schema = ContractSchema()
    tool: ClassVar[Declared]

    def post(self, request: Request) -> HttpResponse:
        """Run it."""
        try:
            is_model_s = _is_function_call(request._request)
            arguments = read_json(request._request)
        except ToolError as error:
            refuse_request(self.tool.name, self.actor, error)
            raise
        if is_model_s:
            arguments = REGISTRY.leave_out_nulls(self.tool.name, arguments)
        key = request._request.META.get("HTTP_IDEMPOTENCY_KEY")
        return render_answer(self.tool.name, arguments, self.actor, key, standing=self.standing)


def _is_function_call(request: HttpRequest) -> bool:
    """Return True where a model made the call, by a list in this form; raises ToolError."""
    form = request.GET.get("format")
    if form is not None and form not in FORMATS:
        raise invalid("/format", "is not accepted", f"one of {', '.join(FORMATS)}")
    return form is not None


class UnknownToolView(ApiView):
    """Any other name: there is no such tool."""

    http_method_names = ["post"]

    def post(self, request: Request, name: str) -> HttpResponse:
        """Say so, and leave a receipt."""
        return render_answer(name, {}, self.actor, None)


class UnknownAddressView(ApiView):
    """An address of the API that leads nowhere."""

    def get(self, request: Request, rest: str = "") -> HttpResponse:
        """Say so."""
        raise ToolError("not_found", "There is nothing at this address")

    post = get


def render_answer(
    name: str,
    arguments: object,
    actor: Actor,
    idempotency_key: str | None,
    registry: Registry = REGISTRY,
    *,
    standing: Standing | None = None,
) -> HttpResponse:
    """Call the tool and return its answer, with the receipt and any approval as headers."""
    answer = call(name, arguments, actor, idempotency_key, registry, standing=standing)
    return answer_response(answer)


def answer_response(answer: Answer) -> HttpResponse:
    """Return the answer of a call, with its receipt and any approval as headers."""
    response = HttpResponse(answer.json, content_type="application/json")
    response["Chancery-Receipt"] = answer.receipt_id
    if answer.remarks:
        # A header is short and holds ASCII alone: the remarks are a JSON list, escaped.
        response["Chancery-Remarks"] = json.dumps([it[:LONGEST_REMARK] for it in answer.remarks])
    if answer.replayed:
        response["Idempotency-Replayed"] = "true"
    _add_approval(response, answer)
    return response


def _add_approval(response: HttpResponse, answer: Answer) -> None:
    if answer.approval is not None:
        response["Chancery-Approval"] = answer.approval.public_id
        response["Link"] = f'<{review_url(answer.approval)}>; rel="approval"'


def render_error(error: ToolError, declared: Declared | None = None) -> HttpResponse:
    """Return an error in the shape of its family, with its status and headers."""
    response = JsonResponse(error_of(error, declared), status=error.status)
    if error.status == 401:
        response["WWW-Authenticate"] = 'Bearer realm="chancery"'
    if "retry_after" in error.details:
        response["Retry-After"] = str(error.details["retry_after"])
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


def _view_of(tool: Declared) -> type[ToolView]:
    """Return the view class of a tool."""
    return cast("type[ToolView]", type(f"{tool.name}_view", (ToolView,), {"tool": tool}))


def tool_paths() -> list[URLPattern]:
    """Return a path for each tool, and one for every other name."""
    paths = [
        path(f"tools/{tool.name}", _view_of(tool).as_view(), name=f"tool-{tool.name}")
        for tool in REGISTRY
    ]
    return [
        *paths,
        path("tools/<path:name>", UnknownToolView.as_view()),
        path("schemas/<path:schema_id>", serve_schema),
    ]
