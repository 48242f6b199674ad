"""The objects of the mail contract, and how rows become them. What is not known is left out."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Annotated, Any, Literal, TypeAlias

from django.db.models import F, QuerySet
from pydantic import ConfigDict, Field, StringConstraints

from agents.contracts import REGISTRY
from agents.contracts.fields import WHOLE, Closed, IdOrName, Moment, OrAbsent
from agents.contracts.schemas import DIALECT, Schema, Shared, plain, published
from inbox import ids
from inbox.models import (
    Account,
    ExtractionSchema,
    Inbox,
    Mailbox,
    Message,
    ReplyPolicy,
    Submission,
    Taxonomy,
    Thread,
)
from inbox.prepared import Prepared, padded
from inbox.rfc5322.parse import parse_outgoing

TYPES = "neuralmail/types.json"
_RESOURCES = "neuralmail/resources"
_ADDRESS = re.compile(
    r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*"
    r"@[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*"
)

_IdText: TypeAlias = Annotated[str, StringConstraints(min_length=1)]
_DirectionName: TypeAlias = Literal["inbound", "outbound"]
_Share: TypeAlias = Annotated[float, Field(ge=0, le=1)]

Id: TypeAlias = Annotated[_IdText, Shared(f"{TYPES}#/definitions/id")]
# What may be named as well as given by its id.
AccountId: TypeAlias = Annotated[
    str,
    Field(description="The account: its id, address or name; look_around has them."),
    IdOrName(Account.ID_PREFIX),
]
MailboxId: TypeAlias = Annotated[
    str,
    Field(description="A mailbox instead, by its id or name; look_around has them."),
    IdOrName(Mailbox.ID_PREFIX),
]
InboxId: TypeAlias = Annotated[Id, IdOrName(Inbox.ID_PREFIX)]
TaxonomyId: TypeAlias = Annotated[Id, IdOrName(Taxonomy.ID_PREFIX)]
SchemaId: TypeAlias = Annotated[Id, IdOrName(ExtractionSchema.ID_PREFIX)]
PolicyId: TypeAlias = Annotated[Id, IdOrName(ReplyPolicy.ID_PREFIX)]
Timestamp: TypeAlias = Annotated[Moment, Shared(f"{TYPES}#/definitions/timestamp")]
DirectionShape: TypeAlias = Annotated[_DirectionName, Shared(f"{TYPES}#/definitions/direction")]
Confidence: TypeAlias = Annotated[_Share, Shared(f"{TYPES}#/definitions/confidence")]
Label: TypeAlias = Annotated[str, Shared(f"{TYPES}#/definitions/label")]
EmailText: TypeAlias = Annotated[str, Field(json_schema_extra={"format": "email"})]
# For the next page of a search: what was found before it.
Skip: TypeAlias = Annotated[
    int, Field(ge=0, le=500, description="Leave out the first so many: for the next page."), WHOLE
]
ThreadState: TypeAlias = Literal["open", "closed", "snoozed"]


class Participant(Closed):
    """Somebody in a conversation."""

    model_config = published(f"{TYPES}#/definitions/participant")

    name: OrAbsent[str] = None
    email: EmailText


class InboxShape(Closed):
    """An address that is served."""

    model_config = published(f"{_RESOURCES}/inbox.json")

    id: Id
    address: EmailText
    labels: OrAbsent[list[Label]] = None
    status: Literal["active", "paused"]


class ThreadShape(Closed):
    """A conversation."""

    model_config = published(f"{_RESOURCES}/thread.json")

    id: Id
    inbox_id: Id
    subject: OrAbsent[str] = None
    status: ThreadState
    labels: OrAbsent[list[Label]] = None
    participants: OrAbsent[list[Participant]] = None
    updated_at: Timestamp


class MessageShape(Closed):
    """A message."""

    model_config = published(f"{_RESOURCES}/message.json")

    id: Id
    thread_id: Id
    direction: DirectionShape
    from_: Annotated[OrAbsent[Participant], Field(alias="from")] = None
    to: OrAbsent[list[Participant]] = None
    cc: OrAbsent[list[Participant]] = None
    subject: OrAbsent[str] = None
    text: OrAbsent[str] = None
    html: OrAbsent[str] = None
    created_at: Timestamp


class ThreadSummary(Closed):
    """A conversation in short."""

    model_config = published(f"{_RESOURCES}/thread_summary.json")

    thread_id: Id
    summary: str
    updated_at: Timestamp


class ErrorShape(Closed):
    """What went wrong."""

    model_config = ConfigDict(title="Error")

    code: str
    message: str
    details: OrAbsent[dict[str, Any]] = None


def participant(address: dict[str, str]) -> Participant | None:
    """Return an address as a participant; None where it is none that the contract can hold."""
    email, name = contract_email(address.get("email", "")), address.get("name")
    if email is None:
        return None
    return Participant(name=name, email=email) if name else Participant(email=email)


# The same few people stand in most threads.
@lru_cache(maxsize=4096)
def contract_email(email: str) -> str | None:
    """Return an address as the contract writes it; None where it can hold none like it.

    A domain of other scripts is written as in the DNS (RFC 5891).
    """
    local, _, domain = email.rpartition("@")
    if not domain.isascii():
        try:
            email = f"{local}@{domain.encode('idna').decode()}"
        except UnicodeError:
            return None
    return email if len(email) <= 320 and _ADDRESS.fullmatch(email) else None


def participants(addresses: Iterable[dict[str, str]]) -> list[Participant]:
    """Return those of the addresses that the contract can hold."""
    return [shape for shape in map(participant, addresses) if shape]


def inbox_shape(inbox: Inbox) -> InboxShape:
    """Return an inbox with its mailboxes as labels."""
    fields: dict[str, Any] = {
        "id": inbox.public_id,
        "address": inbox.address,
        "labels": labels(inbox.mailboxes.all()),
        "status": inbox.status,
    }
    return InboxShape(**fields)


def thread_shapes(threads: Sequence[Thread]) -> list[ThreadShape]:
    """Return threads of one or more inboxes; one query for the labels."""
    names: dict[int, list[str]] = {}
    for key, name in _LABELS.rows(threads=padded([one.pk for one in threads])):
        names.setdefault(key, []).append(name)
    return [_thread_shape(thread, sorted(names.get(thread.pk, ()))) for thread in threads]


def _labels(*, threads: tuple[int, ...]) -> Sequence[QuerySet[Any, Any]]:
    through = Thread.mailboxes.through.objects.filter(
        thread_id__in=threads, mailbox__workspace_id=F("thread__workspace_id")
    )
    return [through.values_list("thread_id", "mailbox__name")]


_LABELS = Prepared(_labels)


def _thread_shape(thread: Thread, names: list[str]) -> ThreadShape:
    fields: dict[str, Any] = {
        "id": ids.encode(Thread.ID_PREFIX, thread.pk),
        "inbox_id": ids.encode(Inbox.ID_PREFIX, thread.inbox_id),
        "subject": thread.subject,
        "status": thread.status,
        "labels": names,
        "participants": participants(thread.participants),
        "updated_at": thread.updated_at,
    }
    return ThreadShape(**fields)


def message_shape(message: Message, thread_id: str) -> MessageShape:
    """Return a message whole; an unusable From is left out, and so is HTML where there is none."""
    fields: dict[str, Any] = {
        "id": message.public_id,
        "thread_id": thread_id,
        "direction": message.direction,
        "from": participant(message.sender),
        "to": participants(message.to),
        "cc": participants(message.cc),
        "subject": message.subject,
        "text": message.text,
        "html": message.html or None,
        "created_at": message.received_at,
    }
    return MessageShape(**fields)


def promised_shape(submission: Submission) -> MessageShape:
    """Return what waits to be sent, or was, as its sealed bytes read; Bcc is in no header."""
    parsed = parse_outgoing(submission.mime_bytes)
    fields: dict[str, Any] = {
        "id": submission.message_public_id,
        "thread_id": submission.thread.public_id if submission.thread else submission.public_id,
        "direction": "outbound",
        "from": participant(parsed.sender.as_json()),
        "to": participants(address.as_json() for address in parsed.to),
        "cc": participants(address.as_json() for address in parsed.cc),
        "subject": parsed.subject,
        "text": parsed.text,
        "html": parsed.html or None,
        "created_at": submission.proposed_at,
    }
    return MessageShape(**fields)


def labels(mailboxes: Iterable[Mailbox]) -> list[str]:
    """Return the names of mailboxes, as labels; sorted."""
    return sorted(mailbox.name for mailbox in mailboxes)


def _publish() -> None:
    """Serve the shared types, the resources and the error shape under their `$id`s."""
    definitions = {
        "id": _IdText,
        "timestamp": Moment,
        "direction": _DirectionName,
        "confidence": _Share,
        "label": str,
        "participant": Participant,
    }

    def make_types() -> Schema:
        types = {name: plain(model, "serialization") for name, model in definitions.items()}
        return {"$id": TYPES, "$schema": DIALECT, "definitions": types}

    REGISTRY.publish(TYPES, make_types)
    resources = {
        "inbox": InboxShape,
        "thread": ThreadShape,
        "message": MessageShape,
        "thread_summary": ThreadSummary,
    }
    for name, model in resources.items():
        REGISTRY.publish_model(model, f"{_RESOURCES}/{name}.json")
    REGISTRY.publish_model(ErrorShape, "neuralmail/errors.json")


_publish()
