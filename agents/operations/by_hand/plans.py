"""What people keep from happening, and what they have tried again."""

from django.contrib.auth.models import User
from django.db import transaction

from agents.errors import ToolError
from agents.models import ContextEntry, Schedule
from agents.operations.by_hand.recording import record_by_hand
from agents.operations.schedules import cancel_schedule
from agents.operations.sharing.reviewing import let_decide
from inbox.actor import Actor
from inbox.background.jobs import publish
from inbox.errors import DomainError, not_found
from inbox.models import Job
from inbox.operations.retrying import retry_job
from inbox.reasons import phrase as _
from inbox.reasons import say
from inbox.viewer import viewer_of_user


@transaction.atomic
def call_off(*, by: User, schedule: Schedule) -> None:
    """Keep what is scheduled from happening.

    Raises DomainError: permission_denied, and conflict where it has begun.
    """
    actor = let_decide(by, schedule.workspace_id)
    try:
        cancel_schedule(actor=actor, schedule_id=schedule.public_id)
    except ToolError as error:
        raise DomainError("conflict", _("It has started or already ended.")) from error
    record_by_hand(actor, "cancel_schedule", {"schedule_id": schedule.public_id})


@transaction.atomic
def remove_context(*, by: User, entry: ContextEntry) -> None:
    """Remove a value that agents share, and tell those who may read it.

    Raises DomainError: permission_denied, and not_found.
    """
    actor = let_decide(by, entry.workspace_id)
    rows = ContextEntry.objects.filter(workspace_id=entry.workspace_id, pk=entry.pk)
    row = rows.select_for_update().first()
    if row is None:
        raise not_found("context", entry.public_id, "id")
    readers = {row.author_id, *row.subscribers.values_list("pk", flat=True)}
    payload = {
        "keys": [row.key], "change": "deleted", "author": actor.name,
        "agent_ids": None if row.is_open else sorted(readers),
    }  # fmt: skip
    record_by_hand(actor, "remove_context", {"context_id": row.public_id, "key": row.key})
    publish("context.changed", payload, workspace_id=row.workspace_id)
    row.delete()


@transaction.atomic
def try_again(*, by: User, job: Job) -> None:
    """Have a failed job done once more; raises DomainError: permission_denied, and conflict."""
    if job.workspace_id is None or not viewer_of_user(by).may_manage(job.workspace_id):
        raise DomainError("permission_denied", say("not_a_decider"))
    actor = Actor("person", by.pk, by.get_username(), (job.workspace_id,))
    retry_job(actor=actor, job=job)
    record_by_hand(actor, "retry_job", {"job": job.pk, "kind": job.kind})
