"""A mail server with a user of its own for each test, and our side of it."""

import pytest

from tests.inbox.syncing.mirrors import Mirror, connect_account


@pytest.fixture
def server(dovecot):
    return dovecot


@pytest.fixture
def user(server):
    return server.new_user()


@pytest.fixture
def there(server, user):
    """Another mail program of the same user."""
    with server.client(user) as client:
        yield client


@pytest.fixture
def mirror(inbox, peer, db):
    """Our side of an account at the test's own peer."""
    settings = {
        "imap_host": "127.0.0.1", "imap_port": peer.port, "imap_security": "none",
        "imap_timeout": 5, "username": "office",
    }  # fmt: skip
    return Mirror(connect_account(inbox, settings))
