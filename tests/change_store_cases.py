"""What every store of collections must do; the test of each inherits these cases.

A test class gives `stage`: an empty collection, the store that it is read and changed by, and
another client of the same server.
"""

from typing import Protocol

import pytest

from inbox.providers.change_store import (
    Applied,
    Changes,
    ChangeStore,
    Collection,
    Entry,
    Item,
    ItemChangedError,
    Put,
    Remove,
)
from inbox.providers.mail_store import StoreError


class Stage(Protocol):
    """A collection at a real server, and another client of it."""

    store: ChangeStore
    collection: Collection

    def item(self, uid: str, title: str, note: str = "") -> bytes:
        """Return an item as our side would write it."""
        ...

    def title(self, raw: bytes) -> str:
        """Return the title of an item."""
        ...

    def put(self, uid: str, title: str) -> None:
        """Make or replace an item as the other client."""
        ...

    def remove(self, uid: str) -> None:
        """Remove an item as the other client."""
        ...

    def reopened(self) -> ChangeStore:
        """Return another store of the same source."""
        ...

    def forgotten(self, position: str) -> str:
        """Return a position that the server does not know any more."""
        ...

    def remove_collection(self) -> None:
        """Remove the collection as the other client."""
        ...


class ChangeStoreCases:
    """Cases on a `stage`; a slow server is given less."""

    many = 130
    large = 600_000

    # -- listing -----------------------------------------------------------------------------------
    def test_the_collection_is_listed(self, stage: Stage):
        listed = {(each.kind, each.id): each for each in stage.store.collections()}
        found = listed[stage.collection.kind, stage.collection.id]
        assert found.name == stage.collection.name
        assert found.writable

    def test_a_collection_that_is_gone_says_so(self, stage: Stage):
        position = everything(stage).position
        stage.remove_collection()
        for known in ("", position):
            with pytest.raises(StoreError) as caught:
                stage.store.changes(stage.collection, known)
            assert caught.value.kind == "gone"

    # -- what changed there ------------------------------------------------------------------------
    def test_the_beginning_is_the_whole(self, stage: Stage):
        assert everything(stage).present == ()
        stage.put("one", "Breakfast")
        stage.put("two", "Lunch")
        found = everything(stage)
        assert titles(stage, found) == ["Breakfast", "Lunch"]
        assert found.gone == ()

    def test_nothing_new_costs_two_calls_at_most(self, stage: Stage):
        stage.put("one", "Breakfast")
        position = everything(stage).position
        before = stage.store.calls
        found = stage.store.changes(stage.collection, position)
        assert (found.present, found.gone, found.is_whole) == ((), (), False)
        assert stage.store.calls - before <= 2
        assert stage.store.changes(stage.collection, found.position).present == ()

    def test_what_is_made_changed_and_removed_there_is_told_once(self, stage: Stage):
        for uid in ("one", "two", "three"):
            stage.put(uid, f"First {uid}")
        first = everything(stage)
        known = by_title(stage, first)
        stage.put("two", "Second two")
        stage.put("four", "First four")
        stage.remove("three")
        second = follow(stage, first.position)
        told = by_title(stage, second)
        assert sorted(told) == ["First four", "Second two"] if not second.is_whole else told
        assert told["Second two"].id == known["First two"].id
        assert told["Second two"].etag != known["First two"].etag
        assert known["First three"].id in gone(first, second)
        third = follow(stage, second.position)
        assert (third.present, third.gone) == ((), ())

    def test_a_position_holds_for_another_store(self, stage: Stage):
        stage.put("one", "Breakfast")
        position = everything(stage).position
        stage.put("two", "Lunch")
        with stage.reopened() as store:
            found = store.changes(stage.collection, position)
            assert "Lunch" in titles(stage, found)

    def test_a_position_that_is_not_known_any_more_gives_the_whole(self, stage: Stage):
        stage.put("one", "Breakfast")
        position = everything(stage).position
        for known in (stage.forgotten(position), "nonsense", "{}", "[1]"):
            found = stage.store.changes(stage.collection, known)
            assert found.is_whole, known
            assert titles(stage, found) == ["Breakfast"]

    def test_many_are_all_told_and_fetched_once(self, stage: Stage):
        expected = [f"Meal {number:03}" for number in range(self.many)]
        for number, title in enumerate(expected):
            stage.put(f"many{number}", title)
        found = everything(stage)
        assert len({entry.id for entry in found.present}) == len(found.present)
        assert titles(stage, found) == expected

    # -- fetching ----------------------------------------------------------------------------------
    def test_what_is_fetched_has_the_etag_that_was_told(self, stage: Stage):
        stage.put("one", "Breakfast")
        [entry] = everything(stage).present
        [item] = fetched(stage, [entry.id])
        assert (item.id, item.etag) == (entry.id, entry.etag)

    def test_what_is_gone_in_the_meantime_is_left_out(self, stage: Stage):
        stage.put("one", "Breakfast")
        stage.put("two", "Lunch")
        ids = [entry.id for entry in everything(stage).present]
        stage.remove("one")
        assert [stage.title(item.raw) for item in fetched(stage, ids)] == ["Lunch"]

    def test_letters_of_all_writings_arrive(self, stage: Stage):
        title = "Käse, 朝ごはん; ☕ \\ Ελλάδα"
        stage.put("one", title)
        assert titles(stage, everything(stage)) == [title]
        made = create(stage, "größe-二", title)
        [item] = fetched(stage, [made.id])
        assert stage.title(item.raw) == title

    def test_a_large_item_arrives(self, stage: Stage):
        made = create(stage, "large", "Large", "x" * self.large)
        [item] = fetched(stage, [made.id])
        assert stage.title(item.raw) == "Large"
        assert len(item.raw) > self.large

    # -- changes from here -------------------------------------------------------------------------
    def test_what_is_made_here_lies_there(self, stage: Stage):
        position = everything(stage).position
        made = create(stage, "one", "Breakfast")
        found = follow(stage, position)
        [entry] = found.present
        assert entry.id == made.id
        assert made.etag in ("", entry.etag)
        assert titles(stage, found) == ["Breakfast"]

    def test_an_etag_that_is_returned_is_that_of_the_bytes_that_were_sent(self, stage: Stage):
        for number in range(2):
            raw = stage.item(f"uid{number}", "Breakfast")
            made = stage.store.apply(stage.collection, new(f"name{number}", raw), "")
            [item] = fetched(stage, [made.id])
            assert made.etag in ("", item.etag)
            assert made.etag == "" or raw in (item.raw, lines_ended(item.raw))

    def test_to_make_it_twice_under_one_name_makes_one(self, stage: Stage):
        create(stage, "one", "Breakfast")
        with pytest.raises(ItemChangedError):
            create(stage, "one", "Lunch")
        assert titles(stage, everything(stage)) == ["Breakfast"]

    def test_a_replacement_holds_only_for_what_we_know(self, stage: Stage):
        stage.put("one", "Breakfast")
        [entry] = everything(stage).present
        replace(stage, entry, "one", "Lunch")
        with pytest.raises(ItemChangedError):
            replace(stage, entry, "one", "Dinner")
        found = everything(stage)
        assert titles(stage, found) == ["Lunch"]
        assert [each.id for each in found.present] == [entry.id]

    def test_a_replacement_of_what_was_removed_makes_nothing(self, stage: Stage):
        stage.put("one", "Breakfast")
        [entry] = everything(stage).present
        stage.remove("one")
        with pytest.raises(ItemChangedError):
            replace(stage, entry, "one", "Lunch")
        assert everything(stage).present == ()

    def test_without_an_etag_a_replacement_holds_for_whatever_is_there(self, stage: Stage):
        stage.put("one", "Breakfast")
        [entry] = everything(stage).present
        stage.put("one", "Lunch")
        raw = stage.item("one", "Dinner")
        stage.store.apply(stage.collection, Put(entry.id, "", raw), "")
        assert titles(stage, everything(stage)) == ["Dinner"]

    def test_what_changed_there_is_not_removed(self, stage: Stage):
        stage.put("one", "Breakfast")
        [entry] = everything(stage).present
        stage.put("one", "Lunch")
        with pytest.raises(ItemChangedError):
            stage.store.apply(stage.collection, Remove(entry.id), entry.etag)
        assert titles(stage, everything(stage)) == ["Lunch"]

    def test_what_is_removed_here_is_gone_and_may_be_gone_before(self, stage: Stage):
        stage.put("one", "Breakfast")
        first = everything(stage)
        [entry] = first.present
        for _number in range(2):
            stage.store.apply(stage.collection, Remove(entry.id), entry.etag)
        second = follow(stage, first.position)
        assert gone(first, second) == {entry.id}
        stage.store.apply(stage.collection, Remove(entry.id), "")


# -- what the cases are made of ----------------------------------------------------------------------
def everything(stage: Stage) -> Changes:
    found = stage.store.changes(stage.collection, "")
    assert found.is_whole
    assert not found.more
    return found


def follow(stage: Stage, position: str) -> Changes:
    """Return all pages since a position as one."""
    found = stage.store.changes(stage.collection, position)
    while found.more:
        page = stage.store.changes(stage.collection, found.position)
        assert not page.is_whole
        there = {entry.id: entry for entry in (*found.present, *page.present)}
        present = tuple(entry for entry in there.values() if entry.id not in page.gone)
        found = Changes(
            present, (*found.gone, *page.gone), page.position, found.is_whole, page.more
        )
    return found


def gone(before: Changes, after: Changes) -> set[str]:
    if not after.is_whole:
        return set(after.gone)
    return {entry.id for entry in before.present} - {entry.id for entry in after.present}


def fetched(stage: Stage, ids: list[str]) -> list[Item]:
    return list(stage.store.fetch(stage.collection, ids))


def titles(stage: Stage, found: Changes) -> list[str]:
    return sorted(by_title(stage, found))


def by_title(stage: Stage, found: Changes) -> dict[str, Entry]:
    entries = {entry.id: entry for entry in found.present}
    items = fetched(stage, list(entries))
    assert len(items) == len(entries)
    return {stage.title(item.raw): entries[item.id] for item in items}


def only(stage: Stage) -> Item:
    """Return the one item that lies there."""
    [entry] = everything(stage).present
    [item] = fetched(stage, [entry.id])
    assert item.etag == entry.etag
    return item


def rewrite(stage: Stage, item: Item, old: str, new: str) -> Applied:
    """Change some of an item's words, as one that was just fetched."""
    raw = item.raw.decode()
    assert old in raw, raw
    change = Put(item.id, "", raw.replace(old, new).encode(), item.raw)
    return stage.store.apply(stage.collection, change, item.etag)


def new(name: str, raw: bytes) -> Put:
    """Return a new item; of files the name is the path."""
    return Put("", name, raw, path=name)


def create(stage: Stage, name: str, title: str, note: str = "") -> Applied:
    raw = stage.item(name, title, note)
    return stage.store.apply(stage.collection, new(name, raw), "")


def replace(stage: Stage, entry: Entry, uid: str, title: str) -> Applied:
    raw = stage.item(uid, title)
    return stage.store.apply(stage.collection, Put(entry.id, "", raw), entry.etag)


def lines_ended(raw: bytes) -> bytes:
    return raw.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
