"""What a page asks while it is open: where its item stands, and who else looks at it."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from agents.admin.review.queries import find_drift_of
from agents.admin.review.views import find_approval
from agents.models import Approval, ApprovalState
from agents.operations.presence import OtherViewer, find_others, note_presence
from inbox.models import Activity
from inbox.reasons.words import worded
from inbox.submission_states import SubmissionState
from inbox.viewer import viewer_of

LONGEST_NOTE = 300


def tell_decision(approval: Approval, state: str) -> str:
    """Return who decided what; empty while it waits. `state` is the `progress` of an approval."""
    name = approval.decided_by.get_username() if approval.decided_by else _("Someone")
    note = approval.note[:LONGEST_NOTE]
    sentences = {
        str(ApprovalState.REJECTED): _("%(name)s rejected it: %(note)s"),
        str(ApprovalState.RETURNED): _("%(name)s sent it back: %(note)s"),
        str(ApprovalState.EXPIRED): _("It expired without a decision."),
        str(ApprovalState.CANCELED): _("%(name)s approved it, but the approval was undone."),
        str(ApprovalState.VOIDED): _("It is void: %(note)s"),
        str(ApprovalState.APPROVED): _("%(name)s approved it, and it is done."),
        str(SubmissionState.PENDING): _("%(name)s approved it; it will be sent in a moment."),
        str(SubmissionState.SENDING): _("%(name)s approved it, and it is being sent."),
        str(SubmissionState.SENT): _("%(name)s approved it, and it was sent."),
        str(SubmissionState.FAILED): _("%(name)s approved it, but it could not be sent."),
        str(SubmissionState.UNKNOWN): _("%(name)s approved it. It may or may not have arrived."),
    }
    said = sentences.get(state, "")
    return said % {"name": name, "note": note} if said else ""


def tell_others(others: Sequence[OtherViewer]) -> str:
    """Return who else is here, and what they do; empty for nobody."""
    writing = [other.name for other in others if other.is_writing]
    looking = [other.name for other in others if not other.is_writing]
    parts = []
    if writing:
        words = ngettext(
            "%(names)s is writing an edit.", "%(names)s are writing edits.", len(writing)
        )
        parts.append(words % {"names": ", ".join(writing)})
    if looking:
        words = ngettext(
            "%(names)s is looking at this too.", "%(names)s are looking at this too.", len(looking)
        )
        parts.append(words % {"names": ", ".join(looking)})
    return " ".join(parts)


# A page asks every few seconds: the sealed bytes, which may be many megabytes, stay where they are.
_UNREAD = ("submission__mime",)


@require_safe
def state(request: HttpRequest, public_id: str) -> HttpResponse:
    """Answer where it stands in words of the reader, and who else is there."""
    found = find_approval(request, public_id, without=_UNREAD)
    stands = found.progress
    is_waiting = found.state == ApprovalState.WAITING
    answer: dict[str, Any] = {
        "state": stands,
        "words": tell_decision(found, stands),
        "changes": [worded(one) for one in find_drift_of(found)] if is_waiting else [],
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
