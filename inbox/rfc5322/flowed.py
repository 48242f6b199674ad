"""The plain-text conventions that change what was written: flowed lines and mbox escapes."""

import re

_QUOTE_MARKS = re.compile(r">*")


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
