r"""Flags as IMAP has them (`\Seen`) and keywords as JMAP names them (`$seen`, RFC 8621 4.1.1)."""

import functools
import re
from collections.abc import Iterable

from inbox.providers.mail_store import StoreError
from inbox.reasons import phrase as _

_SYSTEM = {
    rb"\seen": "$seen",
    rb"\flagged": "$flagged",
    rb"\answered": "$answered",
    rb"\draft": "$draft",
    rb"\deleted": "$deleted",
}
_FLAGS = {
    "$seen": rb"\Seen",
    "$flagged": rb"\Flagged",
    "$answered": rb"\Answered",
    "$draft": rb"\Draft",
    "$deleted": rb"\Deleted",
}
# An atom of RFC 9051 9: no space, parenthesis, brace, wildcard, quote, backslash or bracket.
_ATOM = re.compile(r"[!#$&'+\-./0-9:;<=>?@A-Z\[^_`a-z|}~]{1,200}")
MOST_KEYWORDS = 100


@functools.lru_cache(maxsize=1000)
def keywords_of(flags: bytes) -> frozenset[str]:
    r"""Return the keywords of a list of flags, without parentheses.

    `\Recent` and other flags of the system that are not ours to keep are left out, and so is what
    is no keyword; at most `MOST_KEYWORDS` count.
    """
    found = set()
    for flag in flags.lower().split()[: 2 * MOST_KEYWORDS]:
        if flag.startswith(b"\\"):
            found.add(_SYSTEM.get(flag, ""))
        elif _ATOM.fullmatch(text := flag.decode("ascii", "replace")):
            found.add(text)
    return frozenset(sorted(found - {""})[:MOST_KEYWORDS])


def flags_of(keywords: Iterable[str]) -> bytes:
    """Return keywords as a list of flags in parentheses.

    Raises StoreError (`permanent`) for a keyword that IMAP cannot write.
    """
    flags = []
    for keyword in sorted(keywords):
        if not _ATOM.fullmatch(keyword):
            raise StoreError(
                "permanent",
                _("%(keyword)s cannot be a keyword on an IMAP server.", keyword=repr(keyword)),
            )
        flags.append(_FLAGS.get(keyword) or keyword.encode())
    return b"(%b)" % b" ".join(flags)
