"""Which classes, ids and tags a document's own style sheet hides; simple selectors only.

A rule counts where its selector's last part is `tag`, `.class`, `#id` or `tag.class`, and it stands
outside of `@media` and its like, which only say how it looks elsewhere.
"""

import re

from inbox.html.style import PLAIN, Style, read_style

_STYLE_ELEMENT = re.compile(r"<style\b[^>]*+>(.*?)</style", re.IGNORECASE | re.DOTALL)
_BODY_TAG = re.compile(r"<body\b([^>]*+)>", re.IGNORECASE)
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|<!--|-->", re.DOTALL)
_LAST_PART = re.compile(r"(?:^|[\s>+~])([a-z][a-z0-9]*|[a-z0-9]*[.#][\w-]+)$", re.IGNORECASE)
_BODY_ATTRIBUTE = re.compile(
    r"\b(bgcolor|text|style)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>\"']+))", re.IGNORECASE
)
_MOST_CSS = 200_000
_MOST_RULES = 2000


class StyleSheet:
    """The styles that hide, by `tag`, `.class`, `#id` or `tag.class`."""

    def __init__(self, html: str) -> None:
        self.rules: dict[str, Style] = {}
        if "<style" in html.lower():
            self._read(html)

    def _read(self, html: str) -> None:
        end = html.lower().rfind("</style") + len("</style")
        found = "\n".join(match[1] for match in _STYLE_ELEMENT.finditer(html, 0, end))
        css = _without_blocks(_COMMENT.sub(" ", found[:_MOST_CSS]))
        for rule in css.split("}")[:_MOST_RULES]:
            selectors, _, declarations = rule.partition("{")
            style = read_style(declarations.strip())
            if style != PLAIN:
                self._add(selectors, style)

    def _add(self, selectors: str, style: Style) -> None:
        for selector in selectors[-2000:].split(","):
            part = _LAST_PART.search(selector.strip())
            if part is not None:
                self.rules[part[1].lower()] = style

    def styles_of(self, tag: str, classes: str, identifier: str) -> list[Style]:
        """Return what the sheet says of an element, the more specific after the less."""
        if not self.rules:
            return []
        names = classes.lower().split()[:20]
        keys = [tag, *(f".{name}" for name in names), *(f"{tag}.{name}" for name in names)]
        keys += [f"#{identifier.lower()}", f"{tag}#{identifier.lower()}"] if identifier else []
        return [self.rules[key] for key in keys if key in self.rules]


def _without_blocks(css: str) -> str:
    """Return the rules outside of @-blocks."""
    if "@" not in css:
        return css
    kept: list[str] = []
    depth, skipping = 0, False
    for piece in re.split(r"([{};@])", css):
        if piece == "@" and depth == 0:
            skipping = True
        if not skipping:
            kept.append(piece)
        depth += {"{": 1, "}": -1}.get(piece, 0)
        if skipping and depth <= 0 and piece in ("}", ";"):
            depth, skipping = 0, False
        depth = max(depth, 0)
    return "".join(kept)


def body_styles(html: str) -> list[Style]:
    """Return what the body element's own attributes say of colours."""
    body = _BODY_TAG.search(html[: html.rfind(">") + 1])
    if body is None:
        return []
    styles = []
    for name, double, single, bare in _BODY_ATTRIBUTE.findall(body[1][:4000]):
        value = double or single or bare
        declaration = {"bgcolor": "background-color:", "text": "color:"}.get(name.lower(), "")
        styles.append(read_style(declaration + value))
    return [Style(colour=style.colour, background=style.background) for style in styles]
