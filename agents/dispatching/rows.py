"""Rows by the public ids in a call; what the caller may not see does not exist."""

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet

from agents.errors import ToolError, not_found
from agents.models import Approval
from inbox import ids
from inbox.actor import Actor
from inbox.models import Account, Inbox, Message, Submission, Thread
from inbox.models.base import M, PublicModel, VisibleQuerySet
from inbox.prepared import Prepared, Value

# Joining keeps chains short; more steps than this would be a circle.
MOST_JOINS = 20
_MOST_READ = 100


def read_key(model: type[PublicModel], public_id: str, kind: str, pointer: str) -> int:
    """Return the key that a public id stands for; raises ToolError `not_found` where it is none.

    It says nothing of whether there is such a row, nor of who may see it.
    """
    numbers = ids.decode(model.ID_PREFIX, public_id)
    if numbers is None or len(numbers) != 1:
        raise not_found(kind, pointer)
    return numbers[0]


def get_row(rows: VisibleQuerySet[M], public_id: str, kind: str, pointer: str) -> M:
    """Return the row of this public id among the rows; raises ToolError `not_found`."""
    # An id is one row's at most; first() would order and cut all the same.
    row = next(iter(rows.with_public_id(public_id)), None)
    if row is None:
        raise not_found(kind, pointer)
    return row


def get_account(actor: Actor, account_id: str, pointer: str = "/account_id") -> Account:
    """Return an account that the actor was granted; raises ToolError `not_found`."""
    return get_account_by(_ACCOUNT, actor, account_id, pointer)


def get_account_by(
    query: Prepared, actor: Actor, account_id: str, pointer: str = "/account_id", **values: Value
) -> Account:
    """Return what `get_account` does by a query of `account_rows`, which reads more along with it.

    `values` are what it asks about besides `actor` and `key`.
    """
    key = read_key(Account, account_id, "account", pointer)
    found: Account | None = next(query.rows(actor=actor, key=key, **values), None)
    if found is None:
        raise not_found("account", pointer)
    return found


def account_rows(actor: Actor, key: int) -> QuerySet[Account]:
    """Return the account of this key, with how its mirror stands, which every reading asks."""
    return Account.objects.visible_to(actor).filter(pk=key).select_related("sync")


def _account(*, actor: Actor, key: int) -> Sequence[QuerySet[Any]]:
    return [account_rows(actor, key)]


_ACCOUNT = Prepared(_account)


def get_inbox_of(account: Account) -> Inbox:
    """Return the inbox of an account that the caller may see, its own address' before others.

    Raises ToolError `conflict` where it serves none.
    """
    rows = Inbox.objects.filter(workspace_id=account.workspace_id, account=account)
    inboxes = list(rows.order_by("id")[:_MOST_READ])
    inboxes.sort(key=lambda inbox: inbox.address != account.address)
    if not inboxes:
        raise ToolError(
            "conflict", "The account serves no inbox", {"account_id": account.public_id}
        )
    return inboxes[0]


def get_inbox(actor: Actor, public_id: str, pointer: str = "/inbox_id") -> Inbox:
    """Return an inbox that the actor may see; raises ToolError `not_found`."""
    key = read_key(Inbox, public_id, "inbox", pointer)
    found: Inbox | None = next(_INBOX.rows(actor=actor, key=key), None)
    if found is None:
        raise not_found("inbox", pointer)
    return found


def _inbox(*, actor: Actor, key: int) -> Sequence[QuerySet[Any]]:
    return [Inbox.objects.visible_to(actor).filter(pk=key)]


_INBOX = Prepared(_inbox)


def get_thread_row(actor: Actor, public_id: str, pointer: str = "/thread_id") -> Thread:
    """Return a thread that the actor may see, the whole where it was joined to another."""
    thread = _find_thread(actor, read_key(Thread, public_id, "thread", pointer), pointer)
    for _ in range(MOST_JOINS):
        if thread.merged_into_id is None:
            break
        thread = _find_thread(actor, thread.merged_into_id, pointer)
    return thread


def _find_thread(actor: Actor, key: int, pointer: str) -> Thread:
    found: Thread | None = next(_THREAD.rows(actor=actor, key=key), None)
    if found is None:
        raise not_found("thread", pointer)
    return found


def _thread(*, actor: Actor, key: int) -> Sequence[QuerySet[Any]]:
    return [Thread.objects.visible_to(actor).filter(pk=key).select_related("inbox")]


_THREAD = Prepared(_thread)


def get_message(actor: Actor, public_id: str, pointer: str = "/message_id") -> Message:
    """Return a message that the actor may see; raises ToolError `not_found`."""
    rows = Message.objects.visible_to(actor).kept().select_related("inbox", "thread")
    return get_row(rows, public_id, "message", pointer)


def newest_messages(actor: Actor, thread: Thread) -> list[Message]:
    """Return a thread's newest messages, as many as drafting and summaries read, oldest first."""
    rows = Message.objects.visible_to(actor).kept().filter(thread=thread).select_related("inbox")
    newest = rows.defer("html", "search_extra").order_by("-received_at", "-id")[:_MOST_READ]
    return list(newest)[::-1]


def find_promised(actor: Actor, message_id: str) -> Submission | None:
    """Return the submission that will be, or was, the message of this id; None where none is.

    An edit or an undo made another of it, whose bytes then count.
    """
    rows = Submission.objects.visible_to(actor).select_related("thread")
    submission = rows.with_message_id(message_id).first()
    if submission is None:
        return None
    approval = Approval.objects.filter(submission=submission).first()
    newest = approval.newest().submission if approval else None
    return newest or submission
