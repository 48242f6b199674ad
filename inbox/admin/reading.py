"""How a message is laid out for a reader: what is new in it, what is quoted, what is odd."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from inbox.actor import Actor
from inbox.models import Attachment, Message, Thread

# Longer texts are cut on the page; the raw view has the rest.
LONGEST_TEXT = 60_000

ANOMALIES: dict[str, str] = {
    "missing_from": "It names no sender.",
    "many_from": "It has several From fields; only the first is shown.",
    "several_authors": "It names several senders.",
    "bad_address": "The sender's address is none that can be written to.",
    "deceptive_name": "The sender's name shows another address than the one it came from.",
    "bidi_in_name": "The sender's name holds characters that turn the direction of text.",
    "invisible_in_name": "The sender's name holds characters that cannot be seen.",
    "lookalike_domain": "The sender's domain mixes letters that look alike.",
    "lookalike_sender": "The sender's address imitates one that you know.",
    "reply_to_differs": "Answers would go to another address than the sender's.",
    "sender_differs": "It was handed in by another address than the one it names.",
    "authentication_failed": "The receiving server could not confirm the sender.",
    "missing_date": "It carries no date.",
    "bad_date": "Its date cannot be read.",
    "missing_message_id": "It carries no Message-ID.",
    "many_message_id": "It carries several Message-IDs.",
    "missing_to": "It names no recipient.",
    "many_subject": "It has several subjects; only the first is shown.",
    "many_recipients": "It has more recipients than are shown.",
    "bad_charset": "Its character set is unknown or wrong; some letters may be off.",
    "broken_encoding": "A part of it is encoded wrongly; some of it may be missing.",
    "broken_header": "Its header is broken.",
    "broken_multipart": "Its parts are broken; some of it may be missing.",
    "too_deep": "Its parts are nested too deep to be read in full.",
    "too_many_parts": "It has more parts than are read.",
    "hidden_text": "It holds text that its HTML hides from the eye. It is shown here.",
    "invisible_characters": "It holds characters that cannot be seen; they are left out here.",
    "unsafe_filename": "An attachment's name was not one that is safe to use.",
    "duplicate_message_id": "Another message came with the same Message-ID and other contents.",
    "misleading_link": "A link in it leads elsewhere than it says.",
    "alternatives_differ": "Its plain text and its HTML say different things.",
    "long_text": "Its text is very long; only the beginning was read.",
    "too_large": "It is very large; only the beginning was read.",
    "invitation_unreadable": "It holds an invitation that cannot be read.",
    "invitation_not_from_organizer": "It speaks of an event whose organizer did not send it.",
    "reply_not_from_attendee": "It answers an invitation for somebody who did not send it.",
    "encrypted": "It is encrypted, and could not be read.",
    "unreadable": "It could not be read; its source is kept.",
}
# Odd, but no reason to warn a reader.
QUIET = frozenset({"missing_date", "missing_message_id", "missing_to", "several_authors"})


@dataclass(frozen=True, slots=True)
class Reading:
    """A message as it is shown."""

    message: Message
    new: str
    quoted: str
    is_cut: bool
    attachments: tuple[Attachment, ...]
    warnings: tuple[str, ...]
    is_cited: bool = False

    @property
    def has_html(self) -> bool:
        """Whether there is an HTML form of it to look at."""
        return bool(self.message.html)

    @property
    def addressees(self) -> list[str]:
        """The first of those it was written to."""
        named = [str(one.get("email", "")) for one in (*self.message.to[:6], *self.message.cc[:6])]
        rest = len(self.message.to) + len(self.message.cc) - len(named)
        return [*named, f"and {rest} more"] if rest > 0 else named


def warnings_of(message: Message) -> tuple[str, ...]:
    """Return what is odd about a message, in words for a reader."""
    codes = list(message.anomalies)
    if message.authentication == "fail":
        codes.append("authentication_failed")
    return tuple(describe_anomaly(str(code)) for code in codes if code not in QUIET)


def describe_anomaly(code: str) -> str:
    """Return an anomaly's code as a sentence."""
    return ANOMALIES.get(code, f"{code.replace('_', ' ').capitalize()}.")


def read_message(
    message: Message, attachments: Iterable[Attachment] = (), *, is_cited: bool = False
) -> Reading:
    """Lay out a message: its new text, and the quotes and signature to be folded."""
    text, new = message.text.strip("\n"), message.new_text.strip("\n")
    if not new.strip():
        new, quoted = text, ""
    elif text.startswith(new):
        quoted = text[len(new) :].strip("\n")
    else:
        quoted = "" if text == new else text
    return Reading(
        message=message, new=new[:LONGEST_TEXT], quoted=quoted[:LONGEST_TEXT],
        is_cut=len(new) > LONGEST_TEXT or len(quoted) > LONGEST_TEXT,
        attachments=tuple(attachments), warnings=warnings_of(message), is_cited=is_cited,
    )  # fmt: skip


def read_thread(
    actor: Actor,
    thread: Thread,
    *,
    newest: int,
    until: Message | None = None,
    cited: frozenset[int] = frozenset(),
) -> list[Reading]:
    """Lay out the newest messages of a thread, oldest of them first, in two queries.

    With `until`, the newest of those up to that message, itself included.
    """
    rows: QuerySet[Message] = Message.objects.visible_to(actor).kept().filter(thread=thread)
    rows = rows.defer("search_extra", "signals", "references")
    if until is not None:
        same_moment = Q(received_at=until.received_at, pk__lte=until.pk)
        rows = rows.filter(Q(received_at__lt=until.received_at) | same_moment)
    messages = list(rows.order_by("-received_at", "-id")[:newest])[::-1]
    for message in messages:
        message.thread = thread
    files: dict[int, list[Attachment]] = {}
    for file in Attachment.objects.visible_to(actor).filter(message__in=messages):
        files.setdefault(file.message_id, []).append(file)
    return [
        read_message(message, files.get(message.pk, ()), is_cited=message.pk in cited)
        for message in messages
    ]
