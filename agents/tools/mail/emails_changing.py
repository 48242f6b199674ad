"""The operations that change an account's mail: marking and sorting, moving, deleting."""

from functools import cache
from typing import Annotated, Any, Literal
from zoneinfo import available_timezones

from pydantic import ConfigDict, Field, StringConstraints, model_validator
from pydantic.alias_generators import to_camel

from agents.contracts import Effect, tool
from agents.contracts.fields import Closed, Confirmed, Maybe, Moment
from agents.dispatching.rows import get_account
from agents.errors import ToolError, invalid
from agents.tools.mail.email_rows import drafts_of, get_draft, get_message, is_draft_id, messages_of
from agents.tools.mail.email_shapes import Email, email_fields
from agents.tools.mail.emails import ROLES, EmailId, FolderName
from agents.tools.shapes import AccountId
from inbox.actor import Actor
from inbox.errors import DomainError
from inbox.models import Account, Attachment
from inbox.operations.deletions import delete_draft
from inbox.operations.mail import message_changes
from inbox.operations.mail.message_changes import (
    FollowUp,
    MessageChanges,
    delete_message,
    move_message,
    update_message,
)


class _Updates(Closed):
    """An object whose fields are named as Microsoft Graph names them; at least one is given."""

    model_config = ConfigDict(alias_generator=to_camel, json_schema_extra={"minProperties": 1})

    @model_validator(mode="after")
    def _changes_something(self) -> "_Updates":
        if not self.model_fields_set:
            raise ValueError("gives nothing to change")
        return self


class ZonedTimeInput(Closed):
    """A time with its offset, and the IANA time zone in which it is meant."""

    model_config = ConfigDict(alias_generator=to_camel)

    date_time: Moment
    time_zone: Annotated[str, Field(min_length=1)]


class FlagUpdate(_Updates):
    """What is to be done with an email, and when."""

    flag_status: Maybe[Literal["notFlagged", "flagged", "complete"]] = None
    start_date_time: Maybe[ZonedTimeInput] = None
    due_date_time: Maybe[ZonedTimeInput] = None
    completed_date_time: Maybe[ZonedTimeInput] = None


class EmailUpdates(_Updates):
    """What of an email changes."""

    is_read: Maybe[bool] = None
    categories: Maybe[
        Annotated[list[Annotated[str, StringConstraints(min_length=1)]], Field(min_length=1)]
    ] = None
    importance: Maybe[Literal["low", "normal", "high"]] = None
    flag: Maybe[FlagUpdate] = None
    inference_classification: Maybe[Literal["focused", "other"]] = None


class EmailUpdate(Closed):
    """Which email, and what of it changes."""

    email_id: EmailId
    updates: EmailUpdates
    account_id: AccountId


@tool(
    family="operations",
    domain="inbox",
    effect=Effect.WRITE,
    writes="drf",
    unified=[("update", "email")],
    example={
        "email_id": "msg_8fXoQ2mKpL",
        "updates": {"isRead": True, "categories": ["Offers"]},
        "account_id": "acc_8fXoQ2mKpL",
    },
)
def email_update(actor: Actor, args: EmailUpdate) -> Email:
    """Mark and sort an email: read, categories (all of them anew), importance, flag, focus.

    Only what is given changes. A flag's due date is not before its start; `notFlagged` takes its
    dates away, and `complete` keeps when it was done.
    """
    account = get_account(actor, args.account_id)
    if is_draft_id(args.email_id):
        get_draft(drafts_of(actor, account).only("pk"), args.email_id)
        raise ToolError("conflict", "A draft has no marks", {"pointer": "/email_id"})
    message = get_message(messages_of(actor, account).only("inbox_id"), args.email_id)
    try:
        changed = update_message(actor=actor, message=message, changes=_changes(args.updates))
    except DomainError as error:
        raise _below_updates(error) from error
    attachments = Attachment.objects.visible_to(actor).filter(message=changed)
    return Email.model_validate(email_fields(changed, attachments.order_by("position")))


def _changes(updates: EmailUpdates) -> MessageChanges:
    return MessageChanges(
        is_read=updates.is_read,
        categories=updates.categories,
        importance=updates.importance,
        inference=updates.inference_classification,
        follow_up=_follow_up(updates.flag) if updates.flag else None,
    )


def _follow_up(flag: FlagUpdate) -> FollowUp:
    return FollowUp(
        status=flag.flag_status,
        start=_moment(flag.start_date_time, "startDateTime"),
        due=_moment(flag.due_date_time, "dueDateTime"),
        completed=_moment(flag.completed_date_time, "completedDateTime"),
    )


def _moment(given: ZonedTimeInput | None, name: str) -> message_changes.Moment | None:
    if given is None:
        return None
    if given.time_zone not in _zone_names():
        pointer = f"/updates/flag/{name}/timeZone"
        raise invalid(pointer, "is no time zone", "an IANA time zone, such as Europe/Berlin")
    return message_changes.Moment(given.date_time, given.time_zone)


@cache
def _zone_names() -> frozenset[str]:
    return frozenset(available_timezones())


def _below_updates(error: DomainError) -> DomainError:
    """Return the error with its field as the call has it."""
    if error.code != "invalid_input":
        return error
    field = f"updates/{error.field}"
    return DomainError(error.code, error.message, field=field, accepted=error.accepted)


class EmailMove(Closed):
    """Which email, and where to."""

    email_id: EmailId
    destination_folder: FolderName
    account_id: AccountId


class MovedEmail(Closed):
    """That it is there, and its id from now on."""

    status: Literal["moved"] = "moved"
    new_id: str


@tool(
    family="operations",
    domain="inbox",
    effect=Effect.WRITE,
    unified=[("move", "email")],
    example={
        "email_id": "msg_8fXoQ2mKpL",
        "destination_folder": "archive",
        "account_id": "acc_8fXoQ2mKpL",
    },
)
def email_move(actor: Actor, args: EmailMove) -> MovedEmail:
    """Move an email into another folder; what is moved to `deleted` is still listed there."""
    account = get_account(actor, args.account_id)
    if is_draft_id(args.email_id):
        return _stay(actor, account, args)
    rows = messages_of(actor, account).only("inbox_id", "direction", "submission_id")
    message = get_message(rows, args.email_id)
    role = ROLES.get(args.destination_folder, args.destination_folder)
    moved = move_message(actor=actor, message=message, role=role)
    return MovedEmail(new_id=moved.public_id)


def _stay(actor: Actor, account: Account, args: EmailMove) -> MovedEmail:
    draft = get_draft(drafts_of(actor, account).only("pk"), args.email_id)
    if args.destination_folder != "drafts":
        raise ToolError(
            "conflict", "A draft stays among the drafts until it is sent or deleted",
            {"pointer": "/destination_folder", "accepted": "drafts"},
        )  # fmt: skip
    return MovedEmail(new_id=draft.public_id)


class EmailDelete(Closed):
    """Which email."""

    email_id: EmailId
    account_id: AccountId
    confirm: Confirmed


class DeletedEmail(Closed):
    """That it is gone."""

    status: Literal["deleted"] = "deleted"


@tool(
    family="operations",
    domain="inbox",
    effect=Effect.DESTROY,
    unified=[("delete", "email")],
    example={"email_id": "msg_8fXoQ2mKpL", "account_id": "acc_8fXoQ2mKpL", "confirm": True},
)
def email_delete(actor: Actor, args: EmailDelete) -> DeletedEmail:
    """Delete an email, or a draft of the caller's; for 30 days a person can bring it back."""
    account = get_account(actor, args.account_id)
    if is_draft_id(args.email_id):
        draft: Any = get_draft(drafts_of(actor, account), args.email_id)
        delete_draft(actor=actor, draft=draft)
    else:
        message = get_message(messages_of(actor, account).only("inbox_id"), args.email_id)
        delete_message(actor=actor, message=message)
    return DeletedEmail()
