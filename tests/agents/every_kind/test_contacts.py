"""Contacts, by the operations, on an account of every kind."""

import pytest

from tests.agents.every_kind.offices import calls

pytestmark = pytest.mark.django_db


@calls("contact_list", "contact_get", "contact_create", "contact_update", "contact_delete")
def test_contacts_are_made_read_changed_and_deleted(office):
    place = office.connect("contacts")
    made = office.do(
        "contact_create", given_name="Mo", surname="Wick", email_addresses=["mo@wick.example"],
        phone_numbers={"mobile": "+49 170 5550100"},
    )  # fmt: skip
    place.has("Mo Wick")
    changes = {"companyName": "Light", "businessPhones": ["+49 30 1"], "surname": "Wickham"}
    office.do("contact_update", contact_id=made["id"], updates=changes)
    place.has("Mo Wickham")
    found = office.do("contact_get", contact_id=made["id"])
    assert (found["displayName"], found["companyName"]) == ("Mo Wickham", "Light")
    assert found["emailAddresses"] == [{"address": "mo@wick.example"}]
    assert (found["mobilePhone"], found["businessPhones"]) == ("+49 170 5550100", ["+49 30 1"])
    if place.is_elsewhere:
        place.come("theirs", "Byron")
        place.come("theirs", "Lovelace")
        theirs = next(it for it in office.do("contact_list") if it["id"] != made["id"])
        assert theirs["displayName"] == "Lovelace"
        office.do("contact_update", contact_id=theirs["id"], updates={"jobTitle": "Countess"})
        place.has("Mo Wickham", "Lovelace")
        place.go("theirs")
    assert [it["id"] for it in office.do("contact_list")] == [made["id"]]
    assert office.do("contact_delete", contact_id=made["id"], confirm=True)["status"] == "deleted"
    place.has()
    assert office.do("contact_list") == []
