"""What was deleted: drafts taken away and brought back, and what nobody brought back in time."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from inbox.actor import Actor
from inbox.background.jobs import publish
from inbox.background.periodic import periodic
from inbox.errors import DomainError, not_found
from inbox.models import Draft, DraftStatus, Message
from inbox.models.remote import RemoteMessage
from inbox.operations.activities.priority import settle_order_in
from inbox.operations.drafts.writing import EDITABLE
from inbox.operations.mirror_entries import touched
from inbox.operations.purging import purge
from inbox.operations.sending.submissions import close_submission
from inbox.reasons import phrase as _
from inbox.reasons import say
from inbox.submission_states import LIVE_STATES, SubmissionState
from inbox.syncing.scheduling import make_due


def delete_draft(*, actor: Actor, draft: Draft) -> None:
    """Delete a draft of the actor's own, which a person can bring back for 30 days.

    What waited of it for a person is void. Publishes the fact `draft.deleted`. Raises DomainError:
    `permission_denied` for another's draft, `conflict` where it is on its way or has left.
    """
    with transaction.atomic():
        rows = Draft.objects.visible_to(actor).kept().select_for_update(of=("self",))
        current = rows.select_related("account").filter(pk=draft.pk).first()
        if current is None:
            raise not_found("email", draft.public_id, "email_id")
        _check_deletable(actor, current)
        # Locks the draft first too, so that nobody who approves it just now waits for us for ever.
        for held in current.submissions.filter(state=SubmissionState.HELD).defer("mime"):
            close_submission(submission=held, state="voided", outcome=say("draft_deleted"))
        Draft.objects.filter(pk=current.pk).update(deleted_at=timezone.now())
        touched(account=current.account, resources=("email_list", "email"))
        publish("draft.deleted", {"draft_ids": [current.pk]}, workspace_id=current.workspace_id)


def _check_deletable(actor: Actor, draft: Draft) -> None:
    if not draft.versions.filter(version=1, author=actor.key).exists():
        raise DomainError(
            "permission_denied", _("Someone else wrote this draft."), field="email_id",
            accepted=_('a draft of your own'),
        )  # fmt: skip
    on_its_way = draft.submissions.filter(state__in=LIVE_STATES - {SubmissionState.HELD})
    if draft.status not in EDITABLE or on_its_way.exists():
        raise DomainError(
            "conflict", _("The draft is being sent or was sent already."), field="email_id"
        )


def restore_draft(*, actor: Actor, draft: Draft) -> None:
    """Bring a deleted draft back, open; publishes the fact `draft.updated`."""
    with transaction.atomic():
        rows = Draft.objects.visible_to(actor).filter(pk=draft.pk).exclude(deleted_at=None)
        if not rows.update(deleted_at=None, status=DraftStatus.OPEN, updated_at=timezone.now()):
            raise not_found("draft", draft.public_id)
        touched(account=draft.account, resources=("email_list", "email"))
        publish("draft.updated", {"draft_ids": [draft.pk]}, workspace_id=draft.workspace_id)


@periodic(3600)
def purge_deleted(now: datetime | None = None) -> int:
    """Remove the messages and drafts that were deleted 30 days ago; return how many.

    A bounded number at a time. A draft of which something was ever proposed stays, hidden: what a
    person decided on is never removed. A message goes at its provider too.
    """
    never_proposed = Draft.objects.filter(submissions=None)
    threads: set[int | None] = set()

    def remember(rows: QuerySet[Any]) -> None:
        _remove_there(rows)
        threads.update(rows.values_list("thread_id", flat=True))

    messages = purge(
        Message.objects.all(), now, first=remember, last=lambda: settle_order_in(threads)
    )
    return messages + purge(never_proposed, now)


def _remove_there(messages: QuerySet[Any]) -> None:
    """Have the providers remove messages that are removed here now."""
    places = RemoteMessage.objects.filter(message__in=messages)
    accounts = set(places.values_list("folder__account_id", flat=True))
    if accounts:
        places.update(unwanted=True, dirty=True)
        make_due(accounts)
