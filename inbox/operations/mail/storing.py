"""Storing prepared messages, one or many at a time, with queries constant in their number."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from inbox.background.jobs import publish
from inbox.bulk_insert import insert, insert_values
from inbox.intake.prepared import Prepared, Recipient
from inbox.intake.sources import TargetMailbox
from inbox.models import (
    Attachment,
    Blob,
    Direction,
    Identity,
    Inbox,
    Mailbox,
    Message,
    Submission,
    Thread,
)
from inbox.operations.batched import in_chunks
from inbox.operations.contacts.people import Contact, record_contacts
from inbox.operations.mail.attachment_jobs import enqueue_reading
from inbox.operations.mail.threads import thread_messages
from inbox.rfc5322.authentication import OwnServers

# Mail that came in by bulk waits behind mail that is to leave.
LIVE_PRIORITY, IMPORT_PRIORITY = 5, 8
# Each twin is read to compare; nobody who sends one id for ever may make that dear.
_MOST_TWINS = 20
NO_SERVERS = OwnServers()
_NO_CONTACT_ROLES = frozenset({"junk", "drafts"})


@dataclass(slots=True)
class Stored:
    """What became of prepared messages: the rows made, and the rows that were there, by SHA-256.

    `keys` has the row of each, made or known.
    """

    made: list[Message] = field(default_factory=list)
    known: dict[str, int] = field(default_factory=dict)
    keys: dict[str, int] = field(default_factory=dict)


def recipient_of(inbox: Inbox, servers: OwnServers = NO_SERVERS) -> Recipient:
    """Return what preparing a message for this inbox needs to know.

    `servers` are those it is read from; none where it comes from anywhere else.
    """
    emails = Identity.objects.filter(account=inbox.account).values_list("email", flat=True)
    return Recipient(
        workspace_id=inbox.workspace_id,
        authserv_id=inbox.account.authserv_id,
        own_addresses=frozenset(email.lower() for email in emails) | {inbox.address.lower()},
        own_servers=servers,
    )


def store_messages(
    *,
    inbox: Inbox,
    recipient: Recipient,
    batch: Sequence[Prepared],
    live: bool = False,
    submission: Submission | None = None,
) -> Stored:
    """Store what is not stored yet: messages, threads, labels, attachments, people, a fact.

    All or nothing. The same bytes are stored once for each inbox, and so is the same message that
    differs in its line ends only; one with the Message-ID of another is kept apart and marked.
    """
    with transaction.atomic():
        # One at a time for each inbox, or two could make two threads of one conversation.
        Inbox.objects.select_for_update().get(pk=inbox.pk)
        fresh, known, twins = _leave_out_known(inbox, batch)
        if not fresh:
            return Stored([], known, known)
        blobs = _store_blobs(inbox.workspace_id, fresh)
        threads = thread_messages(inbox=inbox, batch=fresh, own=recipient.own_addresses, live=live)
        messages = insert(
            Message(
                workspace_id=inbox.workspace_id, inbox=inbox, thread=thread, submission=submission,
                blob_id=blobs[prepared.sha256], **prepared.columns,
            )
            for prepared, thread in zip(fresh, threads, strict=True)
        )  # fmt: skip
        _store_attachments(inbox, fresh, messages, blobs)
        _put_into_mailboxes(inbox, fresh, messages)
        _record_contacts(inbox, fresh)
        _publish(inbox, messages, live=live)
    keys = {each.sha256: message.pk for each, message in zip(fresh, messages, strict=True)}
    keys |= {sha256: keys[twin] for sha256, twin in twins.items()} | known
    return Stored(messages, known, keys)


# -- what is known ---------------------------------------------------------------------------------
def _leave_out_known(
    inbox: Inbox, batch: Sequence[Prepared]
) -> tuple[list[Prepared], dict[str, int], dict[str, str]]:
    """Return what is to be stored, what is there, and which of the batch stands for another."""
    rows = Message.objects.filter(inbox=inbox)
    shas = {prepared.sha256 for prepared in batch}
    known = dict(rows.filter(blob__sha256__in=shas).values_list("blob__sha256", "pk"))
    fresh = {
        prepared.sha256: prepared for prepared in batch if prepared.sha256 not in known
    }  # the same bytes twice in one batch are one message
    keys = {prepared.columns["message_id_key"] for prepared in fresh.values()} - {""}
    same_id: dict[str, list[tuple[str, int]]] = {}
    for key, sha256, pk in rows.filter(message_id_key__in=keys).values_list(
        "message_id_key", "blob__sha256", "pk"
    ):
        same_id.setdefault(key, []).append((sha256, pk))
    kept, twins = _mark_duplicates(inbox.workspace_id, fresh.values(), same_id, known)
    return kept, known, twins


def _mark_duplicates(
    workspace_id: int,
    fresh: Iterable[Prepared],
    same_id: dict[str, list[tuple[str, int]]],
    known: dict[str, int],
) -> tuple[list[Prepared], dict[str, str]]:
    """Leave out what differs from a message of its id in line ends only; mark the other twins."""
    kept: list[Prepared] = []
    of_batch: dict[str, str] = {}
    for prepared in fresh:
        key = prepared.columns["message_id_key"]
        twins = same_id.get(key, [])[:_MOST_TWINS] if key else []
        if twins:
            content = _content(workspace_id, prepared.sha256)
            twin = next((t for t in twins if _content(workspace_id, t[0]) == content), None)
            if twin is not None:
                if twin[1]:
                    known[prepared.sha256] = twin[1]
                else:
                    of_batch[prepared.sha256] = twin[0]
                continue
            anomalies = {*prepared.columns["anomalies"], "duplicate_message_id"}
            prepared.columns["anomalies"] = sorted(anomalies)
        if key:
            # A twin in the same batch has no row yet: 0 stands for it.
            same_id.setdefault(key, []).append((prepared.sha256, 0))
        kept.append(prepared)
    return kept, of_batch


def _content(workspace_id: int, sha256: str) -> bytes:
    """Return the bytes with one form of line ends, none of them at the end."""
    try:
        raw = Blob(workspace_id=workspace_id, sha256=sha256).read()
    except (OSError, ValueError):
        return sha256.encode()  # lost in the storage: the same as no other
    return raw.replace(b"\r\n", b"\n").rstrip(b"\n")


# -- rows ------------------------------------------------------------------------------------------
def _store_blobs(workspace_id: int, batch: Iterable[Prepared]) -> dict[str, int]:
    sizes = {prepared.sha256: prepared.size for prepared in batch}
    for prepared in batch:
        for part in prepared.attachments:
            sizes[part.sha256] = part.columns["size"]
    return blob_rows(workspace_id, sizes)


def blob_rows(workspace_id: int, sizes: Mapping[str, int]) -> dict[str, int]:
    """Return the key of the Blob row of each SHA-256, made where there is none."""
    insert_values(
        Blob, ("workspace_id", "sha256", "size"),
        ((workspace_id, sha256, size) for sha256, size in sizes.items()), ignore_conflicts=True,
    )  # fmt: skip
    rows = Blob.objects.filter(workspace_id=workspace_id)
    return {
        sha256: pk
        for chunk in in_chunks(sizes)
        for sha256, pk in rows.filter(sha256__in=chunk).values_list("sha256", "pk")
    }


def _store_attachments(
    inbox: Inbox, batch: Sequence[Prepared], messages: Sequence[Message], blobs: Mapping[str, int]
) -> None:
    attachments = insert(
        Attachment(
            workspace_id=inbox.workspace_id, message_id=message.pk,
            received_at=message.received_at, blob_id=blobs[part.sha256],
            **part.columns,
        )
        for prepared, message in zip(batch, messages, strict=True)
        for part in prepared.attachments
    )  # fmt: skip
    enqueue_reading(inbox, attachments)


def _put_into_mailboxes(
    inbox: Inbox, batch: Sequence[Prepared], messages: Sequence[Message]
) -> None:
    """Put each message into its mailbox, and keep the labels of its thread in step."""
    mailboxes = mailboxes_of(inbox, {prepared.place for prepared in batch})
    of_message: Any = Message.mailboxes.through
    of_thread: Any = Thread.mailboxes.through
    pairs = [
        (message, mailboxes[prepared.place])
        for prepared, message in zip(batch, messages, strict=True)
    ]
    put = [(message.pk, mailbox) for message, mailbox in pairs]
    insert_values(of_message, ("message_id", "mailbox_id"), put)
    labelled = {(message.thread_id, mailbox) for message, mailbox in pairs}
    insert_values(of_thread, ("thread_id", "mailbox_id"), labelled, ignore_conflicts=True)


def mailboxes_of(inbox: Inbox, places: Iterable[TargetMailbox]) -> dict[TargetMailbox, int]:
    """Return the mailbox of each place, made where the inbox has none; a query or three."""
    rows = Mailbox.objects.filter(inbox=inbox)
    by_role, by_name = _by_role_and_name(rows)
    missing = [
        place for place in places if not (by_role if place.role else by_name).get(_label(place))
    ]
    if missing:
        Mailbox.objects.bulk_create(
            (
                Mailbox(
                    workspace_id=inbox.workspace_id, inbox=inbox,
                    name=place.name or place.role.capitalize(), role=place.role,
                )
                for place in missing
            ),
            ignore_conflicts=True,
        )  # fmt: skip
        by_role, by_name = _by_role_and_name(rows.all())
    # A name that another role took already stands in for the role.
    return {
        place: by_role.get(place.role) or by_name[place.name or place.role.capitalize()]
        for place in places
    }


def _label(place: TargetMailbox) -> str:
    return place.role or place.name


def _by_role_and_name(rows: Iterable[Mailbox]) -> tuple[dict[str, int], dict[str, int]]:
    found = list(rows)
    return {row.role: row.pk for row in found if row.role}, {row.name: row.pk for row in found}


# -- who and what for ------------------------------------------------------------------------------
def _record_contacts(inbox: Inbox, batch: Iterable[Prepared]) -> None:
    record_contacts(
        workspace_id=inbox.workspace_id,
        account_id=inbox.account_id,
        contacts=[
            Contact(
                person.email,
                person.name,
                prepared.columns["received_at"],
                outbound=prepared.columns["direction"] == Direction.OUTBOUND,
            )
            for prepared in batch
            if prepared.place.role not in _NO_CONTACT_ROLES
            for person in prepared.people
        ],
    )


def _publish(inbox: Inbox, messages: Iterable[Message], *, live: bool) -> None:
    inbound = [message.pk for message in messages if message.direction == Direction.INBOUND]
    if inbound:
        publish(
            "message.received",
            {"message_ids": inbound},
            workspace_id=inbox.workspace_id,
            account_id=inbox.account_id,
            priority=LIVE_PRIORITY if live else IMPORT_PRIORITY,
        )
