"""Changes to an activity: what may be set, and which change lowers a person's attention."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from inbox.errors import invalid
from inbox.models import Activity, ActivityStatus, ActivityType, Urgency

CONFIDENT: Final = 0.5
_TEXT_LIMIT = 4_000
_ITEM_LIMIT = 500
# How much of a person's attention each status asks for. Quarantine stands apart: it is a lock.
ATTENTION: Final[Mapping[str, int]] = {
    ActivityStatus.ARCHIVED: 0,
    ActivityStatus.PROCESSED: 0,
    ActivityStatus.PENDING: 1,
    ActivityStatus.NEEDS_REVIEW: 2,
    ActivityStatus.SURFACED: 3,
    ActivityStatus.QUARANTINED: 4,
}
URGENCY: Final[Mapping[str, int]] = {
    "": 0, Urgency.LOW: 1, Urgency.NORMAL: 2, Urgency.HIGH: 3,
}  # fmt: skip


def lowers_attention(
    activity: Activity, status: str | None, classification: Mapping[str, Any] | None
) -> str | None:
    """Return why a change lowers the attention that a person gives to the activity, else None.

    An agent may raise attention only; what lowers it is for a person to approve. A confidence
    lifted over the line of quarantine, and a lower urgency, are ways round the same rule.
    """
    given = classification or {}
    return (
        _lower_status(activity, status)
        or _lower_tier(activity, given.get("autonomy_tier"))
        or _lower_urgency(activity, given.get("urgency"))
        or _trusted_again(activity, given.get("confidence"))
    )


def _lower_status(activity: Activity, status: str | None) -> str | None:
    if status is None or status == activity.status:
        return None
    if activity.status == ActivityStatus.QUARANTINED:
        return f"leaves quarantine for {status}"
    if ATTENTION.get(status, 0) < ATTENTION.get(activity.status, 0):
        return f"moves from {activity.status} to {status}"
    return None


def _lower_tier(activity: Activity, tier: Any) -> str | None:
    if tier is None or activity.autonomy_tier is None or tier >= activity.autonomy_tier:
        return None
    return f"lowers the tier from {activity.autonomy_tier} to {tier}"


def _lower_urgency(activity: Activity, urgency: Any) -> str | None:
    if urgency is None or URGENCY.get(urgency, 0) >= URGENCY.get(activity.urgency, 0):
        return None
    return f"lowers the urgency from {activity.urgency} to {urgency}"


def _trusted_again(activity: Activity, confidence: Any) -> str | None:
    before = activity.confidence
    if confidence is None or before is None or not before < CONFIDENT <= confidence:
        return None
    return f"lifts the confidence from {before:g} to {confidence:g}, over the line of quarantine"


def check_changes(status: str | None, classification: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the columns to set; what is None is left out.

    Raises DomainError naming the field, as a JSON pointer below `updates`, and what is accepted.
    """
    changes: dict[str, Any] = {}
    if status is not None:
        _one_of("updates/status", status, ActivityStatus.values)
        changes["status"] = status
    for name, value in (classification or {}).items():
        field = f"updates/classification/{name}"
        if name not in _CHECKS:
            raise invalid(field, f"There is no field {name!r}.", ", ".join(_CHECKS))
        if value is not None:
            _CHECKS[name](field, value)
            changes[name] = list(value) if isinstance(value, (list, tuple)) else value
    if changes.get("autonomy_tier", 3) <= 2:
        if changes.get("option_framing"):
            raise invalid(
                "updates/classification/option_framing",
                "Options are for tiers 3 and 4.", "null for tiers 1 and 2",
            )  # fmt: skip
        changes["option_framing"] = None
    return changes


def _one_of(field: str, value: Any, accepted: Sequence[str]) -> None:
    if not isinstance(value, str) or value not in accepted:
        raise invalid(field, f"{value!r} is none of those accepted.", ", ".join(accepted))


def _type(field: str, value: Any) -> None:
    _one_of(field, value, ActivityType.values)


def _urgency(field: str, value: Any) -> None:
    _one_of(field, value, Urgency.values)


def _tier(field: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 4:
        raise invalid(field, f"{value!r} is no tier.", "an integer from 1 to 4")


def _confidence(field: str, value: Any) -> None:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not 0 <= value <= 1:
        raise invalid(field, f"{value!r} is no confidence.", "a number from 0 to 1")


def _text(field: str, value: Any) -> None:
    if not isinstance(value, str) or len(value) > _TEXT_LIMIT:
        raise invalid(field, "It is no text of this length.", f"at most {_TEXT_LIMIT} characters")


def _items(most: int, least: int) -> Callable[[str, Any], None]:
    def check(field: str, value: Any) -> None:
        if not isinstance(value, (list, tuple)) or not least <= len(value) <= most:
            raise invalid(field, "It is no list of this length.", f"{least} to {most} texts")
        for number, item in enumerate(value):
            if not isinstance(item, str) or not item.strip() or len(item) > _ITEM_LIMIT:
                raise invalid(
                    f"{field}/{number}", "It is no text.", f"1 to {_ITEM_LIMIT} characters"
                )

    return check


_CHECKS: Final[Mapping[str, Callable[[str, Any], None]]] = {
    "activity_type": _type,
    "urgency": _urgency,
    "autonomy_tier": _tier,
    "confidence": _confidence,
    "personas": _items(20, 0),
    "reasoning": _text,
    "suggested_actions": _items(3, 1),
    "option_framing": _text,
}
