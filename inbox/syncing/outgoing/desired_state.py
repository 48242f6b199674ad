"""What the server is to have of messages that were changed here: keywords, and in which folders."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inbox.intake.sources import TargetMailbox
from inbox.models import Account, Inbox, Message
from inbox.models.remote import RemoteFolder, RemoteMessage
from inbox.operations.batched import in_chunks
from inbox.operations.mail.storing import mailboxes_of
from inbox.syncing.keywords import comparable

# The usual names (RFC 6154 has the roles), which every mail program knows again.
USUAL_NAMES = {
    "archive": "Archive", "trash": "Trash", "junk": "Junk", "sent": "Sent", "drafts": "Drafts",
}  # fmt: skip
_OF_MESSAGE = ("message__inbox_id", "message__keywords", "message__deleted_at")
_OF_FOLDER = ("folder__name", "folder__uidvalidity", "folder__role", "folder__account_id")


@dataclass(frozen=True, slots=True)
class DesiredState:
    """How a message is to be there: these keywords, in each of these mailboxes (keys of ours)."""

    keywords: frozenset[str]
    mailboxes: frozenset[int]


def locations_to_push(account: Account, *, after: int, most: int) -> list[RemoteMessage]:
    """Return places that the server has yet to be told of, in the order of their keys."""
    rows = RemoteMessage.objects.filter(folder__account=account, dirty=True, pk__gt=after)
    rows = rows.filter(uid__lt=RemoteMessage.FORMER)
    rows = rows.select_related("folder", "message")
    only = ("uid", "keywords", "dirty", "unwanted", "folder", "message", *_OF_MESSAGE, *_OF_FOLDER)
    return list(rows.only(*only).order_by("pk")[:most])


def desired_states_of(account: Account, messages: Iterable[Message]) -> dict[int, DesiredState]:
    """Return how each message is to be at the server, by its key; a query or two for them all.

    Mailboxes that only we have, such as labels, are not wanted there; those with a role are, and
    are made there when something goes into them. What was deleted is to be in the trash.
    """
    found = list(messages)
    kept = [message.pk for message in found if message.deleted_at is None]
    mailboxes: dict[int, set[int]] = {}
    through: Any = Message.mailboxes.through
    for chunk in in_chunks(kept):
        rows = through.objects.filter(message_id__in=chunk)
        for message, mailbox, remote, role in rows.values_list(
            "message_id", "mailbox_id", "mailbox__remote", "mailbox__role"
        ):
            if remote or role:
                mailboxes.setdefault(message, set()).add(mailbox)
    trash = _trash_of(account, found)
    return {
        message.pk: DesiredState(
            comparable(message.keywords),
            frozenset(mailboxes.get(message.pk, ()))
            if message.deleted_at is None
            else frozenset({trash[message.inbox_id]}),
        )
        for message in found
    }


def _trash_of(account: Account, messages: Sequence[Message]) -> dict[int, int]:
    """Return the mailbox that takes what was deleted, by inbox."""
    inboxes = {message.inbox_id for message in messages if message.deleted_at is not None}
    if not inboxes:
        return {}
    there = RemoteFolder.objects.filter(account=account, role="trash").order_by("pk")
    mailbox = there.values_list("mailbox_id", flat=True).first()
    if mailbox is not None:
        return dict.fromkeys(inboxes, mailbox)
    place = TargetMailbox(role="trash")
    rows = Inbox.objects.filter(pk__in=inboxes)
    return {inbox.pk: mailboxes_of(inbox, [place])[place] for inbox in rows}


def targets(
    dirty: Sequence[RemoteMessage],
    wishes: Mapping[int, DesiredState],
    mailbox_of: Mapping[int, int],
) -> dict[int, int]:
    """Return into which mailbox each place is to be moved, by the place's key; few are.

    A message that is where it should be stays, wherever else we have put it: labels of ours are no
    copies there. `mailbox_of` tells the mailbox of each folder.
    """
    lying: dict[int, list[RemoteMessage]] = {}
    for place in _places_of(wishes):
        lying.setdefault(place.message_id or 0, []).append(place)
    ours = {place.pk for place in dirty}
    moves: dict[int, int] = {}
    for message, places in lying.items():
        wanted = wishes[message].mailboxes
        if not wanted:
            continue
        there = {mailbox_of.get(place.folder_id, 0) for place in places}
        leaving = [
            place for place in places
            if place.pk in ours and mailbox_of.get(place.folder_id, 0) not in wanted
        ]  # fmt: skip
        arriving = sorted(wanted - there) or sorted(wanted)
        # Copies that were one message in several mailboxes go back each to one of them.
        for number, place in enumerate(leaving):
            moves[place.pk] = arriving[min(number, len(arriving) - 1)]
    return moves


def _places_of(wishes: Mapping[int, DesiredState]) -> list[RemoteMessage]:
    return [
        place
        for chunk in in_chunks(wishes)
        for place in RemoteMessage.objects.filter(message_id__in=chunk).order_by("pk")
    ]
