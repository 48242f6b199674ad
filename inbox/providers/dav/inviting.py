"""Changes of which a server would tell the guests of an event, and how it is kept from that."""

from collections.abc import Callable
from dataclasses import dataclass, field

from inbox.providers.change_store import Collection, Item, ItemRefusedError, Put, Remove
from inbox.providers.dav import names
from inbox.providers.dav.hrefs import UnfitAddressError, origin, resolved
from inbox.providers.dav.multistatus import Response, propfind
from inbox.providers.dav.scheduling import (
    FEATURES,
    address_of,
    has_people,
    is_left_to_server,
    left_to_us,
    organizers,
)
from inbox.providers.dav.session import Session
from inbox.providers.http.reading import Answer
from inbox.providers.http.session import Asked
from inbox.reasons import of_error
from inbox.reasons import phrase as _


@dataclass(slots=True)
class Inviting:
    """Keeps a server from writing to the people in events; remembers what it does by itself."""

    session: Session
    # Reads one item as it lies there.
    read: Callable[[Collection, str], Item | None]
    # The addresses that the source itself names.
    known: frozenset[str]
    _schedules: dict[str, bool] = field(default_factory=dict)
    _own: dict[str, frozenset[str] | None] = field(default_factory=dict)

    def as_sent(self, collection: Collection, change: Put) -> bytes:
        """Return an event so that the server writes to nobody; raises ItemRefusedError if none."""
        if collection.kind not in ("calendar", "todos"):
            return change.raw
        if not (has_people(change.raw) or has_people(change.before)):
            return change.raw
        if not self._schedules_by_itself(collection):
            return change.raw
        if change.id:
            self._check(collection, change.id, change.before)
        try:
            return left_to_us(change.raw)
        except ValueError as error:
            words = _("It cannot be kept from inviting people: %(error)s.", error=of_error(error))
            raise ItemRefusedError(words) from error

    def check_removal(self, collection: Collection, change: Remove) -> None:
        """Raise ItemRefusedError for an event whose guests would be told by the server."""
        if collection.kind in ("calendar", "todos") and self._schedules_by_itself(collection):
            self._check(collection, change.id, b"")

    def _check(self, collection: Collection, path: str, before: bytes) -> None:
        """Refuse to change what the server invited to: its guests are told of whatever we do.

        Even to say that they are ours from now on cancels their invitation (RFC 6638 3.2.1.2).
        """
        if not before:
            item = self.read(collection, path)
            before = item.raw if item else b""
        if not has_people(before):
            return
        try:
            is_served, by = is_left_to_server(before), organizers(before)
        except ValueError:
            is_served, by = True, frozenset()
        own = self._own_addresses(collection) if is_served else frozenset()
        if is_served and (own is None or not by or by & own):
            words = _(
                "The server would write to the guests of this event by itself: change it with the "
                "program that invited them."
            )
            raise ItemRefusedError(words)

    def _schedules_by_itself(self, collection: Collection) -> bool:
        at = origin(collection.id)
        if at not in self._schedules:
            answer = self.session.ask(Asked("OPTIONS", collection.id))
            told = {each.strip() for each in answer.headers.get("dav", "").lower().split(",")}
            # Where it does not say, it may.
            self._schedules[at] = bool(told & FEATURES) or not answer.is_good or told == {""}
        return self._schedules[at]

    def _own_addresses(self, collection: Collection) -> frozenset[str] | None:
        """Return the addresses that are the account's there (RFC 6638 2.4.1); None if untold."""
        at = origin(collection.id)
        if at not in self._own:
            self._own[at] = self._told_addresses(collection)
        return self._own[at]

    def _told_addresses(self, collection: Collection) -> frozenset[str] | None:
        here = self._told(collection.id, names.PRINCIPAL)
        principal = here.hrefs(names.PRINCIPAL)[:1] if here else []
        try:
            url = resolved(collection.id, principal[0]) if principal else ""
        except UnfitAddressError:
            return None
        if origin(url) != origin(collection.id):
            return None
        who = self._told(url, names.ADDRESSES)
        found = frozenset(map(address_of, who.hrefs(names.ADDRESSES) if who else ()))
        return found | self.known if found else None

    def _told(self, url: str, name: str) -> Response | None:
        _at, answer = self.session.try_multistatus("PROPFIND", url, propfind([name]))
        if isinstance(answer, Answer):
            return None
        return answer.responses[0] if answer.responses else None
