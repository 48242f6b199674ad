"""Names of mailboxes on the wire (modified UTF-7, RFC 3501 5.1.3), and the roles they play."""

import re
from collections.abc import Iterable
from functools import cache

from imapclient import imap_utf7

from inbox.languages.patterns import names_of
from inbox.providers.imap.responses import GarbledAnswerError
from inbox.providers.mail_store import StoreError
from inbox.reasons import phrase as _

LONGEST_NAME = 1000
_UNFIT = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
ALL_MAIL = "all"
# RFC 6154 to RFC 8621.
SPECIAL_USES = {
    b"\\archive": "archive",
    b"\\drafts": "drafts",
    b"\\junk": "junk",
    b"\\sent": "sent",
    b"\\trash": "trash",
    b"\\inbox": "inbox",
    b"\\all": ALL_MAIL,
}
# They show messages that lie in other mailboxes.
VIRTUAL = frozenset({b"\\flagged", b"\\important"})


def quoted(text: bytes) -> bytes:
    """Return text as a quoted string (RFC 9051 4.3)."""
    if any(byte < 32 or byte > 126 for byte in text):
        raise StoreError("permanent", _("A text with control characters cannot be sent to IMAP."))
    return b'"' + text.replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"'


def read_name(raw: object) -> str:
    """Return a mailbox's name as text; raises GarbledAnswerError for what is none."""
    if isinstance(raw, int):  # a name of digits alone
        return str(raw)
    if raw is None:  # a mailbox called NIL
        return "NIL"
    if not isinstance(raw, bytes) or not 0 < len(raw) <= LONGEST_NAME:
        raise GarbledAnswerError("the name of a mailbox cannot be read")
    if raw.upper() == b"INBOX":
        return "INBOX"
    try:
        name: str = imap_utf7.decode(raw)
    except ValueError as error:
        raise GarbledAnswerError("the name of a mailbox cannot be read") from error
    if _UNFIT.search(name):
        raise GarbledAnswerError("the name of a mailbox cannot be read")
    return name


def write_name(name: str) -> bytes:
    """Return a mailbox's name as it goes over the wire."""
    try:
        wire: bytes = imap_utf7.encode(name)
    except UnicodeEncodeError as error:
        raise StoreError(
            "permanent", _("%(name)s cannot be the name of a mailbox.", name=repr(name))
        ) from error
    return wire


def role_by_use(attributes: Iterable[bytes]) -> str:
    """Return the role that a mailbox's attributes give it; empty: none."""
    roles = (SPECIAL_USES.get(attribute.lower(), "") for attribute in attributes)
    return next(filter(None, roles), "")


def role_by_name(name: str, delimiter: str) -> str:
    """Return the role that a mailbox usually has which is called so; empty: none."""
    if name == "INBOX":
        return "inbox"
    parts = name.split(delimiter) if delimiter else [name]
    # Directly below the root, INBOX or a provider's own folder; not a role of a folder's folder.
    top = len(parts) == 1 or (len(parts) == 2 and parts[0].startswith(("INBOX", "[")))
    return _usual_roles().get(parts[-1].casefold(), "") if top else ""


@cache
def _usual_roles() -> dict[str, str]:
    return names_of(lambda it: it.mail.mailboxes)
