"""An approval as a graph of LangGraph or a run of AG-UI is interrupted for it."""

from typing import Literal

from agents.approval.ag_ui import AgUiOutcome, make_outcome
from agents.approval.interrupts import HumanInterrupt, make_interrupt
from agents.contracts.fields import Closed, Maybe
from agents.dispatching.rows import get_row
from agents.models import Approval
from agents.resources.collection import resource
from agents.tools.shapes import Id
from inbox.actor import Actor


class OneApproval(Closed):
    """Which approval, in which form."""

    approval_id: Id
    format: Maybe[Literal["langgraph"]] = None


class OneOfAgUi(Closed):
    """Which approval, for a run of AG-UI."""

    approval_id: Id
    format: Literal["ag-ui"]


@resource(domain="control_plane", shows=False)
def read_interrupt(actor: Actor, args: OneApproval) -> HumanInterrupt:
    """Read an approval as LangGraph's `HumanInterrupt`: what would be done, and its answers.

    A person who is signed in answers with `POST` to the same address, with the list of one
    `HumanResponse` (`accept`, `ignore`, `response` or `edit`); `If-Match` names the ETag of what
    was shown.
    """
    return make_interrupt(_find(actor, args.approval_id))


@resource(domain="control_plane", shows=False)
def read_ag_ui_interrupt(actor: Actor, args: OneOfAgUi) -> AgUiOutcome:
    """Read an approval as the outcome of a run of AG-UI: an interrupt, while it waits.

    A person who is signed in answers with `POST` to the same address, with the run's `resume`, a
    list of one entry; `If-Match` names the ETag of what was shown.
    """
    return make_outcome(_find(actor, args.approval_id))


def _find(actor: Actor, approval_id: str) -> Approval:
    rows = Approval.objects.visible_to(actor).select_related("agent", "submission", "receipt")
    return get_row(rows, approval_id, "approval", "/approval_id")
