"""Activities: made from messages, classified by the rules, routed, and changed."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Model
from django.db.models.functions import Left

from inbox.actor import Actor
from inbox.classify import Classification, Facts, Judgement, judge
from inbox.classify.gist import gist
from inbox.models import (
    Activity,
    ActivitySource,
    ActivityStatus,
    Direction,
    LearnedOpinion,
    Message,
)
from inbox.operations.activities.changes import (
    check_changes,
    check_options,
    lowers_attention,
    routed_anew,
)
from inbox.operations.activities.context import HTML_LOOKED_AT, MessageContext
from inbox.operations.activities.deciding import CONTENT_LIMIT, DecidingContext
from inbox.operations.activities.history import keep_changes, tell_surfaced
from inbox.operations.activities.matching import (
    ActiveCorrections,
    CorrectionMatch,
    names_by,
    weigh_correction,
    why_doubtful,
)
from inbox.operations.activities.priority import settle_order_of
from inbox.operations.batched import in_chunks
from inbox.operations.learned.opinions import keep_opinions

__all__ = [
    "classify_input",
    "classify_messages",
    "columns_of",
    "keep_activities",
    "lowers_attention",
    "tell_surfaced",
    "update_activities",
]

LOOKALIKE_SENDER = "lookalike_sender"
_CHUNK = 2_000


class Classified(NamedTuple):
    """A message, what is made of it, and whether its sender imitates somebody."""

    message: Message
    activity: Activity
    imitates: bool
    opinions: Sequence[LearnedOpinion] = ()


def classify_messages(message_ids: Iterable[int]) -> list[Classified]:
    """Return an activity, not yet kept, for each inbound message that has none.

    Reads only: it takes long, and must hold nobody up that wants to write. The queries are constant
    in the number of messages.
    """
    ids = sorted(set(message_ids))
    return [
        classified
        for start in range(0, len(ids), _CHUNK)
        for classified in _classify(ids[start : start + _CHUNK])
    ]


def keep_activities(classified: Sequence[Classified]) -> list[Activity]:
    """Keep the activities of messages that still have none, in the caller's transaction.

    Returns what was made, so that the caller can write its receipts in the same transaction.
    """
    known = _with_activity([one.message.pk for one in classified])
    new = [one for one in classified if one.message.pk not in known]
    _mark_lookalikes([one.message for one in new if one.imitates])
    made = Activity.objects.bulk_create([one.activity for one in new])
    settle_order_of(activity.pk for activity in made)
    keep_opinions((one.activity, one.opinions) for one in new)
    return made


def classify_input(
    *,
    actor: Actor,
    activity_id: str,
    title: str,
    content: str,
    sender_email: str | None = None,
    starts_at: datetime | None = None,
) -> Classification:
    """Classify what a caller describes, with what is stored of the activity where it may see it."""
    found = (
        Activity.objects.visible_to(actor)
        .with_public_id(activity_id)
        .select_related("message__inbox")
        .first()
    )
    message = found.message if found else None
    history = MessageContext([message] if message else [])
    is_sender = message is not None and _is_sender(message, sender_email)
    email = sender_email or (found.sender if found else "")
    judgement = judge(
        Facts(
            title=title,
            content=content[:CONTENT_LIMIT],
            sender_email=email,
            sender_name=message.from_name if message and is_sender else "",
            starts_at=starts_at or (found.starts_at if found else None),
            message=history.facts_of(message) if message else None,
        )
    )
    if message is not None and is_sender:
        return history.apply_correction(message, judgement).classification
    return _heed_unproven(judgement, found.workspace_id if found else actor.workspace_id, email)


def _heed_unproven(judgement: Judgement, workspace_id: int, email: str) -> Classification:
    """Heed what persons corrected for an address that only the caller names."""
    names = names_by(email)
    correction = ActiveCorrections([(workspace_id, names)]).of(workspace_id, names)
    doubt = why_doubtful(None, correction) if correction else ""
    return weigh_correction(judgement, correction, doubt=doubt).classification


def update_activities(
    *,
    actor: Actor,
    activities: Iterable[Activity],
    status: str | None = None,
    classification: Mapping[str, Any] | None = None,
) -> list[Activity]:
    """Set status and parts of the classification; None leaves as is. Returns those that changed.

    What a tier or a confidence asks for now is routed anew, unless a status is given.
    Raises DomainError naming the field where a value is not one of those accepted.
    """
    changes = check_changes(status, classification)
    if not changes:
        return []
    with transaction.atomic():
        rows = list(
            Activity.objects.visible_to(actor)
            .filter(pk__in=[activity.pk for activity in activities])
            .select_for_update(of=("self",))
            .order_by("pk")
        )
        check_options(rows, changes)
        set_anew = [(row, changes | routed_anew(row, changes)) for row in rows]
        set_anew = [(row, columns) for row, columns in set_anew if _differs(row, columns)]
        tell_surfaced(row for row, columns in set_anew if _comes_up(row, columns))
        keep_changes(actor, set_anew)
        _store(set_anew)
    return [row for row, _ in set_anew]


def _comes_up(row: Activity, columns: Mapping[str, Any]) -> bool:
    surfaced = ActivityStatus.SURFACED
    return columns.get("status") == surfaced and row.status != surfaced


def _store(set_anew: Sequence[tuple[Activity, Mapping[str, Any]]]) -> None:
    """Set the columns of the rows, those alike in one statement."""
    alike: dict[str, list[Activity]] = {}
    for row, columns in set_anew:
        alike.setdefault(columns.get("status", ""), []).append(row)
        for field, value in columns.items():
            setattr(row, field, value)
    for status, rows in alike.items():
        columns = next(columns for row, columns in set_anew if row is rows[0])
        Activity.objects.filter(pk__in=[row.pk for row in rows]).update(**columns)
        if status:
            settle_order_of(row.pk for row in rows)


def _differs(row: Model, changes: Mapping[str, Any]) -> bool:
    return any(getattr(row, field) != value for field, value in changes.items())


def _is_sender(message: Message, sender_email: str | None) -> bool:
    return sender_email is None or sender_email.lower() == message.from_email.lower()


def _with_activity(message_ids: Sequence[int]) -> set[int]:
    rows = Activity.objects.filter(source=ActivitySource.EMAIL)
    return {
        key
        for chunk in in_chunks(message_ids)
        for key in rows.filter(message_id__in=chunk).values_list("message_id", flat=True)
        if key is not None
    }


def _classify(ids: Sequence[int]) -> list[Classified]:
    known = _with_activity(ids)
    messages = list(
        Message.objects.kept()
        .filter(pk__in=[pk for pk in ids if pk not in known], direction=Direction.INBOUND)
        .select_related("inbox")
        .defer("text", "html", "search_extra")
        .annotate(html_head=Left("html", HTML_LOOKED_AT))
        .order_by("pk")
    )
    around = DecidingContext(messages)
    found = []
    for message in messages:
        imitates = bool(around.imitated_by(message))
        if imitates:
            message.anomalies = sorted({*message.anomalies, LOOKALIKE_SENDER})
        heeded, opinions = around.decide_and_watch(message)
        found.append(Classified(message, _activity(message, around, heeded), imitates, opinions))
    return found


def _mark_lookalikes(messages: Sequence[Message]) -> None:
    """Store with a message that its sender imitates somebody, for whoever looks at it later."""
    locked = Message.objects.select_for_update().order_by("pk").only("anomalies")
    rows = locked.in_bulk([message.pk for message in messages])
    for row in rows.values():
        row.anomalies = sorted({*row.anomalies, LOOKALIKE_SENDER})
    Message.objects.bulk_update(rows.values(), ["anomalies"])


def _activity(message: Message, around: DecidingContext, heeded: CorrectionMatch) -> Activity:
    content = message.new_text[:CONTENT_LIMIT]
    return Activity(
        workspace_id=message.workspace_id,
        source=ActivitySource.EMAIL,
        source_id=message.public_id,
        message=message,
        person=around.person_of(message),
        sender=message.from_email,
        title=message.subject,
        content=content,
        summary=gist(message.subject, content),
        status=heeded.status,
        correction=heeded.by,
        created_at=message.received_at,
        **columns_of(heeded.classification),
    )


def columns_of(classification: Classification) -> dict[str, Any]:
    """Return the classification as the columns of an Activity."""
    return {
        "activity_type": classification.activity_type,
        "urgency": classification.urgency,
        "autonomy_tier": classification.autonomy_tier,
        "confidence": classification.confidence,
        "personas": list(classification.personas),
        "reasoning": classification.reasoning,
        "suggested_actions": list(classification.suggested_actions),
        "option_framing": classification.option_framing,
    }
