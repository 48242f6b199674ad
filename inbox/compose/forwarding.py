"""A message as one forwards it: who wrote it, when, to whom, and its text."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from django.utils.translation import gettext as _

from inbox.compose.outgoing import LONGEST_SUBJECT, reply_subject
from inbox.models import Message

LONGEST_QUOTE = 200_000


def forwarded_subject(subject: str) -> str:
    """Return the subject with one `Fwd:` in front of it, and no `Re:`."""
    bare = reply_subject(subject).removeprefix("Re:").strip()
    if bare.lower().startswith(("fwd:", "fw:")):
        bare = bare.partition(":")[2].strip()
    return f"Fwd: {bare}"[:LONGEST_SUBJECT].strip()


def forwarded_text(message: Message, at: datetime) -> str:
    """Return the text that stands below one's own; `at` is when it came, on the reader's clock."""
    told = (
        (_("From"), _written([message.sender])),
        (_("Date"), f"{at:%Y-%m-%d %H:%M}"),
        (_("Subject"), message.subject),
        (_("To"), _written(message.to)),
    )
    title = _("Forwarded message")
    head = [f"---------- {title} ----------", *(f"{name}: {value}" for name, value in told)]
    return "\n".join(["", "", *head, "", message.text[:LONGEST_QUOTE].strip("\n")])


def _written(addresses: Iterable[Mapping[str, str]]) -> str:
    return ", ".join(
        f"{one['name']} <{one['email']}>" if one.get("name") else one["email"] for one in addresses
    )
