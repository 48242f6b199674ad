"""Servers that break off, refuse, lie or attack: an honest end, nothing sent where it must not."""

import base64
import json
import re
from datetime import UTC, datetime

import pytest

from inbox.accounts.credentials import Secret
from inbox.providers.base import Connection
from inbox.providers.change_store import (
    Collection,
    ItemChangedError,
    ItemRefusedError,
    Put,
    Remove,
)
from inbox.providers.dav import fetching, multistatus
from inbox.providers.dav.hrefs import is_related
from inbox.providers.dav.store import DavStore
from inbox.providers.mail_store import StoreError
from tests.cases import in_one_test
from tests.inbox.providers.dav.peer import Peer, Reply, calendar, members, peer
from tests.ports import CLOSED_PORT
from tests.servers import make_certificate

EVENT = (
    b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:1\r\n"
    b"SUMMARY:Lunch\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
)
AT_TABLE = EVENT.replace(
    b"SUMMARY",
    b'ORGANIZER;CN="x;SCHEDULE-AGENT=CLIENT":mailto:eve@evil.example\r\n'
    b"ATTENDEE;SCHEDULE-AGENT=SERVER;SCHEDULE-FORCE-SEND=REQUEST;PARTSTAT=ACCEPTED:mai\r\n"
    b" lto:ada@customer.example\r\nSUMMARY",
)
LIST = members(("/cal/1.ics", '"1"'), token="t2").body
TOKEN = json.dumps({"way": "sync", "token": "t1", "day": datetime.now(UTC).toordinal()})


@pytest.fixture
def server():
    with peer() as running:
        yield running


def store_of(server: Peer, **settings: object) -> DavStore:
    given = {"url": f"{server.url}/", "username": "mira", "timeout": 5, **settings}
    return DavStore(Connection("mira@lantern.example", given, Secret("open-sesame")))


def calendar_of(server: Peer) -> Collection:
    return Collection(f"{server.url}/cal/", "calendar", "Work")


def failure(server: Peer, reply: Reply, position: str = TOKEN) -> StoreError:
    server.script = lambda _request: reply
    with store_of(server) as store, pytest.raises(StoreError) as caught:
        store.changes(calendar_of(server), position)
    return caught.value


def principal(more: str) -> bytes:
    return (
        '<d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:response>'
        f"<d:href>/</d:href><d:propstat><d:prop>{more}</d:prop>"
        "<d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response></d:multistatus>"
    ).encode()


def data_of(href: str, raw: bytes) -> bytes:
    return (
        f"<d:response><d:href>{href}</d:href><d:propstat><d:prop><d:getetag>1</d:getetag>"
        '<c:calendar-data xmlns:c="urn:ietf:params:xml:ns:caldav">'
        f"{raw.decode()}</c:calendar-data></d:prop>"
        "<d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
    ).encode()


def bomb(levels: int) -> bytes:
    entities = "".join(
        f'<!ENTITY e{number} "{f"&e{number - 1};" * 10}">' for number in range(1, levels)
    )
    return (
        f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e0 "boom">{entities}]>'
        f'<d:multistatus xmlns:d="DAV:"><d:sync-token>&e{levels - 1};</d:sync-token>'
        "</d:multistatus>"
    ).encode()


# -- kinds -----------------------------------------------------------------------------------------
@in_one_test(
    ("status", "wait", "kind"),
    [
        (401, "", "login"), (403, "", "permanent"), (404, "", "gone"), (408, "", "transient"),
        (429, "", "throttled"), (429, "7", "throttled"), (500, "", "transient"),
        (502, "", "transient"), (503, "", "transient"), (503, "9", "throttled"),
        (302, "", "permanent"), (200, "", "permanent"),
    ],
)  # fmt: skip
def test_each_refusal_has_its_kind(server, status, wait, kind):
    headers = {"Retry-After": wait} if wait else {}
    # Without a position, for with one some refusals mean that the token is not known.
    found = failure(server, Reply(status, b"<p>no</p>", headers), "")
    assert found.kind == kind
    assert found.retry_after == (float(wait) if wait else None)
    assert "open-sesame" not in f"{found.words}{found.reply}"


def test_a_pause_is_a_day_at_most_and_may_be_a_time(server):
    never = "Fri, 31 Dec 9999 23:59:59 GMT"
    for wait in ("9" * 30, never):
        assert failure(server, Reply(429, headers={"Retry-After": wait})).retry_after == 86_400
    assert failure(server, Reply(429, headers={"Retry-After": "soon"})).retry_after is None


@in_one_test(
    "reply",
    [
        Reply(reset=True), Reply(body=LIST, cut=40), Reply(body=LIST, cut=0),
        Reply(body=LIST[:-10]), Reply(body=b""), Reply(body=b"\xff\xfe\0nothing"),
        Reply(body=LIST, headers={"Content-Encoding": "gzip"}),
    ],
)  # fmt: skip
def test_an_answer_that_breaks_off_is_transient(server, reply):
    assert failure(server, reply).kind == "transient"


def test_nobody_there_is_transient():
    connection = Connection("a@b.example", {"url": f"http://127.0.0.1:{CLOSED_PORT}/"}, Secret("x"))
    with DavStore(connection) as store, pytest.raises(StoreError) as caught:
        store.collections()
    assert caught.value.kind == "transient"


# -- attacks ---------------------------------------------------------------------------------------
@in_one_test(
    "body",
    [
        bomb(3), bomb(12),
        b'<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><d>&x;</d>',
        b'<!DOCTYPE d SYSTEM "http://evil.example/x.dtd"><d/>',
        b'<d:multistatus xmlns:d="DAV:">' + b"<d:response>" * 5000,
        b'<d:multistatus xmlns:d="DAV:"><d:response>' + b"<d:href/>" * 50_000,
        b"<html><body>Sign in</body></html>",
    ],
)  # fmt: skip
def test_xml_that_attacks_is_not_read(server, body):
    assert failure(server, Reply(body=body)).kind == "transient"
    found = failure(server, Reply(403, body=body), "")
    assert found.kind == "permanent"
    assert len(found.reply) < 500


def test_more_resources_than_are_read_are_refused(server, monkeypatch):
    monkeypatch.setattr(multistatus, "MOST_RESPONSES", 50)
    items = [(f"/cal/{number}.ics", '"1"') for number in range(51)]
    assert failure(server, members(*items, token="t2")).kind == "transient"


def test_nothing_is_sent_on_to_another_host(server):
    with peer() as other:
        for status in (301, 302, 307, 308):
            found = failure(server, Reply(status, headers={"Location": f"{other.url}/cal/"}))
            assert found.kind == "permanent"
        for target in (
            "https://evil.example/",
            "//evil.example/",
            "file:///etc/passwd",
            "http://[",
        ):
            assert failure(server, Reply(302, headers={"Location": target})).kind == "permanent"
        assert other.requests == []


def test_within_the_host_five_redirects_are_followed(server):
    def script(request):
        number = int(request.path.strip("/").removeprefix("cal") or 0)
        if number == server.end:
            return members(("/cal/1.ics", '"1"'), token="t2")
        return Reply(301, headers={"Location": f"/cal{number + 1}/"})

    server.script = script
    with store_of(server) as store:
        server.end = 5
        assert [each.id for each in store.changes(calendar_of(server), TOKEN).present] == [
            "/cal/1.ics"
        ]
        server.end = 6
        with pytest.raises(StoreError) as caught:
            store.changes(calendar_of(server), TOKEN)
        assert caught.value.kind == "permanent"
    assert len(server.requests) == 12
    assert all("authorization" in each.headers for each in server.requests)


def test_an_item_too_large_is_left_out(server):
    large = b"x" * (3 * 1024 * 1024)

    def script(request):
        if request.method == "REPORT":
            return Reply(403)
        return Reply(200, large if "large" in request.path else EVENT, {"ETag": '"1"'})

    server.script = script
    with store_of(server) as store:
        items = store.fetch(calendar_of(server), ["/cal/large.ics", "/cal/small.ics"])
        assert [(each.id, each.raw) for each in items] == [("/cal/small.ics", EVENT)]


def test_a_batch_that_is_too_long_is_asked_for_in_halves(server, monkeypatch):
    monkeypatch.setattr(fetching, "LONGEST_BATCH", 2_000)

    def script(request):
        asked = re.findall(rb"<d:href[^>]*>([^<]+)</d:href>", request.body)
        body = b"".join(data_of(each.decode(), EVENT + b"x" * 600) for each in asked)
        return Reply(body=b'<d:multistatus xmlns:d="DAV:">' + body + b"</d:multistatus>")

    server.script = script
    ids = [f"/cal/{number}.ics" for number in range(7)]
    with store_of(server) as store:
        assert sorted(each.id for each in store.fetch(calendar_of(server), ids)) == ids


@in_one_test("path", ["//evil.example/x", "https://evil.example/x", "x.ics", "/ü"])
def test_an_id_that_is_no_path_is_not_asked_for(server, path):
    with store_of(server) as store:
        with pytest.raises(ItemRefusedError):
            list(store.fetch(calendar_of(server), [path]))
        with pytest.raises(ItemRefusedError):
            store.apply(calendar_of(server), Remove(path), "")
    assert server.requests == []


@in_one_test(
    "url",
    [
        "http://dav.example/", "ftp://dav.example/", "https://mira@dav.example/", "https://", "a b",
        "https://dav.example:99999/", "javascript://x", "", "https://x.example/" + "y" * 1000,
    ],
)  # fmt: skip
def test_an_address_that_passwords_are_not_sent_to_is_refused(url):
    connection = Connection("mira@lantern.example", {"url": url}, Secret("open-sesame"))
    with pytest.raises(StoreError) as caught:
        DavStore(connection)
    assert caught.value.kind == "permanent"


# -- discovery -------------------------------------------------------------------------------------
def test_a_well_known_address_may_lead_elsewhere_and_is_told_no_password(server):
    with peer() as other:
        server.script = lambda request: (
            Reply(301, headers={"Location": f"{other.url}/dav/"})
            if request.path == "/.well-known/caldav"
            else Reply(404)
        )
        other.script = lambda request: (
            calendar() if "authorization" in request.headers else Reply(401)
        )
        with store_of(server, url=server.url.removeprefix("http://")) as store:
            [found] = store.collections()
        assert found.id.startswith(f"{other.url}/")
    assert all("authorization" not in each.headers for each in server.requests)
    assert ["authorization" in each.headers for each in other.requests] == [False, True, True]


def test_a_home_at_a_foreign_host_is_not_asked(server):
    with peer() as other:
        home = f"<c:calendar-home-set><d:href>{other.url}/home/</d:href></c:calendar-home-set>"
        server.script = lambda _request: Reply(body=principal(home))
        with store_of(server) as store, pytest.raises(StoreError) as caught:
            store.collections()
        assert caught.value.kind == "permanent"
        assert other.requests == []


@in_one_test(
    ("host", "known", "is_near"),
    [
        ("p42-caldav.icloud.com", "caldav.icloud.com", True),
        ("evil.example", "caldav.icloud.com", False),
        ("evilicloud.com", "caldav.icloud.com", False),
        ("a.lantern.example", "lantern.example", True),
        ("other.example", "lantern.example", False),
        ("127.0.0.1", "10.0.0.1", False),
    ],
)
def test_a_host_beside_the_known_one_is_near(host, known, is_near):
    assert is_related(host, known) is is_near


# -- what changed ----------------------------------------------------------------------------------
def test_addresses_are_one_however_they_are_written(server):
    server.script = lambda _request: members(
        (f"{server.url}/cal/a%40b.ics", '"1"'), ("/cal/%7Emira%20x.ics", 'W/"2"'),
        ("/cal/c.ics", "3"), ("/cal", '"4"'), ("https://evil.example/cal/d.ics", '"5"'),
        ("/cal/inner/", '"6"'), ("/cal/e.ics", ""), token="t2",
    )  # fmt: skip
    with store_of(server) as store:
        found = store.changes(calendar_of(server), TOKEN)
    assert [(each.id, each.etag) for each in found.present] == [
        ("/cal/a@b.ics", '"1"'), ("/cal/~mira%20x.ics", '"2"'), ("/cal/c.ics", '"3"'),
    ]  # fmt: skip


def test_after_a_week_a_token_is_not_relied_on(server):
    server.script = pages
    known = json.loads(TOKEN)
    with store_of(server) as store:
        # The token is of the day on which the tests began, which may be over by now.
        for days in (7, -2):
            old = json.dumps({**known, "day": known["day"] - days})
            assert store.changes(calendar_of(server), old).is_whole
        assert not store.changes(calendar_of(server), TOKEN).is_whole


PART = (
    "<d:response><d:href>/cal/</d:href><d:status>HTTP/1.1 507 Insufficient Storage</d:status>"
    "</d:response>"
)


def pages(request):
    if request.method == "PROPFIND":
        return calendar("<d:sync-token>t0</d:sync-token>")
    number = int(re.search(rb"sync-token>t?([0-9]*)<", request.body)[1] or 0)
    more = PART if number < 3 else ""
    return members((f"/cal/{number}.ics", '"1"'), token=f"t{number + 1}", more=more)


def test_the_beginning_is_put_together_of_its_pages(server):
    server.script = pages
    with store_of(server) as store:
        found = store.changes(calendar_of(server), "")
    assert [each.id for each in found.present] == [f"/cal/{number}.ics" for number in range(4)]
    assert (found.is_whole, found.more) == (True, False)
    assert json.loads(found.position)["token"] == "t4"


def test_a_page_of_changes_says_that_there_are_more(server):
    server.script = pages
    with store_of(server) as store:
        first = store.changes(calendar_of(server), TOKEN.replace("t1", "t2"))
        assert (first.more, first.is_whole) == (True, False)
        second = store.changes(calendar_of(server), first.position)
        assert (second.more, [each.id for each in second.present]) == (False, ["/cal/3.ics"])


def test_without_sync_tokens_the_ctag_says_whether_anything_changed(server):
    server.ctag = "c1"
    server.script = lambda request: (
        calendar(f"<s:getctag>{server.ctag}</s:getctag>")
        if request.headers["depth"] == "0"
        else members(("/cal/1.ics", f'"{server.ctag}"'))
    )
    with store_of(server) as store:
        first = store.changes(calendar_of(server), "")
        calls = store.calls
        same = store.changes(calendar_of(server), first.position)
        assert (same.present, same.is_whole, store.calls - calls) == ((), False, 1)
        server.ctag = "c2"
        other = store.changes(calendar_of(server), first.position)
        assert (other.is_whole, [each.etag for each in other.present]) == (True, ['"c2"'])


def test_without_ctags_the_etags_say_whether_anything_changed(server):
    server.etag = '"1"'
    server.script = lambda request: (
        calendar() if request.headers["depth"] == "0" else members(("/cal/1.ics", server.etag))
    )
    with store_of(server) as store:
        first = store.changes(calendar_of(server), "")
        calls = store.calls
        assert not store.changes(calendar_of(server), first.position).is_whole
        assert store.calls - calls == 1
        server.etag = '"2"'
        assert store.changes(calendar_of(server), first.position).is_whole


# -- changes from here -----------------------------------------------------------------------------
def test_a_weak_etag_is_compared_before_the_change(server):
    state = Reply(body=members(("/cal/1.ics", 'W/"1"')).body)
    server.script = lambda request: (
        state
        if request.method == "PROPFIND"
        else Reply(412 if "if-match" in request.headers else 204)
    )
    cards = Collection(f"{server.url}/cal/", "contacts", "People")
    with store_of(server) as store:
        store.apply(cards, Remove("/cal/1.ics"), '"1"')
        with pytest.raises(ItemChangedError):
            store.apply(cards, Remove("/cal/1.ics"), '"2"')
    assert server.methods() == [
        "PROPFIND /cal/1.ics", "DELETE /cal/1.ics", "PROPFIND /cal/1.ics", "DELETE /cal/1.ics",
        "PROPFIND /cal/1.ics",
    ]  # fmt: skip


def test_what_changed_is_not_removed_at_a_server_that_does_not_look_at_conditions(server):
    state = Reply(body=members(("/cal/1.ics", '"2"')).body)
    server.script = lambda request: state if request.method == "PROPFIND" else Reply(204)
    cards = Collection(f"{server.url}/cal/", "contacts", "People")
    with store_of(server) as store:
        with pytest.raises(ItemChangedError):
            store.apply(cards, Remove("/cal/1.ics"), '"1"')
        assert server.methods() == ["PROPFIND /cal/1.ics"]
        store.apply(cards, Remove("/cal/1.ics"), '"2"')
    assert server.methods()[-1] == "DELETE /cal/1.ics"


@in_one_test("status", [400, 403, 405, 409, 413, 415, 422, 507])
def test_an_item_that_is_refused_stops_nothing_else(server, status):
    body = (
        '<d:error xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><c:no-uid-conflict/>'
        "</d:error>"
    )
    server.script = lambda _request: Reply(status, body.encode())
    with store_of(server) as store, pytest.raises(ItemRefusedError) as caught:
        store.apply(calendar_of(server), Put("", "one", EVENT), "")
    assert "no uid conflict" in caught.value.words


@in_one_test(
    ("status", "kind"),
    [(401, "login"), (423, "transient"), (429, "throttled"), (500, "transient")],
)
def test_a_server_that_cannot_now_refuses_no_item(server, status, kind):
    server.script = lambda _request: Reply(status)
    with store_of(server) as store, pytest.raises(StoreError) as caught:
        store.apply(calendar_of(server), Put("", "one", EVENT), "")
    assert caught.value.kind == kind


def test_a_server_that_writes_an_item_anew_is_not_believed_its_etags(server):
    server.kept = EVENT
    server.script = lambda request: (
        Reply(201, headers={"ETag": '"1"'})
        if request.method == "PUT"
        else Reply(200, server.kept, {"ETag": '"1"'})
    )
    with store_of(server) as store:
        assert store.apply(calendar_of(server), Put("", "one", EVENT), "").etag == '"1"'
        calls = store.calls
        assert store.apply(calendar_of(server), Put("", "two", EVENT), "").etag == '"1"'
        assert store.calls - calls == 1
    server.kept = EVENT.replace(b"Lunch", b"LUNCH")
    with store_of(server) as store:
        assert store.apply(calendar_of(server), Put("", "one", EVENT), "").etag == ""


# -- invitations -----------------------------------------------------------------------------------
def put_with_people(server: Peer, features: str) -> tuple[bytes, str]:
    """Return what was sent of an event with people in it, and the etag that came of it."""
    server.script = lambda request: (
        Reply(200, headers={"DAV": features})
        if request.method == "OPTIONS"
        else Reply(201 if request.method == "PUT" else 200, AT_TABLE, {"ETag": '"1"'})
    )
    with store_of(server) as store:
        applied = store.apply(calendar_of(server), Put("", "one", AT_TABLE), "")
    [sent] = [each.body for each in server.requests if each.method == "PUT"]
    return sent, applied.etag


def test_a_server_that_invites_by_itself_is_told_not_to(server):
    sent, etag = put_with_people(server, "1, 2, calendar-access, calendar-auto-schedule")
    unfolded = sent.replace(b"\r\n ", b"")
    assert b'ORGANIZER;SCHEDULE-AGENT=CLIENT;CN="x;SCHEDULE-AGENT=CLIENT":mailto:eve@' in unfolded
    assert (
        b"ATTENDEE;SCHEDULE-AGENT=CLIENT;PARTSTAT=ACCEPTED:mailto:ada@customer.example" in unfolded
    )
    assert b"FORCE-SEND" not in sent
    assert etag == ""


def test_a_server_that_invites_nobody_gets_the_event_as_it_is(server):
    sent, etag = put_with_people(server, "1, 2, calendar-access")
    assert (sent, etag) == (AT_TABLE, '"1"')


def test_a_server_that_does_not_say_is_told_not_to(server):
    sent, _etag = put_with_people(server, "")
    assert sent != AT_TABLE


def test_an_event_that_cannot_be_kept_from_inviting_is_not_sent(server):
    server.script = lambda _request: Reply(200, headers={"DAV": "calendar-auto-schedule"})
    broken = AT_TABLE.replace(b'CLIENT":', b"CLIENT:")
    with store_of(server) as store, pytest.raises(ItemRefusedError):
        store.apply(calendar_of(server), Put("", "one", broken), "")
    assert server.methods() == ["OPTIONS /cal/"]


def scheduling(stored: bytes, addresses: str):
    """Return the script of a server that schedules, and has this event."""

    def script(request):
        match request.method:
            case "OPTIONS":
                return Reply(200, headers={"DAV": "calendar-auto-schedule"})
            case "GET":
                return Reply(200, stored, {"ETag": '"1"'})
            case "PROPFIND" if b"current-user-principal" in request.body:
                return Reply(
                    body=principal(
                        "<d:current-user-principal><d:href>/mira/</d:href>"
                        "</d:current-user-principal>"
                    )
                )
            case "PROPFIND":
                inner = "<c:calendar-user-address-set>{}</c:calendar-user-address-set>"
                return Reply(body=principal(inner.format(addresses)))
            case _:
                return Reply(204)

    return script


SERVED = (
    EVENT.replace(
        b"SUMMARY",
        b"ORGANIZER:mailto:Mira@alias.example\r\nATTENDEE:mailto:mira@alias.example\r\n"
        b"ATTENDEE:mailto:ada@customer.example\r\nSUMMARY",
    )
)  # fmt: skip
MINE = "<d:href>mailto:mira@alias.example</d:href><d:href>/mira/</d:href>"
OTHER = "<d:href>mailto:mira@lantern.example</d:href>"
CHANGES = (Remove("/cal/1.ics"), Put("/cal/1.ics", "", SERVED, SERVED))


@in_one_test("change", CHANGES)
def test_what_the_server_invited_to_is_neither_changed_nor_removed_by_us(server, change):
    for addresses in (MINE, ""):
        server.requests.clear()
        server.script = scheduling(SERVED, addresses)
        with store_of(server) as store, pytest.raises(ItemRefusedError, match="guests"):
            store.apply(calendar_of(server), change, '"1"')
        assert not {"PUT", "DELETE"} & {each.method for each in server.requests}


@in_one_test("change", CHANGES)
def test_what_another_invited_us_to_is_changed_and_nobody_is_told(server, change):
    server.requests.clear()
    server.script = scheduling(SERVED, OTHER)
    with store_of(server) as store:
        store.apply(calendar_of(server), change, '"1"')
    [sent] = [each for each in server.requests if each.method in ("PUT", "DELETE")]
    assert sent.headers.get("schedule-reply", "F") == "F"
    assert sent.method == "DELETE" or sent.body.count(b"SCHEDULE-AGENT=CLIENT") == 3


@in_one_test("change", CHANGES)
def test_what_we_invited_to_ourselves_is_changed_and_removed(server, change):
    ours = SERVED.replace(b"ATTENDEE:", b"ATTENDEE;SCHEDULE-AGENT=CLIENT:")
    server.script = scheduling(ours, MINE)
    if isinstance(change, Put):
        change = Put(change.id, "", ours, ours)
    with store_of(server) as store:
        store.apply(calendar_of(server), change, '"1"')


# -- signing in ------------------------------------------------------------------------------------
def test_a_token_is_sent_as_a_bearer(server):
    server.script = lambda _request: members(token="t2")
    with store_of(server, auth="oauth") as store:
        store.changes(calendar_of(server), TOKEN)
    assert server.requests[0].headers["authorization"] == "Bearer open-sesame"


def test_a_token_that_is_not_taken_is_renewed_at_once_and_not_for_ever(server):
    good, renewed = {"t2"}, []

    def renew(refused):
        renewed.append(refused.reveal())
        return Secret(f"t{len(renewed) + 1}")

    def answer(request):
        token = request.headers["authorization"].removeprefix("Bearer ")
        return members(token="s") if token in good else Reply(401)

    server.script = answer
    settings = {"url": server.url, "auth": "oauth"}
    with DavStore(Connection("a@b.example", settings, Secret("t1"), renew)) as store:
        for _number in range(2):
            store.changes(calendar_of(server), TOKEN)
        assert renewed == ["t1"]
        # It expires in the midst of a visit.
        good.clear()
        good.add("t3")
        store.changes(calendar_of(server), TOKEN)
        assert renewed == ["t1", "t2"]
        good.clear()
        for _number in range(3):
            with pytest.raises(StoreError) as caught:
                store.changes(calendar_of(server), TOKEN)
            assert caught.value.kind == "login"
        assert renewed == ["t1", "t2", "t3"]


def test_a_token_that_is_none_is_not_sent(server):
    given = {"url": server.url, "auth": "oauth"}
    connection = Connection("a@b.example", given, Secret("a\nb"))
    with pytest.raises(StoreError) as caught:
        DavStore(connection)
    assert caught.value.kind == "login"


@in_one_test(
    "challenge",
    [
        'Digest realm="x", nonce="n", algorithm=ROT13',
        'Digest realm="x"',
        "Digest",
        'Digest "',
        'Digest realm="x", nonce="n", qop="auth-int"',
    ],
)
def test_a_challenge_that_cannot_be_met_is_a_refused_sign_in(server, challenge):
    found = failure(server, Reply(401, headers={"WWW-Authenticate": challenge}))
    assert found.kind == "login"
    server.script = lambda _request: Reply(401, headers={"WWW-Authenticate": challenge})
    with store_of(server) as store:
        for _number in range(2):
            with pytest.raises(StoreError):
                store.changes(calendar_of(server), TOKEN)


def test_a_certificate_that_nobody_vouches_for_is_not_trusted(tmp_path):
    certificate = make_certificate(tmp_path / "certificate.pem")
    with peer(certificate) as server:
        server.script = lambda _request: members(token="t2")
        with store_of(server, ca_file=str(certificate)) as store:
            assert store.changes(calendar_of(server), TOKEN).present == ()
        with store_of(server) as store, pytest.raises(StoreError) as caught:
            store.changes(calendar_of(server), TOKEN)
        assert caught.value.kind == "permanent"
        assert len(server.requests) == 1


def test_a_password_is_sent_with_the_first_request(server):
    server.script = lambda _request: members(token="t2")
    with store_of(server) as store:
        store.changes(calendar_of(server), TOKEN)
    pair = base64.b64encode(b"mira:open-sesame").decode()
    assert [each.headers["authorization"] for each in server.requests] == [f"Basic {pair}"]
