"""An approval as a LangGraph graph interrupts for it."""

from agents.approval.interrupts import HumanInterrupt, make_interrupt
from agents.contracts.fields import Closed
from agents.dispatching.rows import get_row
from agents.models import Approval
from agents.resources.collection import resource
from agents.tools.shapes import Id
from inbox.actor import Actor


class OneApproval(Closed):
    """Which approval."""

    approval_id: Id


@resource(domain="control_plane", shows=False)
def read_interrupt(actor: Actor, args: OneApproval) -> HumanInterrupt:
    """Read an approval as LangGraph's `HumanInterrupt`: what would be done, and its answers.

    A person who is signed in answers with `POST` to the same address, with the list of one
    `HumanResponse` (`accept`, `ignore`, `response` or `edit`); `If-Match` names the ETag of what
    was shown.
    """
    rows = Approval.objects.visible_to(actor).select_related("agent", "submission")
    return make_interrupt(get_row(rows, args.approval_id, "approval", "/approval_id"))
