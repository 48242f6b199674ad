"""Trying a connection: the first step that fails is named, with what to do about it."""

import pytest

from inbox.accounts.credentials import Secret
from inbox.providers import probing
from inbox.providers.base import Connection, Finding
from inbox.providers.probing import is_sound, probe
from tests.dovecot import PASSWORD, run_dovecot
from tests.faults.imap_peer import ImapPeer
from tests.faults.scripted import drop, say, silence
from tests.faults.smtp_peer import SmtpPeer
from tests.ports import CLOSED_PORT
from tests.servers import Peer, make_certificate

HERE = "127.0.0.1"


def imap(peer, security="none", host=HERE, **more):
    port = peer if isinstance(peer, int) else peer.port
    return {"imap_host": host, "imap_port": port, "imap_security": security, **more}


def smtp(peer, security="none", **more):
    port = peer if isinstance(peer, int) else peer.port
    return {"smtp_host": HERE, "smtp_port": port, "smtp_security": security, **more}


def tried(settings, password="word") -> list[Finding]:
    return probe(Connection("mira@lantern.example", settings, Secret(password)))


def only(settings, password="word") -> Finding:
    (found,) = tried(settings, password)
    return found


@pytest.fixture
def certificate(tmp_path):
    return make_certificate(tmp_path / "certificate.pem")


def test_what_works_is_told_and_nothing_is_changed_there():
    with ImapPeer() as reading, SmtpPeer() as sending:
        reading.add("INBOX", b"Subject: Hello\r\n\r\nHello\r\n")
        found = tried(imap(reading) | smtp(sending), "")
        assert [finding.kind for finding in found] == ["bad", "good"]
        found = tried(imap(reading) | smtp(sending, auth="password"), "word")
    assert found[0].words.endswith("with 1 message. New mail arrives right away.")
    assert {"SELECT", "STORE", "APPEND"}.isdisjoint(reading.names())
    assert b"MAIL FROM" not in sending.said_to_peer()


@pytest.mark.parametrize(("size", "told"), [(300_000, "0.3"), (35_882_577, "35"), (0, "")])
def test_how_large_a_message_may_be_is_told(size, told):
    with Peer(EHLO=f"250-peer\r\n250-SIZE {size}\r\n250 AUTH PLAIN") as peer:
        words = only(smtp(peer)).words
    assert (
        words == (f"It accepts messages of up to {told} MB. " if told else "") + "Nothing was sent."
    )


def test_without_a_credential_it_says_that_one_is_wanted():
    with ImapPeer() as peer:
        assert only(imap(peer), "").title == f"{HERE} requires a sign-in"


def test_a_name_that_is_not_there():
    found = only(imap(993, host="imap.lantern.invalid"))
    assert found.title == "There is no server called imap.lantern.invalid"


def test_a_port_at_which_nothing_listens():
    found = only(smtp(CLOSED_PORT))
    assert found.title == f"{HERE} refuses port {CLOSED_PORT}"
    assert "465 with TLS" in found.words


def test_a_server_that_says_nothing(monkeypatch):
    monkeypatch.setattr(probing, "TRIED_FOR", 0.3)
    with ImapPeer(script={"connect": silence}) as peer:
        found = only(imap(peer))
    assert "no answer in time" in found.title


def test_tls_where_none_is_spoken():
    with SmtpPeer() as peer:
        found = only(smtp(peer, "tls"))
    assert f"does not speak TLS at port {peer.port}" in found.title
    assert "STARTTLS" in found.words


def test_starttls_where_none_is_offered():
    with SmtpPeer() as peer:
        assert "does not offer STARTTLS" in only(smtp(peer, "starttls")).title


def test_a_certificate_that_nobody_vouches_for(certificate):
    with ImapPeer(certificate=certificate, tls=True) as peer:
        found = only(imap(peer, "tls"))
        assert found.title == f"{HERE} cannot prove its identity"
        assert "--ca-file" in found.words
        assert only(imap(peer, "tls", imap_ca_file=str(certificate))).kind == "good"


def test_a_certificate_for_another_name(tmp_path):
    other = make_certificate(tmp_path / "other.pem", host="127.0.0.2")
    with ImapPeer(certificate=other, tls=True) as peer:
        found = only(imap(peer, "tls", imap_ca_file=str(other)))
    assert "for other names" in found.words


def test_a_file_of_certificates_that_is_not_there(certificate):
    with ImapPeer(certificate=certificate, tls=True) as peer:
        found = only(imap(peer, "tls", imap_ca_file="/nowhere.pem"))
    assert "cannot be read" in found.title


def test_a_login_that_is_refused_says_what_the_provider_wants():
    with ImapPeer(password="other") as peer:
        found = only(imap(peer, smtp_host=""))
    assert (found.kind, found.title) == ("bad", f"{HERE} refuses the sign-in")
    assert "Some providers require a password created for mail programs" in found.words


def test_a_server_that_hangs_up_or_talks_nonsense():
    for way in (drop, say("220 ESMTP"), say("* OK " + "x" * 200_000)):
        with ImapPeer(script={"connect": way}) as peer:
            assert only(imap(peer)).kind == "bad"


def test_mailboxes_that_are_missing_are_told():
    with ImapPeer() as peer:
        for name in list(peer.mailboxes):
            if name != "INBOX":
                del peer.mailboxes[name]
        found = tried(imap(peer))
        assert [finding.kind for finding in found] == ["good", "warn", "warn"]
        assert is_sound(found)
        assert len(tried(imap(peer, sent_by_server=True))) == 2


def test_nothing_to_try_is_not_sound():
    assert not is_sound(tried({}))


@pytest.mark.services
def test_dovecot_by_every_way_in():
    with run_dovecot() as server:
        user = server.new_user()
        for security in ("tls", "starttls", "none"):
            assert is_sound(tried(server.settings(user, security), PASSWORD)), security
        token = server.token(user)
        assert is_sound(tried(server.settings(user, "tls", auth="oauth"), token))
        assert only(server.settings(user, "tls"), "wrong").title == f"{HERE} refuses the sign-in"
