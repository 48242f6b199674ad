"""Contacts by RFC 9610: what every collection does, and what cards and vCards make of each other."""

import copy

import pytest

from inbox.formats.vcard import read_cards
from inbox.providers.change_store import Collection, Put, Remove
from inbox.providers.jmap.contacts.cards import id_of
from tests.change_store_cases import ChangeStoreCases, create, everything, only, rewrite
from tests.inbox.providers.jmap.stages import CardStage
from tests.inbox.syncing.collections.cards import ALL

ADA = {
    "name": {
        "components": [
            {"kind": "title", "value": "Dr."}, {"kind": "given", "value": "Ada"},
            {"kind": "given2", "value": "Mary"}, {"kind": "surname", "value": "Byron"},
            {"kind": "generation", "value": "II"},
        ],
        "isOrdered": True, "sortAs": {"surname": "byron"},
    },
    "nicknames": {"k1": {"name": "Countess"}},
    "organizations": {
        "o1": {"name": "Lantern", "units": [{"name": "Engines"}, {"name": "Wicks"}]},
        "o2": {"name": "Royal Society"},
    },
    "titles": {"t1": {"name": "Analyst", "organizationId": "o1"}, "t2": {"name": "Guest"}},
    "emails": {
        "e1": {"address": "ada@home.example", "contexts": {"private": True}, "label": "cottage"},
        "e2": {"address": "ada@lantern.example", "contexts": {"work": True}, "pref": 1},
    },
    "phones": {
        "p1": {"number": "tel:+44-1;ext=2", "features": {"mobile": True, "voice": True}},
        "p2": {"number": "+44 2", "contexts": {"work": True}, "features": {"fax": True}},
    },
    "addresses": {"a1": {
        "components": [
            {"kind": "number", "value": "12"}, {"kind": "name", "value": "St James Square"},
            {"kind": "locality", "value": "London"}, {"kind": "postcode", "value": "SW1Y"},
        ],
        "contexts": {"private": True}, "coordinates": "geo:51,0",
    }},
    "anniversaries": {"b1": {"kind": "birth", "date": {"month": 12, "day": 10}},
                      "b2": {"kind": "death", "date": {"year": 1852}}},
    "links": {"l1": {"uri": "https://ada.example"}, "l2": {"uri": "mailto:x", "kind": "contact"}},
    "notes": {"n1": {"note": "Likes engines.\nMet at a party", "author": {"name": "Mo"}}},
    "keywords": {"tide": True}, "example.com:tea": "black",
}  # fmt: skip


@pytest.fixture
def stage(cards: CardStage) -> CardStage:
    return cards


class TestCards(ChangeStoreCases):
    # No longer line of a card is read here.
    large = 60_000


@pytest.fixture
def ada(stage):
    stage.put("ada", "Byron")
    stage.server.change("ContactCard", stage.ids["ada"], ADA)
    return only(stage)


def test_a_card_is_a_vcard(stage, ada):
    [card] = read_cards(ada.raw)
    assert (card.fn, card.prefix, card.given, card.additional, card.family, card.suffix) == (
        "Dr. Ada Mary Byron II", "Dr.", "Ada", "Mary", "Byron", "II",
    )  # fmt: skip
    assert [(it.value, it.kind) for it in card.emails] == [
        ("ada@lantern.example", "work"), ("ada@home.example", "home"),
    ]  # fmt: skip
    assert [(it.value, it.kind) for it in card.phones] == [("+44-1", "mobile"), ("+44 2", "fax")]
    assert (card.org, card.department, card.title) == ("Lantern", "Engines", "Analyst")
    assert card.note == "Likes engines.\nMet at a party"
    others = {it.name: it.value for it in card.others}
    assert others["BDAY"] == "--1210"
    assert others["ADR"] == ";;12 St James Square;London;;SW1Y;"
    assert (others["URL"], others["NICKNAME"]) == ("https://ada.example", "Countess")
    assert others["UID"] == f"ada-{stage.book}"


@pytest.mark.parametrize(
    ("old", "new", "patch"),
    [
        ("TITLE:Analyst", "TITLE:Countess",
         {"titles/t1": {"name": "Countess", "organizationId": "o1"}}),
        ("NOTE:Likes engines.\\nMet at a party\r\n", "", {"notes": None}),
        ("--1210", "18151210", {"anniversaries/b1": {
            "kind": "birth", "date": {"year": 1815, "month": 12, "day": 10}}}),
        ("BDAY:--1210\r\n", "", {"anniversaries/b1": None}),
        ("TYPE=home;PREF=2:ada@home.example", "TYPE=work;PREF=2:ada@home.example", {"emails/e1": {
            "address": "ada@home.example", "contexts": {"work": True}, "label": "cottage"}}),
        ("EMAIL;TYPE=work;PREF=1:ada@lantern.example\r\n", "", {"emails/e2": None}),
        ("PREF=1:ada@lantern.example", "PREF=3:ada@lantern.example", {
            "emails/e1": ADA["emails"]["e1"] | {"pref": 1},
            "emails/e2": ADA["emails"]["e2"] | {"pref": 2}}),
        ("+44 2", "+44 3", {"phones/p2": {**ADA["phones"]["p2"], "number": "+44 3"}}),
        ("ORG:Lantern;Engines", "ORG:Beacon;Engines", {"organizations/o1": {
            "name": "Beacon", "units": [{"name": "Engines"}, {"name": "Wicks"}]}}),
        ("N:Byron;Ada", "N:Lovelace;Ada", {"name": {
            "full": "Dr. Ada Mary Byron II",
            "components": [*ADA["name"]["components"][:3], {"kind": "surname", "value": "Lovelace"},
                           {"kind": "generation", "value": "II"}]}}),
        ("FN:Dr. Ada Mary Byron II", "FN:Ada", {"name/full": "Ada"}),
        ("https://ada.example", "https://byron.example",
         {"links/l1": {"uri": "https://byron.example"}}),
        ("END:VCARD", "NICKNAME:Addie\r\nEND:VCARD", {"nicknames/n1": {"name": "Addie"}}),
    ],
)  # fmt: skip
def test_only_what_changed_is_told(stage, ada, old, new, patch):
    before = copy.deepcopy(stage.card("ada"))
    stage.server.sets.clear()
    rewrite(stage, ada, old, new)
    [asked] = stage.server.sets
    assert asked["update"] == {ada.id: patch}
    after = stage.card("ada")
    named = {path.partition("/")[0] for path in patch}
    assert {k: v for k, v in before.items() if k not in named} == {
        k: v for k, v in after.items() if k not in named
    }


def test_what_stands_there_twice_stays_so(stage, ada):
    numbers = {"p3": {"number": "+44 2", "contexts": {"private": True}}, "p4": {"number": "+44 4"}}
    stage.server.change("ContactCard", ada.id, {f"phones/{id_}": it for id_, it in numbers.items()})
    stage.server.sets.clear()
    rewrite(stage, only(stage), ":+44 4", ":+44 5")
    [asked] = stage.server.sets
    assert asked["update"] == {ada.id: {"phones/p4": {"number": "+44 5"}}}


@pytest.mark.parametrize("maker", sorted(ALL))
def test_cards_of_every_maker_are_made_and_say_the_same_again(stage, maker):
    raw = ALL[maker]
    made = stage.store.apply(stage.collection, Put("", "one", raw), "")
    [wanted], [card] = read_cards(raw), read_cards(only(stage).raw)
    for name in ("fn", "family", "given", "additional", "prefix", "suffix", "org", "emails",
                 "phones", "title", "note"):  # fmt: skip
        assert getattr(card, name) == getattr(wanted, name), name
    # Nothing is left to be told.
    item = only(stage)
    before = stage.store.calls
    stage.store.apply(stage.collection, Put(made.id, "", item.raw, item.raw), item.etag)
    assert stage.store.calls - before == 1


def test_a_card_that_lies_in_another_book_as_well_is_only_taken_out_of_ours(stage, ada):
    other = stage.server.add("AddressBook", {"name": "Others"})
    stage.server.change("ContactCard", ada.id, {f"addressBookIds/{other}": True})
    elsewhere = Collection(id_of(other), "contacts", "Others")
    [entry] = stage.store.changes(elsewhere, "").present
    position = stage.store.changes(stage.collection, "").position
    stage.store.apply(stage.collection, Remove(ada.id), entry.etag)
    assert stage.card("ada")["addressBookIds"] == {other: True}
    assert stage.store.changes(stage.collection, position).gone == (ada.id,)
    stage.store.apply(elsewhere, Remove(ada.id), "")
    assert ada.id not in stage.server.cards


def test_a_group_of_cards_is_nobody(stage):
    stage.put("crew", "Crew", kind="group", members={"ada": True})
    assert everything(stage).present == ()


def test_books_are_listed_with_what_may_be_done_in_them(stage):
    stage.server.add("AddressBook", {"name": "Theirs", "myRights": {"mayWrite": False}})
    found = {one.name: one.writable for one in stage.store.collections()}
    assert found == {stage.collection.name: True, "Theirs": False}


def test_made_in_one_book_it_is_not_made_again_in_another(stage):
    create(stage, "one", "Breakfast")
    [card] = stage.server.cards.values()
    assert card["uid"] == "one"
    assert card["addressBookIds"] == {stage.book: True}
