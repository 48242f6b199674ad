"""Sending by an interface over HTTP: what trouble means before and after a message has left us."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final, TypeVar

from inbox.providers.base import Connection, ErrorKind, Parcel, ProviderError
from inbox.providers.http.store import Closing
from inbox.providers.mail_store import StoreError
from inbox.reasons import ReasonText
from inbox.reasons import phrase as _

Api = TypeVar("Api", bound=Closing)
_KINDS: Final[Mapping[str, ErrorKind]] = {
    "transient": "transient", "throttled": "transient", "login": "login", "locked": "locked"
}  # fmt: skip


@contextmanager
def opened(make: Callable[[Connection], Api], connection: Connection) -> Iterator[Api]:
    """Have calls to a server for as long as the context lasts; raises ProviderError."""
    with nothing_taken():
        api = make(connection)
    try:
        yield api
    finally:
        api.close()


@contextmanager
def nothing_taken() -> Iterator[None]:
    """Turn trouble into ProviderError while nothing can have been taken."""
    try:
        yield
    except StoreError as error:
        raise as_provider_error(error) from error


def as_provider_error(error: StoreError) -> ProviderError:
    """Return what trouble means to who sends, where nothing was taken."""
    return ProviderError(kind_of(error), error.words, error.reply)


def kind_of(error: StoreError) -> ErrorKind:
    """Return what kind of trouble it is to who sends, where nothing was taken."""
    return _KINDS.get(error.kind, "permanent")


def unanswered(error: StoreError) -> ReasonText:
    """Return that a message was handed over and nobody knows what became of it."""
    return _("The message was handed over, and no clear answer came: %(why)s", why=error.sentence)


def check_size(parcel: Parcel, most: int) -> None:
    """Raise StoreError (`permanent`) for a message of more bytes than the server accepts."""
    if len(parcel.mime) > most:
        words = _(
            "The message has %(size)s bytes; the server accepts at most %(most)s.",
            size=len(parcel.mime),
            most=most,
        )
        raise StoreError("permanent", words)
