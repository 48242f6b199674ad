"""What the check of a connection finds is said in the reader's language, around a server's words."""

from html import unescape

import pytest
from django.test import Client
from django.utils import translation

from inbox.accounts.credentials import Secret
from inbox.providers.base import Connection, Finding
from inbox.providers.presets import presets
from inbox.providers.probing import probe
from inbox.reasons.words import worded
from tests import factories
from tests.cases import in_one_test
from tests.faults.imap_peer import ImapPeer
from tests.ports import CLOSED_PORT
from tests.project.english_words import english_in
from tests.servers import Peer, make_certificate

ADD = "/admin/inbox/account/add/"
HERE = "127.0.0.1"
NO = "535 5.7.8 That is not the password"


@pytest.fixture
def german(workspace, inbox) -> Client:
    client = Client(headers={"accept-language": "de"})
    client.force_login(factories.make_person_user(workspace, "owner", "olga"))
    return client


def checked(german, workspace, port: int, protocol: str = "smtp", **changes) -> str:
    """Return the page that says what the check found of one server on this machine."""
    servers = dict.fromkeys(("imap_host", "imap_port", "smtp_host", "smtp_port"), "")
    server = {f"{protocol}_host": HERE, f"{protocol}_port": str(port)}
    answer = german.post(
        ADD,
        {
            "workspace": workspace.pk, "address": "sales@lantern.example", "name": "Sales",
            "preset": "", "action": "test", "imap_security": "none", "smtp_security": "none",
            "username": "sales", "auth": "password", "password": "open sesame", "oauth_token_url": "",
            "oauth_client_id": "", "oauth_scope": "", "refresh_token": "", "access_token": "",
            "client_secret": "", **servers, **server, **changes,
        },
    )  # fmt: skip
    page = unescape(answer.content.decode())
    assert english_in(page.replace("bdi>", "span>"), given={"Sales"}) == set()
    return page


def test_what_works_is_told_in_german(german, workspace):
    with ImapPeer() as reading:
        reading.add("INBOX", b"Subject: Hello\r\n\r\nHello\r\n")
        page = checked(german, workspace, reading.port, "imap")
    assert f"Der Empfang über {HERE}" in page
    assert "mit 1 Nachricht. Neue Mails kommen sofort an." in page
    with Peer(EHLO="250-peer\r\n250-SIZE 35882577\r\n250 AUTH PLAIN") as sending:
        page = checked(german, workspace, sending.port)
    assert "Er nimmt Nachrichten bis 35 MB an. Es wurde nichts gesendet." in page


def test_what_fails_is_told_in_german(german, workspace):
    page = checked(german, workspace, CLOSED_PORT)
    assert f"{HERE} lehnt Port {CLOSED_PORT} ab" in page
    assert (
        "Dort antwortet kein Server. Üblich sind die Ports 465 mit TLS oder 587 mit STARTTLS."
        in page
    )
    with Peer() as peer:
        page = checked(german, workspace, peer.port, smtp_security="starttls")
    assert "bietet kein STARTTLS an; es wurde nichts gesendet<" in page


def test_a_refused_login_is_german_around_the_server_s_words(german, workspace):
    with Peer(EHLO="250-peer\r\n250 AUTH PLAIN", AUTH=NO) as peer:
        page = checked(german, workspace, peer.port)
    assert f"Senden: <bdi>{HERE} lehnt die Anmeldung ab</bdi>" in page
    assert "Prüfen Sie Benutzername und Passwort" in page
    assert f"<q><bdi>{NO}</bdi></q>" in page


def in_german(found: Finding) -> list[str]:
    with translation.override("de"):
        return [worded(found.part), worded(found.title), worded(found.words)]


def tried(**settings) -> Finding:
    secret = Secret(settings.pop("password", "word"))
    (found,) = probe(Connection("mira@lantern.example", settings, secret))
    return found


def test_tls_that_cannot_be_trusted_is_german_around_what_is_wrong_with_it(tmp_path):
    certificate = make_certificate(tmp_path / "certificate.pem")
    with ImapPeer(certificate=certificate, tls=True) as peer:
        found = tried(imap_host=HERE, imap_port=peer.port, imap_security="tls")
    assert in_german(found)[:2] == ["Empfang", f"{HERE} kann seine Identität nicht nachweisen"]
    assert "Sein Zertifikat stammt nicht von einer vertrauenswürdigen Stelle" in in_german(found)[2]
    assert found.reply.startswith("self")


def test_what_trying_met_is_german_in_all_its_parts():
    with ImapPeer() as peer:
        found = tried(imap_host=HERE, imap_port=peer.port, imap_security="none", password="")
    for one in (found, tried(imap_host="imap.lantern.invalid", imap_port=993)):
        english = [one.part, one.title, one.words]
        assert not [said for said in in_german(one) if said in english]


@in_one_test("preset", presets().values())
def test_what_a_provider_wants_is_told_in_german(preset):
    with translation.override("de"):
        assert worded(preset.advice) not in {"", str(preset.advice)}
        assert worded(preset.advice).endswith(".")
