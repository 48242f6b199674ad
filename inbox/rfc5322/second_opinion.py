"""Whether a message that is to leave is read alike by `parse_outgoing` and by the second reader."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from inbox.rfc5322.addresses.parsing import Address
from inbox.rfc5322.parsed import ParsedMessage
from inbox.rfc5322.second_reader import ReadFile, SecondReading, read_strictly
from inbox.rfc5322.strict_fields import AmbiguousError, Mailbox
from inbox.rfc5322.text.unicode_text import clean

# A terminal heeds them, a page does not show them.
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f]")


class Difference(NamedTuple):
    """What is read differently: as in `AmbiguousError`, `name` being that of a field."""

    what: str
    name: str = ""


def find_differences(raw: bytes, parsed: ParsedMessage) -> tuple[Difference, ...]:
    """Return in what a second reader differs from `parsed`; where it cannot read on, only that.

    Unseen characters that `parsed` says it left out are no difference.
    """
    try:
        second = read_strictly(raw)
    except AmbiguousError as error:
        return (Difference(error.what, error.name),)
    return tuple(_compare(second, parsed))


def _compare(second: SecondReading, parsed: ParsedMessage) -> Iterator[Difference]:
    if _as_pairs([parsed.sender]) != _as_pairs([second.sender]) or len(parsed.from_all) != 1:
        yield Difference("sender")
    theirs, ours = (second.to, second.cc, second.bcc), (parsed.to, parsed.cc, parsed.bcc)
    if [_as_pairs(all_of) for all_of in theirs] != [_as_pairs(all_of) for all_of in ours]:
        yield Difference("recipients")
    if _as_line(second.subject) != _as_line(parsed.subject):
        yield Difference("subject")
    if _CONTROL.search(second.text) or not (second.has_html or _same_text(second, parsed)):
        yield Difference("text")
    if not _same_files(second.files, parsed):
        yield Difference("files")


def _same_text(second: SecondReading, parsed: ParsedMessage) -> bool:
    return clean(second.text)[0] == parsed.text


def _as_pairs(mailboxes: Sequence[Mailbox | Address]) -> list[tuple[str, str]]:
    """Return names and addresses as they are shown: a name that only says the address is none."""
    pairs = []
    for one in mailboxes:
        local, _, domain = one.email.rpartition("@")
        name = _as_line(one.name).strip("'").strip()
        email = f"{local}@{domain.lower()}"
        pairs.append(("" if name.lower() == email.lower() else name, email))
    return pairs


def _as_line(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def _same_files(files: Sequence[ReadFile], parsed: ParsedMessage) -> bool:
    """Return True if the same files are found; of one without a name, we may make one up."""
    if len(files) != len(parsed.attachments):
        return False
    return all(
        one.content == shown.content
        and one.content_type == shown.content_type
        and (not one.filename or unicodedata.normalize("NFC", one.filename) == shown.filename)
        for one, shown in zip(files, parsed.attachments, strict=True)
    )
