"""What a page asks while it is open: where its item stands, and who else looks at it."""

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_POST, require_safe

from agents.admin.review.page import find_approval
from agents.admin.review.reading import find_drift_of, state_of
from agents.admin.review.telling import tell_decision, tell_others
from agents.models import Approval, ApprovalState
from agents.operations.presence import find_others, note_presence
from inbox.models import Activity
from inbox.viewer import viewer_of

# A page asks every few seconds: the sealed bytes, which may be many megabytes, stay where they are.
_UNREAD = ("submission__mime",)


@require_safe
def state(request: HttpRequest, public_id: str) -> HttpResponse:
    """Answer where it stands in words of the reader, and who else is there."""
    found = find_approval(request, public_id, without=_UNREAD)
    stands = state_of(found)
    is_waiting = found.state == ApprovalState.WAITING
    answer: dict[str, Any] = {
        "state": stands,
        "words": tell_decision(found, stands),
        "changes": list(find_drift_of(found)) if is_waiting else [],
        "others": others_in_words(request, found) if is_waiting else "",
    }
    return JsonResponse(answer)


@require_POST
def presence(request: HttpRequest, public_id: str) -> HttpResponse:
    """Note that this person looks at it, or writes."""
    note(request, find_approval(request, public_id, without=_UNREAD))
    return HttpResponse(status=204)


def note(request: HttpRequest, item: Approval | Activity) -> None:
    """Note that the person of a request is at an item; `writing=1` says that they change it."""
    is_writing = request.POST.get("writing") == "1"
    note_presence(user_id=viewer_of(request).actor.id, item=item, is_writing=is_writing)


def others_in_words(request: HttpRequest, item: Approval | Activity) -> str:
    """Return who else looks at an item; empty for nobody."""
    return tell_others(find_others(actor=viewer_of(request).actor, item=item))
