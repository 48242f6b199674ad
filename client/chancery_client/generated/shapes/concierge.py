"""What the tools of concierge take and give.

Made by `python manage.py reference`; change the declarations instead.
"""

from typing import Literal, NotRequired, TypedDict


class ClassifyActivityAnswer(TypedDict):
    activity_type: Literal["request", "information", "action_required", "fyi", "event"]
    """What kind of thing it is."""
    urgency: Literal["low", "normal", "high"]
    """How pressing it is."""
    autonomy_tier: int
    """1 silent, 2 noted, 3 a request, 4 urgent or weighty."""
    confidence: float
    """How sure it is, from 0 to 1."""
    personas: list[str]
    """The parts of life that it belongs to."""
    reasoning: str
    """Why it was classified so."""
    suggested_actions: list[str]
    """What a person could do."""
    option_framing: str | None
    """How it would be put to a person."""


class UpdateActivitiesUpdatesClassification(TypedDict):
    activity_type: NotRequired[Literal["request", "information", "action_required", "fyi", "event"] | None]
    """What kind of thing it is."""
    urgency: NotRequired[Literal["low", "normal", "high"] | None]
    """How pressing it is."""
    autonomy_tier: NotRequired[int | None]
    """1 silent, 2 noted, 3 a request, 4 urgent or weighty."""
    confidence: NotRequired[float | None]
    """How sure it is, from 0 to 1."""
    personas: NotRequired[list[str] | None]
    """The parts of life that it belongs to."""
    reasoning: NotRequired[str | None]
    """why this classification"""
    suggested_actions: NotRequired[list[str] | None]
    """1-3 concrete actions user could take"""
    option_framing: NotRequired[str | None]
    """how to present if surfaced"""


class UpdateActivitiesUpdates(TypedDict):
    status: NotRequired[Literal["pending", "needs_review", "quarantined", "surfaced", "processed", "archived"] | None]
    """Where it stands."""
    classification: NotRequired[UpdateActivitiesUpdatesClassification | None]
    """The parts of the classification to set."""


class UpdateActivitiesAnswer(TypedDict):
    updated_count: int
    """How many were changed."""
    activity_ids: list[str]
    """Those that were changed."""


class Activity(TypedDict):
    id: str
    """Its id."""
    source: Literal["email", "calendar", "conversation", "note", "file"]
    """Where it is from."""
    source_id: str
    """Its id where it is from."""
    title: str
    """What it is called."""
    content: str
    """The text."""
    summary: str
    """In short."""
    status: Literal["pending", "needs_review", "quarantined", "surfaced", "processed", "archived"]
    """Where it stands."""
    sender: str | None
    """Who it is from."""
    person: str | None
    """Whom it is about."""
    starts_at: str | None
    """When what it is about begins."""
    ends_at: str | None
    """When what it is about ends."""
    personas: list[str]
    """The parts of life that it belongs to."""
    activity_type: Literal["request", "information", "action_required", "fyi", "event"] | None
    """What kind of thing it is."""
    urgency: Literal["low", "normal", "high"] | None
    """How pressing it is."""
    autonomy_tier: int | None
    """1 silent, 2 noted, 3 a request, 4 urgent or weighty."""
    confidence: float | None
    """How sure it is, from 0 to 1."""
    reasoning: str
    """Why it was classified so."""
    suggested_actions: list[str]
    """What a person could do."""
    option_framing: str | None
    """How it would be put to a person."""
    created_at: str
    """When it was made; of a message, when it came or was proposed."""


class QueryActivitiesAnswer(TypedDict):
    activities: list[Activity]
    """The activities."""
    count: int
    """How many there are."""


class Person(TypedDict):
    id: str
    """Its id."""
    email: str
    """The address."""
    fn: str | None
    """The name as it is shown."""
    org: str | None
    """The organisation they belong to."""
    tel: str | None
    """Their telephone numbers."""
    first_contact_at: str | None
    """When we first wrote to each other."""
    last_contact_at: str | None
    """When we last wrote to each other."""
    received_count: int
    """How often they wrote to us."""
    sent_count: int
    """How often we wrote to them."""
    contact_count: int
    """How often we wrote to each other."""


class QueryPeopleAnswer(TypedDict):
    people: list[Person]
    """The people."""
    count: int
    """How many there are."""
