"""Receipts: what the caller did, why it could, and what came of it."""

from typing import Annotated, Any, Literal

from agents.contracts.fields import Closed, Moment, OrAbsent
from agents.lists.filters import Filters, OneOf, TextFilter, before, since
from agents.lists.pages import Order
from agents.models import Decision, Outcome, Receipt
from agents.resources.collection import Collection, declare
from agents.resources.shapes import From
from inbox.actor import Actor
from inbox.models.base import VisibleQuerySet


class ReceiptRow(Closed):
    """A call, the decision on it and its outcome."""

    id: str
    # Its place in the chain of the workspace; there is none while it is open.
    seq: OrAbsent[int] = None
    actor: Annotated[str, From("actor_name")]
    tool: str
    decision: Literal[tuple(Decision.values)]  # type: ignore[valid-type]
    reason: str
    outcome: Literal[tuple(Outcome.values)]  # type: ignore[valid-type]
    error_code: OrAbsent[str] = None
    approval_id: Annotated[OrAbsent[str], From("approval")] = None
    idempotency_key: OrAbsent[str] = None
    arguments_sha256: str
    answer_sha256: OrAbsent[str] = None
    hash: OrAbsent[str] = None
    opened_at: Moment
    closed_at: OrAbsent[Moment] = None


class WholeReceipt(ReceiptRow):
    """A receipt with its arguments and result, in which long texts stand by hash."""

    arguments: dict[str, Any]
    result: OrAbsent[Any] = None
    # The ids of the texts that the answer showed to the agent.
    shown: OrAbsent[list[str]] = None


class ReceiptFilters(Filters):
    """Receipts by tool, decision, outcome, approval and time."""

    tool = TextFilter(lookup_expr="exact")
    decision = OneOf(Decision.choices)
    outcome = OneOf(Outcome.choices)
    error_code = TextFilter(lookup_expr="exact")
    approval_id = TextFilter("approval", "exact")
    idempotency_key = TextFilter(lookup_expr="exact")
    opened_since = since("opened_at")
    opened_before = before("opened_at")


def _visible(actor: Actor) -> VisibleQuerySet[Receipt]:
    rows = Receipt.objects.visible_to(actor)
    # What others did is theirs; people see all.
    return rows.filter(actor=actor.key) if actor.kind == "agent" else rows


declare(
    Collection(
        noun="receipts", one="receipt", domain="control_plane", rows=_visible, item=ReceiptRow,
        whole=WholeReceipt, whole_columns=("arguments", "result", "shown"), filters=ReceiptFilters,
        search=("tool", "reason"), orders={"id": Order("id", "number")}, default="-id",
        words="what the caller itself did; `id` is the order in which it was begun. Reading them "
        "leaves a receipt too.",
    )
)  # fmt: skip
