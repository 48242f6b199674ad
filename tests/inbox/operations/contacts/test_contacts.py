"""Cards in the database: what is known by an address, merging, restoring, purging."""

from datetime import timedelta

import pytest
from django.utils import timezone

from agents.evidence.known import know
from inbox.errors import DomainError
from inbox.formats.vcard import read_cards
from inbox.models import Job, Person, PersonEmail
from inbox.operations.contacts.cards import CardChanges, CardEmail
from inbox.operations.contacts.contacts import (
    create_contact,
    delete_contact,
    merge_people,
    purge_deleted_people,
    restore_contact,
    update_contact,
)
from inbox.operations.contacts.people import Contact, record_contacts
from inbox.operations.contacts.vcards import export_cards, import_cards, with_card_rows
from tests import factories

pytestmark = pytest.mark.django_db
LATER = timedelta(days=31)


@pytest.fixture
def write(actor, inbox):
    def write(given="Ada", emails=("ada@customer.example",), **changes):
        card = CardChanges(given_name=given, emails=[CardEmail(each) for each in emails], **changes)
        return create_contact(actor=actor, account=inbox.account, changes=card)

    return write


def meet(inbox, email, at=None, name="", *, outbound=False):
    contact = Contact(email, name, at or timezone.now(), outbound=outbound)
    record_contacts(
        workspace_id=inbox.workspace_id, account_id=inbox.account_id, contacts=[contact]
    )


def test_mail_from_a_second_address_counts_for_the_same_person(inbox, write):
    ada = write(emails=("ada@customer.example", "ada@home.example"))
    meet(inbox, "Ada@Home.example")
    ada.refresh_from_db()
    assert (Person.objects.count(), ada.contact_count, ada.email) == (1, 1, "ada@customer.example")
    assert PersonEmail.objects.get(email="ada@home.example").contact_count == 1


def test_mail_makes_somebody_deleted_known_again_and_older_mail_does_not(inbox, write, actor):
    ada = write()
    delete_contact(actor=actor, person=ada)
    meet(inbox, "ada@customer.example", timezone.now() - timedelta(days=3))
    assert not Person.objects.kept().exists()
    meet(inbox, "ada@customer.example", timezone.now() + timedelta(minutes=1))
    assert Person.objects.kept().get().given_name == "Ada"


def test_whom_we_wrote_to_is_known_deleted_purged_or_taken_off_the_card(inbox, write, actor):
    meet(inbox, "ada@customer.example", outbound=True)
    ada = write(note="Secret")
    changes = CardChanges(emails=[CardEmail("new@customer.example")])
    update_contact(actor=actor, person=ada, changes=changes)
    both = ["ada@customer.example", "new@customer.example"]
    assert know(actor, inbox.workspace_id, both) == {"ada@customer.example": "written"}
    delete_contact(actor=actor, person=ada)
    assert purge_deleted_people(timezone.now() + LATER) == 1
    assert purge_deleted_people(timezone.now() + LATER) == 0
    assert know(actor, inbox.workspace_id, both) == {"ada@customer.example": "written"}
    left = Person.objects.get()
    assert (left.given_name, left.note, left.fn) == ("", "", "")


def test_a_card_without_mail_is_purged_whole_after_30_days_and_not_before(write, actor):
    delete_contact(actor=actor, person=write(phones={"home": ["1"]}))
    assert purge_deleted_people(timezone.now() + timedelta(days=29)) == 0
    assert purge_deleted_people(timezone.now() + LATER) == 1
    assert not Person.objects.exists()


def test_what_was_deleted_is_restored_by_its_own_workspace_only(write, actor):
    ada = write()
    delete_contact(actor=actor, person=ada)
    with pytest.raises(DomainError, match="no contact"):
        delete_contact(actor=actor, person=ada)
    stranger = factories.agent_actor(factories.make_agent(factories.make_workspace()))
    with pytest.raises(DomainError):
        restore_contact(actor=stranger, person=ada)
    restore_contact(actor=actor, person=ada)
    assert Person.objects.kept().get().emails.count() == 1


def test_a_new_card_for_somebody_deleted_says_nothing_of_the_old_one(write, actor):
    old = write(note="Secret", org="Old", phones={"home": ["1"]})
    delete_contact(actor=actor, person=old)
    new = write("Augusta")
    assert (new.pk, new.fn, new.note, new.org, new.tel) == (old.pk, "Augusta", "", "", "")


def test_of_two_people_one_is_made_with_everything_of_both(inbox, write, actor, workspace):
    meet(inbox, "ada@home.example", name="A. Byron")
    other = Person.objects.get()
    ada = merge_people(actor=actor, into=write(org="Customer"), other=other)
    assert (ada.fn, ada.org, ada.contact_count) == ("Ada", "Customer", 1)
    assert set(ada.emails.values_list("email", flat=True)) == {
        "ada@customer.example",
        "ada@home.example",
    }
    assert ada.correspondences.get().contact_count == 1
    with pytest.raises(DomainError, match="the same contact"):
        merge_people(actor=actor, into=ada, other=ada)


def test_people_of_two_workspaces_are_never_merged(write, actor):
    foreign = factories.make_person(factories.make_workspace(), "eve@x.example")
    with pytest.raises(DomainError):
        merge_people(actor=actor, into=write(), other=foreign)
    assert Person.objects.count() == 2


def test_an_address_taken_off_one_card_may_stand_on_another(inbox, write, actor):
    meet(inbox, "desk@customer.example")
    ada = write(emails=("desk@customer.example", "ada@customer.example"))
    update_contact(
        actor=actor, person=ada, changes=CardChanges(emails=[CardEmail("ada@customer.example")])
    )
    ben = write("Ben", emails=("desk@customer.example",))
    assert list(ben.emails.values_list("email", "contact_count")) == [("desk@customer.example", 1)]


def test_each_workspace_has_its_own_card_of_an_address(write, actor):
    write()
    other = factories.make_inbox(factories.make_workspace())
    owner = factories.agent_actor(factories.make_agent(other.workspace, inboxes=(other,)))
    card = CardChanges(given_name="Ada", emails=[CardEmail("ada@customer.example")])
    create_contact(actor=owner, account=other.account, changes=card)
    assert Person.objects.filter(email="ada@customer.example").count() == 2


def test_cards_go_out_and_come_in_the_same(write, actor, inbox):
    data = (
        b"BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Ada Byron\r\nN:Byron;Ada;;;\r\nEMAIL;TYPE=work:ada@customer.example\r\n"
        b"TEL;TYPE=cell:1\r\nORG:Customer;Looms\r\nTITLE:Engineer\r\nNOTE:a\\nb\r\nX-ODD;A=b:c\\,d\r\nEND:VCARD\r\n"
    )  # fmt: skip
    import_cards(actor=actor, account=inbox.account, data=data)
    out = export_cards(with_card_rows(actor, Person.objects.all()))
    assert read_cards(out) == read_cards(data)


def test_an_import_gives_what_lacks_and_takes_nothing(write, actor, inbox):
    ada = write(org="Customer", phones={"home": ["1"]})
    data = b"BEGIN:VCARD\nFN:Mallory\nORG:Elsewhere\nTITLE:Engineer\nEMAIL:ADA@customer.example\nTEL;TYPE=home:2\nEND:VCARD\n"
    read = import_cards(actor=actor, account=inbox.account, data=data)
    ada.refresh_from_db()
    assert (read.made, read.completed) == (0, 1)
    assert (ada.fn, ada.org, ada.title) == ("Ada", "Customer", "Engineer")
    assert list(ada.phones.order_by("position").values_list("number", flat=True)) == ["1", "2"]


def test_a_hostile_card_is_cleaned_and_cut(actor, inbox):
    data = (
        b"BEGIN:VCARD\nFN:A\xe2\x80\xaeda" + b"x" * 1000 + b"\nTEL:" + b"1" * 500 + b"\nEND:VCARD\n"
    )
    import_cards(actor=actor, account=inbox.account, data=data)
    ada = Person.objects.get()
    assert (ada.fn[:4], len(ada.fn), len(ada.tel)) == ("Adax", 300, 60)


def test_nothing_is_written_where_a_card_is_refused(write, actor):
    write()
    ben = write("Ben", emails=())
    changes = CardChanges(org="New", emails=[CardEmail("ada@customer.example")])
    before = Job.objects.count()
    with pytest.raises(DomainError):
        update_contact(actor=actor, person=ben, changes=changes)
    ben.refresh_from_db()
    assert (ben.org, Job.objects.count()) == ("", before)
