"""What only a person does over HTTP, signed in as on the pages: deciding an approval."""

from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from rest_framework.authentication import CSRFCheck
from rest_framework.request import Request

from agents.admin.evidence.flagged import is_flagged
from agents.approval.demands import read_demands
from agents.approval.pending import review_url
from agents.approval.status import expire, lock, person_actor, void
from agents.contracts import DECISIONS, Tool
from agents.dispatching.answers import Answer
from agents.dispatching.dispatch import call, refuse_request
from agents.errors import ToolError, not_found
from agents.models import Approval, ApprovalState
from agents.surfaces.openapi.document import ContractSchema
from agents.surfaces.request_body import read_json
from agents.surfaces.rest import ApiView, answer_response
from inbox.actor import Actor
from inbox.admin.fresh_login import is_fresh
from inbox.reasons import own
from inbox.viewer import Viewer, viewer_of


class PersonView(ApiView):
    """A view for a person who is signed in; whoever sends a token is refused, session or not."""

    person: User
    viewer: Viewer

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        """Find out who asks: `person` and `viewer`."""
        asked = request._request
        self.perform_content_negotiation(request)
        if "Authorization" in asked.headers:
            raise ToolError("permission_denied", "A token decides nothing; a person does")
        user = getattr(asked, "user", None)
        if not isinstance(user, User) or not user.is_active:
            raise ToolError("permission_denied", "Only a person who is signed in may do this")
        check_csrf(asked)
        self.person, self.viewer = user, viewer_of(asked)
        if not self.viewer.roles:
            raise ToolError("permission_denied", "You belong to no workspace")
        self.actor = self.viewer.actor


def check_csrf(request: HttpRequest) -> None:
    """Raise ToolError `permission_denied` unless our own pages could have sent the request."""
    check = CSRFCheck(lambda _: HttpResponse())
    check.process_request(request)
    reason = check.process_view(request, None, (), {})  # type: ignore[arg-type]
    if reason:
        raise ToolError(
            "permission_denied", f"CSRF: {reason}",
            {"header": "X-CSRFToken", "accepted": "the token of the csrftoken cookie"},
        )  # fmt: skip


class DecisionView(PersonView):
    """POST decides on an approval."""

    http_method_names = ["post"]
    schema = ContractSchema()
    decision: Tool = DECISIONS.tool("decide_approval")

    def post(self, request: Request, approval_id: str) -> HttpResponse:
        """Decide."""
        approval = find_approval(self.actor, approval_id)
        try:
            body = read_json(request._request)
            if isinstance(body, dict) and "approval_id" in body:
                raise ToolError("invalid_input", "/approval_id stands in the address already")
            check_fresh(request._request, approval, body)
        except ToolError as error:
            refuse_request("decide_approval", person_actor(approval, self.person), error)
            raise
        arguments = {**body, "approval_id": approval_id} if isinstance(body, dict) else body
        key = request.headers.get("Idempotency-Key")
        return answer_response(decide(approval, self.person, arguments, key))


def find_approval(actor: Actor, public_id: str) -> Approval:
    """Return an approval of the person's workspaces; raises ToolError `not_found`."""
    found = Approval.objects.visible_to(actor).with_public_id(public_id).first()
    if found is None:
        raise not_found("approval", "/approval_id")
    return found


def check_fresh(request: HttpRequest, approval: Approval, body: object) -> None:
    """Raise ToolError `fresh_login_required` where leave wants a fresh login, and it is not.

    What raised flags does, what a policy says it of, and an edit: the flags of what it makes are
    known once it is sealed.
    """
    verb = body.get("decision") if isinstance(body, dict) else None
    actor = viewer_of(request).actor
    wants = verb == "edit" or (
        verb == "approve"
        and (is_flagged(actor, approval) or read_demands(actor, [approval])[approval.pk].fresh)
    )
    if wants and not is_fresh(request):
        raise ToolError(
            "fresh_login_required", "Show who you are again, on the page of the review",
            {"review_url": review_url(approval)},
        )  # fmt: skip


def decide(
    approval: Approval, by: User, arguments: object, idempotency_key: str | None = None
) -> Answer:
    """Decide through dispatch as this person; `arguments` are those of `decide_approval`.

    Raises ToolError. What was found to be over stays so, though the call itself is undone.
    """
    try:
        actor = person_actor(approval, by)
        return call("decide_approval", arguments, actor, idempotency_key, DECISIONS)
    except ToolError as error:
        _keep_its_end(approval, error)
        raise


def _keep_its_end(approval: Approval, error: ToolError) -> None:
    problem = error.details.get("problem")
    if problem not in {"voided", "expired"}:
        return
    with transaction.atomic():
        current = lock(approval)
        if current.state != ApprovalState.WAITING:
            return
        if problem == "expired":
            expire(current)
        else:
            void(current, [own(change) for change in error.details.get("changes", ())])
