"""Contacts at a Cyrus, by the draft that it has: what every collection does, and what they say."""

import pytest

from inbox.formats.vcard import read_cards
from inbox.providers.change_store import ItemChangedError, Put
from tests.change_store_cases import ChangeStoreCases, create, everything, only, rewrite
from tests.inbox.providers.jmap.stages import ContactStage
from tests.inbox.syncing.collections.cards import ALL

pytestmark = pytest.mark.services
ADA = {
    "prefix": "Dr.", "firstName": "Ada Mary", "lastName": "Byron", "nickname": "Countess",
    "company": "Lantern", "department": "Engines", "jobTitle": "Analyst",
    "notes": "Likes engines.\nMet at a party", "birthday": "0000-12-10",
    "emails": [
        {"type": "personal", "value": "ada@home.example"},
        {"type": "work", "value": "ada@lantern.example", "isDefault": True},
    ],
    "phones": [{"type": "mobile", "value": "+44 1"}, {"type": "pager", "value": "+44 2"}],
    "addresses": [{
        "type": "home", "street": "12 St James Square", "locality": "London", "region": "",
        "postcode": "SW1Y", "country": "UK",
    }],
    "online": [
        {"type": "uri", "value": "https://ada.example", "label": "blog"},
        {"type": "username", "value": "ada", "label": "Lamps"},
    ],
    "isFlagged": True,
}  # fmt: skip


@pytest.fixture
def stage(contacts: ContactStage) -> ContactStage:
    return contacts


class TestContacts(ChangeStoreCases):
    # No longer line of a card is read here.
    large = 60_000

    def test_a_collection_that_is_gone_says_so(self, stage):
        """The account's address book is made anew, and empty."""
        stage.put("one", "Breakfast")
        position = everything(stage).position
        stage.remove_collection()
        for known in ("", position):
            found = stage.store.changes(stage.collection, known)
            assert (found.present, found.is_whole) == ((), True)


@pytest.fixture
def ada(stage):
    stage.put("ada", "Byron", **{name: it for name, it in ADA.items() if name != "lastName"})
    return only(stage)


def test_a_contact_is_a_card(stage, ada):
    [card] = read_cards(ada.raw)
    assert (card.fn, card.prefix, card.given, card.family) == (
        "Dr. Ada Mary Byron", "Dr.", "Ada Mary", "Byron",
    )  # fmt: skip
    assert [(it.value, it.kind) for it in card.emails] == [
        ("ada@lantern.example", "work"), ("ada@home.example", "home"),
    ]  # fmt: skip
    assert [(it.value, it.kind) for it in card.phones] == [("+44 1", "mobile"), ("+44 2", "other")]
    assert (card.org, card.department, card.title) == ("Lantern", "Engines", "Analyst")
    assert card.note == "Likes engines.\nMet at a party"
    others = {it.name: it.value for it in card.others}
    assert others["BDAY"] == "--1210"
    assert others["ADR"] == ";;12 St James Square;London;;SW1Y;UK"
    assert (others["URL"], others["NICKNAME"]) == ("https://ada.example", "Countess")
    assert others["UID"] == ada.id


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("TITLE:Analyst", "TITLE:Countess", {"jobTitle": "Countess"}),
        ("NOTE:Likes engines.\\nMet at a party\r\n", "", {"notes": ""}),
        ("--1210", "18151210", {"birthday": "1815-12-10"}),
        ("EMAIL;TYPE=home:ada@home.example\r\n", "", {"emails": [
            {"type": "work", "value": "ada@lantern.example", "isDefault": True}
        ]}),
        ("+44 1", "+44 3", {"phones": [
            {"type": "mobile", "value": "+44 3"}, {"type": "pager", "value": "+44 2"}
        ]}),
        ("https://ada.example", "https://byron.example", {"online": [
            {"type": "uri", "value": "https://byron.example", "label": "blog"},
            {"type": "username", "value": "ada", "label": "Lamps"},
        ]}),
        ("N:Byron;", "N:Lovelace;", {"lastName": "Lovelace"}),
    ],
)  # fmt: skip
def test_only_what_changed_is_changed(stage, ada, old, new, changed):
    before = stage.program.get("Contact", ada.id)
    rewrite(stage, ada, old, new)
    after = stage.program.get("Contact", ada.id)
    differing = {
        name for name in before if before[name] != after[name] and name not in ("blobId", "size")
    }
    assert differing == changed.keys()
    assert {name: after[name] for name in changed} == changed


@pytest.mark.parametrize("maker", sorted(ALL))
def test_cards_of_every_maker_are_made_and_say_the_same_again(stage, maker):
    raw = ALL[maker]
    made = stage.store.apply(stage.collection, Put("", "one", raw), "")
    [wanted], [card] = read_cards(raw), read_cards(only(stage).raw)
    given = " ".join(filter(None, (wanted.given, wanted.additional)))
    assert (card.family, card.given, card.org) == (wanted.family, given, wanted.org)
    assert {it.value for it in card.emails} == {it.value for it in wanted.emails}
    assert {it.value for it in card.phones} == {it.value for it in wanted.phones}
    assert card.note.split() == wanted.note.split()
    # Nothing is left to be told.
    item = only(stage)
    before = stage.store.calls
    stage.store.apply(stage.collection, Put(made.id, "", item.raw, item.raw), item.etag)
    assert stage.store.calls - before == 1


def test_somebody_who_has_but_one_name_keeps_it(stage):
    raw = b"BEGIN:VCARD\r\nVERSION:4.0\r\nUID:plato\r\nFN:Plato\r\nEND:VCARD\r\n"
    stage.store.apply(stage.collection, Put("", "plato", raw), "")
    [card] = read_cards(only(stage).raw)
    assert card.fn == "Plato"


def test_one_that_changed_in_this_moment_is_left_as_it_is(stage, ada, monkeypatch):
    """The other program comes between our look and our change."""
    items = stage.store._of(stage.collection)
    find = items._find

    def find_and_be_late(collection, key):
        found = find(collection, key)
        monkeypatch.setattr(items, "_find", find)
        stage.program.change("Contact", ada.id, jobTitle="Countess")
        return found

    monkeypatch.setattr(items, "_find", find_and_be_late)
    with pytest.raises(ItemChangedError):
        rewrite(stage, ada, "ORG:Lantern", "ORG:Beacon")
    assert stage.program.get("Contact", ada.id)["company"] == "Lantern"


def test_what_else_changed_in_this_moment_is_in_nobodys_way(stage, ada, monkeypatch):
    items = stage.store._of(stage.collection)
    find = items._find

    def find_and_be_late(collection, key):
        found = find(collection, key)
        monkeypatch.setattr(items, "_find", find)
        create(stage, "other", "Tide")
        return found

    monkeypatch.setattr(items, "_find", find_and_be_late)
    rewrite(stage, ada, "ORG:Lantern", "ORG:Beacon")
    assert stage.program.get("Contact", ada.id)["company"] == "Beacon"
