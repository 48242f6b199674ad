from dataclasses import replace
from datetime import timedelta

import pytest

from inbox.models import Person
from inbox.operations.contacts.people import Contact, clean_name, record_contacts
from tests import factories
from tests.inbox.letters import MONDAY

pytestmark = pytest.mark.django_db


def record(inbox, contacts):
    record_contacts(workspace_id=inbox.workspace_id, account_id=inbox.account_id, contacts=contacts)


def contact(email="Ada@customer.example", name="", day=0, *, outbound=False):
    return Contact(email, name, MONDAY + timedelta(days=day), outbound=outbound)


def test_contacts_are_counted_by_address_without_regard_to_case(inbox):
    record(
        inbox,
        [
            contact(day=3),
            contact("ada@CUSTOMER.example", "Ada Byron", 1),
            contact(day=2, outbound=True),
        ],
    )
    person = Person.objects.get()
    assert (person.email, person.fn) == ("ada@customer.example", "Ada Byron")
    assert (person.received_count, person.sent_count, person.contact_count) == (2, 1, 3)
    assert person.first_contact_at == MONDAY + timedelta(days=1)
    assert person.last_contact_at == MONDAY + timedelta(days=3)


def test_later_contacts_add_to_earlier_ones_whatever_their_order(inbox):
    for day in (5, 1, 9):
        record(inbox, [contact(day=day)])
    person = Person.objects.get()
    assert person.contact_count == 3
    assert (person.last_contact_at - person.first_contact_at).days == 8


def test_a_name_that_is_known_stays(inbox):
    record(inbox, [contact(name="Ada Byron")])
    record(inbox, [contact(name="Prize Office")])
    assert Person.objects.get().fn == "Ada Byron"


def test_each_workspace_has_its_own_people(inbox):
    for each in (inbox, factories.make_inbox(factories.make_workspace())):
        record(each, [contact()])
    assert list(Person.objects.values_list("contact_count", flat=True)) == [1, 1]


def test_very_many_people_are_counted(inbox):
    many = [contact(f"p{number}@x.example") for number in range(6_000)]
    record(inbox, many)
    assert Person.objects.count() == 6_000


def test_nobody_is_nothing(inbox):
    record(inbox, [])
    assert not Person.objects.exists()


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("'Ada Byron'", "Ada Byron"),
        ('  "Byron,  Ada" ', "Byron, Ada"),
        ("ada@customer.example", ""),
        ("bank@rich.example via list", ""),
        ("ada", ""),
        ("Ada Byron (via Shared Files)", "Ada Byron"),
        ("x" * 900, "x" * 300),
        ("", ""),
    ],
)
def test_names_are_cleaned(name, kept):
    assert clean_name(name, "ada@customer.example") == kept


def test_who_was_granted_one_account_knows_its_people_and_counts_alone(inbox, workspace, actor):
    other = factories.make_inbox(workspace)
    record(inbox, [contact(day=1), contact(day=2, outbound=True)])
    record(inbox, [contact(day=3)])
    record(other, [contact(day=7), contact("secret@other.example")])
    (ada,) = Person.objects.counted_for(actor)
    assert (ada.received, ada.sent, ada.contacts) == (2, 1, 3)
    assert (ada.first, ada.last) == (MONDAY + timedelta(days=1), MONDAY + timedelta(days=3))
    assert ada.contact_count == 4
    both = replace(actor, account_ids=frozenset({inbox.account_id, other.account_id}))
    counts = {one.email: one.contacts for one in Person.objects.counted_for(both)}
    assert counts == {"ada@customer.example": 4, "secret@other.example": 1}


def test_what_somebody_calls_themselves_wins_whatever_the_order(inbox):
    contacts = [
        contact(name="ada (old friend)", day=9, outbound=True),
        contact(name="A. Byron", day=1),
        contact(name="Ada Byron", day=5),
        contact(day=7),
    ]
    for number, rotated in enumerate(contacts[at:] + contacts[:at] for at in range(4)):
        email = f"ada{number}@customer.example"
        record(inbox, [replace(one, email=email) for one in rotated])
    assert set(Person.objects.values_list("fn", flat=True)) == {"Ada Byron"}
