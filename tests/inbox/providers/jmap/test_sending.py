"""Sending by JMAP, through a real Cyrus and its SMTP server."""

import pytest

from inbox.accounts.credentials import Secret
from inbox.providers.base import Connection, ProviderError
from inbox.providers.jmap.sending import JmapSender
from tests.cyrus import PASSWORD
from tests.provider_cases import MESSAGE, ProviderCases, ignore, parcel

pytestmark = pytest.mark.services


@pytest.fixture
def user(cyrus):
    return cyrus.new_user()


@pytest.fixture
def provider(cyrus, user):
    cyrus.outgoing.taken.clear()
    return JmapSender(Connection("office@lantern.example", cyrus.settings(user), Secret(PASSWORD)))


@pytest.fixture
def delivered(cyrus):
    return lambda: [taken.content for taken in cyrus.outgoing.taken]


def lying(cyrus, user, name):
    with cyrus.client(user) as client:
        client.select_folder(name, readonly=True)
        return [it[b"FLAGS"] for it in client.fetch(client.search("ALL"), ["FLAGS"]).values()]


class TestJmapSender(ProviderCases):
    """Every case of a provider that sends."""


def test_the_envelope_is_the_sealed_one_and_the_copy_lies_with_the_sent_mail(provider, cyrus, user):
    recipients = ("ada@customer.example", "hidden@customer.example")
    provider.submit(parcel(recipients=recipients), ignore)
    (taken,) = cyrus.outgoing.taken
    assert (taken.sender, taken.recipients) == ("office@lantern.example", list(recipients))
    (flags,) = lying(cyrus, user, "Sent")
    assert b"\\Seen" in flags
    assert b"\\Draft" not in flags
    assert lying(cyrus, user, "Drafts") == []


def test_what_was_not_handed_over_lies_nowhere(provider, cyrus, user):
    with pytest.raises(ZeroDivisionError):
        provider.submit(parcel(), lambda: 1 // 0)
    assert lying(cyrus, user, "Drafts") == lying(cyrus, user, "Sent") == []


def test_a_draft_that_was_left_behind_is_sent_once_and_is_no_sign_of_it(provider, cyrus, user):
    with cyrus.client(user) as client:
        client.append("Drafts", MESSAGE, [b"\\Draft"])
    assert provider.find_sent("<1@lantern.example>") is None
    provider.submit(parcel(), ignore)
    assert len(cyrus.outgoing.taken) == 1
    assert provider.find_sent("<1@lantern.example>") is True
    assert provider.find_sent("<2@lantern.example>") is None
    assert lying(cyrus, user, "Drafts") == []


def test_a_wrong_password_is_a_matter_of_signing_in(cyrus, user):
    sender = JmapSender(Connection("a@lantern.example", cyrus.settings(user), Secret("wrong")))
    with pytest.raises(ProviderError) as caught:
        sender.submit(parcel(), ignore)
    assert caught.value.kind == "login"
