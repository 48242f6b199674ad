"""How activities changed after they were classified: kept with each change, and taken back."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.db import transaction

from inbox.actor import Actor
from inbox.background.jobs import publish
from inbox.errors import DomainError
from inbox.models import Activity, ActivityChange, ActivityStatus, Correction
from inbox.models.activities import ActivityQuerySet
from inbox.operations.activities.changes import without_options
from inbox.operations.activities.priority import settle_order_of
from inbox.reasons import phrase as _

Changed = tuple[Activity, Mapping[str, Any]]
_ROWS_AT_ONCE = 500


def keep_changes(
    actor: Actor, changed: Iterable[Changed], *, correction: Correction | None = None
) -> list[ActivityChange]:
    """Keep what activities are about to become, with what they were; one query for 500 of them.

    Called in the transaction of the change, before the rows are set anew.
    """
    rows = [
        _change(actor, activity, columns, correction)
        for activity, columns in changed
        if _before(activity, columns)
    ]
    return ActivityChange.objects.bulk_create(rows, batch_size=_ROWS_AT_ONCE)


def tell_surfaced(activities: Iterable[Activity]) -> None:
    """Publish that activities are put before a person (`activity.surfaced`), by workspace."""
    keys: dict[int, list[int]] = {}
    for activity in activities:
        keys.setdefault(activity.workspace_id, []).append(activity.pk)
    for workspace_id, some in keys.items():
        publish("activity.surfaced", {"activity_ids": some}, workspace_id=workspace_id)


def mark_done(*, actor: Actor, activities: ActivityQuerySet) -> list[Activity]:
    """Mark activities as done whose matter is settled otherwise; return those that were not."""
    done = {"status": ActivityStatus.PROCESSED}
    with transaction.atomic():
        rows = list(activities.exclude(**done).select_for_update(of=("self",)).order_by("pk"))
        keep_changes(actor, [(row, done) for row in rows])
        for row in rows:
            row.status = ActivityStatus.PROCESSED
        Activity.objects.filter(pk__in=[row.pk for row in rows]).update(**done)
        settle_order_of(row.pk for row in rows)
    return rows


def undo_change(*, actor: Actor, change: ActivityChange) -> Activity:
    """Put an activity back to what it was before a change; the undoing is a change of its own.

    Raises DomainError (`conflict`) where it was taken back already, or where the activity has been
    changed again since, so that nobody's later word is lost.
    """
    with transaction.atomic():
        rows = Activity.objects.visible_to(actor).select_for_update(of=("self",))
        activity = rows.get(pk=change.activity_id)
        if ActivityChange.objects.filter(undoes=change).exists():
            raise DomainError("conflict", _("It was already undone."))
        now = _before(activity, change.after)
        if now:
            raise DomainError("conflict", _("It has been changed again since."))
        columns = without_options(change.before)
        undoing = _change(actor, activity, columns, None)
        undoing.undoes = change
        undoing.save()
        for name, value in columns.items():
            setattr(activity, name, value)
        activity.save(update_fields=list(columns))
        settle_order_of([activity.pk])
        if change.before.get("status") == ActivityStatus.SURFACED:
            tell_surfaced([activity])
    return activity


def _change(
    actor: Actor, activity: Activity, columns: Mapping[str, Any], correction: Correction | None
) -> ActivityChange:
    before = _before(activity, columns)
    return ActivityChange(
        workspace_id=activity.workspace_id,
        activity=activity,
        by=actor.key,
        by_name=actor.name,
        before=before,
        after={name: _plain(columns[name]) for name in before},
        correction=correction,
    )


def _before(activity: Activity, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of the columns in which the activity differs, as they are now."""
    return {
        name: _plain(getattr(activity, name))
        for name, value in columns.items()
        if _plain(getattr(activity, name)) != _plain(value)
    }


def _plain(value: Any) -> Any:
    """Return a column's value as JSON keeps it."""
    if isinstance(value, tuple):
        return list(value)
    return str(value) if isinstance(value, str) else value
