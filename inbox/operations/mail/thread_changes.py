"""What is done to a thread: opened, closed, snoozed until a time, and put under labels."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from inbox.actor import Actor
from inbox.background.jobs import publish
from inbox.background.periodic import periodic
from inbox.errors import DomainError, invalid, not_found
from inbox.intake.sources import TargetMailbox
from inbox.models import Mailbox, Message, Thread, ThreadStatus
from inbox.operations.mail.storing import mailboxes_of
from inbox.reasons import phrase as _
from inbox.reasons import say

LONGEST_LABEL = 200
MOST_LABELS = 50
LONGEST_SNOOZE = timedelta(days=366)
_MOST_OF_INBOX = 1_000
_ADD, _REMOVE = "add_labels", "remove_labels"
_WOKEN_AT_ONCE = 500


def set_thread_status(
    *, actor: Actor, thread: Thread, status: str, snoozed_until: datetime | None = None
) -> Thread:
    """Open, close or snooze a thread, which publishes the fact `thread.updated`.

    A snoozed one needs the time at which it opens again. Raises DomainError where the status is
    none, or the time is missing, past, too far, or out of place.
    """
    _check_status(status, snoozed_until)
    with transaction.atomic():
        thread = _own_thread(actor, thread)
        if (thread.status, thread.snoozed_until) != (status, snoozed_until):
            thread.status, thread.snoozed_until = status, snoozed_until
            _save(thread, ["status", "snoozed_until"])
    return thread


def _check_status(status: str, snoozed_until: datetime | None) -> None:
    if status not in ThreadStatus.values:
        raise invalid(
            "status",
            _("%(status)s is not a status.", status=repr(status)),
            ", ".join(ThreadStatus.values),
        )
    if (snoozed_until is not None) != (status == ThreadStatus.SNOOZED):
        words = _("Only a snoozed thread can have a time to come back.")
        raise invalid("snoozed_until", words, _("a time with status snoozed"))
    if snoozed_until is None:
        return
    now = timezone.now()
    if snoozed_until <= now:
        raise invalid("snoozed_until", say("time_past"), _("a time in the future"))
    if snoozed_until > now + LONGEST_SNOOZE:
        raise invalid("snoozed_until", say("time_too_far"), _("a time within a year"))


def label_thread(
    *, actor: Actor, thread: Thread, add: Iterable[str] = (), remove: Iterable[str] = ()
) -> Thread:
    """Put a thread and its messages under labels, and take them from others, by name.

    A label that the inbox does not know yet is made; one that it knows is found whatever its case.
    A change publishes the fact `thread.updated`. Raises DomainError where a name cannot be a label,
    or is a folder's: mail is moved there, and lies in one of them.
    """
    added, removed = _label_names(_ADD, add), _label_names(_REMOVE, remove)
    with transaction.atomic():
        thread = _own_thread(actor, thread)
        known = _known_labels(thread, {_ADD: added, _REMOVE: removed})
        before = set(thread.mailboxes.values_list("pk", flat=True))
        gone = [known[name.casefold()] for name in removed if name.casefold() in known]
        _refuse_losing(thread, gone)
        _put_under(thread, _mailboxes(thread, added, known))
        thread.mailboxes.remove(*gone)
        _of_message().filter(message__thread=thread, mailbox__in=gone).delete()
        if set(thread.mailboxes.values_list("pk", flat=True)) != before:
            _save(thread, [])
    return thread


def labels_of(thread: Thread) -> list[Mailbox]:
    """Return the labels of a thread by name: its mailboxes that are nobody's folder."""
    labels = thread.mailboxes.filter(workspace_id=thread.workspace_id, role="", remote=None)
    return list(labels.order_by("name"))


def _known_labels(thread: Thread, names: dict[str, list[str]]) -> dict[str, Mailbox]:
    """Return the labels of the inbox by folded name; raises DomainError for a folder.

    `names` are those of each argument.
    """
    wanted = {name.casefold(): field for field, some in names.items() for name in some}
    rows = Mailbox.objects.filter(inbox=thread.inbox).select_related("remote").order_by("pk")
    known: dict[str, Mailbox] = {}
    for row in rows:
        if row.name.casefold() in wanted:
            if row.role or hasattr(row, "remote"):
                words = _("%(name)s is a folder: move the mail there instead.", name=repr(row.name))
                raise invalid(wanted[row.name.casefold()], words, _("the name of a label"))
            known.setdefault(row.name.casefold(), row)
    return known


def _mailboxes(thread: Thread, names: list[str], known: dict[str, Mailbox]) -> list[int]:
    new = [TargetMailbox(role="", name=name) for name in names if name.casefold() not in known]
    if new and Mailbox.objects.filter(inbox=thread.inbox)[_MOST_OF_INBOX:].exists():
        raise invalid(
            _ADD,
            _("The inbox already has %(most)s labels, the maximum.", most=_MOST_OF_INBOX),
            _("one of its own"),
        )
    made = mailboxes_of(thread.inbox, new).values() if new else ()
    return [*(known[name.casefold()].pk for name in names if name.casefold() in known), *made]


def _put_under(thread: Thread, mailboxes: list[int]) -> None:
    thread.mailboxes.add(*mailboxes)
    of_message: Any = Message.mailboxes.through
    of_message.objects.bulk_create(
        (
            of_message(message_id=message, mailbox_id=mailbox)
            for message in thread.messages.values_list("pk", flat=True)
            for mailbox in mailboxes
        ),
        ignore_conflicts=True,
    )


def _refuse_losing(thread: Thread, gone: list[Mailbox]) -> None:
    """Raise DomainError `conflict` where a message would lie nowhere any more."""
    if not gone:
        return
    elsewhere = _of_message().filter(message_id=OuterRef("pk")).exclude(mailbox__in=gone)
    lying = thread.messages.filter(mailboxes__in=gone)
    if lying.filter(~Exists(elsewhere)).exists():
        names = ", ".join(mailbox.name for mailbox in gone)
        raise DomainError(
            "conflict",
            _("A message is only in %(names)s.", names=repr(names[:200])),
            field=_REMOVE,
            accepted=_("a label of mail that is in a folder too"),
        )


def _of_message() -> QuerySet[Any]:
    through: Any = Message.mailboxes.through
    rows: QuerySet[Any] = through.objects.all()
    return rows


def _save(thread: Thread, columns: list[str]) -> None:
    thread.updated_at = timezone.now()
    thread.save(update_fields=[*columns, "updated_at"])
    publish("thread.updated", {"thread_ids": [thread.pk]}, workspace_id=thread.workspace_id)


def _own_thread(actor: Actor, thread: Thread) -> Thread:
    """Return the thread's row, locked; not_found where the actor may not see it."""
    rows = Thread.objects.visible_to(actor).select_for_update(of=("self",))
    found = rows.select_related("inbox").filter(pk=thread.pk).first()
    if found is None:
        raise not_found("thread", thread.public_id, "thread_id")
    return found


def _label_names(field: str, names: Iterable[str]) -> list[str]:
    cleaned = [" ".join(name.split()) for name in names]
    if len(cleaned) > MOST_LABELS:
        raise invalid(
            field,
            _("%(count)s labels.", count=len(cleaned)),
            _("at most %(most)s of them", most=MOST_LABELS),
        )
    for name in cleaned:
        if not name or len(name) > LONGEST_LABEL or not name.isprintable():
            raise invalid(
                field, _('%(name)s cannot be a label.', name=repr(name[:80])),
                _('1 to %(most)s printable characters', most=LONGEST_LABEL),
            )  # fmt: skip
    return list({name.casefold(): name for name in reversed(cleaned)}.values())[::-1]


@periodic(30)
def wake_threads(now: datetime | None = None) -> int:
    """Open the threads again whose snooze has ended, each once; return how many.

    Publishes `thread.updated`, and `thread.woken` for the receipts.
    """
    due = Q(status=ThreadStatus.SNOOZED, snoozed_until__lte=now or timezone.now())
    with transaction.atomic():
        rows = list(
            Thread.objects.select_for_update()
            .filter(due)
            .order_by("snoozed_until")
            .only("pk", "workspace_id", "snoozed_until")[:_WOKEN_AT_ONCE]
        )
        Thread.objects.filter(pk__in=[row.pk for row in rows]).update(
            status=ThreadStatus.OPEN, snoozed_until=None, updated_at=timezone.now()
        )
        for workspace_id in sorted({row.workspace_id for row in rows}):
            woken = [row for row in rows if row.workspace_id == workspace_id]
            keys = {"thread_ids": [row.pk for row in woken]}
            publish("thread.updated", keys, workspace_id=workspace_id)
            ends = [row.snoozed_until.isoformat() for row in woken if row.snoozed_until]
            publish("thread.woken", {**keys, "ends": ends}, workspace_id=workspace_id)
    return len(rows)
