"""What of a sealed message a reviewer would not see, or others might read in another way.

It is looked for once, when the message is sealed, and kept with the approval's other flags.
"""

from collections.abc import Iterator

from inbox.files.closed_archives import why_closed
from inbox.files.file_text import read_words
from inbox.flags import Finding, Flag, collect, found
from inbox.models import Submission
from inbox.rfc5322.parse import ParsedMessage, parse_outgoing
from inbox.rfc5322.parsed import ParsedAttachment
from inbox.rfc5322.second_opinion import find_differences

_BROKEN = frozenset(
    {"broken_header", "broken_multipart", "too_deep", "too_many_parts", "unreadable"}
)
_LONGEST_NAME = 200
# A PDF that is encrypted says so in its trailer; many of them everybody may open all the same.
_ENCRYPTS = b"/Encrypt"


def inspect_sealed(submission: Submission) -> list[Flag]:
    """Return the flags that only the sealed bytes raise; an empty list for nearly every message."""
    raw = submission.mime_bytes
    parsed = parse_outgoing(raw)
    reached = {str(email).lower() for email in submission.envelope_to}
    return collect([
        *find_uninspectable(parsed),
        *find_ambiguous(raw, parsed),
        *_find_envelope(parsed, submission.envelope_from, reached),
    ])  # fmt: skip


def find_uninspectable(parsed: ParsedMessage) -> Iterator[Finding]:
    """Yield each part that is not shown as it may be read, and each file nobody could open."""
    if _BROKEN.intersection(parsed.anomalies):
        yield found("uninspectable", "structure")
    for part in parsed.uninspectable:
        yield found("uninspectable", part.reason, part=part.name[:_LONGEST_NAME])
    for file in parsed.attachments:
        reason = why_closed(file.content, file.filename) or _why_unread(file)
        if reason:
            name = file.filename or file.content_type
            yield found("uninspectable", reason, part=name[:_LONGEST_NAME])


def _why_unread(file: ParsedAttachment) -> str:
    """Return `encrypted` for a PDF that opens with a password alone, "" for any other file."""
    if _ENCRYPTS not in file.content:
        return ""
    reason = read_words(file.content, file.filename, file.content_type).reason
    return reason if reason == "encrypted" else ""


def find_ambiguous(raw: bytes, parsed: ParsedMessage) -> Iterator[Finding]:
    """Yield in what a second reader of the same bytes finds something else."""
    for difference in find_differences(raw, parsed):
        if difference.what == "field":
            yield found("read_differently", "field", field=difference.name)
        else:
            yield found("read_differently", difference.what)


def _find_envelope(parsed: ParsedMessage, sender: str, reached: set[str]) -> Iterator[Finding]:
    named = {one.email.lower() for one in (*parsed.to, *parsed.cc, *parsed.bcc)}
    if parsed.sender.email.lower() != sender.lower() or not named <= reached:
        yield found("read_differently", "envelope")
