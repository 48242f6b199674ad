"""`/api/v1/approvals/{id}/interrupt`: what a graph interrupts for, and a person's answer to it."""

from typing import Any, ClassVar

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from rest_framework.request import Request

from agents.approval.interrupts import HumanResponses, make_interrupt, read_answers
from agents.approval.status import person_actor
from agents.contracts.schemas import plain
from agents.dispatching.dispatch import refuse_request
from agents.errors import ToolError
from agents.lists.etags import etag_of_answer, names_strongly
from agents.models import Approval
from agents.surfaces.deciding import PersonView, check_fresh, decide, find_approval
from agents.surfaces.openapi.document import ContractSchema
from agents.surfaces.request_body import read_json
from agents.surfaces.resources import ResourceView
from agents.surfaces.rest import answer_response

# These give leave to what was shown, and so say what that was.
_NEEDS_STATE = frozenset({"approve", "edit"})


class InterruptView(ResourceView):
    """GET reads an approval as an interrupt; `AnswerView` takes the POST."""

    resources: ClassVar[dict[str, str]] = {"get": "read_interrupt"}
    http_method_names = ["get", "head"]


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
    arguments = read_answers(read_json(request), approval)
    shown = request.headers.get("If-Match")
    if shown is None and arguments["decision"] in _NEEDS_STATE:
        raise ToolError(
            "precondition_required", "Say what was shown to the person who answers",
            {"header": "If-Match", "accepted": "the ETag of the interrupt as it was read"},
        )  # fmt: skip
    if shown is not None and not names_strongly(shown, etag_of_answer(make_interrupt(approval))):
        raise ToolError(
            "precondition_failed", "This has changed since you opened it",
            {"header": "If-Match", "accepted": "the ETag of the interrupt as it stands now"},
        )  # fmt: skip
    return arguments


def _describe(schema: ContractSchema, path: str) -> dict[str, Any]:
    words = {"operationId": "answer_interrupt", "summary": "Answer an interrupt, as a person."}
    answers = plain(HumanResponses, "validation")["properties"]["answers"]
    return schema.describe_answering(path, words, answers)


class InterruptAddress(InterruptView):
    """Both methods of the address, as the OpenAPI document has them."""

    http_method_names = ["get", "post", "head"]
    described: ClassVar = {"post": _describe}


_read_it, _answer_it = InterruptAddress.as_view(), AnswerView.as_view()


@csrf_exempt
def interrupt(request: HttpRequest, approval_id: str) -> HttpResponse:
    """Read by GET, answer by POST: who may do which differs. The answer's view looks at CSRF."""
    view = _answer_it if request.method == "POST" else _read_it
    response: HttpResponse = view(request, approval_id=approval_id)
    return response


interrupt.cls, interrupt.initkwargs = InterruptAddress, {}  # type: ignore[attr-defined]
