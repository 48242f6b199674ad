"""What of a message is read: its text in layers, the surest first.

What a mail program wrote above a message that it quotes or forwards (`From:`, `Sent:`,
`On … wrote:`) is about that message and no data of this one: it is left out of every layer. A
message that says nothing of its own is read for what it quotes or forwards.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

import regex

from inbox.languages import any_of, lazy_regex
from inbox.rfc5322.text import quote_marks as marks

# The rest of a longer text is not read.
LONGEST_LAYER = 20_000

_HISTORY = lazy_regex(
    lambda: (
        rf"^(?:>|-{{2,}}\s?{any_of(lambda it: it.mail.original)}|_{{10,}}"
        rf"|{any_of(lambda it: it.mail.senders)}\s?:"
        r"|(?=.*:\s*$)"
        rf".{{0,120}}(?<![a-z]){any_of(lambda it: it.mail.wrote)}(?![a-z]).{{0,80}}:\s*$)"
    ),
    regex.IGNORECASE,
)
_QUOTE_MARK = lazy_regex(r"^(?:[ \t]{0,3}>)+[ \t]?")
_FIELD = lazy_regex(
    r"[ \t]*\*{0,2}(?P<name>\p{L}[\p{L} -]{0,18})[ \u00a0]?\*{0,2}[ \u00a0]?[:：]\*{0,2}"
    r"(?P<value>.*)"
)
_SUBJECT = lazy_regex(lambda: any_of(lambda it: it.mail.subjects), regex.IGNORECASE)
# Lotus Notes writes the names of the fields on lines of their own.
_NAME_ALONE = lazy_regex(
    lambda: (
        r"\s*"
        + any_of(lambda it: it.mail.senders, lambda it: it.mail.fields, lambda it: it.mail.subjects)
        + r"\s*:?\s*$"
    ),
    regex.IGNORECASE,
)
_MOMENT = lazy_regex(
    r"\s*(?:\p{L}+,?\s)?\d{1,4}[./-]\d{1,2}[./-]\d{1,4}[\s,]{1,3}\d{1,2}[:.]\d\d(?:[:.]\d\d)?"
    r"(?:\s[AP]M)?(?:\s\w{1,5})?\s*$",
    regex.IGNORECASE,
)
_SOMEBODY = lazy_regex(r"\s*[^\n:]{1,80}(?:/\w[\w ]*(?:@\w+)?|<[^<>@\s]+@[^<>\s]+>)\s*$")
_RECIPIENTS = lazy_regex(
    r"(?:\s*(?:[^<>@;,\n]{0,60}<[^\s<>@;,]+@[^\s<>@;,]+>|[^\s<>@;,]+@[^\s<>@;,]+)\s*[;,]?)++\s*"
)
_MOST_FIELDS, _MOST_WRAPPED = 14, 3
# A line that long may have been wrapped by a mail program.
_WRAPS_AT = 65


@dataclass(frozen=True)
class Document:
    """A message as extraction reads it.

    `layers`: the subject with the sender's own words and plain attachments, then the signature,
    then what is quoted.
    """

    layers: tuple[str, ...]
    sent_at: datetime
    subject: str = ""
    own_text: str = ""
    sender_name: str = ""
    sender_email: str = ""
    recipient_name: str = ""
    language: str = ""
    attachment_names: tuple[str, ...] = ()
    own_emails: frozenset[str] = field(default_factory=frozenset)

    @property
    def sent_on(self) -> date:
        """The day against which "tomorrow" is read."""
        return self.sent_at.date()

    @property
    def everything(self) -> str:
        """All layers as one text."""
        return "\n".join(self.layers)


@dataclass(frozen=True, slots=True)
class _Forwarded:
    """A message inside another: who wrote it, under which subject, and what."""

    name: str
    email: str
    subject: str
    text: str


def document_of(
    *,
    subject: str,
    new_text: str,
    text: str,
    attached: Sequence[str],
    sender: tuple[str, str],
    recipient: tuple[str, str],
    own_emails: frozenset[str],
    sent_at: datetime,
    language: str = "",
    attachment_names: tuple[str, ...] = (),
) -> Document:
    """Return a message as extraction reads it; `sender` and `recipient` are name and address.

    One that only passes another on is read as that other one, from whom that is.
    """
    inner = _forwarded_in(subject, new_text, text)
    if inner is None:
        layers = layers_of(subject, new_text, text, attached)
    else:
        layers = layers_of(inner.subject, inner.text, inner.text, attached)
        layers = (layers[0], layers[1], new_text[:LONGEST_LAYER])
        own_emails |= {sender[1].lower()}
        sender, recipient, subject = (inner.name, inner.email), sender, inner.subject
    return Document(
        layers=layers, sent_at=sent_at, subject=subject,
        own_text=new_text if inner is None else inner.text, sender_name=sender[0],
        sender_email=sender[1], recipient_name=recipient[0], language=language,
        attachment_names=attachment_names, own_emails=own_emails,
    )  # fmt: skip


_FORWARDS = lazy_regex(
    lambda: rf"\s*(?:{any_of(lambda it: it.mail.forwards)}|fwd?)\s?:", regex.IGNORECASE
)
# What somebody adds who passes a message on; more is a message of its own.
_MOST_ADDED = 60
_WRITTEN_BY = lazy_regex(
    r"[\s*\"']*(?P<name>[^<\[\"']*?)[\s\"'*]*(?:[<\[(]\s?(?:mailto:)?(?P<email>[^\s<>\]()]+@[^\s<>\]()]+)|$)"
)


def _forwarded_in(subject: str, new_text: str, text: str) -> _Forwarded | None:
    if not _FORWARDS.match(subject) or len(new_text.split()) > _MOST_ADDED:
        return None
    lines = [_QUOTE_MARK.sub("", line) for line in text[: LONGEST_LAYER * 2].split("\n")]
    for index in range(len(lines)):
        if not _is_field(lines[index]):
            continue
        fields, after = _fields_from(lines, index)
        if not _are_header(fields):
            continue
        sender = next(
            value for name, value in fields.items() if marks.HEADER_FROM.match(f"{name}: x")
        )
        about = next((value for name, value in fields.items() if _SUBJECT.fullmatch(name)), "")
        by = _WRITTEN_BY.match(sender)
        name, email = (by["name"] or "", by["email"] or "") if by else ("", "")
        name = "" if "@" in name else name
        return _Forwarded(name.strip(), email, about.strip(), "\n".join(lines[after:]).strip())
    return None


def layers_of(subject: str, new_text: str, text: str, attached: Sequence[str]) -> tuple[str, ...]:
    """Return the layers of a message's text, without the headers of messages that it quotes."""
    if _is_all_history(text):
        # Nobody wrote a word to it: it is read as it is, without what announces it.
        new_text = text.strip()
    place = text.find(new_text) if new_text else -1
    rest = text[place + len(new_text) :] if place >= 0 else text
    signature, quoted = _split_history(rest[: LONGEST_LAYER * 2])
    first = "\n".join([f"{subject}\n", without_quoted_headers(new_text), *attached])
    return (
        first[:LONGEST_LAYER],
        without_quoted_headers(signature)[:LONGEST_LAYER],
        without_quoted_headers(quoted)[:LONGEST_LAYER],
    )


def _is_all_history(text: str) -> bool:
    """Return True if a text begins with what announces a message inside it."""
    lines = text[: LONGEST_LAYER * 2].split("\n")
    first = next((index for index, line in enumerate(lines) if line.strip()), 0)
    return _after_header([_QUOTE_MARK.sub("", line) for line in lines], first) > first


def _split_history(text: str) -> tuple[str, str]:
    """Return what stands above the first line of a quoted or forwarded mail, and the rest."""
    lines = text.split("\n")
    for index, line in enumerate(lines):
        if _HISTORY.match(line) or _after_header(lines, index) > index:
            return "\n".join(lines[:index]), "\n".join(lines[index:])
    return text, ""


def without_quoted_headers(text: str) -> str:
    """Return a text without quote marks, and without what announces a message inside it.

    That is a line such as `-----Original Message-----` or `On … wrote:` and a block of header
    fields, as Outlook, Apple, Gmail, Thunderbird and Notes write them.
    """
    lines = [_QUOTE_MARK.sub("", line) for line in text[: LONGEST_LAYER * 2].split("\n")]
    kept: list[str] = []
    index = 0
    while index < len(lines):
        after = _after_header(lines, index)
        if after == index:
            kept.append(lines[index])
            after += 1
        index = after
    return "\n".join(kept)


def _after_header(lines: list[str], index: int) -> int:
    """Return the place after what announces a message from `index` on; `index` for nothing."""
    line = lines[index]
    if marks.ORIGINAL_MESSAGE.match(line):
        return _after_announced(lines, index + 1)
    if _FIELD.match(line) and _is_field(line):
        fields, after = _fields_from(lines, index)
        return after if _are_header(fields) else index
    return _after_attribution(lines, index)


def _after_announced(lines: list[str], index: int) -> int:
    """Return the place after the fields that follow a mark, whatever their form.

    Notes begins with who wrote it and when, each on a line, before it names any field.
    """
    after, has_fields = index, False
    for place in range(index, min(index + _MOST_FIELDS, len(lines))):
        line, above = lines[place], _line(lines, place - 1)
        if not line.strip():
            continue
        if _is_field(line) or _NAME_ALONE.match(line):
            has_fields = True
        elif has_fields:
            if not (_NAME_ALONE.match(above) or _goes_on(lines, place)):
                break
        elif not (_MOMENT.match(line) or _SOMEBODY.match(line)):
            break
        after = place + 1
    return after


def _is_field(line: str) -> bool:
    text = line.strip()
    return bool(
        marks.HEADER_FROM.match(text)
        or marks.HEADER_OTHER.match(text)
        or text[:11].lower() == "message-id:"
    )


def _fields_from(lines: list[str], index: int) -> tuple[dict[str, str], int]:
    """Return the fields of a block by their names, and the place after it."""
    fields: dict[str, str] = {}
    after = index
    for place in range(index, min(index + _MOST_FIELDS, len(lines))):
        line = lines[place]
        match = _FIELD.match(line) if _is_field(line) else None
        if match is not None:
            fields[match["name"].strip().lower()] = match["value"]
        elif not (_goes_on(lines, place) if line.strip() else _is_field(_line(lines, place + 1))):
            break
        after = place + 1
    return fields, after


def _line(lines: list[str], place: int) -> str:
    return lines[place] if 0 <= place < len(lines) else ""


def _goes_on(lines: list[str], place: int) -> bool:
    """Return whether a line goes on with the field above it: recipients, or a wrapped value."""
    above, below = _line(lines, place - 1), _line(lines, place + 1)
    if not above.strip():
        return False
    is_wrapped = _is_field(above) and (_is_field(below) or len(above) >= _WRAPS_AT)
    return is_wrapped or _RECIPIENTS.fullmatch(lines[place]) is not None


def _are_header(fields: dict[str, str]) -> bool:
    """Return whether these are the fields of a message, and not of a form: From, To and Date."""
    sender = [value for name, value in fields.items() if marks.HEADER_FROM.match(f"{name}: x")]
    if not sender or len(fields) < 3:
        return False
    return "@" in sender[0] or any(_SUBJECT.fullmatch(name) for name in fields)


def _after_attribution(lines: list[str], index: int) -> int:
    """Return the place after `On … wrote:`, on one line or wrapped; `index` where there is none."""
    joined = ""
    for place in range(index, min(index + _MOST_WRAPPED, len(lines))):
        line = lines[place].strip()
        joined = f"{joined} {line}".strip()
        if not line or len(joined) > 400:
            return index
        if marks.ATTRIBUTION.match(joined):
            return place + 1
    return index
