"""How the pages write mail's texts, times and sizes; everything that mail says is untrusted."""

import re
import unicodedata
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from itertools import groupby

from django import template
from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from inbox.reasons import words as reason_words
from inbox.rfc5322.text.flowed import rejoin

register = template.Library()
register.filter("worded", reason_words.worded)

# Joiners make emoji and Persian words; every other invisible character is shown by its number.
_HARMLESS = {"\n", "\t", "\u200c", "\u200d", "\ufe0f", "\u00ad"}
_JOINERS = frozenset("\u200c\u200d\u00ad\u034f\u115f\u1160\u3164\uffa0\u2800")
_VARYING = re.compile("[\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_UNSEEN = {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}
LONGEST_LINE = 300
_ROLES = {"owner": _("owner"), "reviewer": _("reviewer"), "viewer": _("viewer")}
# Seconds in a unit, how many of it there must be, and how so many are written, to come and past.
_AGES = (
    (86400 * 365, 2, _("%(n)s y"), _("%(n)s y ago")),
    (86400 * 30, 2, _("%(n)s mo"), _("%(n)s mo ago")),
    (86400, 3, _("%(n)s d"), _("%(n)s d ago")),
    (3600, 1, _("%(n)s h"), _("%(n)s h ago")),
    (60, 1, _("%(n)s min"), _("%(n)s min ago")),
)


@register.filter
def heading(text: object) -> str:
    """Return the text of reasons in the reader's language, without what ends a sentence."""
    return reason_words.worded(text).rstrip(".:")


def show_unseen(text: str, *, strict: bool = False) -> SafeString:
    """Escape a text, and write characters that cannot be seen, or that turn the line, by number.

    Strictly: those too that letters are joined and varied with.
    """
    is_unseen = _is_strictly_unseen if strict else _is_unseen
    if text.isascii() and text.isprintable():
        return conditional_escape(str(text))
    return format_html_join(
        "", "{}", ((_by_number(run) if unseen else "".join(run),)
                   for unseen, run in groupby(text, is_unseen))
    )  # fmt: skip


def _by_number(letters: Iterable[str]) -> SafeString:
    return format_html_join(
        "", '<span class="unseen">U+{}</span>', ((f"{ord(one):04X}",) for one in letters)
    )


def _is_strictly_unseen(letter: str) -> bool:
    return _is_unseen(letter) or letter in _JOINERS or bool(_VARYING.match(letter))


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
def message_text(text: object) -> SafeString:
    """Write the lines of a message that came in, each by its own direction, to fit any column."""
    return format_html(
        '<div class="message-text" dir="auto">{}</div>', show_unseen(rejoin(str(text or "")))
    )


@register.filter
def unseen(text: object) -> SafeString:
    """Write a stretch of text with its invisible characters shown."""
    return show_unseen(str(text or ""))


@register.filter
def source(text: object) -> SafeString:
    """Write the source of a message: nothing in it stays unseen."""
    return show_unseen(str(text or ""), strict=True)


@register.filter
def address(email: object) -> SafeString:
    """Write an address, which is never cut: its end is what tells."""
    return format_html(
        '<bdi class="address">{}</bdi>', show_unseen(str(email or gettext("no one")))
    )


@register.filter
def when(at: datetime | None) -> SafeString:
    """Write a time; the page's script turns it into the reader's zone."""
    if at is None:
        return SafeString("—")
    return format_html(
        '<time datetime="{}">{}</time>',
        at.isoformat(),
        date_format(at.astimezone(UTC), "DATETIME_FORMAT"),
    )


def _in_words(span: timedelta, *, ago: bool = False) -> str:
    """Return a span in a unit that tells enough, `3 h`, `50 h`, `5 d`; nothing below a minute."""
    seconds = int(span.total_seconds())
    for size, least, to_come, past in _AGES:
        if seconds >= size * least:
            return str(past if ago else to_come) % {"n": seconds // size}
    return ""


@register.filter
def age(at: datetime | None) -> SafeString:
    """Write how long ago something was."""
    if at is None:
        return SafeString("")
    words = _in_words(timezone.now() - at, ago=True) or gettext("now")
    return format_html('<time datetime="{}" data-relative>{}</time>', at.isoformat(), words)


@register.filter
def until(at: datetime | None) -> SafeString:
    """Write how long something has still to come."""
    if at is None:
        return SafeString("")
    left = at - timezone.now()
    words = _in_words(left) or gettext("less than a minute")
    words = words if left > timedelta(0) else gettext("expired")
    return format_html('<time datetime="{}" data-relative>{}</time>', at.isoformat(), words)


@register.filter
def spoken(code: object) -> str:
    """Return a code such as `needs_review` as words; one that nobody named, as it is."""
    return reason_words.spoken(str(code or ""))


@register.filter
def number(count: object) -> str:
    """Write a count so that its thousands are seen."""
    return number_format(count, force_grouping=True) if isinstance(count, int) else ""


@register.filter
def percent(share: float | None) -> str:
    """Return a share of one as per cent."""
    return "" if share is None else f"{share * 100:.0f} %"


@register.filter
def role_name(role: object) -> str:
    """Write the role of a person in the reader's language."""
    return str(_ROLES.get(str(role), role))
