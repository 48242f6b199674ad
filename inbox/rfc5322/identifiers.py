"""Message-IDs (RFC 5322 3.6.4), as text that can be stored and compared."""

import re

from inbox.rfc5322.unicode_text import clean_line

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
