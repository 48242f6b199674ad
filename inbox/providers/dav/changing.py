"""What changed in a calendar or an address book: by sync token, by ctag, or by comparing etags."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Literal, Self, TypeAlias
from urllib.parse import urlsplit
from xml.sax.saxutils import escape

from inbox.providers.change_store import MOST_ITEMS, Changes, Collection, Entry
from inbox.providers.dav import names
from inbox.providers.dav.hrefs import path_at
from inbox.providers.dav.multistatus import Multistatus, Response, document, prop, propfind
from inbox.providers.dav.properties import components, moment, plain_etag
from inbox.providers.dav.session import Session
from inbox.providers.http.reading import Answer
from inbox.providers.http.session import refused
from inbox.providers.mail_store import StoreError
from inbox.reasons import phrase as _

Way: TypeAlias = Literal["sync", "ctag", "etags"]
# For so long a server is believed to know a sync token.
DAYS = 6
MOST_PAGES = 1_000
_STATE = (
    names.RESOURCE_TYPE, names.REPORTS, names.SYNC_TOKEN, names.CTAG, names.COMPONENTS,
)  # fmt: skip
_LISTED = (names.ETAG, names.TYPE, names.MODIFIED, names.RESOURCE_TYPE)
# What servers say of a sync token that they do not know any more (RFC 6578 3.8 has 403).
_UNKNOWN_TOKEN = frozenset({400, 403, 409, 410, 412, 507})
_NO_REPORT = frozenset({405, 415, 501})
_COMPONENTS = {"calendar": "VEVENT", "todos": "VTODO"}


@dataclass(frozen=True, slots=True)
class Position:
    """How far we have read, by which way; `mixed`: events and to-dos lie side by side.

    `day` is when the server was asked last, a number as `date.toordinal` gives it.
    """

    way: Way
    token: str
    mixed: bool = False
    day: int = 0

    @classmethod
    def read(cls, text: str) -> Self | None:
        """Return what was written; None where it is none of ours."""
        try:
            given = json.loads(text)
            found = cls(
                given["way"], str(given["token"]), bool(given.get("mixed")), int(given["day"])
            )
        except (ValueError, TypeError, KeyError, AttributeError):
            return None
        return found if found.way in ("sync", "ctag", "etags") else None

    def write(self) -> str:
        """Return it as text, as of today."""
        return json.dumps(asdict(replace(self, day=_today())))

    @property
    def is_old(self) -> bool:
        """Return True if the server may have forgotten the token.

        Some then tell all there is as if it were new, and nothing of what is gone: DAViCal, which
        keeps tokens for a week.
        """
        return self.way == "sync" and not 0 <= _today() - self.day < DAYS


def changes_of(session: Session, collection: Collection, position: str) -> Changes:
    """Return what changed in a calendar or an address book since a position."""
    known = Position.read(position) if position else None
    if known is None or known.is_old:
        return _beginning(session, collection)
    if known.way == "sync":
        return _since_token(session, collection, known)
    if known.way == "etags":
        return _listed(session, collection, known)
    # Asked before the list: what changes in between changes it once more.
    ctag = _state(session, collection).text(names.CTAG)
    if ctag == known.token:
        return Changes((), (), known.write())
    return _listed(session, collection, Position("ctag" if ctag else "etags", ctag, known.mixed))


def _beginning(session: Session, collection: Collection) -> Changes:
    here = _state(session, collection)
    mixed = {"VEVENT", "VTODO"} <= components(here) and collection.kind != "contacts"
    if here.text(names.SYNC_TOKEN) or names.SYNC_COLLECTION in here.within(names.REPORTS):
        found = _whole_by_token(session, collection, mixed=mixed)
        if found is not None:
            return found
    ctag = here.text(names.CTAG)
    return _listed(session, collection, Position("ctag" if ctag else "etags", ctag, mixed))


def _state(session: Session, collection: Collection) -> Response:
    _at, answer = session.multistatus("PROPFIND", collection.id, propfind(_STATE))
    here = next((each for each in answer.responses if each.status == 200), None)
    if here is None or not here.inside(names.RESOURCE_TYPE) & {names.CALENDAR, names.ADDRESSBOOK}:
        words = _("%(name)s is not there any more.", name=collection.name)
        raise StoreError("gone", words)
    return here


# -- by sync token ---------------------------------------------------------------------------------
def _since_token(session: Session, collection: Collection, known: Position) -> Changes:
    """Return a page of what changed (RFC 6578 3.2); the whole where the token is not known."""
    at, answer = _sync(session, collection, known.token)
    if isinstance(answer, Answer):
        if answer.status in _UNKNOWN_TOKEN | _NO_REPORT:
            return _beginning(session, collection)
        raise refused(answer)
    page = _Page.read(at, answer, collection)
    if not page.token:
        return _beginning(session, collection)
    present = _of_kind(session, collection, page.present, mixed=known.mixed)
    position = Position("sync", page.token, known.mixed).write()
    return Changes(tuple(present), tuple(page.gone), position, more=page.is_part)


def _whole_by_token(session: Session, collection: Collection, *, mixed: bool) -> Changes | None:
    """Return all there is, with the token it is complete with; None where that cannot be had."""
    present: dict[str, Entry] = {}
    token = ""
    for _number in range(MOST_PAGES):
        at, answer = _sync(session, collection, token)
        if isinstance(answer, Answer):
            if not token and answer.status in _UNKNOWN_TOKEN | _NO_REPORT:
                return None
            raise refused(answer)
        page = _Page.read(at, answer, collection)
        present.update((entry.id, entry) for entry in page.present)
        for gone in page.gone:
            present.pop(gone, None)
        if not page.token or page.token == token:
            return None
        token = page.token
        if not page.is_part or len(present) > MOST_ITEMS:
            break
    of_kind = _of_kind(session, collection, present.values(), mixed=mixed)
    position = Position("sync", token, mixed).write()
    return Changes(_bounded(of_kind), (), position, is_whole=True)


def _sync(session: Session, collection: Collection, token: str) -> tuple[str, Multistatus | Answer]:
    body = document(
        '<d:sync-collection xmlns:d="DAV:">'
        f"<d:sync-token>{escape(token)}</d:sync-token><d:sync-level>1</d:sync-level>"
        f"{prop(_LISTED)}</d:sync-collection>"
    )
    return session.try_multistatus("REPORT", collection.id, body)


@dataclass(frozen=True, slots=True)
class _Page:
    present: list[Entry]
    gone: list[str]
    token: str
    # RFC 6578 3.6: there is more, which the server tells when it is asked from this token.
    is_part: bool

    @classmethod
    def read(cls, at: str, answer: Multistatus, collection: Collection) -> Self:
        own = urlsplit(collection.id).path.rstrip("/")
        present, gone, is_part = [], [], False
        for each in answer.responses:
            path = path_at(at, each.href)
            if path is None or path.rstrip("/") == own:
                is_part = is_part or (path is not None and each.status == 507)
            elif each.status == 404:
                gone.append(path)
            elif entry := _entry(path, each):
                present.append(entry)
        return cls(present, gone, answer.sync_token, is_part)


# -- by comparing ----------------------------------------------------------------------------------
def _listed(session: Session, collection: Collection, known: Position) -> Changes:
    """Return all that lies there, by etags; a position that compares them is a digest of them."""
    at, answer = session.multistatus("PROPFIND", collection.id, propfind(_LISTED), "1")
    page = _Page.read(at, answer, collection)
    if known.way == "etags":
        digest = _digest(page.present)
        if digest == known.token:
            return Changes((), (), known.write())
        known = Position("etags", digest, known.mixed)
    present = _of_kind(session, collection, page.present, mixed=known.mixed)
    return Changes(_bounded(present), (), known.write(), is_whole=True)


def _today() -> int:
    return datetime.now(UTC).date().toordinal()


def _digest(entries: Iterable[Entry]) -> str:
    lines = sorted(f"{entry.id} {entry.etag}" for entry in entries)
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()


# -- entries ---------------------------------------------------------------------------------------
def _entry(path: str, told: Response) -> Entry | None:
    """Return that an item is there; None for what is no item, such as a collection."""
    etag = plain_etag(told.text(names.ETAG))
    if told.status != 200 or not etag or path.endswith("/"):
        return None
    if names.COLLECTION in told.inside(names.RESOURCE_TYPE):
        return None
    kind = told.text(names.TYPE).lower()
    return _Typed(path, etag, moment(told.text(names.MODIFIED)), content_type=kind)


@dataclass(frozen=True, slots=True)
class _Typed(Entry):
    """An entry whose content type is known; it may name the component that it is."""

    content_type: str = ""


def _of_kind(
    session: Session, collection: Collection, entries: Iterable[Entry], *, mixed: bool
) -> Iterator[Entry]:
    """Yield those that are of the collection's kind, where events and to-dos lie side by side."""
    wanted = _COMPONENTS.get(collection.kind, "").lower()
    known = list(entries)
    if not mixed or not wanted or not known:
        yield from map(_untyped, known)
        return
    named = [_component(entry) for entry in known]
    paths = frozenset[str]() if all(named) else _with_component(session, collection, wanted)
    for entry, component in zip(known, named, strict=True):
        if component == wanted or (not component and entry.id in paths):
            yield _untyped(entry)


def _untyped(entry: Entry) -> Entry:
    return Entry(entry.id, entry.etag, entry.modified_at)


def _component(entry: Entry) -> str:
    content_type = entry.content_type if isinstance(entry, _Typed) else ""
    _before, _name, after = content_type.replace(" ", "").partition("component=")
    return after.partition(";")[0].strip('"')


def _with_component(session: Session, collection: Collection, wanted: str) -> frozenset[str]:
    """Return the paths of the items that are of a component (RFC 4791 7.8)."""
    body = document(
        f'<c:calendar-query xmlns:c="urn:ietf:params:xml:ns:caldav">{prop([names.ETAG])}'
        f'<c:filter><c:comp-filter name="VCALENDAR"><c:comp-filter name="{wanted.upper()}"/>'
        "</c:comp-filter></c:filter></c:calendar-query>"
    )
    at, answer = session.multistatus("REPORT", collection.id, body, "1")
    paths = (path_at(at, each.href) for each in answer.responses)
    return frozenset(path for path in paths if path)


def _bounded(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    found = tuple(entries)
    if len(found) > MOST_ITEMS:
        words = _("It holds more than %(most)s items.", most=f"{MOST_ITEMS:,}")
        raise StoreError("permanent", words)
    return found
