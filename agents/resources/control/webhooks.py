"""The webhooks of the workspace, as far as agents may know of them."""

from typing import Annotated
from urllib.parse import urlsplit

from agents.contracts.fields import Closed, Moment, OrAbsent
from agents.lists.filters import Filters, TextFilter
from agents.lists.pages import Order
from agents.models import WebhookEndpoint
from agents.resources.collection import Collection, declare
from agents.resources.shapes import From


class WebhookShape(Closed):
    """A webhook: of which events it is told (none: of all), and whether it answers.

    Of its address only the host is told: the rest is often as good as a password.
    """

    id: str
    host: Annotated[str, From("url", lambda url: urlsplit(url).hostname or "")]
    description: OrAbsent[str] = None
    facts: list[str]
    is_enabled: bool
    failing_since: OrAbsent[Moment] = None
    disabled_reason: OrAbsent[str] = None
    created_at: Moment


class WebhookFilters(Filters):
    """Webhooks by what an owner says of them, without regard to case."""

    description = TextFilter()


declare(
    Collection(
        noun="webhooks", one="webhook", domain="admin", rows=WebhookEndpoint.objects.visible_to,
        item=WebhookShape, filters=WebhookFilters, search=("description",),
        orders={"created_at": Order("created_at")}, default="-created_at",
        words="the webhooks that owners set up in the admin.",
    )
)  # fmt: skip
