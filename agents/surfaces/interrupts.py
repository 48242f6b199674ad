"""`/api/v1/approvals/{id}/interrupt`: what a graph or a run interrupts for, and a person's answer.

`format` says in whose shape: LangGraph's unless another is named.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from pydantic import BaseModel
from rest_framework.request import Request

from agents.approval.ag_ui import AgUiResumes, make_outcome, read_resume
from agents.approval.interrupts import HumanResponses, make_interrupt, read_answers
from agents.approval.status import person_actor
from agents.contracts.schemas import Schema, plain
from agents.dispatching.dispatch import refuse_request
from agents.errors import ToolError, invalid
from agents.lists.etags import etag_of_answer, names_strongly
from agents.models import Approval
from agents.surfaces.deciding import PersonView, check_fresh, decide, find_approval
from agents.surfaces.openapi.document import ContractSchema
from agents.surfaces.request_body import read_json, read_parameters
from agents.surfaces.resources import ResourceView
from agents.surfaces.rest import answer_response

# These give leave to what was shown, and so say what that was.
_NEEDS_STATE = frozenset({"approve", "edit"})


@dataclass(frozen=True, slots=True)
class _Form:
    """How an approval is told in a shape, and how an answer in it is read."""

    resource: str
    make: Callable[[Approval], BaseModel]
    read: Callable[[object, Approval], dict[str, Any]]
    answers: Schema


_FORMS = {
    "langgraph": _Form(
        "read_interrupt", make_interrupt, read_answers,
        plain(HumanResponses, "validation")["properties"]["answers"],
    ),
    "ag-ui": _Form(
        "read_ag_ui_interrupt", make_outcome, read_resume,
        plain(AgUiResumes, "validation")["properties"]["resume"],
    ),
}  # fmt: skip
_FIRST = "langgraph"


def _form_of(request: HttpRequest) -> _Form:
    """Return the form that the address names; raises ToolError `invalid_input`."""
    named = _FIRST
    for name, value in read_parameters(request):
        if name != "format":
            raise invalid(f"/{name[:100]}", "is no parameter of this", "format")
        named = value
    if named not in _FORMS:
        raise invalid("/format", "is not accepted", f"one of {', '.join(_FORMS)}")
    return _FORMS[named]


class InterruptView(ResourceView):
    """GET reads an approval as LangGraph's interrupt; `AnswerView` takes the POST."""

    resources: ClassVar[dict[str, str]] = {"get": _FORMS[_FIRST].resource}
    http_method_names = ["get", "head"]

    def get(self, request: Request, **steps: str) -> HttpResponse:
        """Read it, in a form that there is."""
        try:
            _form_of(request._request)
        except ToolError as error:
            refuse_request(self.resources["get"], self.actor, error)
            raise
        return super().get(request, **steps)


class AgUiInterruptView(InterruptView):
    """GET reads it as the outcome of a run of AG-UI."""

    resources: ClassVar[dict[str, str]] = {"get": _FORMS["ag-ui"].resource}


class AnswerView(PersonView):
    """POST answers the interrupt, as a person who is signed in."""

    http_method_names = ["post"]

    def post(self, request: Request, approval_id: str) -> HttpResponse:
        """Decide as the answer says."""
        approval = find_approval(self.actor, approval_id)
        try:
            arguments = _read(request._request, approval)
            check_fresh(request._request, approval, arguments)
        except ToolError as error:
            refuse_request("decide_approval", person_actor(approval, self.person), error)
            raise
        key = request.headers.get("Idempotency-Key")
        arguments["approval_id"] = approval_id
        return answer_response(decide(approval, self.person, arguments, key))


def _read(request: HttpRequest, approval: Approval) -> dict[str, Any]:
    form = _form_of(request)
    arguments = form.read(read_json(request), approval)
    shown = request.headers.get("If-Match")
    if shown is None and arguments["decision"] in _NEEDS_STATE:
        raise ToolError(
            "precondition_required", "Say what was shown to the person who answers",
            {"header": "If-Match", "accepted": "the ETag of the interrupt as it was read"},
        )  # fmt: skip
    if shown is not None and not names_strongly(shown, etag_of_answer(form.make(approval))):
        raise ToolError(
            "precondition_failed", "This has changed since you opened it",
            {"header": "If-Match", "accepted": "the ETag of the interrupt as it stands now"},
        )  # fmt: skip
    return arguments


def _describe_reading(schema: ContractSchema, path: str) -> dict[str, Any]:
    return schema.describe_forms(path, {name: form.resource for name, form in _FORMS.items()})


def _describe_answering(schema: ContractSchema, path: str) -> dict[str, Any]:
    words = {"operationId": "answer_interrupt", "summary": "Answer an interrupt, as a person."}
    body = {"anyOf": [form.answers for form in _FORMS.values()]}
    return schema.describe_answering(path, words, body, tuple(_FORMS))


class InterruptAddress(InterruptView):
    """Both methods of the address, as the OpenAPI document has them."""

    http_method_names = ["get", "post", "head"]
    described: ClassVar = {"get": _describe_reading, "post": _describe_answering}


_answer_it = AnswerView.as_view()
_read_it = {"ag-ui": AgUiInterruptView.as_view()}
_read_first = InterruptAddress.as_view()


@csrf_exempt
def interrupt(request: HttpRequest, approval_id: str) -> HttpResponse:
    """Read by GET, answer by POST: who may do which differs. The answer's view looks at CSRF."""
    form = request.GET.get("format", _FIRST)
    view = _answer_it if request.method == "POST" else _read_it.get(form, _read_first)
    response: HttpResponse = view(request, approval_id=approval_id)
    return response


interrupt.cls, interrupt.initkwargs = InterruptAddress, {}  # type: ignore[attr-defined]
