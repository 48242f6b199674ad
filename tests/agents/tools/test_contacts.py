"""The address book as a caller meets it."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.models import Approval
from inbox.models import Person, PersonEmail
from inbox.operations.contacts.people import Contact, record_contacts
from tests import factories

pytestmark = pytest.mark.django_db
ADA = {
    "given_name": "Ada", "surname": "Byron", "email_addresses": ["Ada@Customer.example", "ada@home.example"],
    "phone_numbers": {"business": "+49 30 5550100", "mobile": "+49 170 5550100"},
}  # fmt: skip


@pytest.fixture
def ask(actor, inbox):
    """Call a tool about the account's contacts."""

    def ask(name, who=actor, **arguments):
        return call(name, {"account_id": inbox.account.public_id, **arguments}, who).result

    return ask


@pytest.fixture
def refuse(ask):
    """Call a tool that refuses; return its code and the field that it names."""

    def refuse(name, **arguments):
        with pytest.raises(ToolError) as refused:
            ask(name, **arguments)
        details = refused.value.details
        errors = details.get("errors", [{"pointer": details.get("pointer")}])
        return refused.value.code, errors[0]["pointer"]

    return refuse


def change(ask, made, **updates):
    return ask("contact_update", contact_id=made["id"], updates=updates)


def test_a_card_has_the_names_of_graph(ask):
    made = ask("contact_create", **ADA)
    assert made == {
        "id": Person.objects.get().public_id, "displayName": "Ada Byron", "givenName": "Ada",
        "surname": "Byron", "businessPhones": ["+49 30 5550100"], "homePhones": [],
        "mobilePhone": "+49 170 5550100", "jobTitle": "", "companyName": "", "department": "",
        "emailAddresses": [{"address": "ada@customer.example"}, {"address": "ada@home.example"}],
    }  # fmt: skip
    read = ask("contact_get", contact_id=made["id"])
    assert {**made, "_cache_status": "miss", "_cached_at": read["_cached_at"]} == read


def test_one_address_may_stand_alone(ask):
    made = ask("contact_create", given_name="Ada", email_addresses="ada@customer.example")
    assert made["emailAddresses"] == [{"address": "ada@customer.example"}]


def test_contacts_are_listed_newest_first_and_no_more_than_asked_for(ask):
    made = [ask("contact_create", given_name=name)["id"] for name in ("Ada", "Ben", "Cem")]
    listed = ask("contact_list", limit=2)
    assert [one["id"] for one in listed] == made[:0:-1]


def test_an_update_changes_what_is_given_and_nothing_else(ask):
    made = ask("contact_create", **ADA)
    changed = change(ask, made, jobTitle="Engineer", companyName="Customer", department="Looms")
    assert changed == {
        **made,
        "jobTitle": "Engineer",
        "companyName": "Customer",
        "department": "Looms",
    }
    assert change(ask, made, surname="King")["displayName"] == "Ada King"
    assert change(ask, made, displayName="Countess")["displayName"] == "Countess"
    assert change(ask, made, surname="Byron")["displayName"] == "Countess"


def test_lists_are_replaced_whole_and_a_null_takes_the_mobile_away(ask):
    made = ask("contact_create", **ADA)
    new = [{"address": "Countess@home.example", "name": "The Countess"}, "ada@home.example"]
    changed = change(ask, made, emailAddresses=new, businessPhones=["1", "2"], mobilePhone=None)
    assert changed["emailAddresses"] == [
        {"address": "countess@home.example", "name": "The Countess"}, {"address": "ada@home.example"},
    ]  # fmt: skip
    assert changed["businessPhones"] == ["1", "2"]
    assert "mobilePhone" not in changed
    assert Person.objects.get().email == "countess@home.example"


@pytest.mark.parametrize(
    ("updates", "pointer"),
    [
        ({}, "/updates"),
        ({"mobilePhone": ""}, "/updates/mobilePhone"),
        ({"homePhones": [""]}, "/updates/homePhones/0"),
        ({"surname": None}, "/updates/surname"),
        ({"surname": "a\nb"}, "/updates/surname"),
        ({"displayName": "a\u202eb"}, "/updates/displayName"),
        ({"jobTitle": "x" * 301}, "/updates/jobTitle"),
        ({"businessPhones": ["1\u200b2"]}, "/updates/businessPhones"),
        ({"emailAddresses": ["no address"]}, "/updates/emailAddresses/0"),
        ({"emailAddresses": [{"address": "a@b.example", "extra": 1}]}, "/updates/emailAddresses/0"),
        ({"emailAddresses": [f"p{n}@b.example" for n in range(51)]}, "/updates/emailAddresses"),
        ({"birthday": "2000-01-01"}, "/updates/birthday"),
    ],
)
def test_what_no_card_can_say_is_refused_by_its_field(ask, refuse, updates, pointer):
    made = ask("contact_create", **ADA)
    code, field = refuse("contact_update", contact_id=made["id"], updates=updates)
    assert (code, field[: len(pointer)]) == ("invalid_input", pointer)
    assert ask("contact_list")[0]["displayName"] == "Ada Byron"


def test_an_address_is_one_contacts(ask, refuse):
    made = ask("contact_create", **ADA)
    again = {"given_name": "Eve", "email_addresses": ["x@y.example", "ADA@home.example"]}
    assert refuse("contact_create", **again) == ("conflict", "/email_addresses")
    ben = ask("contact_create", given_name="Ben")
    updates = {"emailAddresses": ["ada@home.example"]}
    assert refuse("contact_update", contact_id=ben["id"], updates=updates)[0] == "conflict"
    assert ask("contact_get", contact_id=made["id"])["emailAddresses"] == made["emailAddresses"]
    assert Person.objects.count() == 2


def test_whom_mail_brought_gets_the_card(ask, inbox):
    known = factories.make_person(
        inbox.workspace, fn="ada", received_count=3, contact_count=3, account=inbox.account
    )
    made = ask("contact_create", **ADA)
    assert (made["id"], made["displayName"]) == (known.public_id, "ada")
    assert ask("contact_list")[0]["id"] == known.public_id
    assert Person.objects.get().contact_count == 3


def test_two_whom_mail_brought_become_the_one_that_the_card_is_of(ask, inbox):
    for email in ("ada@customer.example", "ada@home.example"):
        factories.make_person(
            inbox.workspace, email, received_count=2, contact_count=2, account=inbox.account
        )
    ask("contact_create", **ADA)
    person = Person.objects.get()
    assert (person.contact_count, person.correspondences.get().contact_count) == (4, 4)
    assert list(person.emails.order_by("position").values_list("email", "contact_count")) == [
        ("ada@customer.example", 2), ("ada@home.example", 2),
    ]  # fmt: skip


def test_the_card_of_an_account_that_was_not_granted_is_no_contact(ask, refuse, workspace):
    other = factories.make_inbox(workspace)
    hidden = factories.make_person(workspace, fn="Hidden", account=other.account)
    assert ask("contact_list") == []
    assert refuse("contact_get", contact_id=hidden.public_id) == ("not_found", "/contact_id")
    with pytest.raises(ToolError, match="someone else"):
        ask("contact_create", **ADA)


def test_a_deleted_contact_is_gone_from_every_reading(ask, refuse, actor):
    made = ask("contact_create", **ADA)
    assert ask("contact_delete", contact_id=made["id"], confirm=True) == {"status": "deleted"}
    assert ask("contact_list") == []
    assert refuse("contact_get", contact_id=made["id"]) == ("not_found", "/contact_id")
    assert call("query_people", {"search": "Ada"}, actor).result["count"] == 0


def test_deleting_wants_a_promise(ask, refuse):
    made = ask("contact_create", **ADA)
    assert refuse("contact_delete", contact_id=made["id"], confirm=False) == (
        "invalid_input",
        "/confirm",
    )


def test_a_write_is_seen_by_the_next_reading(ask):
    made = ask("contact_create", **ADA)
    assert ask("contact_list")[0]["_cache_status"] == "miss"
    assert ask("contact_list")[0]["_cache_status"] == "fresh"
    change(ask, made, surname="King")
    read = ask("contact_list")[0]
    assert (read["surname"], read["_cache_status"]) == ("King", "miss")


def test_a_contact_without_mail_is_found_by_query_people_with_no_times(ask, actor):
    ask("contact_create", **ADA)
    [found] = call("query_people", {"email": "ADA@home.example"}, actor).result["people"]
    assert (found["fn"], found["contact_count"], found["first_contact_at"]) == (
        "Ada Byron",
        0,
        None,
    )


def test_a_new_address_on_an_old_friends_card_is_still_a_new_one(ask, inbox, approve):
    factories.make_person(
        inbox.workspace, fn="Ada", sent_count=9, contact_count=9, account=inbox.account
    )
    made = ask("contact_create", **{**ADA, "email_addresses": ["ada@customer.example"]})
    with pytest.raises(ToolError, match="waits for a person"):
        change(ask, made, emailAddresses=["mallory@elsewhere.example"])
    approve(Approval.objects.get())
    rows = PersonEmail.objects.order_by("email").values_list("email", "sent_count", "removed_at")
    assert [(email, sent) for email, sent, _ in rows] == [
        ("ada@customer.example", 9), ("mallory@elsewhere.example", 0),
    ]  # fmt: skip
    contact = Contact("ada@customer.example", "", timezone.now(), outbound=False)
    record_contacts(
        workspace_id=inbox.workspace_id, account_id=inbox.account_id, contacts=[contact]
    )
    assert len(ask("contact_get", contact_id=made["id"])["emailAddresses"]) == 2


def test_the_queries_of_a_list_do_not_grow_with_it(ask):
    counts = []
    for number in range(1, 30):
        ask("contact_create", given_name=f"P{number}", email_addresses=[f"p{number}@x.example"])
        if number in {1, 10, 29}:
            ask("contact_list")
            with CaptureQueriesContext(connection) as queries:
                ask("contact_list", limit=500)
            counts.append(len(queries))
    assert len(set(counts)) == 1


def test_every_change_is_told(ask, workspace, monkeypatch):
    told = []
    monkeypatch.setattr(
        "inbox.operations.contacts.contacts.publish", lambda fact, *_, **__: told.append(fact)
    )
    made = ask("contact_create", **ADA)
    change(ask, made, surname="King")
    ask("contact_delete", contact_id=made["id"], confirm=True)
    assert told == ["person.changed", "person.changed", "person.deleted"]
