"""Pauses after trouble, and who is taken up at all."""

import pytest
from django.utils import timezone

from inbox.models import Account
from inbox.providers.mail_store import StoreError
from inbox.reasons import own
from inbox.syncing.watching import pacing
from inbox.syncing.watching.leases import unwatched
from inbox.syncing.watching.pacing import Trouble
from tests.inbox.syncing.watching.accounts import connect_many

BYE = StoreError("transient", own("It is over."))


def test_pauses_grow_until_an_account_was_watched_in_peace():
    trouble = Trouble()
    pauses = [trouble.note(1, BYE, lasted=5.0) for _ in range(4)]
    assert pauses[3] > 4 * pauses[0]
    assert trouble.rests(1)
    assert not trouble.rests(2)
    assert trouble.note(1, BYE, lasted=pacing.CALM) < 2 * pauses[0]
    trouble.forget(1)
    assert not trouble.rests(1)


@pytest.mark.django_db
def test_who_cannot_be_watched_stands_in_nobody_elses_way(workspace):
    nowhere = {"imap_host": "imap.example.org", "imap_max_connections": 1}
    connect_many(workspace, [{**nowhere, "username": f"u{number}"} for number in range(1100)])
    [last] = connect_many(workspace, [{"imap_host": "IMAP.example.org", "username": "mira"}])
    [found] = unwatched(timezone.now())
    assert (found.account_id, found.server) == (last.pk, "imap.example.org")
    assert found.folder_name == "INBOX"


@pytest.mark.django_db
def test_providers_that_tell_nothing_are_not_watched(workspace):
    settings = {"mail_api": "gmail", "username": "mira"}
    connect_many(workspace, [settings], provider="gmail")
    Account.objects.update(provider="gmail")
    assert list(unwatched(timezone.now())) == []
