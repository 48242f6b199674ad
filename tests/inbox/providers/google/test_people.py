"""Google's contacts do what every collection does, and what is their own."""

import json

import pytest

from inbox.formats.vcard import read_cards
from inbox.providers.change_store import ItemChangedError, ItemRefusedError, Put, Remove
from inbox.providers.mail_store import StoreError
from tests.change_store_cases import (
    ChangeStoreCases,
    create,
    everything,
    fetched,
    follow,
    only,
    rewrite,
)
from tests.inbox.providers.google.stages import PeopleStage
from tests.inbox.syncing.collections.cards import ALL

ADA = {
    "names": [{"honorificPrefix": "Dr.", "givenName": "Ada", "familyName": "Byron"}],
    "emailAddresses": [
        {"value": "ada@lantern.example", "type": "work", "displayName": "Ada at work"},
        {"value": "ada@home.example", "type": "Cottage"},
    ],
    "phoneNumbers": [{"value": "+44 1", "type": "mobile"}, {"value": "+44 2", "type": "Boat"}],
    "organizations": [
        {"name": "Lantern", "department": "Engines", "title": "Analyst", "location": "London"},
        {"name": "Royal Society"},
    ],
    "biographies": [{"value": "Likes engines.\nMet at a party", "contentType": "TEXT_PLAIN"}],
    "addresses": [{"streetAddress": "12 St James Square", "city": "London", "type": "home"}],
    "birthdays": [{"date": {"month": 12, "day": 10}}],
    "urls": [{"value": "https://ada.example", "type": "blog"}],
    "nicknames": [{"value": "Countess"}],
    "userDefined": [{"key": "Tea", "value": "black"}],
}


@pytest.fixture
def stage(contacts: PeopleStage) -> PeopleStage:
    return contacts


class TestContacts(ChangeStoreCases):
    # No longer line of a card is read here.
    large = 60_000


@pytest.fixture
def ada(stage):
    stage.put("ada", "Byron", **ADA)
    return only(stage)


def told(stage):
    """Return the body of the last change that we asked for, without what names its state."""
    call = [it for it in stage.server.calls if it.method == "PATCH"][-1]
    body = json.loads(call.body)
    assert body.pop("etag")
    assert body.pop("metadata")["sources"][0]["etag"]
    assert dict(call.query)["updatePersonFields"] == ",".join(sorted(body))
    return body


def test_a_contact_is_a_card(ada):
    [card] = read_cards(ada.raw)
    assert (card.fn, card.prefix, card.given, card.family) == (
        "Dr. Ada Byron",
        "Dr.",
        "Ada",
        "Byron",
    )
    assert [(it.value, it.kind) for it in card.emails] == [
        ("ada@lantern.example", "work"), ("ada@home.example", ""),
    ]  # fmt: skip
    assert [(it.value, it.kind) for it in card.phones] == [("+44 1", "mobile"), ("+44 2", "other")]
    assert (card.org, card.department, card.title) == ("Lantern", "Engines", "Analyst")
    assert card.note == "Likes engines.\nMet at a party"
    others = {it.name: it.value for it in card.others}
    assert others.pop("UID")
    assert others == {
        "ADR": ";;12 St James Square;London;;;", "BDAY": "--1210", "URL": "https://ada.example",
        "NICKNAME": "Countess",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "body"),
    [
        ("TITLE:Analyst", "TITLE:Countess", {"organizations": [
            {"name": "Lantern", "department": "Engines", "title": "Countess", "location": "London"},
            {"name": "Royal Society"},
        ]}),
        ("NOTE:Likes engines.\\nMet at a party\r\n", "", {"biographies": []}),
        ("+44 2", "+44 3", {"phoneNumbers": [
            {"value": "+44 1", "type": "mobile"}, {"value": "+44 3"},
        ]}),
        ("N:Byron;Ada;;Dr.;", "N:King;Ada;;Dr.;", {"names": [
            {"honorificPrefix": "Dr.", "givenName": "Ada", "familyName": "King"},
        ]}),
        ("BDAY:--1210", "BDAY:18151210", {"birthdays": [
            {"date": {"year": 1815, "month": 12, "day": 10}},
        ]}),
        (";London;;;", ";Ockham;;KT11;", {"addresses": [
            {"streetAddress": "12 St James Square", "city": "Ockham", "postalCode": "KT11",
             "type": "home"},
        ]}),
    ],
)  # fmt: skip
def test_only_the_fields_that_changed_are_told_and_what_we_do_not_know_of_them_stays(
    stage, ada, old, new, body
):
    rewrite(stage, ada, old, new)
    assert told(stage) == body
    kept = stage.people.contacts[ada.id]
    assert [it["value"] for it in kept["userDefined"]] == ["black"]
    assert {name: kept[name][0]["metadata"] for name in ("urls", "nicknames")}


def test_a_number_that_stands_there_twice_stays_so(stage):
    numbers = [("+1", "work"), ("+1", "workFax"), ("+2", "home")]
    stage.put("ada", "Byron", phoneNumbers=[{"value": it, "type": kind} for it, kind in numbers])
    rewrite(stage, only(stage), ":+2", ":+3")
    assert told(stage) == {"phoneNumbers": [
        {"value": "+1", "type": "work"}, {"value": "+1", "type": "workFax"},
        {"value": "+3", "type": "home"},
    ]}  # fmt: skip


def test_a_kind_changes_and_what_stands_beside_it_stays(stage, ada):
    rewrite(stage, ada, "TYPE=work;PREF=1:ada@lantern", "TYPE=home;PREF=1:ada@lantern")
    assert told(stage) == {"emailAddresses": [
        {"value": "ada@lantern.example", "type": "home"},
        {"value": "ada@home.example", "type": "Cottage"},
    ]}  # fmt: skip


@pytest.mark.parametrize("maker", sorted(ALL))
def test_cards_of_every_maker_are_made_and_say_the_same_again(stage, maker):
    raw = ALL[maker]
    made = stage.store.apply(stage.collection, Put("", "one", raw), "")
    [wanted], [card] = read_cards(raw), read_cards(only(stage).raw)
    assert (card.family, card.given, card.org) == (wanted.family, wanted.given, wanted.org)
    assert {it.value for it in card.emails} == {it.value for it in wanted.emails}
    assert {it.value for it in card.phones} == {it.value for it in wanted.phones}
    assert card.note.split() == wanted.note.split()
    # Nothing is left to be told.
    item = only(stage)
    before = stage.store.calls
    stage.store.apply(stage.collection, Put(made.id, "", item.raw, item.raw), item.etag)
    assert stage.store.calls - before == 1


def test_what_was_cut_off_while_it_was_made_is_made_once(stage):
    stage.server.order("lose", "POST")
    with pytest.raises(StoreError):
        create(stage, "one", "Byron")
    stage.store = stage.reopened()
    with pytest.raises(ItemChangedError):
        create(stage, "one", "Byron")
    [card] = read_cards(only(stage).raw)
    assert [it.value for it in card.others if it.name == "UID"] == ["one"]


def test_what_changes_while_it_is_changed_here_stays(stage, ada):
    stage.server.order(400, "PATCH")
    with pytest.raises(ItemRefusedError):
        rewrite(stage, ada, "TITLE:Analyst", "TITLE:Countess")
    stage.patch("ada", nicknames=[{"value": "Lovelace"}])
    with pytest.raises(ItemChangedError):
        rewrite(stage, ada, "TITLE:Analyst", "TITLE:Countess")


def test_one_that_was_merged_goes_by_its_new_name(stage, ada):
    position = everything(stage).position
    stage.put("other", "Lovelace")
    person = stage.people.contacts[stage.names["other"]]
    person["metadata"]["previousResourceNames"] = [ada.id]
    found = follow(stage, position)
    assert ([it.id for it in found.present], found.gone) == ([stage.names["other"]], (ada.id,))


@pytest.mark.parametrize("key", ["people/me/../c1", "contactGroups/1", "people/c1?x=", "people/"])
def test_an_id_is_no_path_to_somewhere_else(stage, key):
    assert fetched(stage, [key]) == []
    with pytest.raises(ItemRefusedError):
        stage.store.apply(stage.collection, Remove(key), "")
    assert stage.server.calls == []
