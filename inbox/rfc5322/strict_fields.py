"""Header fields by the letter of RFC 5322, 2047 and 2231, for the second reading of a message."""

import binascii
from typing import NamedTuple, TypeAlias
from urllib.parse import unquote_to_bytes

import regex

Fields: TypeAlias = dict[str, str]

_FIELD = regex.compile(rb"([!-9;-~]{1,100}):[ \t]?(.*)", regex.DOTALL)
_CONTROL = regex.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f]")
_WORD = regex.compile(r"=\?(utf-8|us-ascii)\?([bq])\?([!->@-~]{1,75})\?=", regex.IGNORECASE)
_Q_TEXT = regex.compile(r"(?:=[0-9A-Fa-f]{2}|[!-<>@-~])*+")
_ATOM = r"[!#$%&'*+.^_`{|}~0-9A-Za-z-]{1,500}"
_VALUE = regex.compile(rf"[ \t]*+({_ATOM}(?:/{_ATOM})?)[ \t]*+")
_PARAMETER = regex.compile(
    rf';[ \t]*+({_ATOM})=(?:"((?:[^"\\]|\\["\\]){{0,4000}}+)"|({_ATOM}))[ \t]*+'
)
_ESCAPED = regex.compile(r"\\(.)")
_SECTION = regex.compile(r"([^*]+)(?:\*(0|[1-9]\d{0,2}))?(\*)?")
_EXTENDED = regex.compile(r"(?:%[0-9A-Fa-f]{2}|[!#$&+.^_`{|}~0-9A-Za-z-])*+")
_ADDRESS = r"[^\s<>()\[\]:;,\\\"@]{1,64}@[A-Za-z0-9.-]{1,253}"
# Possessive throughout: a field is a stranger's, and may be as long as they like.
_MAILBOX = regex.compile(
    r'[ \t]*+(?:(?:"((?:[^"\\]|\\["\\])*+)"[ \t]*+|([^"<>()\[\]:;,\\@]*+))'
    rf"<({_ADDRESS})>|({_ADDRESS}))[ \t]*+(?:(,)|\Z)"
)


class AmbiguousError(ValueError):
    """Others may read it otherwise.

    `what` is `sender`, `recipients`, `subject`, `text`, `files`, `structure`, `encoding`, or
    `field` with its `name`.
    """

    def __init__(self, what: str, name: str = "") -> None:
        super().__init__(f"{what} {name}".strip())
        self.what = what
        self.name = name


class Mailbox(NamedTuple):
    """An address with the name before it, "" where there is none."""

    name: str
    email: str


class Parameterised(NamedTuple):
    """A value in lower case, and its parameters decoded, by their names in lower case."""

    value: str
    parameters: dict[str, str]


def split_fields(raw: bytes, known: frozenset[str]) -> tuple[Fields, bytes]:
    """Return the fields, unfolded, by their names in lower case, and the body.

    Raises AmbiguousError for a field that is not `known`, one that stands there twice, and
    anything that is no field.
    """
    if raw.startswith(b"\r\n"):
        return {}, raw[2:]
    head, blank, body = raw.partition(b"\r\n\r\n")
    if not blank:
        raise AmbiguousError("structure")
    fields: Fields = {}
    for line in regex.split(rb"\r\n(?![ \t])", head):
        found = _FIELD.fullmatch(line)
        if found is None or regex.search(rb"\r\n[ \t]++(?:\r\n|\Z)", line):
            raise AmbiguousError("structure")
        name = found[1].decode("ascii").lower()
        if name not in known:
            raise AmbiguousError("field", found[1].decode("ascii"))
        if name in fields:
            raise AmbiguousError("structure")
        fields[name] = _as_text(found[2])
    return fields, body


def _as_text(value: bytes) -> str:
    try:
        text = value.replace(b"\r\n", b"").decode("utf-8").strip(" \t")
    except UnicodeDecodeError as error:
        raise AmbiguousError("structure") from error
    # Where a field has letters beyond ASCII, some leave its encoded words as they are (RFC 6532).
    if _CONTROL.search(text) or ("=?" in text and not text.isascii()):
        raise AmbiguousError("structure")
    return text


def read_unstructured(value: str) -> str:
    """Return the text of a subject: either all of it is encoded words, or nothing (RFC 2047)."""
    return _read_words(value, "subject") if "=?" in value else value


def _read_words(value: str, what: str) -> str:
    words = [_WORD.fullmatch(word) for word in value.split()]
    pieces = []
    for word in words:
        if word is None:
            raise AmbiguousError(what)
        try:
            data = _word_bytes(word[2].lower(), word[3])
            pieces.append(data.decode("ascii" if word[1].lower() == "us-ascii" else "utf-8"))
        except ValueError as error:
            raise AmbiguousError(what) from error
    text = "".join(pieces)
    if _CONTROL.search(text):
        raise AmbiguousError(what)
    return text


def _word_bytes(encoding: str, text: str) -> bytes:
    if encoding == "b":
        return binascii.a2b_base64(text, strict_mode=True)
    if not _Q_TEXT.fullmatch(text):
        raise ValueError("no text in Q")
    return unquote_to_bytes(text.replace("%", "=25").replace("_", "=20").replace("=", "%"))


def read_mailboxes(what: str, value: str) -> tuple[Mailbox, ...]:
    """Return the mailboxes of a list; groups, comments, routes and quoted local parts raise."""
    found, place = [], 0
    while True:
        one = _MAILBOX.match(value, place)
        if one is None:
            raise AmbiguousError(what)
        quoted, phrase, inside, bare, comma = one.groups()
        name = regex.sub(r"\\(.)", r"\1", quoted) if quoted is not None else (phrase or "").strip()
        if "=?" in name:
            if quoted is not None:
                raise AmbiguousError(what)
            name = _read_words(name, what)
        found.append(Mailbox(name, inside or bare))
        if not comma:
            return tuple(found)
        place = one.end()


def read_parameters(value: str) -> Parameterised:
    """Return a value with its parameters, each of which may stand there once (RFC 2045, 2231)."""
    head = _VALUE.match(value)
    if head is None:
        raise AmbiguousError("structure")
    given: dict[str, str] = {}
    place = head.end()
    while place < len(value):
        one = _PARAMETER.match(value, place)
        if one is None or one[1].lower() in given or "=?" in one[0]:
            raise AmbiguousError("structure")
        # Some end a value at the semicolon, in quotes or not.
        if one[2] and ";" in one[2]:
            raise AmbiguousError("structure")
        given[one[1].lower()] = one[3] if one[3] is not None else _ESCAPED.sub(r"\1", one[2])
        place = one.end()
    return Parameterised(head[1].lower(), _join_sections(given))


def _join_sections(given: dict[str, str]) -> dict[str, str]:
    """Join parameters that come in numbered sections; raises where any is missing or said twice."""
    joined: dict[str, str] = {}
    sections: dict[str, dict[int, tuple[str, bool]]] = {}
    for name, text in given.items():
        section = _SECTION.fullmatch(name)
        if section is None:
            raise AmbiguousError("structure")
        if section[2] is None and section[3] is None:
            joined[name] = text
            continue
        pieces = sections.setdefault(section[1], {})
        if int(section[2] or 0) in pieces:
            raise AmbiguousError("structure")
        pieces[int(section[2] or 0)] = (text, section[3] is not None)
    for name, pieces in sections.items():
        if name in joined or sorted(pieces) != list(range(len(pieces))):
            raise AmbiguousError("structure")
        joined[name] = _decode_sections([pieces[number] for number in range(len(pieces))])
    return joined


def _decode_sections(pieces: list[tuple[str, bool]]) -> str:
    (first, is_extended), *rest = pieces
    if is_extended:
        charset, _, first = first.partition("''")
        if charset.lower() not in {"utf-8", "us-ascii"}:
            raise AmbiguousError("structure")
    data = b""
    for text, extended in [(first, is_extended), *rest]:
        if extended and (not is_extended or not _EXTENDED.fullmatch(text)):
            raise AmbiguousError("structure")
        data += unquote_to_bytes(text) if extended else text.encode()
    try:
        name = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise AmbiguousError("structure") from error
    if _CONTROL.search(name):
        raise AmbiguousError("structure")
    return name
