"""What is odd about a message, in words for a reader, with the very words that are odd."""

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from inbox.flags import ODDITIES
from inbox.html.marks import hidden_passages, links_of
from inbox.models import Message
from inbox.rfc5322.addresses.lookalikes import unicode_domain

ANOMALIES: dict[str, Any] = {
    "missing_from": _("It names no sender."),
    "many_from": _("It has several From fields; only the first is shown."),
    "malformed_from": _("Its From field is malformed; the address was picked out of it."),
    "several_authors": _("It names several senders."),
    "bad_address": _("The sender's address is none that can be written to."),
    "bidi_in_name": _("The sender's name holds characters that turn the direction of text."),
    "invisible_in_name": _("The sender's name holds characters that cannot be seen."),
    "lookalike_domain": _("The sender's domain mixes letters that look alike."),
    "lookalike_sender": _("The sender's address imitates one that you know."),
    "sender_differs": _("It was handed in by another address than the one it names."),
    "missing_date": _("It carries no date."),
    "bad_date": _("Its date cannot be read."),
    "missing_message_id": _("It carries no Message-ID."),
    "many_message_id": _("It carries several Message-IDs."),
    "missing_to": _("It names no recipient."),
    "many_subject": _("It has several subjects; only the first is shown."),
    "many_recipients": _("It has more recipients than are shown."),
    "bad_charset": _("Its character set is unknown or wrong; some letters may be off."),
    "broken_encoding": _("A part of it is encoded wrongly; some of it may be missing."),
    "broken_header": _("Its header is broken."),
    "broken_multipart": _("Its parts are broken; some of it may be missing."),
    "too_deep": _("Its parts are nested too deep to be read in full."),
    "too_many_parts": _("It has more parts than are read."),
    "hidden_text": _("It holds text that its HTML hides from the eye."),
    "invisible_characters": _("It holds characters that cannot be seen; they are left out here."),
    "risky_attachment": _("A file that came with it may run something, or its name deceives."),
    "unsafe_filename": _("An attachment's name was not one that is safe to use."),
    "duplicate_message_id": _("Another message came with the same Message-ID and other contents."),
    "alternatives_differ": _("Its plain text and its HTML say different things."),
    "long_text": _("Its text is very long; only the beginning was read."),
    "too_large": _("It is very large; only the beginning was read."),
    "invitation_unreadable": _("It holds an invitation that cannot be read."),
    "invitation_not_from_organizer": _("It speaks of an event whose organizer did not send it."),
    "reply_not_from_attendee": _("It answers an invitation for somebody who did not send it."),
    "encrypted": _("It is encrypted, and could not be read."),
    "unreadable": _("It could not be read; its source is kept."),
}
# Odd, but no reason to warn a reader.
QUIET = frozenset({"missing_date", "missing_message_id", "missing_to", "several_authors"})
_MOST_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Anomaly:
    """Something odd, and the words of the message that show it."""

    code: str
    words: str
    shown: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.words


def describe_anomaly(code: str) -> str:
    """Return an anomaly's code as a sentence."""
    if code in ODDITIES:
        return gettext(ODDITIES[code].reasons["seen"])
    known = ANOMALIES.get(code)
    return str(known) if known else f"{code.replace('_', ' ').capitalize()}."


def warnings_of(message: Message, html: str, imitated: str = "") -> tuple[Anomaly, ...]:
    """Return what is odd about a message of this safe HTML; `imitated` is a domain we know."""
    codes = [str(code) for code in message.anomalies]
    if message.authentication == "fail":
        codes.append("authentication_failed")
    misleading = tuple(f"{link.label} → {link.host}" for link in links_of(html) if link.misleads)
    if misleading:
        codes.append("misleading_link")
    evidence = {
        "hidden_text": hidden_passages(html, _MOST_SHOWN),
        "misleading_link": misleading[:_MOST_SHOWN],
        "lookalike_sender": (f"{message.from_email} → {imitated}",) if imitated else (),
    }
    return tuple(
        Anomaly(code, describe_anomaly(code), evidence.get(code) or _shown(code, message))
        for code in dict.fromkeys(codes)
        if code not in QUIET
    )


def _shown(code: str, message: Message) -> tuple[str, ...]:
    show = _SHOWN.get(code)
    return show(message)[:_MOST_SHOWN] if show else ()


def _name(message: Message) -> tuple[str, ...]:
    return (f"{message.from_name} <{message.from_email}>",) if message.from_name else ()


def _odd_letters(message: Message) -> tuple[str, ...]:
    """Return the sender's domain as it is seen, and its letters that are not what they seem."""
    domain = unicode_domain(message.from_email.rpartition("@")[2])
    letters = (one for one in dict.fromkeys(domain) if not one.isascii())
    named = (f"{one} U+{ord(one):04X} {unicodedata.name(one, '').lower()}" for one in letters)
    return (domain, *named)


def _answers(message: Message) -> tuple[str, ...]:
    return tuple(str(one.get("email", "")) for one in message.reply_to)


_SHOWN: dict[str, Callable[[Message], tuple[str, ...]]] = {
    "deceptive_name": _name,
    "malformed_from": _name,
    "lookalike_domain": _odd_letters,
    "lookalike_sender": lambda message: (message.from_email,),
    "reply_to_differs": _answers,
}
