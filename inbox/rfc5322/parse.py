"""A message read once, at the way in: `parse_message`; and at the way out: `parse_outgoing`.

Anomalies are codes for what was odd, sorted: those of `senders`, and `missing_date`, `bad_date`,
`missing_message_id`, `many_message_id`, `missing_to`, `many_subject`, `bad_charset`,
`broken_encoding`, `broken_header`, `broken_multipart`, `too_deep`, `too_many_parts`,
`many_recipients`, `invisible_characters`, `hidden_text`, `unsafe_filename`, `encrypted`,
`long_text`,
`alternatives_differ`, `unreadable`.
"""

import logging
import re
from datetime import datetime

from inbox.rfc5322.addresses.parsing import Address, parse_addresses
from inbox.rfc5322.addresses.senders import read_senders
from inbox.rfc5322.body import Body, BodyReader
from inbox.rfc5322.dates import parse_date, received_date
from inbox.rfc5322.encoded_words import decode_words
from inbox.rfc5322.headers import RESULTS, Headers, as_text, decode_line, read_headers
from inbox.rfc5322.mime import PartReader, content_type_of
from inbox.rfc5322.parsed import ParsedAttachment, ParsedMessage
from inbox.rfc5322.text.language import detect_language
from inbox.rfc5322.text.search_words import search_words
from inbox.rfc5322.text.unicode_text import clean_line

_BRACKETED = re.compile(r"<([^<>]+)>")
MAX_REFERENCES = 400


def parse_message_id(text: str) -> str:
    """Return the one id of a Message-ID header, in angle brackets; "" when it has none."""
    ids = parse_message_ids(text)
    return ids[0] if ids else ""


def parse_in_reply_to(text: str) -> str:
    """Return the id that a message answers; old mailers write words and an address before it."""
    ids = parse_message_ids(text)
    if not ids or (not text.startswith("<") and not _BRACKETED.search(text) and len(ids) > 1):
        return ""
    return ids[0] if text.startswith("<") else ids[-1]


def parse_references(references: str, in_reply_to: str) -> tuple[str, ...]:
    """Return the ids of a References header; where there is none, those of a bare In-Reply-To.

    A reply to several messages names them all there (RFC 5322 3.6.4); in words, ids may be
    addresses, and `parse_in_reply_to` knows which one counts.
    """
    if not references.strip() and not _BRACKETED.sub("", in_reply_to).strip():
        return parse_message_ids(in_reply_to)
    return parse_message_ids(references)


def parse_message_ids(text: str) -> tuple[str, ...]:
    """Return the ids of a References header in order, each once.

    Whitespace and control characters inside an id are removed, however it was folded. Of very
    many the first and the newest are kept.
    """
    if not text:
        return ()
    inside = _BRACKETED.findall(text) or text.replace("<", " ").replace(">", " ").split()
    cleaned = ("".join(clean_line(identifier)[0].split()) for identifier in inside)
    found = tuple(dict.fromkeys(f"<{identifier}>" for identifier in cleaned if identifier))
    return found if len(found) <= MAX_REFERENCES else (found[0], *found[1 - MAX_REFERENCES :])


__all__ = ["ParsedAttachment", "ParsedMessage", "parse_message", "parse_outgoing"]

logger = logging.getLogger(__name__)

SNIPPET_LENGTH = 240
MAX_RECIPIENTS = 20_000
MAX_SUBJECT = 2000
MAX_SIGNAL = 500
_SIGNALS = (
    "auto-submitted", "content-class", "feedback-id", "importance", "list-help", "list-id",
    "list-owner", "list-post", "list-unsubscribe", "list-unsubscribe-post", "precedence",
    "priority", "return-path", "sender", "user-agent", "x-auto-response-suppress",
    "x-autoreply", "x-autorespond", "x-campaign-id", "x-failed-recipients",
    "x-github-reason", "x-loop", "x-mailer", "x-mc-user", "x-priority", "x-report-abuse",
    "x-spam-flag", "x-spam-level", "x-spam-status",
)  # fmt: skip
_MOST_AUTHENTICATION = 20
_BLANK_THEN_FIELD = re.compile(rb"[\r\n]++(?=[!-9;-~]+:|From )")
_ANGLE = re.compile(r"<([^<>]+)>")


def parse_message(raw: bytes) -> ParsedMessage:
    """Return what the message says. Never raises, whatever the bytes; linear in their number."""
    return _read(raw, is_outgoing=False)


def parse_outgoing(raw: bytes) -> ParsedMessage:
    """Return what a message says that is to leave, its text as it stands.

    What mbox files and uuencode do to text is undone in mail that came in, and is not here: others
    will not, and nothing of what leaves may be hidden.
    """
    return _read(raw, is_outgoing=True)


def _read(raw: bytes, *, is_outgoing: bool) -> ParsedMessage:
    try:
        return _parse(raw, is_outgoing=is_outgoing)
    except Exception:  # mail in must go on: the bytes are kept, and the anomaly says it
        logger.exception("A message of %d bytes could not be read", len(raw))
        return ParsedMessage(anomalies=("unreadable",))


def _parse(raw: bytes, *, is_outgoing: bool) -> ParsedMessage:
    raw = _with_newlines(raw)
    start = _first_line(raw)
    headers, body_start = read_headers(raw, start, len(raw))
    headers.charset = content_type_of(headers, "")[1].get("charset", "")
    reader = PartReader(raw)
    parts = reader.read(headers, body_start, len(raw))
    body_reader = BodyReader(raw, as_it_stands=is_outgoing)
    body = body_reader.read(parts)
    return _assemble(headers, body, reader.problems | body_reader.problems)


def _with_newlines(raw: bytes) -> bytes:
    """Give a message whose lines end in bare CR lines that anything can read."""
    if b"\r" in raw[:4096] and b"\n" not in raw:
        return raw.replace(b"\r", b"\n")
    return raw


def _first_line(raw: bytes) -> int:
    """Return where the message begins, after a byte order mark and blank lines before fields."""
    start = 3 if raw.startswith(b"\xef\xbb\xbf") else 0
    blank = _BLANK_THEN_FIELD.match(raw, start)
    return blank.end() if blank else start


def _assemble(headers: Headers, body: Body, problems: set[str]) -> ParsedMessage:
    senders = read_senders(headers)
    problems |= senders.anomalies
    if headers.broken:
        problems.add("broken_header")
    subject = _subject(headers, problems)
    to, cc, bcc = _all_recipients(headers, problems)
    sent_at, received_at = _times(headers, problems)
    message_id = _message_id(headers, problems)
    language = detect_language(body.new_text) or detect_language(f"{subject} {body.text[:3000]}")
    return ParsedMessage(
        message_id=message_id,
        in_reply_to=parse_in_reply_to(headers.raw("in-reply-to")),
        references=parse_references(
            " ".join(headers.all_raw("references")), headers.raw("in-reply-to")
        ),
        sent_at=sent_at,
        received_at=received_at,
        sender=senders.sender,
        from_all=senders.from_all,
        to=to,
        cc=cc,
        bcc=bcc,
        reply_to=_recipients(headers, "reply-to", problems),
        subject=subject,
        text=body.text,
        new_text=body.new_text,
        snippet=snippet_of(body.new_text),
        html=body.html,
        attachments=body.attachments,
        uninspectable=body.uninspectable,
        list_id=_list_id(headers),
        signals=_signals(headers),
        authentication_headers=_authentication(headers),
        trace=_trace(headers),
        anomalies=tuple(sorted(problems)),
        language=language,
        search_extra=_beside_text(subject, senders.sender.name, body, language),
    )


def _beside_text(subject: str, name: str, body: Body, language: str) -> str:
    names = [attachment.filename for attachment in body.attachments]
    return search_words(f"{subject}\n{name}\n{body.text}", names, language)


def _subject(headers: Headers, problems: set[str]) -> str:
    values = headers.fields.get("subject", ())
    if len(values) > 1:
        problems.add("many_subject")
    subject, bad, removed = decode_line(headers.raw("subject"))
    if bad:
        problems.add("bad_charset")
    if removed:
        problems.add("invisible_characters")
    return subject[:MAX_SUBJECT]


def _all_recipients(headers: Headers, problems: set[str]) -> list[tuple[Address, ...]]:
    """Return those of To, of Cc and of Bcc."""
    found = [_recipients(headers, name, problems) for name in ("to", "cc", "bcc")]
    if not any(found):
        problems.add("missing_to")
    return found


def _recipients(headers: Headers, name: str, problems: set[str]) -> tuple[Address, ...]:
    values = headers.all_raw(name)
    if not values:
        return ()
    found = parse_addresses(values[0] if len(values) == 1 else ", ".join(values), MAX_RECIPIENTS)
    if len(found) >= MAX_RECIPIENTS:
        problems.add("many_recipients")
    return found


def _times(headers: Headers, problems: set[str]) -> tuple[datetime | None, datetime | None]:
    """Return when it was sent, by its Date, and when it arrived, by the topmost Received."""
    date = headers.raw("date")
    sent_at = parse_date(date) if date else None
    if sent_at is None:
        problems.add("bad_date" if date else "missing_date")
    received = headers.raw("received")
    return sent_at, received_date(received) if received else None


def _message_id(headers: Headers, problems: set[str]) -> str:
    values = headers.fields.get("message-id", ())
    if len(values) > 1:
        problems.add("many_message_id")
    message_id = parse_message_id(headers.raw("message-id"))
    if not message_id:
        problems.add("missing_message_id")
    return message_id


def _list_id(headers: Headers) -> str:
    line = headers.line("list-id")
    bracketed = _ANGLE.search(line)
    return (bracketed[1].strip() if bracketed else line)[:255]


def _signals(headers: Headers) -> dict[str, str]:
    return {name: headers.line(name)[:MAX_SIGNAL] for name in _SIGNALS if name in headers.fields}


def _authentication(headers: Headers) -> tuple[str, ...]:
    values = headers.all_raw("authentication-results")[:_MOST_AUTHENTICATION]
    return tuple(_traced_line(value[:4000]) for value in values)


def _trace(headers: Headers) -> tuple[tuple[str, str], ...]:
    """Return the fields by which one can tell who wrote a result; none where there is no result."""
    if headers.fields.keys().isdisjoint(RESULTS):
        return ()
    values = ((name, as_text(value[:4000], headers.charset)) for name, value in headers.traced)
    return tuple((name, _traced_line(text)) for name, text in values)


def _traced_line(text: str) -> str:
    """Return a field as it was meant: Exchange encodes one whole that names no ASCII domain."""
    is_encoded = text.lstrip().startswith("=?")
    return clean_line(decode_words(text)[0] if is_encoded else text)[0]


def snippet_of(text: str) -> str:
    """Return the beginning of `text` on one line, at most 240 characters."""
    line = " ".join(text[: SNIPPET_LENGTH * 4].split())
    if len(line) <= SNIPPET_LENGTH:
        return line
    cut = line[: SNIPPET_LENGTH - 1]
    return f"{cut[: cut.rfind(' ')] if ' ' in cut[-40:] else cut}…"
