"""What a decision left behind: what its receipt says, and what others were told of it."""

from agents.models import Approval, LoggedEvent, Receipt
from agents.operations.webhooks.event_log import write_log

SAYS = (
    "actor",
    "actor_name",
    "arguments",
    "approval",
    "reason",
    "decision",
    "outcome",
    "error_code",
)
DONE = {"decision": "allow", "outcome": "ok", "error_code": ""}
BY_ITSELF = {"actor": "system:0", "actor_name": "Chancery", **DONE}


def by_person(user):
    """What a receipt says of anything that a person did."""
    return {"actor": f"person:{user.pk}", "actor_name": user.username, **DONE}


def receipt(tool):
    """What the one receipt of this tool says."""
    found = Receipt.objects.get(tool=tool)
    return {name: getattr(found, name) for name in SAYS}


def told():
    """The facts about approvals that others heard of, in order: what, of which, and its state."""
    write_log()
    events = LoggedEvent.objects.filter(fact__startswith="approval.").order_by("pk")
    return [
        (one.fact.removeprefix("approval."), one.data["approval_id"], one.data["state"])
        for one in events
    ]


def fresh(approval):
    """The approval as it is stored."""
    return Approval.objects.get(pk=approval.pk)
