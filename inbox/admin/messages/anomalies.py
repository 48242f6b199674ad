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
    "missing_from": _("No sender is named."),
    "many_from": _("It has several From fields; only the first is shown."),
    "malformed_from": _("Its From field is malformed; the address shown was extracted from it."),
    "several_authors": _("Several senders are named."),
    "bad_address": _("Mail cannot be sent to the sender's address."),
    "bidi_in_name": _("The sender's name contains characters that reverse the text direction."),
    "invisible_in_name": _("The sender's name contains invisible characters."),
    "lookalike_domain": _("The sender's domain mixes look-alike letters."),
    "lookalike_sender": _("The sender's address imitates one you know."),
    "sender_differs": _("It was sent from a different address than the one it names."),
    "missing_date": _("It has no date."),
    "bad_date": _("Its date cannot be read."),
    "missing_message_id": _("It has no Message-ID."),
    "many_message_id": _("It has several Message-IDs."),
    "missing_to": _("No recipient is named."),
    "many_subject": _("It has several subjects; only the first is shown."),
    "many_recipients": _("It has more recipients than are shown."),
    "bad_charset": _("Its character set is unknown or wrong; some letters may be incorrect."),
    "broken_encoding": _("Part of it is encoded wrongly; some text may be missing."),
    "broken_header": _("Its header is broken."),
    "broken_multipart": _("Its parts are broken; some of it may be missing."),
    "too_deep": _("Its parts are nested too deeply to be read in full."),
    "too_many_parts": _("It has more parts than can be read."),
    "hidden_text": _("It contains text hidden by its HTML."),
    "invisible_characters": _("It contains invisible characters; they are left out here."),
    "risky_attachment": _("An attachment may run a program, or its name is misleading."),
    "unsafe_filename": _("An attachment's name is not safe to use."),
    "duplicate_message_id": _(
        "Another message arrived with the same Message-ID and different contents."
    ),
    "alternatives_differ": _("Its plain text and its HTML say different things."),
    "long_text": _("Its text is very long; only the beginning was read."),
    "too_large": _("It is very large; only the beginning was read."),
    "invitation_unreadable": _("It contains an invitation that cannot be read."),
    "invitation_not_from_organizer": _("It refers to an event whose organizer did not send it."),
    "reply_not_from_attendee": _("It answers an invitation for someone who did not send it."),
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
