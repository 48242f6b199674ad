"""Mail that is read by Graph and sent by SMTP: the sealed bytes, by a token of its own."""

import pytest

from inbox.accounts.credentials import CredentialError, Secret
from inbox.providers import PROVIDERS
from inbox.providers.base import Connection
from inbox.providers.graph.mail.sending import GraphSender
from inbox.providers.sign_in.declared import MICROSOFT
from inbox.reasons import own
from tests.faults.smtp_peer import SmtpPeer
from tests.inbox.providers.graph.mail.test_sending import OURS, parcel
from tests.machines.graph.mail.exchange import rewritten
from tests.machines.graph.server import ADDRESS
from tests.provider_cases import ignore

SCOPE = "https://outlook.office.com/SMTP.Send offline_access"


@pytest.fixture
def smtp():
    with SmtpPeer() as peer:
        yield peer


def sender(graph, smtp, secret_for):
    settings = {
        "mail_api": MICROSOFT.mail_api, "api_url": graph.url, "auth": "oauth", "username": ADDRESS,
        "smtp_host": "127.0.0.1", "smtp_port": smtp.port, "smtp_security": "none",
        "oauth_smtp_scope": SCOPE,
    }  # fmt: skip
    connection = Connection(ADDRESS, settings, Secret(graph.sign_in()), secret_for=secret_for)
    return PROVIDERS[MICROSOFT.mail_api].send(connection)


def test_exactly_the_sealed_bytes_leave_by_smtp_and_are_found_by_graph(graph, smtp, mail):
    asked = []
    provider = sender(graph, smtp, lambda scope: asked.append(scope) or Secret("for-smtp"))
    assert provider.find_sent("<1@lantern.example>") is None
    provider.submit(parcel(), ignore)
    assert asked == [SCOPE]
    assert [whole.content for whole in smtp.whole] == [OURS]
    assert mail.left == []
    # The server keeps a copy of its own.
    mail.arrive(rewritten(OURS), "sentitems")
    assert provider.find_sent("<1@lantern.example>") is True


def test_without_a_token_for_it_nothing_leaves(graph, smtp):
    def refuse(_scope):
        raise CredentialError(own("The sign-in is over."))

    with pytest.raises(CredentialError):
        sender(graph, smtp, refuse).submit(parcel(), ignore)
    assert smtp.whole == []


def test_where_no_smtp_server_is_named_graph_sends(graph):
    connection = Connection(ADDRESS, {"api_url": graph.url}, Secret(graph.sign_in()))
    assert isinstance(PROVIDERS[MICROSOFT.mail_api].send(connection), GraphSender)
