"""Activities: what came in, and how it is classified."""

from typing import Annotated, Literal

from django_filters import NumberFilter

from agents.contracts.fields import Closed, Moment, OrAbsent
from agents.lists.filters import (
    Filters,
    IdFilter,
    MessageIdFilter,
    OneOf,
    TextFilter,
    before,
    since,
)
from agents.lists.pages import Order
from agents.resources.collection import Collection, declare
from agents.resources.shapes import IdOf
from agents.resources.trust import Trust
from inbox.models import Activity, ActivitySource, ActivityStatus, ActivityType, Person, Urgency


class ActivityRow(Closed):
    """One thing that came in; what is not classified yet has no classification."""

    id: str
    source: Literal[tuple(ActivitySource.values)]  # type: ignore[valid-type]
    source_id: str
    title: str
    content: str
    summary: str
    status: Literal[tuple(ActivityStatus.values)]  # type: ignore[valid-type]
    sender: OrAbsent[str] = None
    person_id: Annotated[OrAbsent[str], IdOf(Person)] = None
    starts_at: OrAbsent[Moment] = None
    ends_at: OrAbsent[Moment] = None
    personas: list[str]
    activity_type: OrAbsent[Literal[tuple(ActivityType.values)]] = None  # type: ignore[valid-type]
    urgency: OrAbsent[Literal[tuple(Urgency.values)]] = None  # type: ignore[valid-type]
    autonomy_tier: OrAbsent[int] = None
    confidence: OrAbsent[float] = None
    reasoning: str
    suggested_actions: list[str]
    option_framing: OrAbsent[str] = None
    created_at: Moment
    trust: Trust = None


class ActivityFilters(Filters):
    """Activities by what they are, where they stand, whom they came from and when."""

    status = OneOf(ActivityStatus.choices)
    source = OneOf(ActivitySource.choices)
    activity_type = OneOf(ActivityType.choices)
    urgency = OneOf(Urgency.choices)
    autonomy_tier = NumberFilter()
    sender = TextFilter()
    person_id = IdFilter(Person.ID_PREFIX, "person")
    message_id = MessageIdFilter("message")
    created_since = since("created_at")
    created_before = before("created_at")


declare(
    Collection(
        noun="activities", one="activity", domain="storage", rows=Activity.objects.visible_to,
        item=ActivityRow, filters=ActivityFilters, search=("title", "summary", "sender"),
        orders={"created_at": Order("created_at")}, default="-created_at",
        words="what came in, classified; `update_activities` changes it.",
    )
)  # fmt: skip
