"""What is new in a message: its text without quoted history and signature.

Lines that begin with `>` and the line that announces them go, wherever they stand, so that answers
between quotes stay. What stands below a mark after which mail programs put the whole history
unquoted (an "Original Message" line, a block of From/Sent/To/Subject) goes altogether. If nothing
would be left, everything stays.
"""

import re
from collections import Counter
from collections.abc import Iterator
from functools import partial

from inbox.rfc5322.text import quote_marks as marks

_BLANK_LINES = re.compile(r"\n{3,}")
_MOST_WRAPPED = 3
_MOST_TEXT = 1_000_000
_LONGEST_HEADER = 80
_MOST_FIELDS = 12
# What goes on with the recipients of a field has one of these.
_NAMES_SOMEBODY = re.compile(r"[@,;/<]")
_LONGEST_NAME = 100
# So many characters of a line tell of most that it begins nothing.
_TELLING = 5
_RULES = frozenset("-_\u2014")
_ENDS_A_TIME = frozenset("0123456789Mm")


def new_text(text: str) -> str:
    """Return `text` without quoted history and signature, of its first million characters."""
    if not text:
        return ""
    lines = text[:_MOST_TEXT].split("\n")
    kept = _without_quotes(lines[: _history_start(lines)])
    kept = kept[: _signature_start(kept)]
    return _joined(kept) or _joined(without_headers(lines)) or text[:_MOST_TEXT].strip()


def _joined(lines: list[str]) -> str:
    text = "\n".join(lines)
    return (_BLANK_LINES.sub("\n\n", text) if "\n\n\n" in text else text).strip()


def without_headers(lines: list[str]) -> list[str]:
    """Drop the headers that are quoted as text, and the marks above them, of a text all quoted.

    A forwarded message to which nobody wrote a word says what it says; to whom it went is no part.
    """
    kept: list[str] = []
    index = 0
    while index < len(lines):
        if marks.ORIGINAL_MESSAGE.match(lines[index]):
            rest = lines[index + 1] if index + 1 < len(lines) else ""
            index += 2 if marks.REST_OF_MARK.match(rest) else 1
        elif (end := _header_end(lines, index)) > index:
            index = end
        else:
            kept.append(lines[index])
            index += 1
    return kept


def _header_end(lines: list[str], index: int) -> int:
    """Return the line after a header that begins at `index`; `index` where none does."""
    line = lines[index]
    is_named = marks.HEADER_FROM.match(line) and _is_header_block(lines, index)
    if not is_named and not _notes_dated(lines, index) and not _names_notes(lines, index):
        return index
    return _fields(lines, index)[-1] + 1


def _names_notes(lines: list[str], index: int) -> bool:
    """Return True if a line is the name above a date as Lotus Notes writes them."""
    return any(
        _notes_dated(lines, at) and _notes_start(lines, at) == index
        for at in range(index + 1, min(index + 4, len(lines)))
    )


def _history_start(lines: list[str]) -> int:
    """Return where history that is not marked line by line begins."""
    for index, line in _possible_starts(lines):
        if marks.ORIGINAL_MESSAGE.match(line):
            return index
        if marks.HEADER_FROM.match(line) and _is_header_block(lines, index):
            return _without_rule(lines, index)
        if marks.ATTRIBUTION_START.match(line):
            end = _attribution_end(lines, index)
            if end and not _quote_follows(lines, end):
                return index
        if _notes_dated(lines, index):
            return _without_rule(lines, _notes_start(lines, index))
    return len(lines)


def _notes_dated(lines: list[str], index: int) -> bool:
    """Return True if a line is the date in a header of Lotus Notes: To stands right below it."""
    if lines[index].rstrip()[-1:] not in _ENDS_A_TIME or not marks.NOTES_DATED.match(lines[index]):
        return False
    below = [line for line in lines[index + 1 : index + 9] if line.strip()][:3]
    if below and marks.NOTES_BESIDE.match(below[0]):
        below = below[1:]
    return bool(below and marks.HEADER_OTHER.match(below[0])) and _is_header_block(lines, index)


def _notes_start(lines: list[str], index: int) -> int:
    """Return the line with the name that a date of Lotus Notes belongs to."""
    dated = marks.NOTES_DATED.match(lines[index])
    if dated and dated["who"]:
        return index
    above = index - 1
    while above >= max(index - 3, 0) and (
        not lines[above].strip() or marks.NOTES_BESIDE.match(lines[above])
    ):
        above -= 1
    is_name = above >= max(index - 3, 0) and len(lines[above]) <= _LONGEST_NAME
    return above if is_name and lines[above].rstrip()[-1:] not in ".,!?;:-" else index


def _possible_starts(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines that may begin history; for most, their first characters say they do not."""
    may_begin = marks.may_begin
    for index, line in enumerate(lines):
        if ":" in line and line.rstrip()[-1:] in _ENDS_A_TIME:
            yield index, line
            continue
        beginning = line[:_TELLING]
        if beginning[:1].isspace():
            beginning = line.lstrip()[:_TELLING]
        if ("<" in line or may_begin(beginning)) and marks.MAY_START_HISTORY.match(line):
            yield index, line


def _without_rule(lines: list[str], index: int) -> int:
    """Take the rule above a header block with it."""
    above = index - 1
    while above >= 0 and not lines[above].strip():
        above -= 1
    return above if above >= 0 and marks.RULE.match(lines[above]) else index


def _is_header_block(lines: list[str], index: int) -> bool:
    """Return True if what begins a quoted header is followed by other fields of one."""
    return (
        len({lines[at].partition(":")[0].strip(" *\t\u00a0") for at in _fields(lines, index)}) >= 2
    )


def _fields(lines: list[str], index: int) -> list[int]:
    """Return the lines behind `index` that are fields of the same quoted header.

    Whom a message went to may take many lines; a line that names nobody ends it.
    """
    found: list[int] = []
    for at in range(index + 1, min(index + _LONGEST_HEADER, len(lines))):
        line = lines[at]
        if marks.HEADER_OTHER.match(line):
            found.append(at)
        elif (
            line.strip() and not _NAMES_SOMEBODY.search(line) and not marks.NOTES_BESIDE.match(line)
        ) and (at > index + 2 or found):
            break
        if len(found) >= _MOST_FIELDS:
            break
    return found


def _attribution_end(lines: list[str], index: int) -> int:
    """Return the line after an attribution that begins at `index`; 0 when there is none."""
    joined = ""
    for offset in range(_MOST_WRAPPED):
        if index + offset >= len(lines):
            return 0
        line = lines[index + offset].strip()
        if offset and (not line or line.startswith(">")):
            return 0
        joined = f"{joined} {line}".strip()
        if len(joined) > 400:
            return 0
        if marks.ATTRIBUTION.match(joined):
            return index + offset + 1
    return 0


def _quote_follows(lines: list[str], index: int) -> bool:
    """Return True if the next line that is not blank is quoted."""
    for line in lines[index : index + 5]:
        if line.strip():
            return line.lstrip().startswith(">")
    return False


def _without_quotes(lines: list[str]) -> list[str]:
    """Drop quoted lines and what announces them."""
    kept: list[str] = []
    in_quote = False
    quoting = (">", " >", *_named_marks(lines))
    for line in lines:
        if line.startswith(quoting):
            if not in_quote:
                _drop_attribution(kept)
            in_quote = True
            continue
        if line.strip():
            in_quote = False
        kept.append(line)
    return kept


def _named_marks(lines: list[str]) -> tuple[str, ...]:
    """Return the marks of quotes that name who is quoted (`Ann> `), used three times or more."""
    found = Counter(
        match[0]
        for line in lines
        if ">" in line[1:20] and line[0] != ">" and (match := marks.NAMED_MARK.match(line))
    )
    return tuple(mark for mark, count in found.items() if count >= 3)


def _drop_attribution(kept: list[str]) -> None:
    """Take the lines that announce a quote off the end of `kept`."""
    end = len(kept)
    while end and not kept[end - 1].strip():
        end -= 1
    for pattern in (marks.ATTRIBUTION, marks.ANNOUNCES):
        for start in range(end - 1, max(end - _MOST_WRAPPED, 0) - 1, -1):
            if not kept[start].strip():
                break
            joined = " ".join(line.strip() for line in kept[start:end])
            if len(joined) <= 400 and pattern.match(joined):
                del kept[start:]
                return


def _signature_start(lines: list[str]) -> int:
    """Return where the signature begins; what a mail program or a list adds counts as one."""
    end = next(filter(partial(_begins_signature, lines), _may_sign(lines)), len(lines))
    return end if any(line.strip() for line in lines[:end]) else len(lines)


def _may_sign(lines: list[str]) -> Iterator[int]:
    """Yield which lines may begin a signature; for most, their first characters say no."""
    may_sign = marks.may_sign
    for at, line in enumerate(lines):
        if may_sign(line.strip()[:_TELLING]) or line[:1] in _RULES:
            yield at


def _begins_signature(lines: list[str], index: int) -> bool:
    line = lines[index]
    if line[0] not in _RULES:
        return marks.MOBILE_SIGNATURE.match(line.strip()) is not None
    if line in ("-- ", "--\xa0"):
        return True
    is_mark = line.rstrip() in ("--", "\u2014", "-")
    return (is_mark and _signs(lines, index)) or _is_list_footer(lines, index)


def _signs(lines: list[str], index: int) -> bool:
    """Return True if a mark that might be a rule ends the text: few lines follow."""
    if len(lines) - index > 40:
        return False
    return 0 < sum(1 for line in lines[index + 1 :] if line.strip()) <= 12


def _is_list_footer(lines: list[str], index: int) -> bool:
    if not marks.LIST_RULE.match(lines[index]):
        return False
    return any(marks.LIST_FOOTER.search(line) for line in lines[index + 1 : index + 4])
