"""Addresses as a person types them: what can be read in two ways is refused, never guessed at."""

import re
import unicodedata

from inbox.reasons import phrase as _
from inbox.rfc5322.addresses.parsing import Address, check_address
from inbox.rfc5322.text.unicode_text import clean_line

# "A name" <address>, a name <address>, or a bare address; then a comma or the end.
_TYPED = re.compile(
    r'\s*(?:(?:"((?:[^"\\]|\\.)*)"\s*|([^"\\<>@,;:()\[\]]*))<([^<>]*)>|([^\s"\\<>,;:()]+))\s*(?:,|$)'
)


def read_typed_addresses(text: str) -> tuple[Address, ...]:
    """Return the addresses of a line, separated by commas, each with a name or without one.

    Raises ValueError naming the first that is not plainly one address, or cannot be written to; a
    name that holds another address is such.
    """
    text = text.strip(" \t")
    plain = " ".join(unicodedata.normalize("NFC", text).split(" "))
    if clean_line(text)[0] != plain:
        raise ValueError(_("there are line breaks, control or hidden characters among them"))
    found, place = [], 0
    while place < len(text):
        piece = _TYPED.match(text, place)
        if piece is None:
            raise ValueError(
                _(
                    "%(text)s is not clearly a single address",
                    text=repr(text[place : place + 80].strip()),
                )
            )
        found.append(_check(piece))
        place = piece.end()
    return tuple(found)


def _check(piece: re.Match[str]) -> Address:
    quoted, plain, inside, bare = piece.groups()
    name = (re.sub(r"\\(.)", r"\1", quoted) if quoted is not None else plain or "").strip()
    given = inside if bare is None else bare
    try:
        address = check_address(given)
    except ValueError as error:
        raise ValueError(f"{given[:80]!r}: {error}") from error
    if "@" in name and name.lower() != address.lower():
        raise ValueError(
            _(
                "the name %(name)s contains an address other than %(address)s",
                name=repr(name[:80]),
                address=address,
            )
        )
    return Address(address, name)
