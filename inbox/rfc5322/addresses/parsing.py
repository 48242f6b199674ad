"""Addresses (RFC 5322 3.4) as they come in, read leniently and in linear time."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

from inbox.rfc5322.addresses.check import check_address
from inbox.rfc5322.addresses.lookalikes import display_name_deceives, is_lookalike
from inbox.rfc5322.encoded_words import decode_words, protect_words
from inbox.rfc5322.text.unicode_text import clean_line

__all__ = [
    "Address",
    "check_address",
    "display_name_deceives",
    "is_lookalike",
    "parse_addresses",
    "parse_authors",
    "read_authors",
    "read_mailboxes",
    "stands_in",
]

MAX_EMAIL = 320
MAX_NAME = 500
# Values of so many characters are kept with what they name: those of one conversation repeat them.
_SHORT, _LONGEST_KEPT = 300, 4000

_SIMPLE = re.compile(
    r'\s*(?:"([^"\\]*)"|([^"\\<>@,;:()\[\]]*?))\s*<([^\s<>@"(),:;\\]+@[^\s<>@"(),:;\\]+)>\s*'
)
_BARE = (
    re.compile(  # from the beginning of a word on only, or a long one would be read over and over
        r"(?<![^\s<>@\"(),:;\\\[\]])[^\s<>@\"(),:;\\\[\]]++@[^\s<>@\"(),:;\\\[\]]+"
    )
)
_SPECIAL = re.compile(r'["(<>,;:]')
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*+)"', re.DOTALL)
_AT_DOMAIN = re.compile(r"@[^\s<>(),;:\"]+")
_NO_ATOM = re.compile(r'[\s<>@"(),:;\\\[\]]')
_NO_DOMAIN = re.compile(r'[\s<>@"(),;\\]')
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_NO_COMMENTS = str.maketrans("()", "  ")
_COMMENT_MARK = re.compile(r"[()]|\\.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Address:
    """A mailbox: its address as it was written, the domain in lower case, and the name shown."""

    email: str
    name: str = ""

    def as_json(self) -> dict[str, str]:
        """Return the wire form; an empty name is left out."""
        return {"name": self.name, "email": self.email} if self.name else {"email": self.email}


def stands_in(email: str, text: str) -> bool:
    """Return whether a text holds this very address, and not only a longer one that it is part of.

    Without regard to case.
    """
    wanted, lowered = email.lower(), text.lower()
    if not wanted or wanted not in lowered:
        return False
    whole = rf"(?<![\w.!#$%&'*+/=?^`{{|}}~-]){re.escape(wanted)}(?!\.?[\w-])"
    return re.search(whole, lowered) is not None


def parse_addresses(header: str, limit: int | None = None) -> tuple[Address, ...]:
    """Return the mailboxes of a header value, decoded and clean; groups are flattened.

    Never raises: what is no address keeps its text as the name, with an empty address.
    """
    if len(header) <= _LONGEST_KEPT:
        found = _parse_short(header) if len(header) <= _SHORT else _parse_longer(header)
        return found if limit is None else found[:limit]
    return tuple(_decoded(*pair) for pair in read_mailboxes(header, limit))


def parse_authors(header: str, limit: int | None = None) -> tuple[Address, ...]:
    """Return the mailboxes of a From value, decoded and clean, as `read_authors` reads them."""
    return tuple(_decoded(*pair) for pair in read_authors(header, limit)[0])


def read_mailboxes(header: str, limit: int | None = None) -> list[tuple[str, str]]:
    """Return (name, address) pairs as they were written, encoded words and all.

    A name with a comma in it that nobody quoted is one name: `Doe, John <j@d.example>`.
    """
    return _read_plain(header) or _Reader(protect_words(header), limit).read()


def read_authors(header: str, limit: int | None = None) -> tuple[list[tuple[str, str]], bool]:
    """Return the pairs of a From value, and whether addresses had to be picked out of a broken one.

    Where there is any address, what has none is a piece of somebody's name. What stands in a
    comment or in quotes is none by RFC 5322 3.2.2 and 3.4; it counts where there is no other. In
    a broken value those in angle brackets count before all.
    """
    if plain := _read_plain(header):
        return plain, False
    shown = protect_words(header)
    ways = (shown, False), (shown.translate(_NO_COMMENTS), False), (shown, True)
    for text, with_quoted in ways:
        reader = _Reader(text, limit, with_quoted=with_quoted)
        found = reader.read()
        if any("@" in email for _, email in found):
            is_whole = text == shown and all("@" in email for _, email in found)
            is_broken = reader.is_broken or not is_whole
            only = reader.brackets if is_broken else set()
            return _with_whole_names(found, only), is_broken
    return found, False


def _read_plain(header: str) -> list[tuple[str, str]]:
    """Return the only mailbox of a value in one of the usual forms; nothing for any other."""
    simple = _SIMPLE.fullmatch(header)
    if simple is not None:
        return [((simple[1] or simple[2] or "").strip(), simple[3])]
    return [("", header)] if _BARE.fullmatch(header) else []


def _with_whole_names(pairs: list[tuple[str, str]], only: set[int]) -> list[tuple[str, str]]:
    """Give what has no address to the name of the next that has one, at the end to the last.

    `only` are the places of those that have one, where not each that looks like it is to count.
    """
    whole: list[tuple[str, str]] = []
    pieces: list[str] = []
    for place, (name, email) in enumerate(pairs):
        if "@" in email and (not only or place in only):
            whole.append((_joined([*pieces, name]), email))
            pieces = []
        else:
            pieces.append(" ".join(filter(None, (name, email))))
    if pieces:
        name, email = whole.pop()
        whole.append((_joined([name, *pieces]), email))
    return whole


def _joined(pieces: list[str]) -> str:
    """Return a name that commas had cut, without the pieces that say nothing."""
    return ", ".join(piece for piece in pieces if piece.strip("_-.,;: \t"))


@lru_cache(maxsize=4096)
def _parse_short(header: str) -> tuple[Address, ...]:
    return tuple(_decoded(*pair) for pair in read_mailboxes(header))


@lru_cache(maxsize=128)
def _parse_longer(header: str) -> tuple[Address, ...]:
    return tuple(_decoded(*pair) for pair in read_mailboxes(header))


def _decoded(raw_name: str, raw_email: str) -> Address:
    """Decode and clean a mailbox, and bring it within bounds."""
    name = clean_line(decode_words(raw_name[:8000])[0])[0]
    if len(name) > 1 and name[0] == name[-1] == "'":
        name = name[1:-1].strip()
    email = raw_email
    if "=?" in email:
        email = decode_words(email)[0]
    email = clean_line(email)[0]
    if not email.startswith('"'):
        email = email.replace(" ", "")
    if email[:1] == "'" == email[-1:]:
        email = email[1:-1]
    valid = _valid(email)
    name, email = (name, valid) if valid else (name or email, "")
    if name.lower() == email.lower():
        name = ""
    return Address(email, name[:MAX_NAME])


def _valid(email: str) -> str:
    """Return the address as RFC 5322 3.4.1 lets it be written; "" where it cannot be.

    The domain is in lower case and without the dot of the root; a local part that needs quotes
    has them.
    """
    local, _, domain = email.rpartition("@")
    domain = domain.lower().rstrip(".")
    if not local or not domain or len(email) > MAX_EMAIL or _NO_DOMAIN.search(domain):
        return ""
    if _NO_ATOM.search(local) and not _QUOTED.fullmatch(local):
        escaped = re.sub(r'(["\\])', r"\\\1", local.strip('"'))
        local = f'"{escaped}"'
    return f"{local}@{domain}"


@dataclass(slots=True)
class _Mailbox:
    """The mailbox that is being read."""

    words: list[str] = field(default_factory=list)
    quoted: list[bool] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    email: str | None = None
    in_brackets: bool = False


class _Reader:
    """Reads a header value from one special character to the next.

    `with_quoted`: an address that is all in quotes is one, and no name.
    """

    def __init__(self, header: str, limit: int | None, *, with_quoted: bool = True) -> None:
        self.header = header
        self.limit = limit
        self.with_quoted = with_quoted
        self.position = 0
        self.found: list[tuple[str, str]] = []
        self.mailbox = _Mailbox()
        # Names without an address, each ended by a comma: perhaps the beginning of the next name.
        self.names: list[tuple[str, str]] = []
        self.is_broken = False
        self.brackets: set[int] = set()
        # One that never closes is an ordinary character, and so are all after it.
        self.quotes_close = self.comments_close = True
        self.handlers: dict[str, Callable[[], None]] = {
            '"': self.quote,
            "(": self.comment,
            "<": self.angle,
            ",": self.comma,
            ";": self.finish,
            ":": self.colon,
            ">": self.skip,
        }

    def read(self) -> list[tuple[str, str]]:
        """Return the (name, address) pairs."""
        while special := _SPECIAL.search(self.header, self.position):
            self.word(self.header[self.position : special.start()])
            self.position = special.end()
            self.handlers[special[0]]()
            if self.limit is not None and len(self.found) >= self.limit:
                return self.found[: self.limit]
        self.word(self.header[self.position :])
        self.finish()
        return self.found if self.limit is None else self.found[: self.limit]

    def skip(self) -> None:
        """Pass over a character that says nothing here."""

    def word(self, text: str, *, is_quoted: bool = False) -> None:
        """Take the text between two special characters."""
        text = text.strip()
        if text:
            self.mailbox.words.append(text)
            self.mailbox.quoted.append(is_quoted)

    def quote(self) -> None:
        """Take a quoted string: a name, or the local part of an address."""
        quoted = _QUOTED.match(self.header, self.position - 1) if self.quotes_close else None
        if quoted is None:
            self.quotes_close = False
            return
        self.position = quoted.end()
        domain = _AT_DOMAIN.match(self.header, self.position)
        if domain is not None and self.mailbox.email is None:
            self.mailbox.email = quoted[0] + domain[0]
            self.position = domain.end()
        else:
            self.word(_ESCAPED.sub(r"\1", quoted[1]), is_quoted=True)

    def comment(self) -> None:
        """Take a comment; they nest (RFC 5322 3.2.2)."""
        depth = 1
        for mark in (
            _COMMENT_MARK.finditer(self.header, self.position) if self.comments_close else ()
        ):
            depth += {"(": 1, ")": -1}.get(mark[0], 0)
            if depth == 0:
                text = self.header[self.position : mark.start()]
                self.mailbox.comments.append(_ESCAPED.sub(r"\1", text).strip())
                self.position = mark.end()
                return
        self.comments_close = False

    def angle(self) -> None:
        """Take an address in angle brackets; a second one begins another mailbox."""
        close = self.header.find(">", self.position)
        comma = self.header.find(",", self.position)
        if close < 0 or (0 <= comma < close and not self.header.startswith("@", self.position)):
            close = comma if comma >= 0 else len(self.header)  # the bracket was forgotten
        text = self.header[self.position : close]
        self.position = close
        if self.mailbox.email is not None:
            self.finish()
        if text.startswith("@"):
            text = text.rpartition(":")[2]  # a source route (RFC 5322 4.4)
        if "<" in text:
            text, self.is_broken = text.rpartition("<")[2], True
        self.mailbox.email = _unquoted(text.removeprefix("mailto:").strip())
        self.mailbox.in_brackets = "@" in self.mailbox.email

    def colon(self) -> None:
        """Forget the name of a group (RFC 5322 3.4)."""
        if self.mailbox.email is None:
            self.mailbox, self.names = _Mailbox(), []

    def comma(self) -> None:
        """Add the mailbox that was read; a name alone waits for what comes after it."""
        phrase = " ".join(self.mailbox.words)
        if phrase and self.mailbox.email is None and not self.address_in(self.mailbox):
            self.mailbox = _Mailbox()
            self.names.append((phrase, ""))
        else:
            self.add(self.mailbox)

    def address_in(self, mailbox: _Mailbox) -> re.Match[str] | None:
        """Return the address among the words of a mailbox without brackets."""
        words = zip(mailbox.words, mailbox.quoted, strict=True)
        plain = " ".join(word for word, quoted in words if self.with_quoted or not quoted)
        return _BARE.search(plain) if "@" in plain else None

    def finish(self) -> None:
        """Add the mailbox that was read, if there is one, and end the names before it."""
        self.add(self.mailbox)
        self.found += self.names
        self.names = []

    def add(self, mailbox: _Mailbox) -> None:
        """Add a mailbox; names before one in angle brackets are the beginning of its name."""
        self.mailbox = _Mailbox()
        phrase = " ".join(mailbox.words)
        comment = " ".join(filter(None, mailbox.comments))
        pair = (phrase or comment, mailbox.email or "")
        if mailbox.email is None:
            pair = _without_brackets(phrase, comment, self.address_in(mailbox))
        if self.names and mailbox.in_brackets:
            pair = (_joined([*(name for name, _ in self.names), pair[0]]), pair[1])
            self.names, self.is_broken = [], True
        self.found += self.names
        self.names = []
        if mailbox.in_brackets:
            self.brackets.add(len(self.found))
        self.found += [pair] if any(pair) else []


def _unquoted(email: str) -> str:
    """Return an address that is in quotes as a whole, `<"a@b.example">`, without them."""
    inside = email[1:-1]
    is_quoted = len(email) > 2 and email[0] == email[-1] == '"' and '"' not in inside
    return inside.strip() if is_quoted and "@" in inside else email


def _without_brackets(phrase: str, comment: str, address: re.Match[str] | None) -> tuple[str, str]:
    """Read `a@b`, `a@b (Name)`, `Name a@b`, or a name that has no address."""
    if address is None:
        return phrase, ""
    rest = " ".join(phrase.replace(address[0], " ", 1).replace("<>", "").split())
    return rest or comment, address[0]
