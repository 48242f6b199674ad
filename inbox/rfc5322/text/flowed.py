"""The plain-text conventions that change what was written: flowed lines and mbox escapes."""

import re
from itertools import pairwise

# The columns at which programs break lines; a paragraph of other widths is left as it is.
NARROWEST, WIDEST = 55, 100
_QUOTE_MARKS = re.compile(r">*")
# Quotes, list items, indented lines, rows of a table, what a colon ends: no break there is idle.
_KEPT_LINE = re.compile(r"^(?:[\s>|*•–—+#_=-]|\(?\w{1,2}[.)]\s)|\S\s{3}|[\t|]|:\s*$|^$")
_CJK = "\u2e80"


def unflow(text: str, delete_space: bool) -> str:
    """Return format=flowed text with its paragraphs on one line each (RFC 3676 4)."""
    if " \n" not in text and "\n " not in text and not text.startswith(" "):
        return text
    out: list[str] = []
    paragraph: list[str] = []
    depth = 0
    for line in text.split("\n"):
        marks = len(_QUOTE_MARKS.match(line)[0]) if line.startswith(">") else 0  # type: ignore[index]
        content = line[marks:].removeprefix(" ")
        if paragraph and (marks != depth or content == "-- "):
            out.append(_join(paragraph, depth))
            paragraph = []
        depth = marks
        if content.endswith(" ") and content != "-- ":
            paragraph.append(content[:-1] if delete_space else content)
            continue
        paragraph.append(content)
        out.append(_join(paragraph, depth))
        paragraph = []
    if paragraph:
        out.append(_join(paragraph, depth))
    return "\n".join(out)


def _join(paragraph: list[str], depth: int) -> str:
    content = "".join(paragraph)
    if not depth:
        return content
    return ">" * depth + (f" {content}" if content else "")


def unescape_from(text: str) -> str:
    """Return `text` without the `>` that mbox writers put before a line that begins `From `."""
    if ">From " not in text:
        return text
    lines = text.split("\n")
    for index, line in enumerate(lines):
        if not line.startswith(">From "):
            continue
        before = lines[index - 1] if index else ""
        after = lines[index + 1] if index + 1 < len(lines) else ""
        if not before.startswith(">") and not after.startswith(">"):
            lines[index] = line[1:]
    return "\n".join(lines)


def rejoin(text: str) -> str:
    """Return the text with the breaks gone that a mail program put in at its column, for display.

    A break stays where the next word would have fitted, beside lists, quotes, tables and indents,
    and in scripts that write no spaces between words.
    """
    return "\n\n".join(_rejoin_paragraph(part) for part in text.split("\n\n"))


def _rejoin_paragraph(paragraph: str) -> str:
    lines = paragraph.split("\n")
    width = max(map(len, lines))
    if len(lines) < 2 or not NARROWEST <= width <= WIDEST:
        return paragraph
    out = [lines[0]]
    for before, line in pairwise(lines):
        if _is_wrapped(before, line, width):
            out.append(f" {line}")
        else:
            out.append(f"\n{line}")
    return "".join(out)


def _is_wrapped(before: str, line: str, width: int) -> bool:
    word = line.split(" ", 1)[0]
    return (
        len(before) + 1 + len(word) > width
        and " " in before.strip()
        and not _KEPT_LINE.search(before)
        and not _KEPT_LINE.search(line)
        and max(before[-1], line[0]) < _CJK
    )
