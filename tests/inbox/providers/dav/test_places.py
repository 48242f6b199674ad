"""Where a server has contacts at another address, and where Nextcloud has files beside calendars."""

import pytest

from inbox.accounts.credentials import Secret
from inbox.providers.base import Connection
from inbox.providers.dav.listing import files_beside
from inbox.providers.dav.store import DECLARATION, DavStore
from inbox.providers.mail_store import StoreError
from tests.dav_servers import PASSWORD
from tests.inbox.providers.dav.peer import Peer, Reply

_ANSWER = (
    '<d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:response>'
    "<d:href>{path}</d:href><d:propstat><d:prop>{said}</d:prop>"
    "<d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response></d:multistatus>"
)
DAV = "/remote.php/dav/"
SAID = {
    DAV: f"<c:calendar-home-set><d:href>{DAV}calendars/mira/</d:href></c:calendar-home-set>",
    f"{DAV}calendars/mira/": "<d:resourcetype><d:collection/></d:resourcetype>",
    f"{DAV}files/mira/": "<d:resourcetype><d:collection/></d:resourcetype>",
}


@pytest.fixture
def peer():
    peer = Peer()
    yield peer
    peer.close()


def collections(peer, paths):
    def script(request):
        if request.path not in paths:
            return Reply(404)
        body = _ANSWER.format(path=request.path, said=SAID[request.path])
        return Reply(body=body.encode(), headers={"Content-Type": "application/xml"})

    peer.script = script
    settings = {"url": f"{peer.url}{DAV}", "username": "mira@lantern.example"}
    with DavStore(Connection("mira@lantern.example", settings, Secret("x"))) as store:
        return store.collections()


def test_the_files_of_nextcloud_are_found_beside_its_calendars(peer):
    [folder] = collections(peer, SAID)
    assert (folder.kind, folder.id) == ("files", f"{peer.url}{DAV}files/mira/")


def test_a_server_that_has_none_there_has_calendars_all_the_same(peer):
    assert collections(peer, {DAV, f"{DAV}calendars/mira/"}) == []


@pytest.mark.parametrize(
    ("home", "files"),
    [
        ("https://c.example/nc/remote.php/dav/calendars/mira%20k/",
         "https://c.example/nc/remote.php/dav/files/mira%20k/"),
        ("https://c.example/remote.php/dav/addressbooks/users/mira/",
         "https://c.example/remote.php/dav/files/mira/"),
        ("https://c.example/remote.php/dav/calendars/mira/personal/", ""),
        ("https://c.example/dav/calendars/mira/", ""),
    ],
)  # fmt: skip
def test_a_home_names_whose_files_they_are(home, files):
    assert files_beside(home) == files


@pytest.mark.parametrize(
    ("settings", "otherwise"),
    [
        ({"url": "https://f.example/x/", "username": "m"},
         {"url": "", "files_url": "https://f.example/x/", "username": "m"}),
        ({"url": "lantern.example"}, None),
        ({"url": "https://f.example/", "files_url": "https://f.example/x/"}, None),
    ],
)  # fmt: skip
def test_an_address_without_calendars_may_be_one_of_files(settings, otherwise):
    assert DECLARATION.otherwise(settings) == otherwise


@pytest.mark.services
def test_contacts_at_another_address_come_with_the_calendars(radicale, xandikos):
    user = radicale.new_user()
    radicale.make_calendar(user, "lamps", ("VEVENT",))
    book = xandikos.make_addressbook("mira", "apart")
    settings = {"url": f"{radicale.url}/", "contacts_url": book, "username": user}
    with DavStore(Connection("mira@lantern.example", settings, Secret(PASSWORD))) as store:
        found = {(one.kind, one.name) for one in store.collections()}
    assert found == {("calendar", "lamps"), ("contacts", "apart")}


@pytest.mark.parametrize(
    ("given", "title"),
    [
        ({"url": "ftp://cloud.example/"}, "Address"),
        ({"url": "https://" + "a" * 64 + ".example/"}, "Address"),
        ({"url": "cloud..example"}, "Address"),
        ({"contacts_url": "cloud.example"}, "Address of contacts"),
        ({"files_url": "http://cloud.example/"}, "Address of files"),
    ],
)
def test_what_cannot_be_an_address_is_named_as_its_form_does(given, title):
    with (
        pytest.raises(StoreError, match=f"“{title}” must be an address"),
        DavStore(Connection("mira@lantern.example", given, Secret("x"))) as store,
    ):
        store.collections()
