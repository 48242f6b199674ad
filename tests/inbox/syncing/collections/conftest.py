"""CalDAV and CardDAV servers that the tests of a process share."""

from tests.inbox.providers.dav.conftest import (
    cyrus_dav,
    davical,
    deep_apache,
    radicale,
    shallow_apache,
    wsgidav,
    xandikos,
)

__all__ = [
    "cyrus_dav", "davical", "deep_apache", "radicale", "shallow_apache", "wsgidav", "xandikos",
]  # fmt: skip
