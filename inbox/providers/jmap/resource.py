"""The session resource of a server (RFC 8620 2): what it can do, within which limits, and where."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from inbox.providers.dav.hrefs import UnfitAddressError, host_of, is_related, origin, resolved
from inbox.providers.mail_store import LARGEST_MESSAGE, StoreError
from inbox.reasons import phrase as _

CORE = "urn:ietf:params:jmap:core"
MAIL = "urn:ietf:params:jmap:mail"
SUBMISSION = "urn:ietf:params:jmap:submission"
# Many blobs in one answer: as RFC 9404 has it, and as Cyrus calls an earlier draft of it.
BLOBS = ("urn:ietf:params:jmap:blob", "https://cyrusimap.org/ns/jmap/blob")
CONTACTS = "urn:ietf:params:jmap:contacts"
CALENDARS = "urn:ietf:params:jmap:calendars"
# What Cyrus calls its own, which are earlier drafts of these.
CYRUS_CONTACTS = "https://cyrusimap.org/ns/jmap/contacts"
CYRUS_CALENDARS = "https://cyrusimap.org/ns/jmap/calendars"
COLLECTIONS = frozenset({CONTACTS, CALENDARS, CYRUS_CONTACTS, CYRUS_CALENDARS})
_KNOWN = (MAIL, SUBMISSION, *sorted(COLLECTIONS))
_VARIABLE = re.compile(r"\{([A-Za-z]{1,40})\}")
_LONGEST_TEMPLATE = 2000
# What is asked for at once, whatever a server allows, and what it has to allow at the least.
_MOST_OBJECTS, _FEWEST = 1000, 10


@dataclass(frozen=True, slots=True)
class SessionResource:
    """What we use of it; addresses may be templates (RFC 6570, level 1).

    `accounts` are those that are the user's own, by the capability that they have; `read_only` are
    those in which nothing may be changed. `blobs` is the capability by which one answer holds many
    blobs; empty where there is none.
    """

    url: str
    accounts: Mapping[str, str]
    read_only: frozenset[str]
    api_url: str
    download_url: str
    upload_url: str
    event_url: str
    most_in_get: int
    most_in_set: int
    largest_request: int
    largest_upload: int
    blobs: str

    @property
    def account(self) -> str:
        """The account that has mail; raises StoreError where none has."""
        found = self.accounts.get(MAIL)
        if found is None:
            words = _("%(host)s has no mail for this user name.", host=host_of(self.url))
            raise StoreError("permanent", words)
        return found

    @property
    def can_send(self) -> bool:
        """Whether mail may be sent from that account."""
        return MAIL in self.accounts and self.accounts.get(SUBMISSION) == self.accounts[MAIL]

    @property
    def using(self) -> list[str]:
        """What of the server requests make use of (RFC 8620 3.3)."""
        return [CORE, *self.accounts, *([self.blobs] if self.blobs else [])]

    def filled(self, template: str, **values: str) -> str:
        """Return an address of a template, each value as one part of it."""
        given = {"accountId": self.account, **values}
        return _VARIABLE.sub(lambda found: quote(given.get(found[1], ""), safe=""), template)


def read_resource(url: str, fields: Mapping[str, Any]) -> SessionResource:
    """Read a session resource that came from an address; raises StoreError.

    Where it names other hosts than its own and those beside or below it, no credential goes there.
    """
    core = _mapping(_mapping(fields, "capabilities"), CORE)
    accounts = _mapping(fields, "accounts").items()
    return SessionResource(
        url=url,
        accounts=_own_accounts(fields),
        read_only=frozenset(key for key, one in accounts if _is_read_only(one)),
        api_url=_credible(url, fields, "apiUrl"),
        download_url=_credible(url, fields, "downloadUrl"),
        upload_url=_credible(url, fields, "uploadUrl"),
        event_url=_credible(url, fields, "eventSourceUrl", required=False),
        most_in_get=_limit(core, "maxObjectsInGet", _MOST_OBJECTS),
        most_in_set=_limit(core, "maxObjectsInSet", _MOST_OBJECTS),
        largest_request=_limit(core, "maxSizeRequest", 1_000_000, fewest=10_000),
        largest_upload=_limit(core, "maxSizeUpload", LARGEST_MESSAGE, fewest=0),
        blobs=next((name for name in BLOBS if name in _mapping(fields, "capabilities")), ""),
    )


def _own_accounts(fields: Mapping[str, Any]) -> dict[str, str]:
    """Return the accounts of the user's own, by what the server has of that which we use."""
    capabilities = _mapping(fields, "capabilities")
    primary = _mapping(fields, "primaryAccounts")
    # Cyrus names accounts of what it does not offer as well.
    named = ((name, primary.get(name)) for name in _KNOWN if name in capabilities)
    return {name: account for name, account in named if isinstance(account, str) and account}


def _is_read_only(account: Any) -> bool:
    return isinstance(account, dict) and account.get("isReadOnly") is True


def _mapping(fields: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = fields.get(name)
    return found if isinstance(found, dict) else {}


def _limit(core: Mapping[str, Any], name: str, most: int, fewest: int = _FEWEST) -> int:
    found = core.get(name)
    if isinstance(found, bool) or not isinstance(found, int):
        return most
    return max(min(found, most), fewest)


def _credible(url: str, fields: Mapping[str, Any], name: str, *, required: bool = True) -> str:
    """Return the address of that name, if the credential may go there as well."""
    found = fields.get(name)
    if not isinstance(found, str) or not found or len(found) > _LONGEST_TEMPLATE:
        if required:
            raise StoreError(
                "permanent",
                _("%(host)s answers in a way we do not understand: %(said)s.",
                  host=host_of(url), said=name),
            )  # fmt: skip
        return ""
    base, place = origin(url), _absolute(url, found)
    try:
        there = origin(resolved(url, _VARIABLE.sub("x", place)))
    except UnfitAddressError:
        there = ""
    near = there.startswith("https:") and is_related(host_of(there), host_of(url))
    if there == base or near:
        return place
    if not required:
        return ""
    words = _(
        "%(host)s names another server for its mail, and passwords are never sent on.",
        host=host_of(url),
    )
    raise StoreError("permanent", words)


def _absolute(url: str, found: str) -> str:
    if "://" in found.partition("?")[0]:
        return found
    if found.startswith("/") and not found.startswith("//"):
        return f"{origin(url)}{found}"
    return f"{url.rpartition('/')[0]}/{found}"
