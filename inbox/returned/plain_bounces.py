"""Bounces in words alone, as old and odd mail servers still write them."""

import re

from inbox.languages import any_of, lazy
from inbox.returned.facts import MOST_RECIPIENTS, Kind, RecipientReport, one_line

# Where the returned message begins, or what the server said is over.
_END = lazy(
    lambda: (
        rf"^(?:-{{2,}} ?{any_of(lambda it: it.mail.returned_below)}"
        r"|received: |return-path: |message-id: )"
    ),
    re.IGNORECASE | re.MULTILINE,
)
# A paragraph that begins with the address, as qmail's and Exim's do.
_PARAGRAPH = re.compile(
    r"(?m)^[ \t>]{0,8}<?([^\s<>@,;:]{1,64}@[^\s<>@,;:]{1,253})>?[ \t]{0,8}:?[ \t]{0,8}\r?$"
)
_SUBJECT = lazy(lambda: any_of(lambda it: it.mail.bounces), re.IGNORECASE)
_DELAY = lazy(lambda: any_of(lambda it: it.mail.delays), re.IGNORECASE)
_FATAL = lazy(lambda: any_of(lambda it: it.mail.given_up), re.IGNORECASE)
_STATUS = re.compile(r"(?<![\d.])([45]\.\d{1,3}\.\d{1,3})(?![\d.])")
LONGEST_TEXT = 20_000


def read_plain_bounce(
    subject: str, failed_recipients: str, text: str, *, by_mail_system: bool
) -> list[RecipientReport]:
    """Return what a message in words says; empty where it is none that comes from a mail system.

    `failed_recipients` is the header X-Failed-Recipients of Exim and others, empty where there is
    none. A report without an address is one about a recipient that it does not name.
    """
    named = [one.strip().strip("<>") for one in failed_recipients.split(",") if "@" in one]
    is_subject_of_one = _SUBJECT.search(subject) or _DELAY.search(subject)
    if not named and not (by_mail_system and is_subject_of_one):
        return []
    said = text[:LONGEST_TEXT]
    end = _END.search(said)
    said = said[: end.start()] if end else said
    kind: Kind = "delayed" if _is_delay(subject, said) else "failed"
    addresses = named or [found[1] for found in _PARAGRAPH.finditer(said)]
    unique = list(dict.fromkeys(addresses))[:MOST_RECIPIENTS] or [""]
    return [_report(kind, address, said) for address in unique]


def _is_delay(subject: str, said: str) -> bool:
    return bool(_DELAY.search(subject) or _DELAY.search(said)) and not _FATAL.search(
        f"{subject}\n{said}"
    )


def _report(kind: Kind, address: str, said: str) -> RecipientReport:
    """Return what is said below the address, or in all where it does not stand there."""
    start = said.find(address) + len(address) if address and address in said else 0
    near = said[start : start + 2000].lstrip("> :\r\n\t")
    paragraph = re.split(r"\r?\n[ \t]*\r?\n", near, maxsplit=1)[0] if start else near
    status = _STATUS.search(paragraph)
    return RecipientReport(kind, address[:320], status[1] if status else "", one_line(paragraph))
