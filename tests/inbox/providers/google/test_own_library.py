"""Google's own client library takes the stand-in for Google."""

from collections.abc import Callable
from typing import Any

import pytest
from google.oauth2.credentials import Credentials
from googleapiclient.discovery import build_from_document
from googleapiclient.errors import HttpError
from googleapiclient.http import MediaInMemoryUpload

from tests.change_store_cases import create, everything, fetched
from tests.inbox.providers.google.stages import (
    CalendarStage,
    DriveStage,
    PeopleStage,
    TaskStage,
)
from tests.machines.google.discovery import methods
from tests.machines.google.everything import Google

Library = Callable[[str, str], Any]


@pytest.fixture
def library(google: Google) -> Library:
    """Return the library's client of an interface, whose documents it carries itself."""

    def of(name: str, version: str) -> Any:
        document = next(it.document for it in methods() if it.id.startswith(f"{name}."))
        assert document["version"] == version
        # Where it uploads to goes by this as well.
        moved = document | {"rootUrl": f"{google.url}/", "baseUrl": ""}
        return build_from_document(moved, credentials=Credentials(google.token()))

    return of


def test_it_reads_what_we_made_and_we_what_it_made(calendar: CalendarStage, library: Library):
    with library("calendar", "v3") as service:
        place = {"calendarId": calendar.calendar.id}
        listed = service.calendarList().list().execute()["items"]
        assert calendar.calendar.id in {it["id"] for it in listed}
        create(calendar, "one", "Breakfast")
        page = service.events().list(**place).execute()
        assert [it["summary"] for it in page["items"]] == ["Breakfast"]
        when = {name: {"dateTime": f"2026-01-10T1{number}:00:00Z"} for number, name in
                enumerate(("start", "end"))}  # fmt: skip
        body = {"summary": "Lunch", "recurrence": ["RRULE:FREQ=DAILY;COUNT=3"], **when}
        with pytest.raises(HttpError, match="time zone"):
            service.events().insert(**place, body=body).execute()
        for time in when.values():
            time["timeZone"] = "Europe/Berlin"
        made = service.events().insert(**place, body=body, sendUpdates="none").execute()
        found = service.events().list(**place, syncToken=page["nextSyncToken"]).execute()
        assert [it["id"] for it in found["items"]] == [made["id"]]
        ids = [entry.id for entry in everything(calendar).present]
        titles = sorted(calendar.title(item.raw) for item in fetched(calendar, ids))
        assert titles == ["Breakfast", "Lunch"]
        service.events().delete(**place, eventId=made["id"]).execute()
        assert len(everything(calendar).present) == 1


def test_it_meets_the_refusals_that_google_gives(
    google: Google, calendar: CalendarStage, library: Library
):
    with library("calendar", "v3") as service:
        events, place = service.events(), {"calendarId": calendar.calendar.id}
        with pytest.raises(HttpError) as caught:
            events.get(**place, eventId="none0").execute()
        assert (caught.value.status_code, caught.value.reason) == (404, "Not Found")
        calendar.calendars.expire()
        with pytest.raises(HttpError) as caught:
            events.list(**place, syncToken="old").execute()
        assert caught.value.status_code == 410
        assert caught.value.error_details[0]["reason"] == "fullSyncRequired"
        google.order(429, times=1)
        assert events.list(**place).execute(num_retries=1)["items"] == []


def test_it_and_we_have_the_same_to_dos(todos: TaskStage, library: Library):
    with library("tasks", "v1") as service:
        place = {"tasklist": todos.list.id}
        assert todos.list.id in {it["id"] for it in service.tasklists().list().execute()["items"]}
        whole = create(todos, "whole", "Move house")
        [_item] = fetched(todos, [whole.id])
        part = service.tasks().insert(**place, parent=whole.id, body={"title": "Pack"}).execute()
        page = service.tasks().list(**place).execute()
        assert {it["title"]: it.get("parent") for it in page["items"]} == {
            "Move house": None, "Pack": whole.id,
        }  # fmt: skip
        body = {"status": "completed"}
        service.tasks().patch(**place, task=part["id"], body=body).execute()
        [item] = fetched(todos, [part["id"]])
        assert b"STATUS:COMPLETED" in item.raw
        service.tasks().move(**place, task=part["id"]).execute()
        service.tasks().delete(**place, task=whole.id).execute()
        assert [entry.id for entry in everything(todos).present] == [part["id"]]


def test_it_and_we_have_the_same_contacts(contacts: PeopleStage, library: Library):
    with library("people", "v1") as service:
        people = service.people()
        made = create(contacts, "ada", "Byron")
        listing = {"resourceName": "people/me", "personFields": "names", "requestSyncToken": True}
        page = people.connections().list(**listing).execute()
        assert [it["names"][0]["familyName"] for it in page["connections"]] == ["Byron"]
        person = people.get(resourceName=made.id, personFields="names,metadata").execute()
        person["nicknames"] = [{"value": "Countess"}]
        change = {"resourceName": made.id, "updatePersonFields": "nicknames"}
        body = {name: person[name] for name in ("nicknames", "metadata", "etag")}
        people.updateContact(**change, personFields="nicknames", body=body).execute()
        with pytest.raises(HttpError, match="different"):
            people.updateContact(**change, personFields="nicknames", body=body).execute()
        [item] = fetched(contacts, [made.id])
        assert b"NICKNAME:Countess" in item.raw
        token = page["nextSyncToken"]
        found = people.connections().list(**listing, syncToken=token).execute()
        assert [it["resourceName"] for it in found["connections"]] == [made.id]
        contacts.people.expire()
        with pytest.raises(HttpError) as caught:
            people.connections().list(**listing, syncToken=token).execute()
        assert caught.value.error_details[0]["reason"] == "EXPIRED_SYNC_TOKEN"


@pytest.mark.parametrize("resumable", [False, True])
def test_it_and_we_have_the_same_files(drive: DriveStage, library: Library, resumable: bool):
    with library("drive", "v3") as service:
        files = service.files()
        made = create(drive, "one.txt", "One")
        found = files.list(q="trashed=false", fields="files(id,name,md5Checksum)").execute()
        assert [(it["id"], it["md5Checksum"]) for it in found["files"]] == [(made.id, made.etag)]
        assert files.get_media(fileId=made.id).execute() == drive.item("one.txt", "One")
        media = MediaInMemoryUpload(b"Two\r\n\xff", "text/plain", resumable=resumable)
        token = service.changes().getStartPageToken().execute()["startPageToken"]
        two = files.create(body={"name": "two.txt"}, media_body=media).execute()
        changes = service.changes().list(pageToken=token).execute()["changes"]
        assert {it["fileId"] for it in changes} == {two["id"]}
        [item] = fetched(drive, [two["id"]])
        assert item.raw == b"Two\r\n\xff"
        files.update(fileId=two["id"], body={"trashed": True}).execute()
        assert [entry.id for entry in everything(drive).present] == [made.id]
