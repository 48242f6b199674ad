"""Plain text laid out from HTML: paragraphs, lists, tables, quotes."""

import re

_BLOCKS = {
    "p": 2, "h1": 2, "h2": 2, "h3": 2, "h4": 2, "h5": 2, "h6": 2, "ul": 2, "ol": 2, "dl": 2,
    "table": 2, "pre": 2, "blockquote": 2, "div": 1, "section": 1, "article": 1, "header": 1,
    "footer": 1, "nav": 1, "aside": 1, "main": 1, "address": 1, "figure": 1, "figcaption": 1,
    "center": 1, "details": 1, "summary": 1, "caption": 1, "li": 1, "dt": 1, "dd": 1, "tr": 1,
    "hr": 1,
}  # fmt: skip
_SPACE = " \t\n\r\f\xa0"
_SPACES = re.compile(f"[{_SPACE}]+")
_TRAILING = re.compile(r"[ \t]+\n")
_BLANK_LINES = re.compile(r"\n{3,}")
_MAX_QUOTE = 20


class TextWriter:
    """Writes the text twice: as a whole, and without what is quoted."""

    def __init__(self) -> None:
        self.all: list[str] = []
        self.fresh: list[str] = []
        self.length = 0
        self.newlines = 0  # owed before the next word
        self.space = False
        self.cell = False
        self.depth = 0  # of blockquotes
        self.last_depth = 0  # of the line before
        self.preformatted = 0
        self.lists: list[int] = []  # the next number; 0 in a list without numbers
        self.bullet = ""

    def text(self) -> str:
        """Return the whole text."""
        return _tidy("".join(self.all))

    def new_text(self) -> str:
        """Return the text without quoted parts."""
        return _tidy("".join(self.fresh))

    def mark(self) -> int:
        """Return a place in the text, for `since`."""
        return len(self.all)

    def since(self, mark: int) -> str:
        """Return what was written since, on one line."""
        return " ".join("".join(self.all[mark:]).split())

    def write(self, text: str, quoted: bool) -> None:
        """Add text; outside of <pre>, runs of white space are one space."""
        if self.preformatted:
            self._write_lines(text, quoted)
            return
        bare = text.strip(_SPACE)
        if not bare:
            self.space = self.space or bool(text)
            return
        self.space = self.space or text[0] in _SPACE
        self._put(_SPACES.sub(" ", bare), quoted)
        self.space = text[-1] in _SPACE

    def open(self, tag: str, quoted: bool) -> None:
        """Begin an element."""
        if tag == "br":
            self.newlines += 1
            return
        if tag in ("td", "th"):
            self.cell = bool(self.all) and self.newlines == 0
            return
        lines = _BLOCKS.get(tag)
        if lines is None:
            return
        self._break(1 if tag in ("ul", "ol") and self.lists else lines)
        self._begin_block(tag, quoted)

    def close(self, tag: str) -> None:
        """End an element."""
        lines = _BLOCKS.get(tag)
        if lines is None:
            return
        if tag == "blockquote":
            self.depth -= 1
        elif tag in ("ul", "ol") and self.lists:
            self.lists.pop()
        elif tag == "pre":
            self.preformatted -= 1
        self._break(1 if tag in ("ul", "ol") and self.lists else lines)

    def _begin_block(self, tag: str, quoted: bool) -> None:
        match tag:
            case "blockquote":
                self.depth += 1
            case "ul" | "ol":
                self.lists.append(1 if tag == "ol" else 0)
            case "li":
                self._begin_item()
            case "pre":
                self.preformatted += 1
            case "hr":
                self._put("-" * 20, quoted)
                self._break(1)

    def _begin_item(self) -> None:
        number = self.lists[-1] if self.lists else 0
        if number:
            self.lists[-1] += 1
        indent = "  " * (min(len(self.lists), 10) - 1)
        self.bullet = f"{indent}{number}. " if number else f"{indent}- "

    def _break(self, lines: int) -> None:
        self.newlines = max(self.newlines, lines)
        self.space = self.cell = False

    def _write_lines(self, text: str, quoted: bool) -> None:
        for count, line in enumerate(text.split("\n")):
            if count:
                self.newlines += 1
            if line:
                self._put(line, quoted)

    def _put(self, words: str, quoted: bool) -> None:
        lead = ""
        if not self.all:
            lead = self._prefix()
        elif self.newlines:
            between = "> " * min(self.depth, self.last_depth, _MAX_QUOTE)
            lead = ("\n" + between.rstrip()) * (min(self.newlines, 3) - 1)
            lead += "\n" + self._prefix()
        elif self.cell:
            lead = " | "
        elif self.space:
            lead = " "
        lead += self.bullet
        self.newlines, self.space, self.cell, self.bullet = 0, False, False, ""
        self.last_depth = self.depth
        self.all += (lead, words)
        if not quoted:
            self.fresh += (lead, words)
        elif self.fresh and self.fresh[-1] != "\n\n":
            self.fresh.append("\n\n")

    def _prefix(self) -> str:
        return "> " * min(self.depth, _MAX_QUOTE)


def _tidy(text: str) -> str:
    return _BLANK_LINES.sub("\n\n", _TRAILING.sub("\n", text)).strip()
