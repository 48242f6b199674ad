"""The strict check of an address that mail is about to be sent to."""

import re
import unicodedata

import idna

from inbox.reasons import phrase as _
from inbox.rfc5322.text.unicode_text import clean_line

_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\U0010ffff-]+"
_LOCAL = re.compile(rf"{_ATOM}(?:\.{_ATOM})*")
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_NAMED = re.compile(r'(?:"([^"\\<>@,;:]*)"|([^"\\<>@,;:()\[\]]*?))\s*<([^<>]*)>')


def check_address(text: str) -> str:
    """Return the one bare address in `text`, its domain in lower-case ASCII (RFC 5890).

    A plain display name before `<address>` is accepted and dropped. Raises ValueError saying why
    anything else is refused: lists, comments, hidden or control characters, names that hold
    another address, quoted local parts, domains that are no public host name.
    """
    trimmed = text.strip(" \t")
    if clean_line(trimmed)[0] != " ".join(unicodedata.normalize("NFC", trimmed).split(" ")):
        raise ValueError(
            _(
                "it contains control or hidden characters; enter one address such as "
                "name@host.example"
            )
        )
    named = _NAMED.fullmatch(trimmed)
    address = named[3] if named else trimmed
    if any(mark in address for mark in ',;<>()":\\[]') or address.count("@") != 1:
        raise ValueError(
            _("it is not exactly one address; enter one address such as name@host.example")
        )
    local, _at, domain = unicodedata.normalize("NFC", address).partition("@")
    if not _LOCAL.fullmatch(local):
        raise ValueError(
            _("the part before @ is not valid; enter one address such as name@host.example")
        )
    if len(local.encode()) > 64:
        raise ValueError(_("the part before @ is longer than 64 bytes (RFC 5321 4.5.3.1)"))
    checked = f"{local}@{_ascii_domain(domain)}"
    if len(checked.encode()) > 254:
        raise ValueError(_("it is longer than 254 bytes (RFC 5321 4.5.3.1)"))
    return checked


def _ascii_domain(domain: str) -> str:
    try:
        ascii_form = domain.lower() if domain.isascii() else _encode(domain)
    except UnicodeError as error:
        raise ValueError(
            _("the domain is not valid (RFC 5891); enter one address such as name@host.example")
        ) from error
    labels = ascii_form.split(".")
    if len(labels) < 2 or not all(_LABEL.fullmatch(label) for label in labels):
        raise ValueError(
            _("the domain is not a host name; enter one address such as name@host.example")
        )
    if labels[-1].isdigit():
        raise ValueError(
            _(
                "the domain is a number, not a host name; enter one address such as "
                "name@host.example"
            )
        )
    return ascii_form


def _encode(domain: str) -> str:
    return idna.encode(domain.lower(), uts46=True).decode("ascii")
