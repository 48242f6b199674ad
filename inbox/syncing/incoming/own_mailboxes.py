"""Our mailbox for one at the provider: the one of ours with its role or name, or a new one."""

from typing import Any

from inbox.models import Mailbox, Message, Thread
from inbox.models.remote import RemoteFolder
from inbox.syncing.visits import AccountVisit

LONGEST_SHOWN = 200


def printable_name(name: str) -> str:
    """Return a mailbox's name as it is shown: on one line, not too long, not empty."""
    name = " ".join("".join(it if it.isprintable() else " " for it in name).split())
    return name[:LONGEST_SHOWN] or "?"


def mailbox_for(visit: AccountVisit, shown: str, role: str) -> Mailbox:
    """Return the mailbox of ours that is to be one with this name and role; it may be unsaved."""
    free = Mailbox.objects.filter(inbox=visit.inbox, remote=None)
    if role:
        ours = free.filter(role=role).first()
        if ours is not None:
            return ours
    named = free.filter(name=shown, role="").first()
    if named is not None:
        return named
    name = free_name(visit, shown)
    return Mailbox(workspace_id=visit.inbox.workspace_id, inbox=visit.inbox, name=name)


def free_name(visit: AccountVisit, shown: str, but: Mailbox | None = None) -> str:
    """Return a name that no other mailbox of the inbox has, as near to this one as can be."""
    others = Mailbox.objects.filter(inbox=visit.inbox)
    if but is not None:
        others = others.exclude(pk=but.pk)
    taken = set(others.values_list("name", flat=True))
    name, number = shown, 2
    while name in taken:
        name = f"{shown[: LONGEST_SHOWN - 8]} ({number})"
        number += 1
    return name


def give_role(visit: AccountVisit, row: RemoteFolder, role: str) -> None:
    """Give a role to the mailbox of a row; who had it has none, or becomes one with it."""
    holder = Mailbox.objects.filter(inbox=visit.inbox, role=role).first()
    if holder is not None:
        holder.role = ""
        holder.save(update_fields=["role"])
        if not hasattr(holder, "remote"):
            _empty_into(holder, row.mailbox)
            holder.delete()
    row.mailbox.role = role
    row.mailbox.save(update_fields=["role"])


def _empty_into(one: Mailbox, other: Mailbox) -> None:
    """Put all that is in a mailbox only we have into the one that took its role."""
    of_message: Any = Message.mailboxes.through
    of_thread: Any = Thread.mailboxes.through
    for through, column in ((of_message, "message_id"), (of_thread, "thread_id")):
        keys = through.objects.filter(mailbox=one).values_list(column, flat=True)
        through.objects.bulk_create(
            (through(mailbox=other, **{column: key}) for key in list(keys)),
            ignore_conflicts=True, batch_size=1000,
        )  # fmt: skip
