"""How texts are written in which something points at words, or in which words have changed.

Their white space is the writer's own, which lines of a template would add to.
"""

from collections.abc import Iterable, Mapping

from django import template
from django.template import Context
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from agents.admin.evidence.differences import TextPiece
from agents.admin.evidence.highlights import Highlight, HighlightedText
from agents.admin.evidence.references import Reference
from inbox.templatetags.chancery import LONGEST_LINE, mail, show_unseen

register = template.Library()

_REFERENCE = '<a class="{}" id="{}" href="#{}" aria-label="{}">{}</a>'
_TAGS = {"added": "ins", "removed": "del"}


@register.simple_tag(takes_context=True)
def references(context: Context, marks: Iterable[Highlight], here: str) -> SafeString:
    """Write links to what points at the words that follow.

    `here` is where they stand: `mark` in the message, `source` beside it, `sign` in what came in.
    """
    prefix = str(context.get("item_prefix", ""))
    # What has a source is only underlined.
    linked = (mark for mark in marks if mark.kind not in {"sourced", "telling"})
    return format_html_join("", _REFERENCE, (_reference(mark, here, prefix) for mark in linked))


def _reference(mark: Highlight, here: str, prefix: str) -> tuple[str, str, str, str, str]:
    """Return its class, its id, the id that it leads to, its name, and what is shown."""
    number = {"number": mark.number}
    if here == "sign":
        name = _("Sign %(number)s: what it says") % number
        return "ref", f"sign-{mark.number}", f"why-{mark.number}", name, f"{mark.number}"
    if mark.kind == "claim":
        leads_to, name = f"{prefix}claim-{mark.number}", _("Claim %(number)s") % number
        place = f"{prefix}{here}-claim-{mark.number}"
        return "ref ref-claim", place, leads_to, name, f"≠{mark.number}"
    if mark.kind == "flag":
        leads_to = f"{prefix}flag-{mark.number}"
        name = _("Flag %(number)s") % number
        return "ref ref-flag", f"{prefix}{here}-{mark.place}", leads_to, name, f"⚑{mark.number}"
    if here == "mark":
        there, name = "source", _("Passage %(number)s, taken from a message. Go to it") % number
    else:
        there, name = "mark", _("Passage %(number)s, used in the message. Go to it") % number
    place = f"passage-{mark.number}"
    return (
        "ref ref-passage",
        f"{prefix}{here}-{place}",
        f"{prefix}{there}-{place}",
        name,
        f"{mark.number}",
    )


@register.simple_tag(takes_context=True)
def marked(context: Context, stretches: Iterable[HighlightedText], here: str) -> SafeString:
    """Write a text with its marks, and links to what points at them; `here` as for references."""
    return format_html_join(
        "",
        "{}{}",
        ((references(context, one.opens, here), _marked(one, here)) for one in stretches),
    )


def _marked(stretch: HighlightedText, here: str) -> SafeString:
    words = show_unseen(stretch.text)
    if not stretch.marks:
        return words
    if here == "sign":
        kinds = {"mark-telling" if one.kind == "telling" else "mark-sign" for one in stretch.marks}
        return format_html('<mark class="{}">{}</mark>', " ".join(sorted(kinds)), words)
    names = " ".join(f"{one.kind}-{one.place}" for one in stretch.marks)
    return format_html('<mark class="{}" data-marks="{}">{}</mark>', stretch.kinds, names, words)


@register.filter
def compared(pieces: Iterable[TextPiece]) -> SafeString:
    """Write a text with what was added to it and removed, which screen readers are told."""
    hidden = '<span class="visually-hidden">{} </span>'
    said = {
        "added": format_html(hidden, _("added:")),
        "removed": format_html(hidden, _("removed:")),
    }
    return _changed(pieces, said)


@register.filter
def compared_silently(pieces: Iterable[TextPiece]) -> SafeString:
    """Write a text with what was added to it and removed, for the eye."""
    return _changed(pieces, {})


def _changed(pieces: Iterable[TextPiece], said: Mapping[str, SafeString]) -> SafeString:
    return format_html_join("", "{}", ((_piece(one, said.get(one.change, "")),) for one in pieces))


def _piece(piece: TextPiece, said: str) -> SafeString:
    words = show_unseen(piece.text)
    tag = _TAGS.get(piece.change)
    return format_html("<{0}>{1}{2}</{0}>", tag, said, words) if tag else words


@register.filter
def linked(named: Reference, longest: int) -> SafeString:
    """Write the name of a row, cut at `longest` characters, as a link where it has a page."""
    name = mail(named.name or _("(no title)"), longest)
    return format_html('<a href="{}">{}</a>', named.url, name) if named.url else name


@register.filter
def listed(rows: Iterable[Reference]) -> SafeString:
    """Write the kinds and names of rows, each in a line of its own."""
    line = '<span class="quiet">{}</span> {}'
    return format_html_join(
        SafeString("<br>"), line, ((one.kind, linked(one, LONGEST_LINE)) for one in rows)
    )
