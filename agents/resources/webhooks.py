"""The webhooks of the workspace, as far as agents may know of them."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from agents.contracts.fields import Closed, Moment, OrAbsent
from agents.lists.filters import Filters, TextFilter
from agents.lists.pages import Order
from agents.models import WebhookEndpoint
from agents.resources.collection import Collection, declare
from inbox.actor import Actor
from inbox.models.base import VisibleQuerySet


class WebhookShape(Closed):
    """A webhook: of which events it is told (none: of all), and whether it answers.

    Of its address only the host is told: the rest is often as good as a password.
    """

    id: str
    host: str
    description: OrAbsent[str] = None
    facts: list[str]
    is_enabled: bool
    failing_since: OrAbsent[Moment] = None
    disabled_reason: OrAbsent[str] = None
    created_at: Moment


class WebhookFilters(Filters):
    """Webhooks by what an owner says of them, without regard to case."""

    description = TextFilter()


def _rows(actor: Actor) -> VisibleQuerySet[Any]:
    return WebhookEndpoint.objects.visible_to(actor)


def _shapes(rows: Sequence[WebhookEndpoint]) -> list[WebhookShape]:
    return [
        WebhookShape(
            id=row.public_id, host=urlsplit(row.url).hostname or "",
            description=row.description or None, facts=row.facts, is_enabled=row.is_enabled,
            failing_since=row.failing_since, disabled_reason=row.disabled_reason or None,
            created_at=row.created_at,
        )
        for row in rows
    ]  # fmt: skip


declare(
    Collection(
        noun="webhooks", one="webhook", domain="admin", rows=_rows, item=WebhookShape,
        shapes=_shapes, filters=WebhookFilters, search=("description",),
        orders={"created_at": Order("created_at")}, default="-created_at",
        words="the webhooks that owners set up in the admin.",
    )
)  # fmt: skip
