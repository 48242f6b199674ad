"""What became of an item, in one sentence: for the line on the next page, and for who looks on."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from agents.models import Approval, ApprovalState
from agents.operations.presence import Other
from inbox.submission_states import SubmissionState

LONGEST_NOTE = 300


def tell_decision(approval: Approval, state: str) -> str:
    """Return who decided what; empty while it waits. `state` is what `state_of` returns."""
    name = approval.decided_by.get_username() if approval.decided_by else _("Somebody")
    note = approval.note[:LONGEST_NOTE]
    sentences = {
        str(ApprovalState.REJECTED): _("%(name)s rejected it: %(note)s"),
        str(ApprovalState.RETURNED): _("%(name)s sent it back: %(note)s"),
        str(ApprovalState.EXPIRED): _("It has expired, and nobody had decided."),
        str(ApprovalState.CANCELED): _("%(name)s had approved it, and it was taken back."),
        str(ApprovalState.VOIDED): _("It is void: %(note)s"),
        str(ApprovalState.APPROVED): _("%(name)s approved it, and it is done."),
        str(SubmissionState.PENDING): _("%(name)s approved it; it leaves in a moment."),
        str(SubmissionState.SENDING): _("%(name)s approved it, and it is on its way."),
        str(SubmissionState.SENT): _("%(name)s approved it, and it was sent."),
        str(SubmissionState.FAILED): _("%(name)s approved it, and it could not be sent."),
        str(SubmissionState.UNKNOWN): _("%(name)s approved it, and it may have arrived, or not."),
    }
    said = sentences.get(state, "")
    return said % {"name": name, "note": note} if said else ""


def tell_others(others: Sequence[Other]) -> str:
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
