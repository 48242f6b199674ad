"""What a server offers, within which limits; and what is asked of one that goes beyond them."""

import pytest

from inbox.accounts.credentials import Secret
from inbox.providers.base import Connection
from inbox.providers.change_store import ItemRefusedError
from inbox.providers.jmap import api
from inbox.providers.jmap.collections import JmapCollections
from inbox.providers.mail_store import StoreError
from tests.change_store_cases import create, everything, titles
from tests.inbox.providers.jmap.stages import CardStage, EventStage
from tests.machines.jmap.protocol import SetRefusedError
from tests.machines.jmap.server import ACCOUNT, JmapServer


@pytest.fixture(autouse=True)
def forget():
    """What was offered a moment ago is asked for anew."""
    api._kept.clear()
    yield
    api._kept.clear()


def test_what_a_server_offers_is_there_and_nothing_else(jmap: JmapServer, cards: CardStage):
    assert {one.kind for one in cards.store.collections()} == {"contacts"}
    EventStage(jmap).close()
    assert {one.kind for one in cards.store.collections()} == {"contacts", "calendar"}
    del jmap.types["Calendar"], jmap.types["CalendarEvent"]
    assert {one.kind for one in cards.store.collections()} == {"contacts"}


def test_a_server_that_offers_nothing_of_it_says_so(jmap: JmapServer, cards: CardStage):
    jmap.types.clear()
    with pytest.raises(StoreError) as caught:
        cards.store.collections()
    assert caught.value.kind == "permanent"
    with pytest.raises(StoreError) as caught:
        cards.store.changes(cards.collection, "")
    assert caught.value.kind == "gone"


def test_in_an_account_that_may_only_be_read_nothing_is_written(
    jmap: JmapServer, cards: CardStage, monkeypatch
):
    session = jmap.session

    def read_only():
        found = session()
        found["accounts"][ACCOUNT]["isReadOnly"] = True
        return found

    monkeypatch.setattr(jmap, "session", read_only)
    assert [one.writable for one in cards.store.collections()] == [False]


def test_a_token_that_ran_out_is_renewed(jmap: JmapServer, cards: CardStage):
    cards.put("one", "Breakfast")
    asked = []

    def renew(refused: Secret) -> Secret:
        asked.append(refused.reveal())
        return Secret(jmap.issue(ACCOUNT))

    settings = {"jmap_url": jmap.url, "auth": "oauth"}
    old = Connection("office@lantern.example", settings, Secret("old"), renew)
    with JmapCollections(old) as store:
        assert len(store.changes(cards.collection, "").present) == 1
    assert asked == ["old"]


def test_without_another_token_a_person_has_to_sign_in(jmap: JmapServer, cards: CardStage):
    settings = {"jmap_url": jmap.url, "auth": "oauth"}
    old = Connection("office@lantern.example", settings, Secret("old"))
    with JmapCollections(old) as store, pytest.raises(StoreError) as caught:
        store.changes(cards.collection, "")
    assert caught.value.kind == "login"


def test_who_asks_too_often_is_told_when_to_come_again(jmap: JmapServer, cards: CardStage):
    everything(cards)
    jmap.allowance = 0
    with pytest.raises(StoreError) as caught:
        cards.store.changes(cards.collection, "")
    assert (caught.value.kind, caught.value.retry_after) == ("throttled", 2.0)


def test_what_is_larger_than_the_server_takes_is_refused_before_it_is_sent(
    jmap: JmapServer, cards: CardStage
):
    jmap.limits["maxSizeRequest"] = 20_000
    with pytest.raises(ItemRefusedError):
        create(cards, "large", "Large", "x" * 30_000)
    create(cards, "small", "Small")
    assert titles(cards, everything(cards)) == ["Small"]
    assert len(jmap.sets) == 1


@pytest.mark.parametrize("error", ["tooLarge", "forbidden", "overQuota"])
def test_what_the_server_refuses_of_one_is_said_of_that_one(
    jmap: JmapServer, cards: CardStage, monkeypatch, error
):
    cards.put("one", "Breakfast")

    def refuse(_one):
        raise SetRefusedError(error)

    monkeypatch.setattr(jmap.types["ContactCard"], "check", refuse)
    with pytest.raises(ItemRefusedError) as caught:
        create(cards, "two", "Lunch")
    assert error in caught.value.words
    assert len(everything(cards).present) == 1


def test_a_long_answer_is_asked_for_in_smaller_ones(
    jmap: JmapServer, cards: CardStage, monkeypatch
):
    for number in range(60):
        cards.put(f"c{number}", f"Card {number:02}", notes={"n": {"note": "x" * 1000}})
    monkeypatch.setattr(api, "LONGEST_ANSWER", 20_000)
    position = everything(cards)
    assert titles(cards, position) == [f"Card {number:02}" for number in range(60)]
    cards.put("c7", "Changed", notes={"n": {"note": "x" * 15_000}})
    cards.put("c9", "Too long", notes={"n": {"note": "x" * 30_000}})
    [entry] = [it for it in position.present if it.id == cards.ids["c9"]]
    assert list(cards.store.fetch(cards.collection, [entry.id])) == []


def test_a_list_that_changes_while_it_is_read_is_read_anew(
    jmap: JmapServer, cards: CardStage, monkeypatch
):
    jmap.limits["maxObjectsInGet"] = 10
    with cards.reopened() as store:
        for number in range(25):
            cards.put(f"c{number}", f"Card {number:02}")
        query, pages = jmap._query, []

        def query_and_change(*asked, **more):
            pages.append(more["position"])
            if len(pages) == 2:
                cards.remove("c0")
            return query(*asked, **more)

        monkeypatch.setattr(jmap, "_query", query_and_change)
        found = store.changes(cards.collection, "")
        assert pages == [0, 10, 0, 10, 20]
        assert len(found.present) == 24
