"""The concierge's tools: what came in, how it is classified, and what becomes of it."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, StringConstraints

from agents.approval.plan import Plan
from agents.contracts import REGISTRY, Effect, tool
from agents.contracts.fields import WHOLE, Closed, Moment, WithRemarks
from agents.contracts.schemas import published
from agents.errors import not_found
from agents.tools.budget import cut, fair_cut
from inbox import ids
from inbox.actor import Actor
from inbox.errors import DomainError
from inbox.models import Activity, Person
from inbox.operations.activities import activities as operations
from inbox.operations.activities.changes import check_changes, check_options
from inbox.reasons import ReasonText, say

Status: TypeAlias = Literal[
    "pending", "needs_review", "quarantined", "surfaced", "processed", "archived"
]
Kind: TypeAlias = Literal["request", "information", "action_required", "fyi", "event"]
Urgency: TypeAlias = Literal["low", "normal", "high"]
Tier: TypeAlias = Annotated[int, Field(ge=1, le=4), WHOLE]
Share: TypeAlias = Annotated[float, Field(ge=0, le=1)]
ActivityId: TypeAlias = Annotated[str, StringConstraints(min_length=1)]
_DEFAULT_LIMIT = 20
_CUT = "Contents are cut; a smaller limit has more of each. Here at"
_MOST = 200


class ClassifyActivity(Closed):
    """What came in."""

    activity_id: ActivityId
    content: str
    title: str
    sender_email: str | None = None
    starts_at: Moment | None = None


class ActivityClassification(Closed):
    """How it is classified, and why."""

    activity_type: Kind
    urgency: Urgency
    autonomy_tier: Tier
    confidence: Share
    personas: list[str]
    reasoning: str
    suggested_actions: Annotated[list[str], Field(min_length=1, max_length=3)]
    option_framing: str | None


@tool(
    family="concierge",
    domain="storage",
    effect=Effect.READ,
    example={
        "activity_id": "act_8fXoQ2mKpL",
        "title": "A question",
        "content": "Could you send me the offer by Friday?",
        "sender_email": "ada@customer.example",
    },
)
def classify_activity(actor: Actor, args: ClassifyActivity) -> ActivityClassification:
    """Classify what came in, by rules; the same input always gets the same answer.

    It rests on what is given, and on what is stored of the activity where `activity_id` is one that
    the caller may see. `reasoning` names the signals that decided. Nothing is changed:
    `update_activities` does that.
    """
    found = operations.classify_input(
        actor=actor,
        activity_id=args.activity_id,
        title=args.title,
        content=args.content,
        sender_email=args.sender_email,
        starts_at=args.starts_at,
    )
    return ActivityClassification(
        activity_type=found.activity_type,
        urgency=found.urgency,
        autonomy_tier=found.autonomy_tier,
        confidence=found.confidence,
        personas=list(found.personas),
        reasoning=found.reasoning,
        suggested_actions=list(found.suggested_actions),
        option_framing=found.option_framing,
    )


class ClassificationChanges(Closed):
    """Parts of a classification; null leaves as is."""

    activity_type: Kind | None = None
    urgency: Urgency | None = None
    autonomy_tier: Tier | None = None
    confidence: Share | None = None
    personas: list[str] | None = None
    reasoning: str | None = None
    suggested_actions: list[str] | None = None
    option_framing: str | None = None


class Changes(Closed):
    """What to set; null leaves as is."""

    status: Status | None = None
    classification: ClassificationChanges | None = None


class UpdateActivities(Closed):
    """Which activities, and what to set."""

    activity_ids: Annotated[list[ActivityId], Field(max_length=_MOST)]
    updates: Changes


class UpdatedActivities(Closed):
    """Those that really changed."""

    updated_count: int
    activity_ids: list[str]


def _find(actor: Actor, args: UpdateActivities) -> list[Activity]:
    """Return the activities that the actor may see, in the order of the ids, each once."""
    numbers = {text: ids.decode(Activity.ID_PREFIX, text) for text in args.activity_ids}
    keys = [found[0] for found in numbers.values() if found and len(found) == 1]
    rows = Activity.objects.visible_to(actor).in_bulk(keys)
    return [rows[key] for key in dict.fromkeys(keys) if key in rows]


def _classification(args: UpdateActivities) -> dict[str, Any] | None:
    parts = args.updates.classification
    return parts.model_dump(exclude_none=True) if parts else None


@dataclass(frozen=True)
class UpdatePlan(Plan[UpdatedActivities]):
    """A change of activities that all are there."""

    actor: Actor
    found: list[Activity]
    status: Status | None
    classification: dict[str, Any] | None

    @property
    def needs_person(self) -> ReasonText | None:
        """How it would lower attention; None where it does not, or cannot be done."""
        try:
            check_options(self.found, check_changes(self.status, self.classification))
        except DomainError:
            return None
        reasons = dict.fromkeys(
            operations.lowers_attention(activity, self.status, self.classification)
            for activity in self.found
        )
        said = [reason for reason in reasons if reason]
        return say("lowers_attention", how=said) if said else None

    @property
    def activities(self) -> list[Activity]:
        """Those that it changes."""
        return self.found

    def apply(self) -> UpdatedActivities:
        """Change them all."""
        changed = operations.update_activities(
            actor=self.actor, activities=self.found, status=self.status,
            classification=self.classification,
        )  # fmt: skip
        return UpdatedActivities(
            updated_count=len(changed), activity_ids=[activity.public_id for activity in changed]
        )


@tool(
    family="concierge",
    domain="storage",
    effect=Effect.WRITE,
    example={"activity_ids": ["act_8fXoQ2mKpL"], "updates": {"status": "surfaced"}},
)
def update_activities(actor: Actor, args: UpdateActivities) -> UpdatePlan:
    """Set the status or parts of the classification of activities; null leaves as is.

    An agent may raise attention. What lowers it (a lower tier or urgency, a status that asks for
    less, leaving quarantine) waits for a person: the error `approval_required` names the approval.
    Where no status is given, a raised tier goes to where its tier belongs.
    All are changed or none; the answer names those that really changed. `option_framing` is for
    tiers 3 and 4, and puts options: neither it nor an action says "you should", "don't forget",
    "you haven't" or "you're behind".
    """
    found = _find(actor, args)
    there = {activity.public_id for activity in found}
    for place, public_id in enumerate(args.activity_ids):
        if public_id not in there:
            raise not_found("activity", f"/activity_ids/{place}")
    return UpdatePlan(actor, found, args.updates.status, _classification(args))


class QueryActivities(Closed):
    """Which activities."""

    status: Status | None = None
    limit: Annotated[int, Field(ge=1, le=_MOST), WHOLE] | None = _DEFAULT_LIMIT
    since: Moment | None = None
    before: Moment | None = None


class ActivityShape(Closed):
    """One thing that came in; a classification of nulls: it is not classified yet."""

    model_config = published("concierge/activity.json")

    id: str
    source: Literal["email", "calendar", "conversation", "note", "file"]
    source_id: str
    title: str
    content: str
    summary: str
    status: Status
    sender: str | None
    person: str | None
    starts_at: Moment | None
    ends_at: Moment | None
    personas: list[str]
    activity_type: Kind | None
    urgency: Urgency | None
    autonomy_tier: Tier | None
    confidence: Share | None
    reasoning: str
    suggested_actions: list[str]
    option_framing: str | None
    created_at: Moment


REGISTRY.publish_model(ActivityShape, "concierge/activity.json")


class ActivityList(WithRemarks):
    """Activities, newest first, and how many these are."""

    activities: list[ActivityShape]
    count: int


@tool(
    family="concierge",
    domain="storage",
    effect=Effect.READ,
    example={"status": "surfaced", "limit": 10},
)
def query_activities(actor: Actor, args: QueryActivities) -> ActivityList:
    """List activities, newest first, by status and time of creation.

    `since` is inclusive and `before` exclusive; `limit` is 20 unless given, and at most 200.
    """
    rows = Activity.objects.visible_to(actor).order_by("-created_at", "-id")
    if args.status is not None:
        rows = rows.filter(status=args.status)
    if args.since is not None:
        rows = rows.filter(created_at__gte=args.since)
    if args.before is not None:
        rows = rows.filter(created_at__lt=args.before)
    read = list(rows[: args.limit or _DEFAULT_LIMIT])
    longest = fair_cut([len(activity.content) for activity in read])
    found = [activity_shape(activity, longest) for activity in read]
    is_cut = any(len(activity.content) > longest for activity in read)
    page = ActivityList(activities=found, count=len(found))
    return page.with_remarks([f"{_CUT} {longest:,} characters."] if is_cut else [])


def activity_shape(activity: Activity, longest: int | None = None) -> ActivityShape:
    """Return an activity as the contract shows it, its content cut to so many characters."""
    person = activity.person_id
    fields: dict[str, Any] = {
        "id": activity.public_id,
        "source": activity.source,
        "source_id": activity.source_id,
        "title": activity.title,
        "content": activity.content if longest is None else cut(activity.content, longest),
        "summary": activity.summary,
        "status": activity.status,
        "sender": activity.sender or None,
        "person": ids.encode(Person.ID_PREFIX, person) if person else None,
        "starts_at": activity.starts_at,
        "ends_at": activity.ends_at,
        "personas": activity.personas,
        "activity_type": activity.activity_type or None,
        "urgency": activity.urgency or None,
        "autonomy_tier": activity.autonomy_tier,
        "confidence": activity.confidence,
        "reasoning": activity.reasoning,
        "suggested_actions": activity.suggested_actions,
        "option_framing": activity.option_framing,
        "created_at": activity.created_at,
    }
    return ActivityShape(**fields)
