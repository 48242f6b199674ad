"""Files, by the operations, on an account of every kind."""

import pytest

from agents.exchange import folders
from tests.agents.every_kind.offices import calls, in_turn

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.parametrize("office", in_turn(1), indirect=True),
]


@calls("file_list", "file_get", "file_create", "file_update", "file_delete", "search_files")
def test_files_are_made_read_found_changed_and_deleted(office):
    place = office.connect("files")
    [*tops] = (it["name"] for it in office.do("file_list"))
    top = f"/{tops[0]}" if place.is_elsewhere else ""
    folders.write_file(office.actor, "june.txt", b"Offer\nfor the lighthouse")
    folders.write_file(office.actor, "again.txt", b"Offer again\nfor the lighthouse")
    made = office.do(
        "file_create", onedrive_path=f"{top}/Offers/June.txt", local_file_path="june.txt"
    )
    place.has("Offer")
    office.do("file_update", file_id=made["id"], local_file_path="again.txt")
    place.has("Offer again")
    [listed] = office.do("file_list", path=f"{top}/Offers")
    assert (listed["id"], listed["size"]) == (made["id"], 30)
    assert [it["id"] for it in office.do("search_files", query="lighthouse")] == [made["id"]]
    office.do("file_get", file_id=made["id"], download_path="got.txt")
    assert folders.read_file(office.actor, "got.txt") == b"Offer again\nfor the lighthouse"
    if place.is_elsewhere:
        place.come("theirs", "Tides")
        place.come("theirs", "Tide tables")
        [theirs] = office.do("file_list", path=top, type_filter="files")
        office.do("file_get", file_id=theirs["id"], download_path="theirs.txt")
        assert folders.read_file(office.actor, "theirs.txt").startswith(b"Tide tables")
        place.go("theirs")
    office.do("file_delete", file_id=made["id"], confirm=True)
    place.has()
    assert office.do("search_files", query="lighthouse") == []


@calls("file_create")
def test_a_share_leaves_as_mail_once_a_person_has_approved_it(office):
    place = office.connect("files")
    top = f"/{place.stage.collection.name}" if place.is_elsewhere else ""
    folders.write_file(office.actor, "june.txt", b"Offer\n")
    made = office.do("file_create", onedrive_path=f"{top}/June.txt", local_file_path="june.txt")
    place.has("Offer")
    shared = {
        "file_id": made["id"],
        "account_id": office.account_id,
        "to": ["ada@customer.example"],
    }
    office.let_leave(office.ask("file_share", **shared))
    place.has("Offer")
