"""Contacts as they lie at Graph, and as cards: what each side's words become."""

from collections.abc import Iterator

import pytest

from inbox.formats.content_lines import read_blocks
from inbox.providers.change_store import Collection, Item, ItemChangedError, ItemRefusedError, Put
from inbox.providers.graph.answers import DEFAULT
from tests.inbox.providers.graph.stages import ContactStage
from tests.inbox.syncing.collections import cards
from tests.machines.graph.server import GraphServer

CARD = """BEGIN:VCARD
VERSION:3.0
UID:ada@lantern.example
FN:Ada Lamp
N:Lamp;Ada;Mary;Dr.;Jr.
ORG:Lantern;Wicks
TITLE:Keeper
EMAIL;TYPE=HOME:ada@home.example
EMAIL;TYPE=WORK;TYPE=pref:ada@lantern.example
TEL;TYPE=WORK:+49 30 1
TEL;TYPE=CELL:+49 170 2
TEL;TYPE=FAX:+49 30 3
ADR;TYPE=HOME:;;Quay 1;Kiel;SH;24103;Germany
BDAY:1980-03-02
NICKNAME:Addie
URL:https://lantern.example/
NOTE:Likes oil\\, and wicks
X-LAMP:lit
END:VCARD
"""


@pytest.fixture
def stage(graph: GraphServer) -> Iterator[ContactStage]:
    made = ContactStage(graph)
    yield made
    made.close()


def create(stage: ContactStage, text: str = CARD) -> Item:
    raw = text.replace("\r\n", "\n").replace("\n", "\r\n").encode()
    made = stage.store.apply(stage.collection, Put("", "ada@lantern.example", raw), "")
    return fetch(stage, made.id)


def fetch(stage: ContactStage, id: str) -> Item:  # noqa: A002
    [item] = stage.store.fetch(stage.collection, [id])
    return item


def change(stage: ContactStage, item: Item, before: str, after: str) -> Item:
    raw = item.raw.decode()
    assert before in raw, raw
    put = Put(item.id, "", raw.replace(before, after, 1).encode(), item.raw)
    stage.store.apply(stage.collection, put, item.etag)
    return fetch(stage, item.id)


def lines(raw: bytes) -> set[str]:
    return {one for one in read_blocks(raw.decode())[0].items if isinstance(one, str)}


def test_a_card_is_read_back_as_it_was_said(stage: ContactStage):
    assert lines(create(stage).raw) == lines(CARD.encode())


@pytest.mark.parametrize("card", [cards.APPLE, cards.GOOGLE, cards.NEXTCLOUD])
def test_a_card_of_another_program_is_read_back_as_it_was(stage: ContactStage, card):
    of_the_card = ("VERSION", "PRODID", "REV", "UID")
    item = create(stage, card.decode() if isinstance(card, bytes) else card)
    assert lines(item.raw) - lines(card) == {"VERSION:3.0", "UID:ada@lantern.example"} - lines(card)
    assert {
        one for one in lines(card) - lines(item.raw) if not one.startswith(of_the_card)
    } == set()
    again = change(stage, item, "VERSION", "VERSION")
    assert again.etag == item.etag


def test_a_photograph_is_left_out(stage: ContactStage):
    item = create(stage, CARD.replace("X-LAMP", f"PHOTO;ENCODING=b:{'x' * 50_000}\nX-LAMP"))
    assert not any(one.startswith("PHOTO") for one in lines(item.raw))


def test_it_stands_there_in_outlooks_words(stage: ContactStage):
    there = stage.get(create(stage).id)
    assert (there["surname"], there["givenName"], there["title"]) == ("Lamp", "Ada", "Dr.")
    addresses = [one["address"] for one in there["emailAddresses"]]
    assert addresses == ["ada@lantern.example", "ada@home.example"]
    assert (there["businessPhones"], there["mobilePhone"]) == (["+49 30 1"], "+49 170 2")
    assert there["homeAddress"]["city"] == "Kiel"
    assert there["birthday"] == "1980-03-02T00:00:00Z"


def test_only_what_changed_is_told(stage: ContactStage):
    item = create(stage)
    stage.server.calls.clear()
    change(stage, item, "TITLE:Keeper", "TITLE:Master")
    [patch] = [call for call in stage.server.calls if call.method == "PATCH"]
    assert patch.body == b'{"jobTitle": "Master"}'


def test_what_outlook_changes_stands_and_what_is_kept_beside_stays(stage: ContactStage):
    item = create(stage)
    emails = [{"address": "ada@lantern.example", "name": "Ada"}]
    stage.patch(item.id, {"emailAddresses": emails, "mobilePhone": None})
    found = lines(fetch(stage, item.id).raw)
    assert "EMAIL;TYPE=WORK;TYPE=pref:ada@lantern.example" in found
    assert not any("ada@home.example" in one or "CELL" in one for one in found)
    assert {"TEL;TYPE=FAX:+49 30 3", "X-LAMP:lit"} <= found


def test_more_than_outlook_has_room_for_is_kept_beside(stage: ContactStage):
    many = "".join(f"EMAIL:ada{number}@lantern.example\n" for number in range(5))
    item = create(stage, CARD.replace("NICKNAME", f"{many}NICKNAME"))
    assert len(stage.get(item.id)["emailAddresses"]) == 3
    assert sum(one.startswith("EMAIL") for one in lines(item.raw)) == 7


def test_what_is_cleared_here_is_cleared_there(stage: ContactStage):
    item = create(stage)
    for line in ("BDAY:1980-03-02\r\n", "ADR;TYPE=HOME:;;Quay 1;Kiel;SH;24103;Germany\r\n",
                 "NOTE:Likes oil\\, and wicks\r\n", "X-LAMP:lit\r\n"):  # fmt: skip
        item = change(stage, item, line, "")
    there = stage.get(item.id)
    assert (there["birthday"], there["personalNotes"]) == (None, "")
    assert not any(there["homeAddress"].values())
    assert not any(one.startswith(("BDAY", "ADR", "NOTE", "X-LAMP")) for one in lines(item.raw))


def test_somebody_without_a_name_is_called_something(stage: ContactStage):
    id_ = stage.make({"emailAddresses": [{"address": "otto@shore.example"}]})
    item = fetch(stage, id_)
    assert "FN:otto@shore.example" in lines(item.raw)
    item = change(stage, item, "FN:otto@shore.example", "FN:otto@shore.example\r\nTITLE:Guest")
    assert stage.get(id_)["displayName"] == ""


def test_the_name_of_an_address_that_stays_is_left_alone(stage: ContactStage):
    emails = [{"address": "otto@shore.example", "name": "Otto from the shore"}]
    item = fetch(stage, stage.make({"displayName": "Otto", "emailAddresses": emails}))
    item = change(stage, item, "EMAIL:otto", "EMAIL:new@shore.example\r\nEMAIL:otto")
    assert stage.get(item.id)["emailAddresses"] == [
        {"address": "new@shore.example", "name": "new@shore.example"}, *emails,
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["BEGIN:VCALENDAR\nEND:VCALENDAR\n", "BEGIN:VCARD\n", "x"])
def test_what_is_no_card_is_refused_by_itself(stage: ContactStage, text):
    with pytest.raises(ItemRefusedError):
        create(stage, text)


def test_a_second_creation_whose_answer_was_lost_makes_nobody_twice(stage: ContactStage):
    stage.server.order("lose", "^POST .*/contacts$")
    with pytest.raises(Exception, match=r".") as caught:
        create(stage)
    assert getattr(caught.value, "kind", "") == "transient"
    with pytest.raises(ItemChangedError):
        create(stage)
    assert len(stage.box.folders[stage.collection.id].contacts) == 1


def test_the_accounts_own_folder_is_read_and_written(stage: ContactStage):
    own = next(it for it in stage.store.collections() if it.id == DEFAULT)
    assert (own.kind, own.is_default) == ("contacts", True)
    place = Collection(DEFAULT, "contacts", own.name)
    first = stage.store.changes(place, "")
    raw = stage.item("one", "Ada")
    made = stage.store.apply(place, Put("", "one@lantern.example", raw), "")
    found = stage.store.changes(place, first.position)
    assert [entry.id for entry in found.present] == [made.id]
    assert len(stage.box.folders[""].contacts) == 1


def test_many_come_in_pages(stage: ContactStage):
    for number in range(450):
        stage.make({"displayName": f"Somebody {number}"})
    before = stage.store.calls
    assert len(stage.store.changes(stage.collection, "").present) == 450
    assert stage.store.calls - before == 3
