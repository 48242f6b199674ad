"""Changes to an activity: what may be set, and which change lowers a person's attention."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from inbox.classify.tone import ACCEPTED, find_own_reproach, find_reproach
from inbox.errors import DomainError, invalid
from inbox.models import Activity, ActivityStatus, ActivityType, Urgency
from inbox.operations.activities.routing import CONFIDENT, route
from inbox.reasons import ReasonText, say
from inbox.reasons import phrase as _

# From this tier on an activity is put before a person, with options.
_FIRST_SHOWN = 3
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
) -> ReasonText | None:
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


def _lower_status(activity: Activity, status: str | None) -> ReasonText | None:
    if status is None or status == activity.status:
        return None
    if activity.status == ActivityStatus.QUARANTINED:
        return say("leaves_quarantine", status=status)
    if ATTENTION.get(status, 0) < ATTENTION.get(activity.status, 0):
        return say("moves", before=activity.status, status=status)
    return None


def _lower_tier(activity: Activity, tier: Any) -> ReasonText | None:
    if tier is None or activity.autonomy_tier is None or tier >= activity.autonomy_tier:
        return None
    return say("lowers_tier", before=activity.autonomy_tier, tier=tier)


def _lower_urgency(activity: Activity, urgency: Any) -> ReasonText | None:
    if urgency is None or URGENCY.get(urgency, 0) >= URGENCY.get(activity.urgency, 0):
        return None
    return say("lowers_urgency", before=activity.urgency, urgency=urgency)


def _trusted_again(activity: Activity, confidence: Any) -> ReasonText | None:
    before = activity.confidence
    if confidence is None or before is None or not before < CONFIDENT <= confidence:
        return None
    return say("lifts_confidence", before=f"{before:g}", after=f"{confidence:g}")


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
            raise invalid(
                field, _("There is no field %(name)s.", name=repr(name)), ", ".join(_CHECKS)
            )
        if value is not None:
            _CHECKS[name](field, value)
            changes[name] = list(value) if isinstance(value, (list, tuple)) else value
    if "option_framing" in changes and not changes["option_framing"].strip():
        changes["option_framing"] = None
    if changes.get("option_framing") and changes.get("autonomy_tier", _FIRST_SHOWN) < _FIRST_SHOWN:
        raise _no_options()
    return without_options(changes)


def routed_anew(activity: Activity, changes: Mapping[str, Any]) -> dict[str, str]:
    """Return the status that the changed tier or confidence of an activity asks for, if another.

    It stays where a status is given with them, where the activity is done with, and where somebody
    gave it more attention than that, unless they take some away themselves.
    """
    asked = {"autonomy_tier", "confidence"} & changes.keys()
    tier = changes.get("autonomy_tier", activity.autonomy_tier)
    confidence = changes.get("confidence", activity.confidence)
    is_over = activity.status == ActivityStatus.ARCHIVED
    if not asked or "status" in changes or is_over or tier is None or confidence is None:
        return {}
    status = route(tier, confidence)
    takes_away = _lower_tier(activity, changes.get("autonomy_tier")) or _trusted_again(
        activity, changes.get("confidence")
    )
    is_raised = ATTENTION[status] > ATTENTION.get(activity.status, 0)
    return {"status": status} if is_raised or takes_away else {}


def without_options(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns to set, with the options taken away where the tier has none."""
    has_options = (changes.get("autonomy_tier", _FIRST_SHOWN) or 0) >= _FIRST_SHOWN
    return {**changes} if has_options else {**changes, "option_framing": None}


def check_options(activities: Iterable[Activity], changes: Mapping[str, Any]) -> None:
    """Raise DomainError where options are put to activities that are of tiers 1 or 2, or of none.

    `changes` are the columns that `check_changes` returns.
    """
    if not changes.get("option_framing") or "autonomy_tier" in changes:
        return
    if any((row.autonomy_tier or 0) < _FIRST_SHOWN for row in activities):
        raise _no_options()


def _no_options() -> DomainError:
    return invalid(
        "updates/classification/option_framing",
        _("Only tiers 3 and 4 have options."), _('null for tiers 1 and 2'),
    )  # fmt: skip


def _one_of(field: str, value: Any, accepted: Sequence[str]) -> None:
    if not isinstance(value, str) or value not in accepted:
        raise invalid(
            field, _("%(value)s is not accepted here.", value=repr(value)), ", ".join(accepted)
        )


def _type(field: str, value: Any) -> None:
    _one_of(field, value, ActivityType.values)


def _urgency(field: str, value: Any) -> None:
    _one_of(field, value, Urgency.values)


def _tier(field: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 4:
        raise invalid(
            field, _("%(value)s is not a tier.", value=repr(value)), _("an integer from 1 to 4")
        )


def _confidence(field: str, value: Any) -> None:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not 0 <= value <= 1:
        raise invalid(
            field, _("%(value)s is not a confidence.", value=repr(value)), _("a number from 0 to 1")
        )


def _text(field: str, value: Any) -> None:
    if not isinstance(value, str) or len(value) > _TEXT_LIMIT:
        raise invalid(
            field,
            _("The text has the wrong length."),
            _("at most %(most)s characters", most=_TEXT_LIMIT),
        )


def _reasoning(field: str, value: Any) -> None:
    """Take a reasoning; what it quotes of a message is not its own word."""
    _text(field, value)
    _refuse_reproach(field, find_own_reproach(value))


def _options(field: str, value: Any) -> None:
    _text(field, value)
    _refuse_reproach(field, find_reproach(value))


def _actions(field: str, value: Any) -> None:
    _items(3, 1)(field, value)
    for number, item in enumerate(value):
        _refuse_reproach(f"{field}/{number}", find_reproach(item))


def _refuse_reproach(field: str, words: str) -> None:
    if words:
        raise invalid(
            field,
            _("It says “%(words)s”, which looks like an instruction to a machine.", words=words),
            ACCEPTED,
        )


def _items(most: int, least: int) -> Callable[[str, Any], None]:
    def check(field: str, value: Any) -> None:
        if not isinstance(value, (list, tuple)) or not least <= len(value) <= most:
            raise invalid(
                field,
                _("The list has the wrong length."),
                _("%(least)s to %(most)s texts", least=least, most=most),
            )
        for number, item in enumerate(value):
            if not isinstance(item, str) or not item.strip() or len(item) > _ITEM_LIMIT:
                raise invalid(
                    f"{field}/{number}",
                    _("This is not text."),
                    _("1 to %(most)s characters", most=_ITEM_LIMIT),
                )

    return check


_CHECKS: Final[Mapping[str, Callable[[str, Any], None]]] = {
    "activity_type": _type,
    "urgency": _urgency,
    "autonomy_tier": _tier,
    "confidence": _confidence,
    "personas": _items(20, 0),
    "reasoning": _reasoning,
    "suggested_actions": _actions,
    "option_framing": _options,
}
