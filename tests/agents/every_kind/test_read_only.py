"""What is only read from its server: each change is refused by name, and nothing is half done."""

import pytest

from agents.exchange import folders
from agents.models import Approval
from calendar_app.models import Todo
from inbox.models import FileNode, RemoteItem
from tests.agents.every_kind.offices import calls
from tests.agents.every_kind.test_calendars import JANUARY, TIMES

pytestmark = pytest.mark.django_db
READ_ONLY = ["dav", "google", "graph"]


def untouched(office, place, title):
    """Nothing waits to be told, to be approved or to be sent, and the server has what it had."""
    assert not RemoteItem.objects.filter(dirty=True).exists()
    assert not Approval.objects.exists()
    place.has(title)


@pytest.mark.parametrize("office", ["ics", *READ_ONLY], indirect=True)
@calls("calendar_list_events", "calendar_update_event", "calendar_delete_event",
       "calendar_respond_event", "calendar_create_event")  # fmt: skip
def test_events_of_a_calendar_that_is_only_read(office):
    place = office.connect("calendar", read_only=True)
    place.come("theirs", "Tide")
    [event] = office.do("calendar_list_events", **JANUARY)
    refused = [
        office.refused("calendar_update_event", event_id=event["id"], updates={"subject": "Ours"}),
        office.refused("calendar_delete_event", event_id=event["id"], confirm=True),
        office.refused("calendar_respond_event", event_id=event["id"], response="accept"),
    ]
    named = {"calendar_id": event["calendarId"], "action": "create", "title": "Ours"}
    times = {"start_at": TIMES["start"], "end_at": TIMES["end"]}
    refused.append(office.refused("google_calendar_service", **named, **times))
    assert {it.code for it in refused} == {"permission_denied"}
    assert all("is read-only here. Change it at its source" in str(it) for it in refused)
    untouched(office, place, "Tide")
    # What is new stands in the calendar that is here alone.
    made = office.do("calendar_create_event", subject="Lamps", **TIMES)
    assert made["calendarId"] != event["calendarId"]
    untouched(office, place, "Tide")


@pytest.mark.parametrize("office", READ_ONLY, indirect=True)
@calls("contact_list", "contact_update", "contact_delete")
def test_contacts_of_a_book_that_is_only_read(office):
    place = office.connect("contacts", read_only=True)
    place.come("theirs", "Byron")
    [contact] = office.do("contact_list")
    for error in (
        office.refused("contact_update", contact_id=contact["id"], updates={"jobTitle": "Poet"}),
        office.refused("contact_delete", contact_id=contact["id"], confirm=True),
    ):
        assert error.code == "permission_denied"
        assert error.details["errors"][0]["pointer"].endswith("/contact_id")
        assert f"{place.stage.collection.name} is read-only here" in str(error)
    assert [it["jobTitle"] for it in office.do("contact_list")] == [""]
    untouched(office, place, "Byron")


@pytest.mark.parametrize("office", READ_ONLY, indirect=True)
@calls("file_list", "file_create", "file_update", "file_delete")
def test_files_of_a_folder_that_is_only_read(office):
    place = office.connect("files", read_only=True)
    place.come("theirs", "Tides")
    [top] = office.do("file_list")
    [file] = office.do("file_list", folder_id=top["id"])
    folders.write_file(office.actor, "new.txt", b"Ours\n")
    ours = {"local_file_path": "new.txt"}
    for error in (
        office.refused("file_create", onedrive_path=f"/{top['name']}/x/new.txt", **ours),
        office.refused("file_update", file_id=file["id"], **ours),
        office.refused("file_delete", file_id=file["id"], confirm=True),
    ):
        assert error.code == "permission_denied"
        assert f"/{top['name']} is read-only here" in str(error)
    assert FileNode.objects.kept().count() == 2
    untouched(office, place, "Tides")


@pytest.mark.parametrize("office", READ_ONLY, indirect=True)
@calls()
def test_to_dos_of_a_list_that_is_only_read(office):
    place = office.connect("todos", read_only=True)
    place.come("theirs", "Buy oil")
    # New ones stand in the list that is here alone, and so does what the service lists.
    made = office.serve("google_tasks_service", "create", title="Trim the wick")["task"]
    listed = office.serve("google_tasks_service", "list")["tasks"]
    assert [it["id"] for it in listed] == [made["id"]]
    theirs = Todo.objects.get(summary="Buy oil")
    error = office.refused(
        "google_tasks_service", action="update", task_id=theirs.public_id, title="Ours"
    )
    assert error.code == "permission_denied"
    untouched(office, place, "Buy oil")
