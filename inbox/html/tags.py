"""Which tags are shown, read for what they hide only, or dropped with what they hold."""

import re

# What safe HTML is made of.
SHOWN_TAGS = frozenset({
    "a", "abbr", "address", "article", "aside", "b", "bdi", "big", "blockquote", "br", "caption",
    "center", "cite", "code", "col", "colgroup", "dd", "del", "details", "dfn", "div", "dl", "dt",
    "em", "figcaption", "figure", "font", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header",
    "hr", "i", "img", "ins", "kbd", "li", "main", "mark", "nav", "ol", "p", "pre", "q", "s", "samp",
    "section", "small", "span", "strike", "strong", "sub", "summary", "sup", "table", "tbody", "td",
    "tfoot", "th", "thead", "tr", "tt", "u", "ul", "var", "wbr",
})  # fmt: skip
DROPPED_WITH_CONTENT = frozenset({
    "script", "style", "title", "template", "svg", "math", "iframe", "noembed", "noframes",
})  # fmt: skip
# What the pass after nh3 needs to know; it writes only href, colspan, rowspan, dir, lang, start.
ATTRIBUTES = {
    "*": {"style", "class", "id", "dir", "lang", "hidden", "bgcolor", "background", "title"},
    "a": {"href"},
    "blockquote": {"type"},
    "font": {"color"},
    "img": {"alt", "src", "srcset"},
    "ol": {"start"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"},
}
# A style sheet may ask for them.
ATTRIBUTE_PREFIXES = {"data-", "aria-"}
# These have no end of their own, hold text of another kind, or are the document's.
_NEVER = DROPPED_WITH_CONTENT | {
    "area", "base", "basefont", "bgsound", "body", "command", "embed", "frame", "frameset", "head",
    "html", "image", "input", "isindex", "keygen", "link", "listing", "menuitem", "meta",
    "noscript", "param", "plaintext", "source", "textarea", "track", "xmp",
}  # fmt: skip
_NAME = re.compile(r"<([a-zA-Z][a-zA-Z0-9:._-]{0,49})(?=[\s/>])")


def tags_in(html: str) -> set[str]:
    """Return the tags to be read: those that are shown, and whatever else may hide what it holds.

    A program that shows mail lets any element be hidden, `<label>` or one of the sender's own.
    """
    others = {name.lower() for name in _NAME.findall(html)}
    return {*SHOWN_TAGS, *(others - _NEVER)}
