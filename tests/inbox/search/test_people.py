"""People are searched by what the search of mail takes, and by operators of their own."""

from datetime import timedelta

import pytest

from inbox.errors import DomainError
from inbox.models import Correspondence, Job, Person
from inbox.operations.contacts.cards import CardChanges, CardEmail
from inbox.operations.contacts.contacts import (
    create_contact,
    delete_contact,
    merge_people,
    update_contact,
)
from inbox.operations.contacts.people import Contact, record_contacts
from inbox.operations.contacts.search_words import renew_forms
from inbox.search.people import find_people, keep_people
from tests import factories
from tests.factories import NOON

pytestmark = pytest.mark.django_db


@pytest.fixture
def card(actor, inbox):
    def card(emails=(), phones=None, **texts):
        changes = CardChanges(
            emails=tuple(CardEmail(one) for one in emails), phones=phones or {}, **texts
        )
        return create_contact(actor=actor, account=inbox.account, changes=changes)

    return card


@pytest.fixture
def find(actor):
    def find(query, who=actor, limit=50):
        every, some = find_people(actor=who, query=query, limit=limit)
        names = dict(Person.objects.values_list("pk", "fn"))
        return [names[key] for key in every], [names[key] for key in some]

    return find


@pytest.fixture
def book(card, inbox):
    card(
        ["jana@mueller.example", "jana@home.example"], {"mobile": ["+49 (30) 12-34"]},
        given_name="Jana", family_name="Müller", org="Weberei Straßburg", title="Einkäuferin",
        note="Fragt nach Rechnungsnummern.",
    )  # fmt: skip
    card(["will@loom.example"], given_name="Will", family_name="Smith", org="Loom Ltd")
    record_contacts(
        workspace_id=inbox.workspace_id, account_id=inbox.account_id,
        contacts=[Contact("zoë@far.example", "Zoë Ørsted", NOON, outbound=False)],
    )  # fmt: skip


JANA, WILL, ZOE = "Jana Müller", "Will Smith", "Zoë Ørsted"


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("jana", {JANA}),
        ("mueller", {JANA}),
        ("MULLER jana", {JANA}),
        ("strassburg", {JANA}),
        ("Rechnung", {JANA}),
        ("home.example", {JANA}),
        ("301234", {JANA}),
        ("+49 30 12", {JANA}),
        ("orsted", {ZOE}),
        ("zoe oersted", {ZOE}),
        ("smi", {WILL}),
        ("mith", {WILL}),
        ("will", {WILL}),
        ("name:will", {WILL}),
        ("name:mueller", {JANA}),
        ("name:WILL OR email:far.example", {WILL, ZOE}),
        ("email:HOME.example", {JANA}),
        ("company:loom", {WILL}),
        ("org:strasse", set()),
        ("title:einkaeuferin", {JANA}),
        ("phone:4930123", {JANA}),
        ("phone:(30)12", {JANA}),
        ("has:phone", {JANA}),
        ("has:note -name:jana", set()),
        ("is:contact", {JANA, WILL}),
        ("-is:contact", {ZOE}),
        ("after:2020", {ZOE}),
        ("before:2020", set()),
        ("before:2100", {ZOE}),
        ("example -loom", {JANA, ZOE}),
        ('"will smith"', {WILL}),
        ('"smith loom"', set()),
        ("%", set()),
    ],
)
def test_what_is_typed_finds(book, find, query, found):
    assert set(find(query)[0]) == found


def test_who_has_some_of_the_words_stands_behind_who_has_all(book, find):
    assert (
        find("jana example loom") == ([], [JANA, WILL, ZOE]) or find("jana example loom")[0] == []
    )
    every, some = find("will example")
    assert (every, set(some)) == ([WILL], {JANA, ZOE})


@pytest.mark.parametrize("query", ["phone:none", "has:wings", "is:there", "before:long", "name:-"])
def test_a_value_that_an_operator_does_not_take_is_named(find, query):
    with pytest.raises(DomainError, match=query.partition(":")[0]):
        find(query)


def test_what_a_card_says_is_found_at_once_and_no_longer_when_it_is_gone(card, find, actor):
    person = card(["ada@one.example", "ada@two.example"], given_name="Ada", family_name="Groß")
    assert find("two.example gross")[0] == ["Ada Groß"]
    update_contact(
        actor=actor, person=person,
        changes=CardChanges(emails=(CardEmail("ada@one.example"),), family_name="Klein"),
    )  # fmt: skip
    assert find("two.example") == ([], [])
    assert find("gross") == ([], [])
    assert len(find("klein")[0]) == 1
    other = card(["kay@three.example"], given_name="Kay")
    merge_people(actor=actor, into=person, other=other)
    assert len(find("klein three.example")[0]) == 1
    delete_contact(actor=actor, person=person)
    assert find("klein") == ([], [])


def test_whom_only_other_accounts_have_met_is_not_found_and_their_times_do_not_count(
    book, find, actor, inbox
):
    second = factories.make_inbox(inbox.workspace, "second@lantern.example").account
    person = Person.objects.get(fn=ZOE)
    late = NOON + timedelta(days=3000)
    Correspondence.objects.create(
        person=person, account=second, last_contact_at=late, first_contact_at=NOON
    )
    assert find(f"after:{late.year}") == ([], [])
    Correspondence.objects.filter(person=person, account=inbox.account).delete()
    assert find("zoë") == find("oers") == find("name:zoë") == ([], [])


def test_a_list_keeps_who_has_every_word(book, actor):
    rows = Person.objects.visible_to(actor).kept()
    kept = [row.fn for row in keep_people(actor, rows, "mueller weberei")]
    assert kept == [JANA]
    assert [row.fn for row in keep_people(actor, rows, "oom.exam")] == [WILL]
    assert [row.fn for row in keep_people(actor, rows, "company:loom")] == [WILL]
    with pytest.raises(DomainError, match="no word"):
        keep_people(actor, rows, "--")


def test_earlier_people_are_prepared_some_at_a_time(book, find, monkeypatch):
    monkeypatch.setattr("inbox.operations.renewing.AT_ONCE", 2)
    Person.objects.update(search_extra="")
    assert find("muller strassburg rechnung")[0] == []
    renew_forms({"after": 0})
    (job,) = Job.objects.filter(kind="search.people")
    renew_forms(job.payload)
    assert find("mueller strassburg rechnung")[0] == [JANA]
    assert find("oersted")[0] == [ZOE]
