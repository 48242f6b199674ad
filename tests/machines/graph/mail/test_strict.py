"""The stand-in's mail refuses what Graph would refuse."""

import base64
from datetime import timedelta
from urllib.parse import quote

import httpx
import pytest

from tests.inbox.providers.graph.stages import client
from tests.inbox.syncing.mirrors import letter
from tests.machines.graph.mail.exchange import rewritten
from tests.machines.graph.server import ADDRESS, graph_server

TEXT = {"Content-Type": "text/plain"}
IMMUTABLE = {"Prefer": 'IdType="ImmutableId"'}


@pytest.fixture
def graph():
    with graph_server() as server:
        server.add_account()
        yield server


@pytest.fixture
def kept(graph):
    return graph.boxes[ADDRESS].mail.arrive(letter("Letter"))


@pytest.fixture
def http(graph):
    with client(graph) as opened:
        yield opened


def code(answer):
    return answer.status_code, answer.json()["error"]["code"]


def test_what_it_does_not_know_is_refused(http, kept):
    at = f"/me/messages/{quote(kept.id)}"
    for method, path, fields, status in [
        ("GET", "/me/mail", None, 400),
        ("PUT", at, {}, 405),
        ("GET", f"{at}?$select=colour", None, 400),
        ("GET", f"{at}?$expand=attachments", None, 400),
        ("GET", "/me/messages?$filter=subject eq 'x'", None, 400),
        ("GET", "/me/mailFolders/inbox/messages/delta?$orderby=subject", None, 400),
        ("GET", "/me/mailFolders/attic", None, 404),
        ("GET", "/me/messages/nothing", None, 404),
        ("PATCH", at, {"isDraft": False}, 400),
        ("PATCH", at, {"read": True}, 400),
        ("PATCH", at, {"isRead": "yes"}, 400),
        ("PATCH", at, {"flag": {"flagStatus": "red"}}, 400),
        ("PATCH", at, {"categories": ["Travel", "travel"]}, 400),
        ("PATCH", at, {"bccRecipients": []}, 400),
        ("POST", f"{at}/move", {"folder": "archive"}, 400),
        ("POST", f"{at}/move", {"DestinationId": "attic"}, 404),
        ("POST", f"{at}/send", {"saveToSentItems": True}, 400),
        ("POST", f"{at}/send", None, 400),
        ("POST", "/me/messages", {"subject": "x"}, 415),
        ("POST", "/me/mailFolders", {"displayName": "Inbox"}, 409),
        ("POST", "/me/mailFolders", {"displayName": "x", "isHidden": True}, 400),
    ]:
        answer = http.request(method, path, json=fields)
        assert answer.status_code == status, (method, path, fields, answer.text)
    assert http.get(at, headers={"Prefer": "everything"}).status_code == 400


def test_mime_has_to_be_base64_of_a_message_and_not_too_large(http):
    for content, status in [
        (b"not base64!", 400), (base64.b64encode(b"no header"), 400), (b"AAAA" * 1024**2 * 2, 413),
    ]:  # fmt: skip
        assert http.post("/me/messages", content=content, headers=TEXT).status_code == status


def test_a_change_over_another_state_is_refused(http, kept):
    at = f"/me/messages/{quote(kept.id)}"
    stale = {"If-Match": http.get(at).json()["@odata.etag"]}
    assert http.patch(at, json={"isRead": True}, headers=stale).is_success
    answer = http.patch(at, json={"isRead": False}, headers=stale)
    assert code(answer) == (412, "ErrorIrresolvableConflict")
    assert kept.is_read


def test_each_scope_opens_its_own(graph, http, kept):
    at = f"/me/messages/{quote(kept.id)}"
    for scopes, method, path, status in [
        (["Calendars.ReadWrite"], "GET", at, 403),
        (["Mail.Read"], "GET", at, 200),
        (["Mail.Read"], "POST", f"{at}/permanentDelete", 403),
        (["Mail.ReadWrite"], "POST", f"{at}/send", 403),
    ]:
        signed_in = {"Authorization": f"Bearer {graph.sign_in(ADDRESS, *scopes)}"}
        assert http.request(method, path, headers=signed_in).status_code == status


def test_changes_come_in_pages_end_in_a_link_and_are_forgotten(graph, http, kept):
    mail = graph.boxes[ADDRESS].mail
    mail.arrive(letter("Another"))
    small = {"Prefer": f"{IMMUTABLE['Prefer']}, odata.maxpagesize=1"}
    url = "/me/mailFolders/inbox/messages/delta?$select=isRead&$orderby=receivedDateTime desc"
    first = http.get(url, headers=small).json()
    second = http.get(first["@odata.nextLink"], headers=small).json()
    assert [one["id"] for one in (*first["value"], *second["value"])][1] == kept.id
    link = second["@odata.deltaLink"]
    mail.change(kept, is_read=True)
    [told] = http.get(link).json()["value"]
    assert told == {"id": kept.id, "isRead": True, "@odata.etag": kept.etag}
    mail.move(kept, mail.folder("archive"))
    [told] = http.get(link).json()["value"]
    assert told == {"id": kept.id, "@removed": {"reason": "deleted"}}
    assert code(http.get(f"{link}&$select=isRead")) == (410, "SyncStateNotFound")
    graph.forget_changes()
    assert code(http.get(link)) == (410, "SyncStateNotFound")


def test_ids_stay_for_who_prefers_that_and_for_nobody_else(http, kept):
    at = f"/me/messages/{quote(kept.id)}"
    assert http.get(at, headers=IMMUTABLE).json()["id"] == kept.id
    assert http.get(at, headers={"Prefer": ""}).json()["id"] != kept.id


# -- attachments -----------------------------------------------------------------------------------
@pytest.fixture
def mail(graph):
    return graph.boxes[ADDRESS].mail


@pytest.fixture
def draft(mail):
    return mail.arrive(rewritten(letter("Plans")), "drafts", is_draft=True)


def begin(graph, draft, size=4_000_000, **more):
    item = {"attachmentType": "file", "name": "a.pdf", "size": size, **more}
    path = f"/me/messages/{draft.id}/attachments/createUploadSession"
    with client(graph) as program:
        return program.post(path, json={"AttachmentItem": item})


def put(url, first, length, whole=4_000_000, **headers):
    kept = {
        "Content-Range": f"bytes {first}-{first + length - 1}/{whole}",
        "Content-Type": "application/octet-stream", **headers,
    }  # fmt: skip
    return httpx.put(url, content=b"x" * length, headers=kept, trust_env=False).status_code


def test_an_upload_goes_by_ranges_in_their_order_and_is_taken_up_where_it_stopped(
    graph, mail, draft
):
    url = begin(graph, draft).json()["uploadUrl"]
    unit = 320 * 1024
    assert put(url, unit, unit) == 416
    assert put(url, 0, unit + 1) == 400
    assert put(url, 0, 4_000_000, Authorization="Bearer x") == 401
    assert put(url, 0, 4_000_000 - unit, whole=4_000_001) == 400
    assert put(url, 0, 10 * unit) == 200
    assert put(url, 0, 10 * unit) == 416
    told = httpx.get(url, trust_env=False).json()
    assert told["nextExpectedRanges"] == [f"{10 * unit}-"]
    assert put(url, 10 * unit, 4_000_000 - 10 * unit) == 201
    assert b"a.pdf" in draft.raw
    # It is over then, as it is when its time is, or its draft was sent.
    assert put(url, 0, unit) == 401
    mail.uploads_last = timedelta()
    assert put(begin(graph, draft).json()["uploadUrl"], 0, unit) == 404
    mail.uploads_last = timedelta(hours=1)
    url = begin(graph, draft).json()["uploadUrl"]
    mail.change(draft, is_draft=False)
    assert put(url, 0, unit) == 404


@pytest.mark.parametrize("size", [2_999_999, 150 * 1024 * 1024 + 1])
def test_a_session_takes_no_file_that_is_too_small_or_too_large(graph, draft, size):
    assert begin(graph, draft, size).status_code == 400
    assert begin(graph, draft, colour="red").status_code == 400
