"""Sending by Gmail: the sealed bytes to the sealed recipients, once, or an honest end."""

import pytest

from inbox.providers.base import ProviderError
from inbox.providers.google.gmail.sending import GmailSender, identities_of
from inbox.providers.mail_changes import SenderIdentity
from tests.http_faults import WAYS, faulty
from tests.inbox.providers.google.gmail.conftest import connection
from tests.machines.google.gmail.sending import without
from tests.provider_cases import MESSAGE, ProviderCases, ignore, parcel


@pytest.fixture
def sending(google):
    return google.gmail.sending


@pytest.fixture
def delivered(sending):
    # Gmail dates what has no date; a sealed message always has one.
    return lambda: [without(it.raw, "date") for it in sending.sent]


class TestGmailSender(ProviderCases):
    """Every case of a provider that sends."""


def refusal(provider, given):
    with pytest.raises(ProviderError) as caught:
        provider.submit(given, ignore)
    return caught.value


def test_who_stands_only_in_the_envelope_gets_it_and_is_seen_by_nobody(provider, sending, google):
    recipients = ("ada@customer.example", "hidden@x.example", "too@x.example")
    provider.submit(parcel(recipients=recipients), ignore)
    [sent] = sending.sent
    assert sorted(sent.recipients) == sorted(recipients)
    assert b"@x.example" not in sent.raw
    [copy] = google.gmail.box.letters.values()
    assert copy.labels == {"SENT"}
    assert without(without(copy.raw, "bcc"), "date") == MESSAGE


def test_nothing_is_sent_where_gmail_would_send_to_others_too(provider, sending):
    mime = MESSAGE.replace(b"To: ada@", b"Cc: eve@x.example\r\nTo: ada@")
    error = refusal(provider, parcel(mime))
    assert (error.kind, "eve@x.example" in error.words) == ("permanent", True)
    assert sending.sent == []


def test_it_is_sent_as_the_account_and_confirmed_aliases_alone(provider, sending, google):
    sending.aliases.update({"sales@lantern.example": True, "later@lantern.example": False})
    for alias, may in sending.aliases.items():
        mime = MESSAGE.replace(b"From: office@lantern.example", b"From: %s" % alias.encode())
        if may:
            provider.submit(parcel(mime, sender=alias), ignore)
        else:
            assert refusal(provider, parcel(mime, sender=alias)).kind == "permanent"
    assert [it.sender for it in sending.sent] == ["sales@lantern.example"]
    assert refusal(provider, parcel(mime)).kind == "permanent"
    assert identities_of(connection(google)) == [
        SenderIdentity("office@lantern.example", "Mira"), SenderIdentity("sales@lantern.example"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("scope", "kind"), [("gmail.modify", "sent"), ("gmail.readonly", "permanent")]
)
def test_the_narrow_scope_is_enough_to_send_and_less_is_not(google, sending, scope, kind):
    assert end_of(GmailSender(connection(google, "", scope)), parcel()) == kind
    assert len(sending.sent) == (kind == "sent")


def test_a_token_that_ended_is_a_matter_of_signing_in(google, provider, sending):
    google.tokens.clear()
    assert refusal(provider, parcel()).kind == "login"
    assert sending.sent == []


def test_what_was_sent_is_found_though_its_answer_was_lost(google, provider, sending):
    google.order("lose", "POST /upload")
    receipt = provider.submit(parcel(), ignore)
    assert "<1@lantern.example>" in receipt.reply
    assert len(sending.sent) == 1


def end_of(sender, given):
    try:
        sender.submit(given, ignore)
    except ProviderError as error:
        return error.kind
    return "sent"


@pytest.mark.parametrize("way", WAYS)
def test_whatever_request_fails_it_is_sent_once_or_said_not_to_be(google, sending, way):
    with faulty(google.url) as proxy:
        sender = GmailSender(connection(google, proxy.url))
        for number in range(3):
            before = len(sending.sent)
            proxy.spoil(number, way)
            mime = MESSAGE.replace(b"<1@", b"<%d@" % number)
            end = end_of(sender, parcel(mime, message_id=f"<{number}@lantern.example>"))
            left = len(sending.sent) - before
            # Only of what nobody can tell may it have left or not.
            assert left in {"sent": {1}, "unknown": {0, 1}}.get(end, {0})


def test_an_answer_that_is_none_leaves_it_unknown(google, provider, sending):
    google.handlers["gmail.users.messages.send"] = lambda _asked: {}
    assert refusal(provider, parcel()).kind == "unknown"
