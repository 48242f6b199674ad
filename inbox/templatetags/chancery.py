"""How the pages write mail's texts, times and sizes; everything that mail says is untrusted."""

import unicodedata
from datetime import datetime, timedelta

from django import template
from django.utils import timezone
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString

from inbox.rfc5322.flowed import rejoin

register = template.Library()

# Joiners make emoji and Persian words; every other invisible character is shown by its number.
_HARMLESS = {"\n", "\t", "\u200c", "\u200d", "\ufe0f", "\u00ad"}
_UNSEEN = {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}
LONGEST_LINE = 300
# Seconds in a unit, how many of it there must be, and its sign.
_AGES = (
    (86400 * 365, 2, "y"),
    (86400 * 30, 2, "mo"),
    (86400, 3, "d"),
    (3600, 1, "h"),
    (60, 1, "min"),
)


def show_unseen(text: str) -> SafeString:
    """Escape a text, and write characters that cannot be seen, or that turn the line, by number."""
    if not any(_is_unseen(letter) for letter in text):
        return conditional_escape(str(text))
    parts = (
        format_html('<span class="unseen">U+{}</span>', f"{ord(letter):04X}")
        if _is_unseen(letter)
        else letter
        for letter in text
    )
    return format_html_join("", "{}", ((part,) for part in parts))


def _is_unseen(letter: str) -> bool:
    return (
        (
            not letter.isascii()
            and letter not in _HARMLESS
            and (unicodedata.category(letter) in _UNSEEN)
        )
        or (letter < " " and letter not in "\n\t\r")
        or letter == "\x7f"
    )


@register.filter
def mail(text: object, longest: int = LONGEST_LINE) -> SafeString:
    """Write a short text that came with mail: isolated, cut at `longest` characters."""
    words = str(text or "")
    cut = words[:longest] + "…" if len(words) > longest else words
    return format_html("<bdi>{}</bdi>", show_unseen(cut))


@register.filter
def letter(text: object) -> SafeString:
    """Write the lines of a letter that came in, each by its own direction, to fit any column."""
    return format_html(
        '<div class="letter-text" dir="auto">{}</div>', show_unseen(rejoin(str(text or "")))
    )


@register.filter
def unseen(text: object) -> SafeString:
    """Write a stretch of text with its invisible characters shown."""
    return show_unseen(str(text or ""))


@register.filter
def address(email: object) -> SafeString:
    """Write an address, which is never cut: its end is what tells."""
    return format_html('<bdi class="address">{}</bdi>', show_unseen(str(email or "nobody")))


@register.filter
def when(at: datetime | None) -> SafeString:
    """Write a time; the page's script turns it into the reader's zone."""
    if at is None:
        return SafeString("—")
    return format_html(
        '<time datetime="{}">{} UTC</time>', at.isoformat(), at.strftime("%-d %b %Y, %H:%M")
    )


def span_in_words(span: timedelta) -> str:
    """Return a span in a unit that tells enough: `3 h`, `50 h`, `5 d`."""
    seconds = int(span.total_seconds())
    for size, least, unit in _AGES:
        if seconds >= size * least:
            return f"{seconds // size} {unit}"
    return "now"


@register.filter
def age(at: datetime | None) -> SafeString:
    """Write how long ago something was."""
    if at is None:
        return SafeString("")
    words = span_in_words(timezone.now() - at)
    return format_html(
        '<time datetime="{}" data-relative>{}</time>',
        at.isoformat(), words if words == "now" else f"{words} ago",
    )  # fmt: skip


@register.filter
def until(at: datetime | None) -> SafeString:
    """Write how long something has still to come."""
    if at is None:
        return SafeString("")
    left = at - timezone.now()
    words = span_in_words(left) if left > timedelta(0) else "over"
    if words == "now":
        words = "less than a minute"
    return format_html('<time datetime="{}" data-relative>{}</time>', at.isoformat(), words)


@register.filter
def spoken(code: object) -> str:
    """Return a code such as `needs_review` as words."""
    return str(code or "").replace("_", " ").replace("-", " ")


@register.filter
def number(count: object) -> str:
    """Write a count so that its thousands are seen."""
    return f"{count:,}" if isinstance(count, int) else ""


@register.filter
def percent(share: float | None) -> str:
    """Return a share of one as per cent."""
    return "" if share is None else f"{share * 100:.0f} %"
