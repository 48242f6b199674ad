"""vCards in and out: 2.1, 3.0 (RFC 2426) and 4.0 (RFC 6350) as found in the wild; no Django here.

What a card says beyond names, addresses, numbers and work is kept as it is and written back.
"""

import quopri
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal, TypeAlias

from inbox.reasons import phrase as _

Version: TypeAlias = Literal["3.0", "4.0"]

LARGEST, MOST_CARDS, MOST_PROPERTIES = 20 * 2**20, 20_000, 500
# A longer value, such as a photograph, is left out.
LONGEST_VALUE = 64 * 1024
_NAME = re.compile(r"[A-Za-z0-9-]{1,60}")
_PARAM = re.compile(r';([^=:;"]*)(?:=((?:"[^"]*"|[^":;])*))?')
_CARET = {"^n": "\n", "^N": "\n", "^'": '"', "^^": "^"}
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_OWN = {"VERSION", "BEGIN", "END", "FN", "N", "EMAIL", "TEL", "ORG", "TITLE", "NOTE", "PRODID"}


@dataclass(frozen=True, slots=True)
class Property:
    """A line of a card: `value` is as written, unfolded and decoded, its escapes still in it."""

    name: str
    value: str
    params: dict[str, list[str]] = field(default_factory=dict)
    group: str = ""

    def types(self) -> set[str]:
        """Return the TYPEs in lower case; those that 2.1 gives without a name are among them."""
        return {one for each in self.params.get("TYPE", []) for one in each.lower().split(",")}


@dataclass(frozen=True, slots=True)
class TypedValue:
    """An address or a number, and its kind as the field that it is for has it."""

    value: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """Somebody's card; the most preferred address and number come first."""

    fn: str = ""
    family: str = ""
    given: str = ""
    additional: str = ""
    prefix: str = ""
    suffix: str = ""
    emails: tuple[TypedValue, ...] = ()
    # Kinds: business, home, mobile, fax, other.
    phones: tuple[TypedValue, ...] = ()
    org: str = ""
    department: str = ""
    title: str = ""
    note: str = ""
    others: tuple[Property, ...] = ()


# -- reading ---------------------------------------------------------------------------------------
def read_cards(data: bytes, *, repeated: bool = False) -> list[Card]:
    """Return the cards of a file, in order; what cannot be read in them is left out.

    An address or number that a card says twice is there once, unless `repeated`. Raises ValueError
    where it is too large, or holds no card at all.
    """
    if len(data) > LARGEST:
        raise ValueError(_("has more than %(most)s bytes", most=LARGEST))
    bodies = islice(_bodies(decode_text(data)), MOST_CARDS + 1)
    cards = [_assemble(body, repeated=repeated) for body in bodies]
    if len(cards) > MOST_CARDS:
        raise ValueError(_("has more than %(most)s cards", most=MOST_CARDS))
    if not cards:
        raise ValueError(_("contains no vCard"))
    return cards


def _bodies(text: str) -> Iterator[list[Property]]:
    """Yield what stands between BEGIN and END; a card within a card (AGENT of 2.1) is passed by."""
    body: list[Property] = []
    depth = 0
    for line in logical_lines(text):
        read = read_property(line)
        if read is None:
            continue
        mark = (read.name, read.value.strip().upper())
        if mark == ("BEGIN", "VCARD"):
            depth += 1
            body = [] if depth == 1 else body
        elif mark == ("END", "VCARD") and depth:
            depth -= 1
            if not depth:
                yield body
        elif depth == 1 and len(body) < MOST_PROPERTIES:
            body.append(read)


def decode_text(data: bytes) -> str:
    """Return a file as text."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    # What is no UTF-8 stays recognisable until its CHARSET is known.
    return data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")


def logical_lines(text: str) -> Iterator[str]:
    """Yield lines unfolded: by a blank at the start of the next, or 2.1's soft break `=`."""
    parts: list[str] = []
    soft = False
    for line in re.split(r"\r{0,2}\n|\r", text):
        if soft:
            parts.append(line)
        elif line[:1] in {" ", "\t"} and parts:
            parts.append(line[1:])
        else:
            yield "".join(parts)
            parts = [line]
        soft = line.endswith("=") and is_quoted_printable(parts[0])
        if soft:
            parts[-1] = parts[-1][:-1]
    yield "".join(parts)


def is_quoted_printable(start: str) -> bool:
    """Return True if a line, or how it begins, says that its value is quoted-printable."""
    return "QUOTED-PRINTABLE" in start.partition(":")[0].upper()


def read_property(line: str) -> Property | None:
    """Return the property of a line; None for what is none, or far too long."""
    head = re.match(r"(?:([A-Za-z0-9-]{1,60})\.)?([A-Za-z0-9-]{1,60})(?=[;:])", line.strip())
    if head is None or len(line) > LONGEST_VALUE:
        return None
    line, place = line.strip(), head.end()
    params: dict[str, list[str]] = {}
    while (found := _PARAM.match(line, place)) is not None:
        _add_param(params, found[1].strip().upper(), found[2])
        place = found.end()
    if line[place : place + 1] != ":":
        return None
    value = _CONTROLS.sub("", _decode_value(line[place + 1 :], params))
    return Property(head[2].upper(), value, params, head[1] or "")


def _add_param(params: dict[str, list[str]], name: str, value: str | None) -> None:
    if value is None:
        # 2.1 gives types and encodings without their names.
        known = {"QUOTED-PRINTABLE", "BASE64", "B", "8BIT", "7BIT"}
        name, value = ("ENCODING" if name in known else "TYPE"), name
    quoted = re.findall(r'"([^"]*)"|([^",]+)', value)
    values = [_CONTROLS.sub("", _uncaret(one or other)) for one, other in quoted]
    if _NAME.fullmatch(name):
        params.setdefault(name, []).extend(each for each in values if each)


def _uncaret(text: str) -> str:
    return re.sub(r"\^[nN'^]", lambda found: _CARET[found[0]], text)


def _decode_value(value: str, params: dict[str, list[str]]) -> str:
    """Return the text of a value by its encoding and charset, both of which 2.1 may name."""
    charset = (params.pop("CHARSET", None) or ["utf-8"])[0]
    encoding = "".join(params.pop("ENCODING", [])).upper()
    raw = value.encode("utf-8", "surrogateescape")
    if encoding == "QUOTED-PRINTABLE":
        # Written down as one line again: its line ends become the escape for them.
        text = _to_text(quopri.decodestring(raw), charset)
        return re.sub(r"\r\n|\r|\n", r"\\n", text)
    if encoding in {"BASE64", "B"}:
        params["ENCODING"] = ["b"]
        return "".join(value.split())
    return _to_text(raw, charset)


def _to_text(raw: bytes, charset: str) -> str:
    try:
        return raw.decode(charset)
    except (ValueError, LookupError):  # some of Python's own codecs raise no UnicodeDecodeError
        return raw.decode("cp1252", "replace")


def _assemble(properties: Sequence[Property], *, repeated: bool) -> Card:
    first = {each.name: each for each in reversed(properties)}
    names = _components(first["N"].value, 5) if "N" in first else [""] * 5
    org = _components(first["ORG"].value, 2) if "ORG" in first else ["", ""]
    fn = text_of(first["FN"].value) if "FN" in first else ""
    family, given, additional, prefix, suffix = names
    composed = " ".join(filter(None, (prefix, given, additional, family, suffix)))
    return Card(
        fn=" ".join((fn or composed or org[0]).split()), family=family, given=given,
        additional=additional, prefix=prefix, suffix=suffix, org=org[0], department=org[1],
        emails=_preferred(properties, "EMAIL", repeated=repeated),
        phones=_preferred(properties, "TEL", repeated=repeated),
        title=text_of(first["TITLE"].value) if "TITLE" in first else "",
        note="\n".join(text_of(each.value) for each in properties if each.name == "NOTE"),
        others=tuple(each for each in properties if each.name not in _OWN),
    )  # fmt: skip


def text_of(value: str) -> str:
    """Return a text without its escapes."""
    return _ESCAPED.sub(lambda found: "\n" if found[1] in "nN" else found[1], value).strip()


def _components(value: str, count: int) -> list[str]:
    """Return so many components of a structured value; a list within one is joined by blanks."""
    parts = re.findall(r"((?:\\.|[^\\;])*)(?:;|$)", value)[:count]
    found = []
    for part in parts:
        items = re.findall(r"(?:\\.|[^\\,])+", part)
        found.append(" ".join(filter(None, (" ".join(text_of(item).split()) for item in items))))
    return [*found, *[""] * (count - len(found))]


def _preferred(
    properties: Iterable[Property], name: str, *, repeated: bool
) -> tuple[TypedValue, ...]:
    """Return addresses or numbers, the most preferred first, each once unless `repeated`."""
    ranked = [
        (rank_of(each), typed)
        for each in properties
        if each.name == name and (typed := typed_value(each)).value
    ]
    ranked.sort(key=lambda pair: pair[0])
    if repeated:
        return tuple(typed for _, typed in ranked)
    once: dict[str, TypedValue] = {}
    for _rank, typed in ranked:
        once.setdefault(typed.value.lower(), typed)
    return tuple(once.values())


def typed_value(each: Property) -> TypedValue:
    """Return what an EMAIL or TEL names, and its kind as our fields have it."""
    kind = _phone_kind(each.types()) if each.name == "TEL" else _email_kind(each.types())
    return TypedValue(_bare(text_of(each.value)), kind)


def _bare(value: str) -> str:
    """Return what a `tel:` or `mailto:` address names."""
    lowered = value.lower()
    if lowered.startswith("tel:"):
        return value[4:].partition(";")[0]
    return value[7:].partition("?")[0] if lowered.startswith("mailto:") else value


def rank_of(each: Property) -> int:
    """Return how much an address or number is preferred: from 1 on, 101 where nothing is said."""
    preference = "".join(each.params.get("PREF", []))
    if preference.isascii() and preference.isdecimal():
        return min(int(preference[:4]), 100)
    return 1 if "pref" in each.types() else 101


def _phone_kind(types: set[str]) -> str:
    for kind, marks in (
        ("fax", {"fax"}), ("mobile", {"cell", "mobile", "iphone"}), ("business", {"work"}),
        ("home", {"home"}),
    ):  # fmt: skip
        if types & marks:
            return kind
    return "other"


def _email_kind(types: set[str]) -> str:
    return next((kind for kind in ("work", "home") if kind in types), "")


# -- writing ---------------------------------------------------------------------------------------
_TEL_TYPES = {"business": "work", "home": "home", "mobile": "cell", "fax": "fax"}


def write_cards(cards: Iterable[Card], version: Version = "4.0") -> bytes:
    """Return the cards as one file in UTF-8, its lines folded at 75 bytes (RFC 6350 3.2)."""
    lines = [line for card in cards for line in _lines(card, version)]
    return b"".join(_fold(line.encode("utf-8", "replace")) + b"\r\n" for line in lines)


def _lines(card: Card, version: Version) -> Iterator[str]:
    yield "BEGIN:VCARD"
    yield f"VERSION:{version}"
    fn = card.fn or (card.emails[0].value if card.emails else "(no name)")
    yield f"FN:{escape_text(fn)}"
    names = (card.family, card.given, card.additional, card.prefix, card.suffix)
    if any(names) or version == "3.0":
        yield f"N:{';'.join(map(escape_text, names))}"
    for name, rows in (("EMAIL", card.emails), ("TEL", card.phones)):
        for place, typed in enumerate(rows):
            types = [_TEL_TYPES.get(typed.kind, "")] if name == "TEL" else [typed.kind]
            yield f"{name}{_typed(types, place, len(rows), version)}:{escape_text(typed.value)}"
    if card.org or card.department:
        department = f";{escape_text(card.department)}" if card.department else ""
        yield f"ORG:{escape_text(card.org)}{department}"
    for name, text in (("TITLE", card.title), ("NOTE", card.note)):
        if text:
            yield f"{name}:{escape_text(text)}"
    for each in card.others:
        yield write_property(each, version)
    yield "END:VCARD"


def _typed(types: Sequence[str], place: int, count: int, version: Version) -> str:
    """Return the parameters; the first of several is the preferred one."""
    named = [each for each in types if each]
    if version == "3.0":
        named += ["pref"] if place == 0 and count > 1 else []
        return "".join(f";TYPE={each}" for each in named)
    preference = f";PREF={min(place + 1, 100)}" if count > 1 else ""
    return "".join(f";TYPE={each}" for each in named) + preference


def write_property(each: Property, version: Version) -> str:
    """Return the line of a property, unfolded."""
    params, value = dict(each.params), each.value
    if params.get("ENCODING") == ["b"] and version == "4.0":
        kind = "".join(params.pop("TYPE", ["octet-stream"])).lower()
        del params["ENCODING"]
        main = "image" if each.name in {"PHOTO", "LOGO"} else "application"
        value = f"data:{main}/{kind};base64,{value}"
    written = "".join(
        f";{name}={','.join(map(_quote, values))}" for name, values in params.items() if values
    )
    group = f"{each.group}." if each.group else ""
    return f"{group}{each.name}{written}:{_one_line(value)}"


def _quote(value: str) -> str:
    """Return a parameter's value as RFC 6868 writes what it could not hold."""
    safe = value.replace("^", "^^").replace("\n", "^n").replace('"', "^'")
    return f'"{safe}"' if re.search(r"[:;,]", safe) else safe


def escape_text(text: str) -> str:
    """Return a text as a value holds it: on one line, its commas and semicolons escaped."""
    for mark in ("\\", ",", ";"):
        text = text.replace(mark, f"\\{mark}")
    return _one_line(text)


def _one_line(text: str) -> str:
    return _CONTROLS.sub("", re.sub(r"\r\n|\r|\n", r"\\n", text))


def _fold(line: bytes) -> bytes:
    """Return a line in pieces of at most 75 bytes, no character cut in two."""
    pieces = []
    room = 75
    while len(line) > room:
        end = room
        while line[end] & 0xC0 == 0x80:
            end -= 1
        pieces.append(line[:end])
        line, room = line[end:], 74
    return b"\r\n ".join([*pieces, line])
