"""The text of simple attachments: plain text, tables, calendars; pure."""

import regex

from inbox.languages import lazy_regex

_READ = ("text/plain", "text/csv", "text/tab-separated-values", "text/calendar")
_CALENDAR_LINES = lazy_regex(
    r"^(SUMMARY|LOCATION|DESCRIPTION|DTSTART|DTEND|URL)[^:\n]{0,200}:(.*)$", regex.MULTILINE
)


def text_of(content_type: str, content: bytes) -> str | None:
    """Return the text of an attachment; None where it is of a kind that is not read."""
    kind = content_type.lower().partition(";")[0].strip()
    if kind not in _READ:
        return None
    text = content.decode("utf-8", errors="replace").replace("\r\n", "\n")
    return _calendar_text(text) if kind == "text/calendar" else text


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
