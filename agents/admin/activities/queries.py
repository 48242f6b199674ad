"""All that the page of an activity shows, read in a constant number of queries."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from agents.models import AgentMessage, Approval, ApprovalState
from inbox.actor import Actor
from inbox.admin.messages.layout import Reading, read_message
from inbox.models import Activity, Attachment, Correction, Message, Person, PersonEmail
from inbox.operations.activities.matching import names_of
from inbox.rfc5322.authentication import proven_domains

_APPROVALS, _OTHERS, _ASKED = 10, 6, 3
VERDICTS: dict[str, Any] = {
    "pass": _("The receiving server confirmed the sender."),
    "fail": _("The receiving server could not confirm the sender. Anyone may have written it."),
    "none": _("No trusted server confirmed who sent it, so the sender's name proves nothing."),
}


@dataclass(frozen=True, slots=True)
class Sender:
    """Who sent it, as far as we know them, with what persons corrected for their mail."""

    person: Person | None
    address: PersonEmail | None
    corrections: tuple[Correction, ...]
    verdict: Any
    proven: tuple[str, ...]
    checks: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class RequestedDraft:
    """A draft that was asked for, and the proposal that came of it."""

    message: AgentMessage
    proposal: Approval | None


@dataclass(frozen=True, slots=True)
class Related:
    """What else there is about it: proposals, drafts asked for, the rest of its thread."""

    waiting: tuple[Approval, ...]
    asked: tuple[RequestedDraft, ...]
    others: tuple[Activity, ...]


def read_shown(actor: Actor, activity: Activity) -> Reading | None:
    """Lay out the message that it came from; None where there is none to show."""
    message = activity.message
    if message is None or message.deleted_at is not None:
        return None
    files = Attachment.objects.visible_to(actor).filter(message=message)
    return read_message(message, files)


def read_sender(actor: Actor, activity: Activity) -> Sender:
    """Read who sent it, in two queries."""
    rows = PersonEmail.objects.visible_to(actor.within(activity.workspace_id))
    address = rows.filter(email=activity.sender.lower()).select_related("person").first()
    person = activity.person or (address.person if address else None)
    message = activity.message
    results = message.authentication_results if message else {}
    return Sender(
        person=person,
        address=address,
        corrections=_corrections(actor, message) if message else (),
        verdict=VERDICTS[message.authentication] if message else "",
        proven=tuple(sorted(proven_domains(results))),
        checks=tuple(
            (name.upper(), str(results[name]))
            for name in ("dmarc", "dkim", "spf")
            if name in results
        ),
    )


def _corrections(actor: Actor, message: Message) -> tuple[Correction, ...]:
    names = {scope: [value] for scope, value in names_of(message).items()}
    rows = Correction.objects.visible_to(actor).in_force_for([message.workspace_id], names)
    return tuple(rows.order_by("-id")[:5])


def read_related(actor: Actor, activity: Activity) -> Related:
    """Read what else there is about it, in three queries."""
    message = activity.message
    found = _approvals(actor, activity, message)
    asked = AgentMessage.objects.visible_to(actor).filter(activity=activity)
    return Related(
        waiting=tuple(one for one in found if one.state == ApprovalState.WAITING),
        asked=tuple(
            RequestedDraft(one, _came_of(one, found))
            for one in asked.select_related("recipient").order_by("-id")[:_ASKED]
        ),
        others=_others(actor, activity, message),
    )


def _approvals(actor: Actor, activity: Activity, message: Message | None) -> list[Approval]:
    """Read what was proposed about it or its thread, each found by its own index."""
    about = Approval.activities.through.objects.filter(activity=activity).values("approval_id")
    if message is not None:
        proposed = Approval.objects.filter(submission__thread=message.thread_id)
        about = about.union(proposed.values("pk"))
    rows = Approval.objects.visible_to(actor).filter(pk__in=about).select_related("agent")
    return list(rows.defer("arguments").order_by("-id")[:_APPROVALS])


def _came_of(asked: AgentMessage, approvals: Sequence[Approval]) -> Approval | None:
    """Return the newest proposal of the agent in the thread since it was asked."""
    return next(
        (
            one
            for one in approvals
            if one.agent_id == asked.recipient_id and one.created_at >= asked.created_at
        ),
        None,
    )


def _others(actor: Actor, activity: Activity, message: Message | None) -> tuple[Activity, ...]:
    if message is None:
        return ()
    rows = Activity.objects.visible_to(actor).filter(message__thread=message.thread_id)
    rows = rows.exclude(pk=activity.pk).defer("content", "reasoning")
    return tuple(rows.order_by("-created_at", "-id")[:_OTHERS])
