"""What a held call would change, before and after, for calls that send nothing."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from agents.models import Approval
from inbox.models import Activity
from inbox.reasons.words import spoken


@dataclass(frozen=True, slots=True)
class Change:
    """One field of an activity that the call would change."""

    field: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class ActivityChanges:
    """An activity, and what would become of it; no changes: it is so already."""

    activity: Activity
    changes: tuple[Change, ...]


def read_changes(approval: Approval, activities: Iterable[Activity]) -> list[ActivityChanges]:
    """Return what the stored arguments would change in each activity that they name."""
    updates = approval.arguments.get("updates")
    wanted = _wanted(updates if isinstance(updates, dict) else {})
    return [
        ActivityChanges(
            activity,
            tuple(
                Change(field, _spoken(field, getattr(activity, field)), _spoken(field, value))
                for field, value in wanted.items()
                if getattr(activity, field) != value
            ),
        )
        for activity in activities
    ]


def _wanted(updates: dict[str, Any]) -> dict[str, Any]:
    classification = updates.get("classification") or {}
    asked = {"status": updates.get("status"), **classification}
    known = {field.name for field in Activity._meta.get_fields()}
    return {field: value for field, value in asked.items() if value is not None and field in known}


def _spoken(field: str, value: Any) -> str:
    """Return a value in words, a code of ours in the language of the page."""
    words = in_words(value)
    is_code = isinstance(value, str) and getattr(Activity._meta.get_field(field), "choices", None)
    return spoken(words) if is_code else words


def in_words(value: Any) -> str:
    """Return a stored value as a person would write it."""
    if value is None or value in ("", []):
        return gettext("nothing")
    if isinstance(value, list):
        return ", ".join(str(item) for item in value)
    return (
        str(value).replace("_", " ") if isinstance(value, str) and " " not in value else str(value)
    )
