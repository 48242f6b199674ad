"""What is done to a message that is there: marked, sorted, moved, deleted and brought back."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, NamedTuple, TypeAlias

import regex
from django.db import transaction
from django.utils import timezone

from inbox.actor import Actor
from inbox.background.jobs import publish
from inbox.errors import DomainError, invalid, not_found
from inbox.intake.sources import TargetMailbox
from inbox.models import Direction, Inbox, Message, Thread
from inbox.models.remote import RemoteMessage
from inbox.operations.mail.storing import mailboxes_of
from inbox.operations.mail.thread_counts import bring_threads_up_to_date
from inbox.operations.mirror_entries import touched
from inbox.reasons import phrase as _
from inbox.syncing.scheduling import ask_for_sync

FlagStatus: TypeAlias = Literal["notFlagged", "flagged", "complete"]

MOST_CATEGORIES = 50
LONGEST_CATEGORY = 100
# What a keyword that somebody reads may not hold: controls, line ends, what turns the writing.
_UNFIT = regex.compile(r"[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069]")
_READINGS = ("email_list", "email", "search")


class Moment(NamedTuple):
    """A time, aware, and the IANA zone in which somebody said it."""

    at: datetime
    zone: str

    def as_json(self) -> dict[str, str]:
        """Return the form in which `Message.follow_up` keeps it."""
        return {"at": self.at.astimezone(UTC).isoformat(), "zone": self.zone}


@dataclass(frozen=True, slots=True)
class FollowUp:
    """What to do with a message until when; None leaves a part as it is."""

    status: FlagStatus | None = None
    start: Moment | None = None
    due: Moment | None = None
    completed: Moment | None = None


@dataclass(frozen=True, slots=True)
class MessageChanges:
    """What to change of a message; None leaves a part as it is."""

    is_read: bool | None = None
    is_answered: bool | None = None
    categories: Iterable[str] | None = None
    importance: str | None = None
    inference: str | None = None
    follow_up: FollowUp | None = None


def update_message(*, actor: Actor, message: Message, changes: MessageChanges) -> Message:
    """Mark and sort a message, which publishes the fact `message.updated`.

    Being read is `$seen`, being answered `$answered`, being flagged `$flagged`, and a category a
    keyword without `$` (RFC 8621 4.1.1). Raises DomainError where a category cannot be one, or the
    parts of a follow-up do not go together.
    """
    with _changed(actor, message, "message.updated", recount=False) as current:
        keywords = set(current.keywords)
        if changes.is_read is not None:
            _put(keywords, "$seen", there=changes.is_read)
        if changes.is_answered is not None:
            _put(keywords, "$answered", there=changes.is_answered)
        if changes.categories is not None:
            free = _check_categories(changes.categories)
            keywords = {word for word in keywords if word.startswith("$")} | free
        if changes.follow_up is not None:
            _follow_up(current, changes.follow_up, keywords)
        current.keywords = sorted(keywords)
        current.importance = changes.importance or current.importance
        current.inference = changes.inference or current.inference
        current.save(update_fields=["keywords", "importance", "inference", "follow_up"])
    return current


def flag_status(message: Message) -> FlagStatus:
    """Return how a message's follow-up stands."""
    if "$flagged" in message.keywords:
        return "flagged"
    return "complete" if "completed" in message.follow_up else "notFlagged"


def categories_of(message: Message) -> list[str]:
    """Return the keywords that somebody chose, sorted."""
    return [word for word in message.keywords if not word.startswith("$")]


def move_message(*, actor: Actor, message: Message, role: str) -> Message:
    """Put a message into the mailbox of a role and take it out of the one it was in.

    Labels stay. Moved, it publishes the fact `message.moved`; where it is there already, nothing
    happens. Raises DomainError (`conflict`) where mail that is no draft would go among the drafts,
    or mail that is not ours among what was sent.
    """
    _check_move(message, role)
    if message.mailboxes.filter(role=role).exists():
        return message
    with _changed(actor, message, "message.moved") as current:
        places = mailboxes_of(current.inbox, [TargetMailbox(role=role)])
        mailboxes = list(current.mailboxes.all())
        folders = [mailbox for mailbox in mailboxes if mailbox.role] or mailboxes
        current.mailboxes.remove(*folders)
        current.mailboxes.add(*places.values())
    return current


def delete_message(*, actor: Actor, message: Message) -> None:
    """Delete a message, which a person can bring back for 30 days; the fact `message.deleted`."""
    with _changed(actor, message, "message.deleted") as current:
        current.deleted_at = timezone.now()
        current.save(update_fields=["deleted_at"])


def restore_message(*, actor: Actor, message: Message) -> None:
    """Bring a deleted message back to where it was; the fact `message.updated`."""
    with _changed(actor, message, "message.updated", deleted=True) as current:
        current.deleted_at = None
        current.save(update_fields=["deleted_at"])


@contextmanager
def _changed(
    actor: Actor, message: Message, fact: str, *, deleted: bool = False, recount: bool = True
) -> Iterator[Message]:
    """Lock a message for a change and, after it, have its thread and all who wait follow.

    Mail that comes in locks the inbox too, and so never counts with what is changed here.
    """
    with transaction.atomic():
        Inbox.objects.select_for_update(no_key=True).get(pk=message.inbox_id)
        rows = Message.objects.visible_to(actor).select_for_update(of=("self",))
        rows = rows.select_related("inbox__account", "thread")
        rows = rows.filter(pk=message.pk, deleted_at__isnull=not deleted)
        current = rows.defer(*Message.LIST_DEFERRED).first()
        if current is None:
            raise not_found("email", message.public_id, "email_id")
        before = list(current.keywords)
        yield current
        if recount:
            bring_threads_up_to_date([current.thread_id])
        else:
            Thread.objects.filter(pk=current.thread_id).update(updated_at=timezone.now())
        if recount or current.keywords != before:
            _have_told(current)
        touched(account=current.inbox.account, resources=_READINGS)
        publish(fact, {"message_ids": [current.pk]}, workspace_id=current.workspace_id)


def _have_told(message: Message) -> None:
    """Have the provider told of what was changed, where the message lies at one."""
    if RemoteMessage.objects.filter(message=message).update(dirty=True):
        ask_for_sync(account=message.inbox.account)


def _put(keywords: set[str], keyword: str, *, there: bool) -> None:
    if there:
        keywords.add(keyword)
    else:
        keywords.discard(keyword)


def _check_categories(categories: Iterable[str]) -> set[str]:
    """Return the categories as keywords, each once without regard to case."""
    unique: dict[str, str] = {}
    for place, category in enumerate(categories):
        name = " ".join(category.split())
        bad = not name or len(name) > LONGEST_CATEGORY or name.startswith("$")
        if bad or _UNFIT.search(category):
            raise invalid(
                f"categories/{place}",
                _("%(category)s cannot be a category.", category=repr(category[:80])),
                _(
                    "1 to %(most)s printable characters, not starting with $",
                    most=LONGEST_CATEGORY,
                ),
            )
        unique.setdefault(name.casefold(), name)
    if len(unique) > MOST_CATEGORIES:
        raise invalid(
            "categories",
            _("%(count)s categories.", count=len(unique)),
            _("at most %(most)s of them", most=MOST_CATEGORIES),
        )
    return set(unique.values())


def _follow_up(message: Message, wanted: FollowUp, keywords: set[str]) -> None:
    status = wanted.status or ("complete" if wanted.completed else "flagged")
    if wanted.completed and status != "complete":
        raise invalid(
            "flag/completedDateTime", _("It is not complete."), _("flagStatus complete with it")
        )
    if status == "notFlagged" and (wanted.start or wanted.due):
        raise invalid(
            "flag/flagStatus", _("Only flagged messages can have dates."), _("flagged or complete")
        )
    kept = {} if status == "notFlagged" else dict(message.follow_up)
    kept.pop("completed", None)
    for name, moment in (("start", wanted.start), ("due", wanted.due)):
        if moment is not None:
            kept[name] = moment.as_json()
    if "start" in kept and "due" in kept and _time(kept["due"]) < _time(kept["start"]):
        raise invalid(
            "flag/dueDateTime",
            _("It is due before it starts."),
            _("starting %(start)s", start=kept["start"]["at"]),
        )
    if status == "complete":
        kept["completed"] = (wanted.completed or Moment(timezone.now(), "UTC")).as_json()
    message.follow_up = kept
    _put(keywords, "$flagged", there=status == "flagged")


def _time(kept: dict[str, str]) -> datetime:
    return datetime.fromisoformat(kept["at"])


def _check_move(message: Message, role: str) -> None:
    if role == "drafts" and not message.mailboxes.filter(role="drafts").exists():
        words = _("Only drafts can be changed, not mail that was received or sent.")
    elif role == "sent" and message.direction != Direction.OUTBOUND:
        words = _("Only mail sent from here can be moved to the sent mailbox.")
    else:
        return
    raise DomainError("conflict", words, field="destination_folder", accepted=_("another folder"))
