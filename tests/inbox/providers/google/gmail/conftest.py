"""The stand-in for Gmail, and a way to send by it."""

import pytest

from inbox.accounts.credentials import Secret
from inbox.providers.base import Connection
from inbox.providers.google.gmail.sending import GmailSender
from tests.machines.google.everything import Google, google_server

ADDRESS = "office@lantern.example"


@pytest.fixture
def google():
    with google_server(ADDRESS) as server:
        yield server
    assert server.violations == []


def connection(google: Google, url: str = "", *scopes: str) -> Connection:
    settings = {"mail_api": "gmail", "api_url": url or google.url, "auth": "oauth"}
    return Connection(ADDRESS, settings, Secret(google.token(*scopes)))


@pytest.fixture
def provider(google):
    return GmailSender(connection(google))
