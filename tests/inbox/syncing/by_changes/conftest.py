"""An account at the made-up provider, and our side of it."""

import pytest
from django.utils import timezone

from inbox.models import SyncState
from inbox.providers import PROVIDERS
from tests.inbox.syncing.by_changes.made_up import NAME, MadeUpServer
from tests.inbox.syncing.by_changes.mirroring import ChangesMirror


@pytest.fixture(params=["account", "mailbox"])
def office(request, monkeypatch):
    """A server with one position for all and labels, and one with folders and a position each."""
    by_mailbox = request.param == "mailbox"
    server = MadeUpServer(by_mailbox=by_mailbox, lies_in_many=not by_mailbox)
    monkeypatch.setitem(PROVIDERS, NAME, server.declare())
    return server


@pytest.fixture
def mirror(inbox, office, db):
    account = inbox.account
    account.provider = NAME
    account.save()
    SyncState.objects.create(workspace=account.workspace, account=account, next_at=timezone.now())
    return ChangesMirror(account)
