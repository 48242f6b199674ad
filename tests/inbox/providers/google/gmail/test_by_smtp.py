"""Mail that is read by Gmail's interface and sent by SMTP: the sealed bytes, by the same token."""

from inbox.providers import PROVIDERS
from inbox.providers.google.gmail.sending import GmailSender
from inbox.providers.sign_in.declared import GOOGLE
from tests.faults.smtp_peer import SmtpPeer
from tests.inbox.providers.google.gmail.conftest import ADDRESS, connection
from tests.provider_cases import MESSAGE, ignore, parcel


def test_exactly_the_sealed_bytes_leave_by_smtp_and_are_found_by_the_interface(google):
    given = connection(google)
    with SmtpPeer() as smtp:
        given.settings.update(
            username=ADDRESS, smtp_host="127.0.0.1", smtp_port=smtp.port, smtp_security="none"
        )
        provider = PROVIDERS[GOOGLE.mail_api].send(given)
        assert provider.find_sent("<1@lantern.example>") is None
        provider.submit(parcel(recipients=("ada@customer.example", "too@x.example")), ignore)
        assert [whole.content for whole in smtp.whole] == [MESSAGE]
    assert google.gmail.sending.sent == []
    # The server keeps a copy of its own.
    google.gmail.box.add(MESSAGE, {"SENT"})
    assert provider.find_sent("<1@lantern.example>") is True


def test_where_no_smtp_server_is_named_the_interface_sends(google):
    assert isinstance(PROVIDERS[GOOGLE.mail_api].send(connection(google)), GmailSender)
