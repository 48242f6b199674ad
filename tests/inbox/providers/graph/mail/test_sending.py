"""Sending by Graph: what arrives says what was sealed, once, whatever request goes wrong."""

import email
import email.policy

import pytest

from inbox.providers.base import ProviderError
from inbox.providers.graph.mail.sending import GraphSender
from tests.inbox.providers.graph.stages import connection
from tests.machines.graph.mail.exchange import rewritten
from tests.machines.graph.mail.kept import Mail
from tests.machines.graph.server import ADDRESS, GraphServer
from tests.provider_cases import MESSAGE, ProviderCases, ignore
from tests.provider_cases import parcel as parcel_of

OURS = MESSAGE.replace(b"office@lantern.example", ADDRESS.encode())
FAULTS = ("drop", "lose", "half", 401, 429, 500, 503)


def parcel(mime: bytes = OURS, **fields):
    return parcel_of(mime, **{"sender": ADDRESS, **fields})


@pytest.fixture
def provider(graph: GraphServer) -> GraphSender:
    return GraphSender(connection(graph))


@pytest.fixture
def delivered(mail: Mail):
    return lambda: [left.raw for left in mail.left]


def text_of(raw: bytes) -> str:
    return email.message_from_bytes(raw, policy=email.policy.default).get_content()


def lying(mail: Mail, name: str) -> list[bytes]:
    folder = mail.folder(name)
    return [one.raw for one in mail.letters.values() if one.folder == folder.id]


class TestGraphSender(ProviderCases):
    """Every case of a provider that sends, but that Exchange writes messages anew."""

    @pytest.fixture(autouse=True)
    def from_our_address(self, monkeypatch):
        monkeypatch.setattr("tests.provider_cases.MESSAGE", OURS)
        monkeypatch.setattr("tests.provider_cases.parcel", parcel)

    def test_exactly_the_sealed_bytes_arrive(self, provider, delivered):
        """What arrives says the same, to the letter."""
        provider.submit(parcel(), ignore)
        [arrived] = delivered()
        assert arrived != OURS
        assert text_of(arrived) == text_of(OURS)


def test_the_envelope_is_the_sealed_one_and_the_copy_lies_with_the_sent_mail(provider, mail):
    recipients = ("ada@customer.example", "hidden@customer.example")
    provider.submit(parcel(recipients=recipients), ignore)
    [left] = mail.left
    assert (left.sender, left.recipients) == (ADDRESS, recipients)
    assert b"hidden" not in left.raw
    assert lying(mail, "sentitems") == [left.raw]
    assert lying(mail, "drafts") == []


def test_what_names_somebody_whom_it_is_not_for_is_not_sent(provider, mail):
    with pytest.raises(ProviderError) as caught:
        provider.submit(parcel(recipients=("mo@customer.example",)), ignore)
    assert caught.value.kind == "permanent"
    assert "ada@customer.example" in str(caught.value)
    assert mail.letters == {}


def test_what_was_not_handed_over_lies_nowhere(provider, mail):
    with pytest.raises(ZeroDivisionError):
        provider.submit(parcel(), lambda: 1 // 0)
    assert (mail.letters, mail.left) == ({}, [])


def test_a_draft_that_was_left_behind_is_no_sign_of_its_having_left(provider, mail):
    mail.arrive(rewritten(OURS), "drafts", is_draft=True)
    assert provider.find_sent("<1@lantern.example>") is None
    provider.submit(parcel(), ignore)
    assert len(mail.left) == len(mail.letters) == 1
    assert provider.find_sent("<1@lantern.example>") is True


def test_what_lies_with_the_sent_mail_already_is_not_sent_again(provider, mail):
    provider.submit(parcel(), ignore)
    assert provider.submit(parcel(), ignore).reply
    assert len(mail.left) == 1


def test_a_message_that_arrived_with_its_message_id_is_no_sign_of_its_having_left(provider, mail):
    mail.arrive(OURS)
    assert provider.find_sent("<1@lantern.example>") is None
    provider.submit(parcel(), ignore)
    assert len(mail.left) == 1


def test_more_than_a_request_holds_is_refused_before_it_is_asked(provider, graph):
    line = b"x" * 76 + b"\r\n"
    with pytest.raises(ProviderError) as caught:
        provider.submit(parcel(OURS + line * 45_000), ignore)
    assert caught.value.kind == "permanent"
    assert not any(call.method == "POST" for call in graph.calls)


def test_another_sender_than_the_account_is_refused_and_no_draft_stays(provider, mail):
    mime = OURS.replace(b"From: mira@", b"From: mo@")
    with pytest.raises(ProviderError) as caught:
        provider.submit(parcel(mime, sender="mo@lantern.example"), ignore)
    assert caught.value.kind == "permanent"
    assert (mail.letters, mail.left) == ({}, [])


def test_without_the_scope_for_sending_nothing_leaves(graph, mail):
    token = graph.sign_in(ADDRESS, "Mail.ReadWrite")
    with pytest.raises(ProviderError) as caught:
        GraphSender(connection(graph, token)).submit(parcel(), ignore)
    assert caught.value.kind == "permanent"
    assert mail.left == []


def end_of(sender: GraphSender, mime: bytes) -> str:
    try:
        sender.submit(parcel(mime, recipients=("ada@customer.example", "b@c.example")), ignore)
    except ProviderError as error:
        return error.kind
    return "sent"


@pytest.mark.parametrize("fault", FAULTS)
def test_whatever_request_fails_it_is_sent_once_or_said_not_to_be(graph, mail, provider, fault):
    ends = []
    for number in range(7):
        mail.left.clear()
        graph.order(fault, after=number, retry_after="1" if fault == 429 else "")
        ends.append(end_of(provider, OURS.replace(b"1@lantern", b"%d@lantern" % (number + 10))))
        graph.faults.clear()
        # Only of what nobody can tell may one have left or not.
        assert len(mail.left) in {"sent": {1}, "unknown": {0, 1}}.get(ends[-1], {0})
        for draft in [one for one in mail.letters.values() if one.is_draft]:
            mail.remove(draft)
    assert set(ends) <= {"sent", "transient", "unknown", "login"}
    assert ends[-1] == "sent"
    assert len(set(ends)) > 1


def test_an_answer_that_was_lost_is_found_in_what_became_of_the_draft(graph, mail, provider):
    graph.order("lose", "/send$")
    assert "sent mail" in provider.submit(parcel(), ignore).reply
    assert len(mail.left) == 1
