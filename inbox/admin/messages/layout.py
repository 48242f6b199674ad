"""How a message is laid out for a reader: what is new in it, what is quoted, what is odd."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from django.db.models import Q
from django.db.models.functions import Substr
from django.utils.translation import gettext_lazy as _

from inbox.actor import Actor
from inbox.admin.messages.anomalies import Anomaly, describe_anomaly, warnings_of
from inbox.admin.messages.sender_checks import SenderCheck, check_sender
from inbox.files.attachment_risks import MILD, risks_of
from inbox.files.images import LARGEST
from inbox.html.marks import LONGEST_HTML, Link, count_images, links_of
from inbox.models import Activity, Attachment, Message, Thread
from inbox.operations.activities.context import MessageContext
from inbox.prepared import Prepared, Value, padded

RISKS: dict[str, Any] = {
    "program": _("A program, or a file that starts one. Do not open it."),
    "macros": _("It may contain macros that run when you open it."),
    "page": _("A page that opens in the browser and may imitate a sign-in page."),
    "archive": _("An archive. Its contents were not checked."),
    "two_endings": _("It has two file extensions; only the last one counts."),
    "turned_name": _("Its name contains characters that reverse the text direction."),
    "unseen_in_name": _("Its name contains invisible characters."),
    "padded_name": _("Its name is padded to hide the file extension."),
    "other_type": _("Its name and its type do not match."),
}
_SHOWN_TYPES = frozenset({"image/png", "image/jpeg", "image/jpg", "image/pjpeg", "image/gif"})


@dataclass(frozen=True, slots=True)
class Enclosed:
    """An attachment with what is said of it."""

    file: Attachment
    risks: tuple[tuple[str, bool], ...]

    @property
    def may_be_seen(self) -> bool:
        """Whether it says to be a picture of a kind and size that the page shows on demand."""
        return self.file.content_type.lower() in _SHOWN_TYPES and self.file.size <= LARGEST


def read_attachment(file: Attachment) -> Enclosed:
    """Lay out an attachment; each risk in words, and whether it is a grave one."""
    codes = risks_of(file.filename, file.content_type)
    return Enclosed(file, tuple((str(RISKS[code]), code not in MILD) for code in codes))


__all__ = ["Reading", "describe_anomaly", "read_message", "read_thread"]

# Longer texts are cut on the page; the raw view has the rest.
LONGEST_TEXT = 60_000
PLAIN, HTML, RAW = "plain", "html", "raw"
VIEWS = (PLAIN, HTML, RAW)
# Letters of text from which on its frame is higher.
_HIGHER, _HIGHEST = 600, 2500


@dataclass(frozen=True)
class Reading:
    """A message as it is shown."""

    message: Message
    new: str
    quoted: str
    is_cut: bool
    attachments: tuple[Enclosed, ...]
    warnings: tuple[Anomaly, ...]
    # The beginning of its safe HTML.
    html: str = ""
    is_cited: bool = False
    activity: Activity | None = None

    @property
    def shown_first(self) -> Hashable:
        """What a line shows of it, by which that is kept."""
        message = self.message
        return message.from_name, message.from_email, message.received_at, self.new

    @property
    def has_html(self) -> bool:
        """Whether there is an HTML form of it to look at."""
        return bool(self.html)

    @property
    def addressees(self) -> list[str]:
        """The first of those it was written to."""
        named = [str(one.get("email", "")) for one in (*self.message.to[:6], *self.message.cc[:6])]
        rest = len(self.message.to) + len(self.message.cc) - len(named)
        return [*named, str(_("and %(rest)s more") % {"rest": rest})] if rest > 0 else named

    @cached_property
    def sender_check(self) -> SenderCheck:
        """What the receiving server said of the sender."""
        return check_sender(self.message)

    @cached_property
    def images(self) -> int:
        """How many images of its HTML were not loaded."""
        return count_images(self.html)

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """The links of its HTML."""
        return links_of(self.html)

    @property
    def frame(self) -> str:
        """How high its frame is, by how much there is to read: nothing inside may say so."""
        length = len(self.message.text)
        return "low" if length < _HIGHER else "middle" if length < _HIGHEST else "high"


def read_message(
    message: Message, attachments: Iterable[Attachment] = (), *, is_cited: bool = False,
    imitated: str = "", activity: Activity | None = None,
) -> Reading:  # fmt: skip
    """Lay out a message: its new text, and the quotes and signature to be folded."""
    text, new = message.text.strip("\n"), message.new_text.strip("\n")
    if not new.strip():
        new, quoted = text, ""
    elif text.startswith(new):
        quoted = text[len(new) :].strip("\n")
    else:
        quoted = "" if text == new else text
    head = message.__dict__.get("html_head")
    html = message.html[:LONGEST_HTML] if head is None else str(head)
    return Reading(
        message=message, new=new[:LONGEST_TEXT], quoted=quoted[:LONGEST_TEXT],
        is_cut=len(new) > LONGEST_TEXT or len(quoted) > LONGEST_TEXT,
        attachments=tuple(read_attachment(file) for file in attachments),
        warnings=warnings_of(message, html, imitated), html=html, is_cited=is_cited,
        activity=activity,
    )  # fmt: skip


def read_thread(
    actor: Actor,
    thread: Thread,
    *,
    newest: int,
    until: Message | None = None,
    cited: frozenset[int] = frozenset(),
) -> list[Reading]:
    """Lay out the newest messages of a thread, oldest of them first, in a constant few queries.

    With `until`, the newest of those up to that message, itself included.
    """
    messages = _read_newest(actor, thread, newest, until)
    keys = padded([one.pk for one in messages])
    files: dict[int, list[Attachment]] = {}
    for file in _FILES.rows(actor=actor, messages=keys):
        files.setdefault(file.message_id, []).append(file)
    activities = {one.message_id: one for one in _ACTIVITIES.rows(actor=actor, messages=keys)}
    imitated = _imitated(messages)
    return [
        read_message(
            message, files.get(message.pk, ()), is_cited=message.pk in cited,
            imitated=imitated.get(message.pk, ""), activity=activities.get(message.pk),
        )
        for message in messages
    ]  # fmt: skip


def _files_of(*, actor: Actor, messages: tuple[int, ...]) -> list[Any]:
    return [Attachment.objects.visible_to(actor).filter(message__in=messages)]


def _activities_of(*, actor: Actor, messages: tuple[int, ...]) -> list[Any]:
    rows = Activity.objects.visible_to(actor).filter(message__in=messages)
    return [rows.only("status", "message")]


_FILES, _ACTIVITIES = Prepared(_files_of), Prepared(_activities_of)


def _newest_of(
    newest: int, ends: bool, *, actor: Actor, thread: int, at: datetime | None = None, last: int = 0
) -> list[Any]:  # fmt: skip
    rows = Message.objects.visible_to(actor).kept().filter(thread=thread)
    rows = rows.defer(
        "search_extra", "signals", "references", "html", "bcc", "keywords", "follow_up"
    )
    rows = rows.annotate(html_head=Substr("html", 1, LONGEST_HTML))
    if ends:
        rows = rows.filter(Q(received_at__lt=at) | Q(received_at=at, pk__lte=last))
    return [rows.order_by("-received_at", "-id")[:newest]]


_MESSAGES = Prepared(_newest_of)


def _read_newest(actor: Actor, thread: Thread, newest: int, until: Message | None) -> list[Message]:
    end: dict[str, Value] = {"at": until.received_at, "last": until.pk} if until else {}
    found = _MESSAGES.rows(newest, bool(end), actor=actor, thread=thread.pk, **end)
    messages: list[Message] = list(found)[::-1]
    for message in messages:
        message.thread = thread
        message.inbox = thread.inbox
    return messages


def _imitated(messages: list[Message]) -> dict[int, str]:
    """Return, by a message's key, the address that its sender was found to imitate."""
    odd = [message for message in messages if "lookalike_sender" in message.anomalies]
    if not odd:
        return {}
    around = MessageContext(odd)
    return {message.pk: around.imitated_by(message) for message in odd}
