"""The text of attachments: of files as they are read elsewhere, and of events; pure."""

import regex

from inbox.files.file_text import read_words
from inbox.files.words import FileWords
from inbox.languages import lazy_regex

_CALENDAR_LINES = lazy_regex(
    r"^(SUMMARY|LOCATION|DESCRIPTION|DTSTART|DTEND|URL)[^:\n]{0,200}:(.*)$", regex.MULTILINE
)
# Of a longer file no more is unfolded.
_LONGEST_CALENDAR = 200_000


def text_of(content: bytes, filename: str, content_type: str) -> FileWords:
    """Return the text of an attachment, with the cells of its rows parted by ` | `."""
    kind = content_type.lower().partition(";")[0].strip()
    if kind == "text/calendar" or filename.lower().endswith(".ics"):
        text = content[:_LONGEST_CALENDAR].decode("utf-8", errors="replace")
        return FileWords(_calendar_text(text.replace("\r\n", "\n")))
    found = read_words(content, filename, content_type, cells=True)
    return FileWords(found.text.replace("\r\n", "\n"), found.reason)


def _calendar_text(text: str) -> str:
    """Return the lines of an event that a person reads, with their times spelt out (RFC 5545)."""
    text = regex.sub(r"\n[ \t]", "", text)
    event = text.partition("BEGIN:VEVENT")[2] or text
    lines = []
    for name, value in _CALENDAR_LINES.findall(event):
        spelt = regex.sub(
            r"^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?$",
            lambda it: (
                f"{it[1]}-{it[2]}-{it[3]}"
                + (f" {it[4]}:{it[5]}{' UTC' if it[7] else ''}" if it[4] else "")
            ),
            value.strip(),
        )
        label = {"DTSTART": "Start", "DTEND": "End"}.get(name, name.title())
        lines.append(f"{label}: {spelt}".replace("\\n", "\n").replace("\\,", ","))
    return "\n".join(lines)
