"""The stand-in for Gmail refuses what Google does not describe, and Google's library takes it."""

import base64

import httpx
import pytest
from google.oauth2.credentials import Credentials
from googleapiclient.discovery import build_from_document
from googleapiclient.errors import HttpError
from googleapiclient.http import MediaInMemoryUpload

from tests.machines.google.discovery import methods
from tests.machines.google.everything import google_server

USER = "/gmail/v1/users/me"
RAW = b"From: mira@lantern.example\r\nTo: ada@x.example\r\nMessage-ID: <1@x>\r\n\r\nHello\r\n"
# The id of nobody's message.
NONE = "0" * 16


@pytest.fixture
def google():
    with google_server() as server:
        yield server


@pytest.fixture
def box(google):
    return google.gmail.box


@pytest.fixture
def library(google):
    document = next(it.document for it in methods() if it.id.startswith("gmail."))
    moved = document | {
        "rootUrl": f"{google.url}/", "baseUrl": "", "batchPath": "batch/gmail/v1"
    }  # fmt: skip
    with build_from_document(moved, credentials=Credentials(google.token())) as service:
        yield service.users()


def ask(google, method, path, token=None, **more):
    headers = {"Authorization": f"Bearer {token or google.token()}", **more.pop("headers", {})}
    return httpx.request(method, f"{google.url}{path}", headers=headers, trust_env=False, **more)


@pytest.mark.parametrize(
    ("method", "path", "more", "status"),
    [
        ("GET", f"{USER}/message", {}, 404),
        ("PUT", f"{USER}/messages", {}, 405),
        ("GET", f"{USER}/messages", {"params": {"max": 5}}, 400),
        ("GET", f"{USER}/messages", {"params": {"includeSpamTrash": "yes"}}, 400),
        ("GET", f"{USER}/history", {"params": {"startHistoryId": "x"}}, 400),
        ("GET", f"{USER}/history", {"params": {"startHistoryId": "1000", "q": "x"}}, 400),
        ("POST", f"{USER}/messages/{NONE}/modify", {"json": {"addLabels": ["INBOX"]}}, 400),
        ("POST", f"{USER}/messages/{NONE}/modify", {}, 400),
        ("POST", f"{USER}/labels", {"json": {"name": 5}}, 400),
        ("POST", f"{USER}/watch", {"json": {}}, 501),
    ],
)  # fmt: skip
def test_what_is_not_described_or_not_built_is_refused_and_noted(
    google, method, path, more, status
):
    assert ask(google, method, path, **more).status_code == status
    assert len(google.violations) == 1


@pytest.mark.parametrize(
    ("method", "path", "more", "status"),
    [
        ("GET", f"{USER}/messages", {"params": {"maxResults": 501}}, 400),
        ("GET", f"{USER}/messages", {"params": {"pageToken": "x"}}, 400),
        ("GET", f"{USER}/messages/{NONE}", {"params": {"format": "raw"}}, 404),
        ("GET", f"{USER}/messages/xyz", {}, 400),
        ("GET", "/gmail/v1/users/ada@x.example/messages", {}, 403),
        ("GET", f"{USER}/history", {"params": {"startHistoryId": "999999999"}}, 404),
        ("POST", f"{USER}/messages/batchModify", {"json": {"ids": [NONE]}}, 400),
        ("POST", f"{USER}/messages/{NONE}/modify", {"json": {"addLabelIds": ["SENT"]}}, 400),
        ("POST", f"{USER}/messages/{NONE}/modify", {"json": {"addLabelIds": ["Label_9"]}}, 400),
        ("POST", f"{USER}/labels", {"json": {"name": "Inbox"}}, 400),
        ("POST", f"{USER}/messages/send", {"json": {"raw": ""}}, 400),
        ("POST", "/batch/gmail/v1", {"content": b"x"}, 400),
    ],
)  # fmt: skip
def test_what_gmail_does_not_do_is_refused_in_its_words(google, method, path, more, status):
    answer = ask(google, method, path, **more)
    assert answer.status_code == status
    assert answer.json()["error"]["errors"][0]["reason"]
    assert google.violations == []


def test_each_call_has_its_scopes(google, box):
    key = box.add(RAW).id
    paths = [
        ("GET", f"{USER}/labels", {}), ("GET", f"{USER}/settings/sendAs", {}),
        ("POST", f"{USER}/messages/{key}/modify", {"json": {"removeLabelIds": ["UNREAD"]}}),
        ("DELETE", f"{USER}/messages/{key}", {}),
    ]  # fmt: skip
    opened = {
        scope: [ask(google, *path[:2], google.token(scope), **path[2]).is_success for path in paths]
        for scope in ("drive", "gmail.send", "gmail.labels", "gmail.readonly", "gmail.modify")
    }
    assert opened == {
        "drive": [False] * 4, "gmail.send": [False] * 4,
        "gmail.labels": [True, False, False, False], "gmail.readonly": [True, True, False, False],
        "gmail.modify": [True, True, True, False],
    }  # fmt: skip
    assert ask(google, "GET", paths[0][1], google.token(lasts=-1)).status_code == 401


def test_google_s_own_library_reads_changes_and_follows_it(google, box, library):
    messages, place = library.messages(), {"userId": "me"}
    made = messages.insert(
        **place, body={"labelIds": ["INBOX"], "raw": base64.urlsafe_b64encode(RAW).decode()}
    ).execute()
    start = library.getProfile(**place).execute()["historyId"]
    listed = messages.list(**place, labelIds=["INBOX"]).execute()["messages"]
    assert [it["id"] for it in listed] == [made["id"]]
    got = messages.get(**place, id=made["id"], format="raw").execute()
    assert base64.urlsafe_b64decode(got["raw"]) == RAW
    label = library.labels().create(**place, body={"name": "Travel"}).execute()["id"]
    body = {"addLabelIds": [label], "removeLabelIds": ["INBOX"]}
    messages.batchModify(**place, body={"ids": [made["id"]], **body}).execute()
    told = library.history().list(**place, startHistoryId=start).execute()
    assert [sorted(it) for it in told["history"]] == [
        ["id", "labelsAdded", "messages"], ["id", "labelsRemoved", "messages"],
    ]  # fmt: skip
    messages.trash(**place, id=made["id"]).execute()
    assert box.letters[made["id"]].labels == {label, "TRASH"}
    box.forget()
    with pytest.raises(HttpError) as caught:
        library.history().list(**place, startHistoryId=start).execute()
    assert caught.value.status_code == 404
    assert google.violations == []


def test_google_s_own_library_sends_by_it(google, library):
    place = {"userId": "me"}
    media = MediaInMemoryUpload(RAW, "message/rfc822")
    sent = library.messages().send(**place, media_body=media).execute()
    assert sent["labelIds"] == ["SENT"]
    query = {"q": "rfc822msgid:1@x"}
    assert "messages" in library.messages().list(**place).execute()
    assert "messages" in library.messages().list(**place, **query).execute()
    assert [it.recipients for it in google.gmail.sending.sent] == [("ada@x.example",)]
    assert google.violations == []


def test_google_s_own_library_asks_for_many_at_once(google, box, library):
    ids = [box.add(RAW).id, NONE, box.add(RAW).id]
    google.order(429, f"GET .*{ids[2]}")
    found = {}

    def keep(key, answer, error):
        found[key] = error.status_code if error else answer["id"]

    document = next(it.document for it in methods() if it.id.startswith("gmail."))
    moved = document | {
        "rootUrl": f"{google.url}/", "baseUrl": "", "batchPath": "batch/gmail/v1"
    }  # fmt: skip
    with build_from_document(moved, credentials=Credentials(google.token())) as service:
        batch = service.new_batch_http_request(callback=keep)
        for key in ids:
            batch.add(library.messages().get(userId="me", id=key, format="minimal"), request_id=key)
        batch.execute()
    assert found == {ids[0]: ids[0], NONE: 404, ids[2]: 429}
    assert google.violations == []
