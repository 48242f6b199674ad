"""What a provider refused to change is undone here, so that both sides say the same."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inbox.background.jobs import publish
from inbox.models import Message
from inbox.models.remote import RemoteMessage
from inbox.operations.mail.thread_counts import bring_threads_up_to_date
from inbox.syncing.keywords import as_there
from inbox.syncing.outgoing.desired_state import DesiredState, desired_states_of
from inbox.syncing.visits import ChangesVisit

_COLUMNS = ("inbox_id", "thread_id", "keywords", "follow_up", "deleted_at")


def undo(
    visit: ChangesVisit,
    refused: Sequence[Sequence[RemoteMessage]],
    wishes: Mapping[int, DesiredState],
    mailbox_of: Mapping[int, int],
    takes: Callable[[str], bool],
) -> None:
    """Have messages be here as they are there, given the places of each; one transaction.

    `wishes` is what was told; a message that was changed again meanwhile is told that first.
    `mailbox_of` tells the mailbox of each folder, `takes` which keywords could have been told.
    """
    places = [place for some in refused for place in some]
    with visit.writing():
        rows = Message.objects.filter(pk__in={place.message_id for place in places})
        messages = {row.pk: row for row in rows.only(*_COLUMNS)}
        now = desired_states_of(visit.account, messages.values())
        same = {key: row for key, row in messages.items() if now[key] == wishes.get(key)}
        keys = [place.pk for place in places if place.message_id in same]
        RemoteMessage.objects.filter(pk__in=keys).update(dirty=False)
        lying = _lying(same)
        changed = _put_keywords_back(same, lying, takes) | _put_back(same, lying, mailbox_of)
        if changed:
            publish(
                "message.updated", {"message_ids": sorted(changed)},
                workspace_id=visit.account.workspace_id, account_id=visit.account.pk,
            )  # fmt: skip


def lie_there(mailboxes: Mapping[int, frozenset[int]]) -> None:
    """Put messages into mailboxes, both by their keys."""
    through: Any = Message.mailboxes.through
    rows = [
        through(message_id=message, mailbox_id=mailbox)
        for message, some in mailboxes.items()
        for mailbox in sorted(some)
    ]
    through.objects.bulk_create(rows, ignore_conflicts=True)
    threads = Message.objects.filter(pk__in=mailboxes).values_list("thread_id", flat=True)
    bring_threads_up_to_date(list(threads))


def _lying(messages: Mapping[int, Message]) -> dict[int, list[RemoteMessage]]:
    found: dict[int, list[RemoteMessage]] = {key: [] for key in messages}
    for place in RemoteMessage.objects.filter(message_id__in=list(messages)):
        found[place.message_id or 0].append(place)
    return found


def _put_keywords_back(
    messages: Mapping[int, Message],
    lying: Mapping[int, Sequence[RemoteMessage]],
    takes: Callable[[str], bool],
) -> set[int]:
    changed = []
    for key, message in messages.items():
        known = {word for place in lying[key] for word in place.keywords}
        keywords = as_there(message.keywords, known=known, takes=takes)
        if keywords == message.keywords:
            continue
        if "$flagged" not in keywords and "completed" not in message.follow_up:
            message.follow_up = {}
        message.keywords = keywords
        changed.append(message)
    Message.objects.bulk_update(changed, ["keywords", "follow_up"])
    return {message.pk for message in changed}


def _put_back(
    messages: Mapping[int, Message],
    lying: Mapping[int, Sequence[RemoteMessage]],
    mailbox_of: Mapping[int, int],
) -> set[int]:
    """Have messages lie where they lie there; labels that only we have stay, as do deleted ones."""
    kept = [key for key, message in messages.items() if message.deleted_at is None]
    there = {
        key: frozenset(
            mailbox_of[place.folder_id] for place in lying[key] if place.folder_id in mailbox_of
        )
        for key in kept
    }
    through: Any = Message.mailboxes.through
    boxes = through.objects.filter(message__in=kept)
    others = boxes.exclude(mailbox__remote=None, mailbox__role="")
    surplus = [
        row for row in others
        if there[row.message_id] and row.mailbox_id not in there[row.message_id]
    ]  # fmt: skip
    through.objects.filter(pk__in=[row.pk for row in surplus]).delete()
    moved = {row.message_id for row in surplus}
    if moved:
        lie_there({key: there[key] for key in moved})
    return moved
