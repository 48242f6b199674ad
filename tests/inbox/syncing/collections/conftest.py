"""CalDAV and CardDAV servers that the tests of a process share."""

from tests.inbox.providers.dav.conftest import (
    deep_apache,
    radicale,
    shallow_apache,
    wsgidav,
    xandikos,
)

__all__ = ["deep_apache", "radicale", "shallow_apache", "wsgidav", "xandikos"]
