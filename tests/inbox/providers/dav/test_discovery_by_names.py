"""Where SRV and TXT records of a domain lead (RFC 6764), asked of a name server on loopback."""

import socketserver
import threading
from collections.abc import Iterator

import dns.message
import dns.resolver
import dns.rrset
import pytest

from inbox.accounts.credentials import Secret
from inbox.providers.base import Connection
from inbox.providers.dav import discovery, service_names
from inbox.providers.dav.session import Session
from inbox.providers.dav.settings import DavSettings
from inbox.providers.mail_store import StoreError
from tests.ports import CLOSED_PORT

ZONE = {
    ("_caldavs._tcp.lantern.example.", "SRV"): [
        "20 1 443 slow.example.", "10 1 8443 Dav.Lantern.example.",
    ],
    ("_caldavs._tcp.lantern.example.", "TXT"): ['"path=/dav/cal/"'],
    ("_carddavs._tcp.lantern.example.", "SRV"): ["0 0 0 ."],
    ("_caldavs._tcp.evil.example.", "SRV"): ["1 1 443 dav.evil.example."],
    ("_caldavs._tcp.evil.example.", "TXT"): ['"path=@elsewhere.example/"'],
}  # fmt: skip


class _Names(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        data, answering = self.request
        query = dns.message.from_wire(data)
        [asked] = query.question
        reply = dns.message.make_response(query)
        records = ZONE.get((asked.name.to_text(), dns.rdatatype.to_text(asked.rdtype)), [])
        if records:
            kind = dns.rdatatype.to_text(asked.rdtype)
            reply.answer.append(dns.rrset.from_text(asked.name, 60, "IN", kind, *records))
        answering.sendto(reply.to_wire(), self.client_address)


@pytest.fixture
def session(monkeypatch) -> Iterator[Session]:
    """A session of a machine whose name server has these records."""
    with socketserver.ThreadingUDPServer(("127.0.0.1", 0), _Names) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        resolver = dns.resolver.Resolver(configure=False)
        resolver.nameservers, resolver.port = ["127.0.0.1"], server.server_address[1]
        monkeypatch.setattr(dns.resolver, "default_resolver", resolver)
        given = Connection("mira@lantern.example", {"url": "lantern.example"}, Secret("x"))
        asked = Session(DavSettings.read(given), given.secret)
        yield asked
        asked.close()
        server.shutdown()


def test_records_lead_to_the_most_preferred_server_and_its_path(session):
    found = discovery._by_names(session, "lantern.example", "caldav")
    assert found == ["https://dav.lantern.example:8443/dav/cal/"]
    assert session.calls == 0


def test_a_service_that_is_not_offered_leads_nowhere(session):
    assert discovery._by_names(session, "lantern.example", "carddav") == []
    assert discovery._by_names(session, "nothing.example", "caldav") == []


def test_a_name_server_that_does_not_answer_is_transient(session, monkeypatch):
    monkeypatch.setattr(service_names, "SECONDS_FOR_NAMES", 0.2)
    monkeypatch.setattr(dns.resolver.default_resolver, "port", CLOSED_PORT)
    with pytest.raises(StoreError) as caught:
        discovery._by_names(session, "lantern.example", "caldav")
    assert caught.value.kind == "transient"


def test_a_path_that_names_another_host_is_none(session):
    hosts = {
        found.split("/")[2] for found in discovery._by_names(session, "evil.example", "caldav")
    }
    assert hosts <= {"dav.evil.example"}
