"""vCards changed in place: what changes of a card is written anew, and all else stays as it was.

Cards are 2.1, 3.0 (RFC 2426) or 4.0 (RFC 6350); one made here is 3.0, which every server takes.
No Django.
"""

import re
from collections.abc import Iterable, Mapping

from inbox.formats.content_lines import Block, fold, name_of, read_blocks, write_blocks
from inbox.formats.vcard import (
    Property,
    Version,
    decode_text,
    escape_text,
    is_quoted_printable,
    logical_lines,
    rank_of,
    read_property,
    typed_value,
    write_property,
)

_PARAM = re.compile(r';(?:"[^"]*"|[^;":])*')
_PART = re.compile(r"((?:\\.|[^\\;])*)(?:;|$)", re.DOTALL)
_GROUP = re.compile(r"([A-Za-z0-9-]+)\.[A-Za-z0-9-]+[;:]")
_KINDS = {"EMAIL": {"work", "home"}, "TEL": {"work", "home", "cell", "mobile", "iphone", "fax"}}
_TYPES = {"business": "WORK", "work": "WORK", "home": "HOME", "mobile": "CELL", "fax": "FAX"}
_QUOTED = re.compile(r"=[0-9A-Fa-f]{2}|.", re.DOTALL)
_WIDTH = 75
# What only says how a value was written.
_ENCODED = {"ENCODING", "CHARSET", "QUOTED-PRINTABLE", "BASE64", "8BIT", "7BIT"}


class CardEditor:
    """The first card of a file, each method of which changes one thing about it."""

    def __init__(self, data: bytes) -> None:
        """Read a card; raises ValueError where there is none, or where it does not end."""
        text = decode_text(data)
        if "QUOTED-PRINTABLE" in text.upper():
            text = "\r\n".join(logical_lines(text))
        self._blocks = read_blocks(text)
        cards = [block for block in self._blocks if block.name == "VCARD"]
        if not cards:
            raise ValueError("it contains no vCard")
        self._card: Block = cards[0]

    def to_bytes(self) -> bytes:
        """Return the file as it stands."""
        return write_blocks(self._blocks, _folded).encode("utf-8", "surrogateescape")

    @property
    def version(self) -> Version:
        """How new properties are written."""
        said = "".join(line.partition(":")[2].strip() for line in self._card.lines("VERSION")[:1])
        return "4.0" if said == "4.0" else "3.0"

    def set_text(self, name: str, text: str) -> None:
        """Have the first line of a property say a text; without one, remove them all.

        NOTE is read with all its lines, and so it is written.
        """
        lines = self._card.lines(name)
        if not text:
            self._card.put(name, [])
        elif lines:
            rest = [] if name == "NOTE" else lines[1:]
            self._card.put(name, [_with_value(lines[0], escape_text(text)), *rest])
        else:
            self._card.put(name, [f"{name}:{escape_text(text)}"])

    def set_parts(self, name: str, parts: Mapping[int, str]) -> None:
        """Have these parts of a structured value say a text each; the others stay as written."""
        lines = self._card.lines(name)
        line = lines[0] if lines else f"{name}:"
        read = read_property(line)
        found = [] if read is None else _parts(read.value)
        written = [*found, *[""] * (max(parts) + 1 - len(found))]
        for place, text in parts.items():
            written[place] = escape_text(text)
        if name != "N":
            while written and not written[-1]:
                written.pop()
        if any(written) or name == "N":
            self._card.put(name, [_with_value(line, ";".join(written)), *lines[1:]])
        else:
            self._card.put(name, [])

    def set_typed(self, name: str, value: str, kind: str | None) -> None:
        """Have an address (EMAIL) or a number (TEL) stand on the card as of a kind; None: not."""
        lines = [line for line in self._card.lines(name) if _says(line, value)]
        if kind is None:
            for line in lines:
                self._drop(line)
        elif not lines:
            added = f"{name}{_type_of(kind)}:{escape_text(value)}"
            self._card.put(name, [*self._card.lines(name), added])
        else:
            first = min(lines, key=_rank)
            if _kind(first) != kind:
                self._replace(first, _with_kind(first, name, kind))

    def prefer(self, value: str) -> None:
        """Have this address be the most preferred one, unless it is."""
        lines = self._card.lines("EMAIL")
        wanted = [line for line in lines if _says(line, value)]
        if not wanted or _says(min(lines, key=_rank), value):
            return
        for line in lines:
            if _rank(line) <= 1 and line not in wanted:
                self._replace(line, _without_preference(line))
        mark = ";PREF=1" if self.version == "4.0" else ";TYPE=pref"
        head, text = _split(_without_preference(wanted[0]))
        self._replace(wanted[0], f"{head}{mark}:{text}")

    def set_others(self, before: Iterable[Property], after: Iterable[Property]) -> None:
        """Remove properties that are no more, and add those that are new."""
        old, new = list(before), list(after)
        gone = [each for each in old if each not in new]
        for line in [item for item in self._card.items if isinstance(item, str)]:
            if read_property(line) in gone:
                self._card.items.remove(line)
        for each in new:
            if each not in old:
                self._card.put(
                    each.name,
                    [*self._card.lines(each.name), write_property(each, self.version)],
                )

    def _replace(self, line: str, other: str) -> None:
        self._card.items[self._card.items.index(line)] = other

    def _drop(self, line: str) -> None:
        """Remove a line, with the labels that are its group's alone."""
        self._card.items.remove(line)
        group = _group_of(line)
        rest = [it for it in self._card.items if isinstance(it, str) and _group_of(it) == group]
        if group and all(name_of(it).startswith("X-AB") for it in rest):
            for it in rest:
                self._card.items.remove(it)


def new_card(uid: str) -> bytes:
    """Return a card that says nothing yet."""
    return f"BEGIN:VCARD\r\nVERSION:3.0\r\nUID:{uid}\r\nN:;;;;\r\nFN:\r\nEND:VCARD\r\n".encode()


def _parts(value: str) -> list[str]:
    """Return the parts of a structured value as written."""
    parts = []
    for found in _PART.finditer(value):
        parts.append(found[1])
        if found[0] == found[1]:
            break
    return parts


# -- lines -----------------------------------------------------------------------------------------
def _folded(line: str) -> str:
    """Return a line folded; a quoted-printable one by soft breaks, for a blank would be its text.

    Nor may a break stand in an `=0A`, whose `=` would be a soft break itself.
    """
    if len(line) <= _WIDTH or not is_quoted_printable(line):
        return fold(line)
    head, value = _split(line)
    pieces, piece = [], f"{head}:"
    for sign in _QUOTED.findall(value):
        if len(piece) + len(sign) >= _WIDTH:
            pieces.append(piece)
            piece = ""
        piece += sign
    return "=\r\n".join([*pieces, piece])


def _split(line: str) -> tuple[str, str]:
    """Return what stands before and after the colon that ends the parameters."""
    end = re.match(r'(?:"[^"]*"|[^":])*', line)
    place = end.end() if end else 0
    return (line[:place], line[place + 1 :]) if line[place : place + 1] == ":" else (line, "")


def _params(line: str) -> tuple[str, list[str]]:
    """Return the name with its group, and the parameters as written, each with its semicolon."""
    head, _value = _split(line)
    name = head.partition(";")[0]
    return name, _PARAM.findall(head[len(name) :])


def _with_value(line: str, value: str) -> str:
    name, params = _params(line)
    kept = [each for each in params if each[1:].partition("=")[0].strip().upper() not in _ENCODED]
    # Of 2.1 what is not ASCII says so.
    is_old = len(kept) < len(params)
    charset = ";CHARSET=UTF-8" if is_old and not value.isascii() else ""
    return f"{name}{''.join(kept)}{charset}:{value}"


def _with_kind(line: str, name: str, kind: str) -> str:
    head, value = _split(_without_types(line, _KINDS[name]))
    return f"{head}{_type_of(kind)}:{value}"


def _type_of(kind: str) -> str:
    return f";TYPE={_TYPES[kind]}" if kind in _TYPES else ""


def _without_preference(line: str) -> str:
    name, params = _params(_without_types(line, {"pref"}))
    kept = [each for each in params if not each.upper().startswith(";PREF=")]
    return f"{name}{''.join(kept)}:{_split(line)[1]}"


def _without_types(line: str, types: set[str]) -> str:
    """Return a line that does not name these TYPEs; those that it has beside them stay."""
    name, params = _params(line)
    kept = (_left_of(each, types) for each in params)
    return f"{name}{''.join(kept)}:{_split(line)[1]}"


def _left_of(param: str, types: set[str]) -> str:
    name, equals, value = param[1:].partition("=")
    if not equals:
        return "" if name.strip().lower() in types else param
    if name.strip().upper() != "TYPE":
        return param
    named = value.strip('"').split(",")
    left = [each for each in named if each.strip().lower() not in types]
    if len(left) == len(named):
        return param
    mark = '"' if value.startswith('"') else ""
    return f";{name}={mark}{','.join(left)}{mark}" if left else ""


def _kind(line: str) -> str:
    read = read_property(line)
    return "" if read is None else typed_value(read).kind


def _says(line: str, value: str) -> bool:
    read = read_property(line)
    return read is not None and typed_value(read).value.lower() == value.lower()


def _rank(line: str) -> int:
    read = read_property(line)
    return 1000 if read is None else rank_of(read)


def _group_of(line: str) -> str:
    found = _GROUP.match(line)
    return found[1].lower() if found else ""
