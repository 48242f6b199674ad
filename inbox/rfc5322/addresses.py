"""Addresses (RFC 5322 3.4) as they come in, read leniently and in linear time."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

from inbox.rfc5322.address_check import check_address
from inbox.rfc5322.encoded_words import decode_words, protect_words
from inbox.rfc5322.lookalikes import display_name_deceives, is_lookalike
from inbox.rfc5322.unicode_text import clean_line

__all__ = [
    "Address",
    "check_address",
    "display_name_deceives",
    "is_lookalike",
    "parse_addresses",
    "read_mailboxes",
    "stands_in",
]

MAX_EMAIL = 320
MAX_NAME = 500

_SIMPLE = re.compile(
    r'\s*(?:"([^"\\]*)"|([^"\\<>@,;:()\[\]]*?))\s*<([^\s<>@"(),:;\\]+@[^\s<>@"(),:;\\]+)>\s*'
)
_BARE = re.compile(r"[^\s<>@\"(),:;\\\[\]]+@[^\s<>@\"(),:;\\\[\]]+")
_SPECIAL = re.compile(r'["(<>,;:]')
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*+)"', re.DOTALL)
_AT_DOMAIN = re.compile(r"@[^\s<>(),;:\"]+")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
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
    if len(header) <= 300:
        found = _parse_short(header)
        return found if limit is None else found[:limit]
    return tuple(_decoded(*pair) for pair in read_mailboxes(header, limit))


def read_mailboxes(header: str, limit: int | None = None) -> list[tuple[str, str]]:
    """Return (name, address) pairs as they were written, encoded words and all."""
    simple = _SIMPLE.fullmatch(header)
    if simple is not None:
        return [((simple[1] or simple[2] or "").strip(), simple[3])]
    if _BARE.fullmatch(header):
        return [("", header)]
    return _Reader(protect_words(header), limit).read()


@lru_cache(maxsize=4096)
def _parse_short(header: str) -> tuple[Address, ...]:
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
    if len(email) > MAX_EMAIL:
        name, email = name or email, ""
    local, at, domain = email.rpartition("@")
    email = local + at + domain.lower()
    if name.lower() == email.lower():
        name = ""
    return Address(email, name[:MAX_NAME])


@dataclass(slots=True)
class _Mailbox:
    """The mailbox that is being read."""

    words: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    email: str | None = None


class _Reader:
    """Reads a header value from one special character to the next."""

    def __init__(self, header: str, limit: int | None) -> None:
        self.header = header
        self.limit = limit
        self.position = 0
        self.found: list[tuple[str, str]] = []
        self.mailbox = _Mailbox()
        # One that never closes is an ordinary character, and so are all after it.
        self.quotes_close = self.comments_close = True
        self.handlers: dict[str, Callable[[], None]] = {
            '"': self.quote,
            "(": self.comment,
            "<": self.angle,
            ",": self.finish,
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

    def word(self, text: str) -> None:
        """Take the text between two special characters."""
        text = text.strip()
        if text:
            self.mailbox.words.append(text)

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
            self.word(_ESCAPED.sub(r"\1", quoted[1]))

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
        self.mailbox.email = text.removeprefix("mailto:").strip()

    def colon(self) -> None:
        """Forget the name of a group (RFC 5322 3.4)."""
        if self.mailbox.email is None:
            self.mailbox = _Mailbox()

    def finish(self) -> None:
        """Add the mailbox that was read, if there is one."""
        mailbox, self.mailbox = self.mailbox, _Mailbox()
        phrase = " ".join(mailbox.words)
        comment = " ".join(filter(None, mailbox.comments))
        if mailbox.email is not None:
            if mailbox.email or phrase or comment:
                self.found.append((phrase or comment, mailbox.email))
        elif phrase:
            self.found.append(_without_brackets(phrase, comment))


def _without_brackets(phrase: str, comment: str) -> tuple[str, str]:
    """Read `a@b`, `a@b (Name)`, `Name a@b`, or a name that has no address."""
    email = _BARE.search(phrase)
    if email is None:
        return phrase, ""
    rest = (phrase[: email.start()] + phrase[email.end() :]).strip()
    return rest or comment, email[0]
