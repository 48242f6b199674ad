"""The stand-in for Google refuses what Google does not describe, and notes it."""

import httpx
import pytest

from tests.machines.google.everything import google_server
from tests.machines.google.masks import masked
from tests.machines.google.refusing import Refused
from tests.trust import trust

PLACE = "/calendar/v3/calendars/primary/events"
WHEN = {
    "start": {"dateTime": "2026-03-02T09:00:00Z"}, "end": {"dateTime": "2026-03-02T10:00:00Z"},
}  # fmt: skip


@pytest.fixture
def google():
    with google_server() as server:
        yield server


def ask(google, method, path, token=None, **more):
    headers = {"Authorization": f"Bearer {token or google.token()}"}
    return httpx.request(
        method, f"{google.url}{path}", headers=headers, trust_env=False, verify=trust(), **more
    )


@pytest.mark.parametrize(
    ("method", "path", "more", "status"),
    [
        ("GET", "/calendar/v3/calendar/primary/events", {}, 404),
        ("PUT", PLACE, {"json": {}}, 405),
        ("GET", PLACE, {"params": {"maxresults": 5}}, 400),
        ("GET", PLACE, {"params": {"maxResults": "many"}}, 400),
        ("GET", PLACE, {"params": {"orderBy": "title"}}, 400),
        ("GET", PLACE, {"params": [("q", "a"), ("q", "b")]}, 400),
        ("POST", PLACE, {"json": {"title": "Dinner", **WHEN}}, 400),
        ("POST", PLACE, {"json": {"summary": 5, **WHEN}}, 400),
        ("POST", PLACE, {"json": {"attendees": [{"mail": "a@b.example"}], **WHEN}}, 400),
        ("POST", PLACE, {}, 400),
        ("GET", "/v1/people/me/connections", {"params": {"fields": "x", "size": 5}}, 400),
        ("POST", "/tasks/v1/lists/x/tasks", {"json": {"notes": None, "name": "Pay"}}, 400),
        ("GET", "/drive/v3/files", {"params": {"pageSize": "0"}}, 400),
        ("POST", "/calendar/v3/freeBusy", {"json": {}}, 501),
    ],
)  # fmt: skip
def test_what_is_not_described_or_not_built_is_refused_and_noted(
    google, method, path, more, status
):
    assert ask(google, method, path, **more).status_code == status
    assert len(google.violations) >= 1


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"json": {"id": "zzz", **WHEN}}, "invalid"),
        ({"json": {"id": "abcde", "iCalUID": "a@b", **WHEN}}, "invalid"),
        ({"json": {"start": WHEN["start"]}}, "required"),
        ({"json": {**WHEN, "end": WHEN["start"], "start": WHEN["end"]}}, "timeRangeEmpty"),
        ({"json": {**WHEN, "recurrence": ["RRULE:FREQ=DAILY"]}}, "required"),
        ({"json": {**WHEN, "organizer": {"email": "a@b.example"}}}, "invalid"),
        ({"content": b"{", "headers": {"Content-Type": "application/json"}}, "parseError"),
    ],
)  # fmt: skip
def test_what_google_refuses_of_an_event_is_refused_in_its_words(google, more, reason):
    headers = {"Authorization": f"Bearer {google.token()}", **more.pop("headers", {})}
    answer = httpx.post(
        f"{google.url}{PLACE}", headers=headers, trust_env=False, verify=trust(), **more
    )
    assert answer.status_code == 400
    assert answer.json()["error"]["errors"][0]["reason"] == reason


def test_each_interface_has_its_scope(google):
    paths = {
        "calendar": PLACE, "tasks": "/tasks/v1/users/@me/lists", "drive": "/drive/v3/files/root",
        "contacts": "/v1/people/me/connections?personFields=names",
    }  # fmt: skip
    for scope in paths:
        token = google.token(scope)
        opened = {
            name for name, path in paths.items() if ask(google, "GET", path, token).is_success
        }
        assert opened == {scope}
    assert ask(google, "GET", PLACE, google.token(lasts=-1)).status_code == 401
    assert google.violations == []


def test_a_page_and_a_sync_go_on_with_the_call_that_they_began_with(google):
    google.calendars.tokens.page_size = 1
    for _number in range(2):
        assert ask(google, "POST", PLACE, json=WHEN).is_success
    page = ask(google, "GET", PLACE, params={"maxResults": 1}).json()
    more = {"pageToken": page["nextPageToken"]}
    assert ask(google, "GET", PLACE, params={**more, "showDeleted": "true"}).status_code == 400
    last = ask(google, "GET", PLACE, params={**more, "maxResults": 1}).json()
    token = {"syncToken": last["nextSyncToken"]}
    assert ask(google, "GET", PLACE, params={**token, "q": "x"}).status_code == 400
    assert ask(google, "GET", PLACE, params={**token, "maxResults": 1}).json()["items"] == []
    assert google.violations == []


@pytest.mark.parametrize("mask", ["files(id", "files)id", "id name", "files(id))"])
def test_a_mask_that_makes_no_sense_is_refused(mask):
    with pytest.raises(Refused):
        masked({"files": [{"id": "1", "name": "a"}]}, mask)


def test_a_mask_picks_fields():
    answer = {"kind": "list", "files": [{"id": "1", "name": "a", "owner": {"me": True, "x": 1}}]}
    assert masked(answer, "*") == answer
    assert masked(answer, "files(id,owner/me)") == {"files": [{"id": "1", "owner": {"me": True}}]}
