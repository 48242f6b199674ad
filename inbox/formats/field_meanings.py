"""What the value of a header field says, however it is encoded, quoted and folded.

Nothing that is said is left out: words, addresses, their order, groups and comments. What cannot be
read for certain stands as its bytes.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from inbox.rfc5322.encoded_words import decode_words, protect_words

# What two values have in common if they say the same.
Meaning: TypeAlias = bytes | str | tuple[str, ...]

# Bytes of a value that are read; a longer one stands as it is.
_LONGEST: Final = 300_000
_OF_ADDRESSES = frozenset({"bcc", "cc", "from", "reply-to", "sender", "to"})
# Unstructured by RFC 5322 3.6.5, RFC 2045 8, and as mailers have them.
_OF_WORDS = frozenset({
    "comments", "content-description", "keywords", "organization", "subject", "thread-topic"
})  # fmt: skip
# Each begins where the one before it ended, and a quoted string that never ends takes all.
_TOKEN = re.compile(r'"((?:[^"\\]|\\.|\\\Z)*+)("|\Z)|([<>(),:;])|([^"<>(),:;\s]+)', re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_SPACES = re.compile(r"[ \t]+")


def meaning(name: str, value: bytes) -> Meaning:
    """Return what a field's value says; `name` is in lower case.

    Encoded words are read (RFC 2047) in text, and in names and comments among addresses (RFC 5322
    3.4); the domain of an address is in lower case, and a name that is the address itself is none.
    Of all other fields the bytes count, without their folds.
    """
    plain = b" ".join(value.split())
    is_of_addresses = name.removeprefix("resent-") in _OF_ADDRESSES
    is_of_words = name in _OF_WORDS or name.startswith("x-")
    if len(plain) > _LONGEST or not (is_of_addresses or is_of_words):
        return plain
    try:
        text = plain.decode()
    except UnicodeDecodeError:
        return plain
    if b"\x1b" in plain:
        return plain
    try:
        return _of_addresses(text) if is_of_addresses else _decoded(text)
    except _UnreadableError:
        return plain


class _UnreadableError(Exception):
    """A word is in no charset that we know or not in the one it names, or a quote never ends."""


def _decoded(text: str) -> str:
    decoded, is_bad = decode_words(text)
    if is_bad:
        raise _UnreadableError
    return _SPACES.sub(" ", decoded).strip(" \t")


@dataclass(frozen=True, slots=True)
class _Token:
    """A mark of address syntax, or words; `joins`: it stands right behind what is before it."""

    text: str
    is_mark: bool
    is_quoted: bool
    joins: bool


def _tokens(text: str) -> Iterator[_Token]:
    end = 0
    for found in _TOKEN.finditer(text):
        joins = found.start() == end
        end = found.end()
        if found[2] == "":
            raise _UnreadableError
        if found[2]:
            yield _Token(_ESCAPED.sub(r"\1", found[1]), is_mark=False, is_quoted=True, joins=joins)
        else:
            yield _Token(found[0], is_mark=bool(found[3]), is_quoted=False, joins=joins)


def _of_addresses(text: str) -> tuple[str, ...]:
    """Return marks and what stands between them; each mailbox as its name and `<address>`."""
    pieces: list[str] = []
    found: list[str] = []

    def end_words() -> None:
        if words := _decoded("".join(pieces)):
            found.append(f"={words}")
        pieces.clear()

    last = _Token("", is_mark=True, is_quoted=False, joins=False)
    for token in _tokens(protect_words(text)):
        if token.is_mark:
            end_words()
            found.append(token.text)
        else:
            _add_words(pieces, last, token)
        last = token
    end_words()
    return tuple(_of_mailboxes(found))


def _add_words(pieces: list[str], last: _Token, token: _Token) -> None:
    """Add words; a quoted part of an address keeps its quotes, which say where it ends."""
    if token.joins and not last.is_mark:
        if last.is_quoted:
            pieces[-1] = f'"{pieces[-1]}"'
        pieces.append(f'"{token.text}"' if token.is_quoted else token.text)
    else:
        pieces += [" ", token.text] if pieces else [token.text]


def _of_mailboxes(found: list[str]) -> Iterator[str]:
    """Yield a bare address as one in angle brackets, and leave out names that say it again."""
    for at, one in enumerate(found):
        if not one.startswith("="):
            yield one
            continue
        before, after = found[at - 1 : at], found[at + 1 : at + 4]
        words = one[1:]
        if before == ["<"]:
            yield _address(words)
        elif _is_address(words) and after[:1] != ["<"] and _stands_alone(before, after):
            yield from ("<", _address(words), ">")
        elif after == ["<", "=" + words, ">"] and _is_address(words):
            continue
        else:
            yield one


def _stands_alone(before: list[str], after: list[str]) -> bool:
    return before in ([], [","], [":"], [";"]) and after[:1] in ([], [","], [";"])


def _is_address(words: str) -> bool:
    return words.count("@") == 1 and not re.search(r"\s", words)


def _address(words: str) -> str:
    local, at, domain = words.rpartition("@")
    return f"{local}{at}{domain.lower()}"
