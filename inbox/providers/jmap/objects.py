"""What a server says of objects (RFC 8620 5), of mailboxes and messages (8621), with doubt."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from inbox.providers.http.reading import UnreadableListError, entries_of
from inbox.providers.mail_changes import LONGEST_ID, MailboxEntry, MailState
from inbox.providers.mail_store import StoreError
from inbox.reasons import own
from inbox.reasons import phrase as _

ROLES = frozenset({"inbox", "sent", "drafts", "archive", "junk", "trash"})
_DEEPEST = 30


def ids(fields: Mapping[str, Any], name: str) -> list[str]:
    """Return a list of ids; raises StoreError where it is none."""
    found = fields.get(name)
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise UnreadableListError
    return [one for one in found if is_id(one)]


def is_id(value: object) -> bool:
    """Return True if it is an id that can be kept."""
    return isinstance(value, str) and 0 < len(value) <= LONGEST_ID


def listed(fields: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the objects of a `get`, each with an id; raises StoreError where it is no list."""
    return [one for one in entries_of(fields, "list", "id", required=True) if is_id(one["id"])]


def created(answer: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return what the server says of something it made; nothing where it made it not."""
    found = answer.get("created")
    made = found.get(key) if isinstance(found, dict) else None
    return made if isinstance(made, dict) else {}


def refusals(answer: Mapping[str, Any], name: str) -> dict[str, StoreError]:
    """Return what a `set` did not do, by id; what may go well later raises (RFC 8620 5.3)."""
    told = answer.get(name)
    found: dict[str, StoreError] = {}
    for one, error in (told if isinstance(told, dict) else {}).items():
        kind = str(error.get("type", ""))[:100] if isinstance(error, dict) else ""
        said = _said(error) if isinstance(error, dict) else ""
        words = _("The server refuses what we ask for: %(why)s.", why=own(kind or "?"))
        if kind in ("rateLimit", "serverUnavailable", "serverFail"):
            raise StoreError("throttled" if kind == "rateLimit" else "transient", words, said)
        found[one] = StoreError("gone" if kind == "notFound" else "permanent", words, said)
    return found


def _said(error: Mapping[str, Any]) -> str:
    """Return what a server says beside the type: in words, or by which properties it is about."""
    properties = texts(error.get("properties"))
    return (str(error.get("description") or "") or ", ".join(properties))[:300]


def states(objects: Iterable[Mapping[str, Any]]) -> dict[str, MailState]:
    """Return the state of each message that lies somewhere, by id."""
    found = {}
    for one in objects:
        mailboxes = _members(one.get("mailboxIds"))
        if mailboxes:
            words = frozenset(word.lower() for word in _members(one.get("keywords")))
            found[str(one["id"])] = MailState(mailboxes, words)
    return found


def mailboxes(objects: Iterable[Mapping[str, Any]]) -> list[MailboxEntry]:
    """Return the mailboxes by their paths, with the roles that we know."""
    by_id = {str(one["id"]): one for one in objects}
    return [MailboxEntry(key, _path(key, by_id), _role(one)) for key, one in by_id.items()]


def texts(value: object) -> list[str]:
    """Return the texts of a list."""
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def moment(value: object) -> datetime | None:
    """Return a UTCDate (RFC 8620 1.4)."""
    if not isinstance(value, str):
        return None
    try:
        found = datetime.fromisoformat(value)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _members(value: object) -> frozenset[str]:
    """Return the names of an object whose values are true."""
    if not isinstance(value, dict):
        return frozenset()
    return frozenset(name for name, is_set in value.items() if is_set is True and is_id(name))


def _path(key: str, by_id: Mapping[str, Mapping[str, Any]]) -> str:
    parts: list[str] = []
    at: object = key
    for _depth in range(_DEEPEST):
        one = by_id.get(at) if isinstance(at, str) else None
        if one is None:
            break
        parts.append(str(one.get("name") or "?")[:255])
        at = one.get("parentId")
    return "/".join(reversed(parts))


def _role(one: Mapping[str, Any]) -> str:
    role = one.get("role")
    return role if isinstance(role, str) and role in ROLES else ""
