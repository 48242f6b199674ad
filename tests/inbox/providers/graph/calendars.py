"""Calendars as our side writes them, for tests."""

from collections.abc import Iterator

from inbox.formats.content_lines import name_of, read_blocks
from inbox.providers.change_store import Item, Put
from tests.inbox.providers.graph.stages import CalendarStage

UID = "lamp@lantern.example"


def calendar(*events: str) -> bytes:
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Lantern//Office//EN"]
    for event in events:
        body = [line.strip() for line in event.strip().splitlines()]
        head = [f"UID:{UID}", "DTSTAMP:20260101T000000Z"]
        lines += ["BEGIN:VEVENT", *head, *body, "END:VEVENT"]
    return "\r\n".join([*lines, "END:VCALENDAR", ""]).encode()


def create(stage: CalendarStage, raw: bytes) -> Item:
    made = stage.store.apply(stage.collection, Put("", UID, raw), "")
    return fetch(stage, made.id)


def change(stage: CalendarStage, item: Item, *replaced: tuple[str, str]) -> Item:
    """Replace texts in an item, one after the other, and have it stand there."""
    raw = item.raw.decode()
    for before, after in replaced:
        assert before in raw, raw
        raw = raw.replace(before, after, 1)
    return put(stage, item, raw.encode())


def put(stage: CalendarStage, item: Item, raw: bytes) -> Item:
    stage.store.apply(stage.collection, Put(item.id, "", raw, item.raw), item.etag)
    return fetch(stage, item.id)


def fetch(stage: CalendarStage, id: str) -> Item:  # noqa: A002
    [item] = stage.store.fetch(stage.collection, [id])
    return item


def events(item: Item) -> Iterator[dict[str, str]]:
    """Yield the lines of each event by their names, parameters and all."""
    for event in read_blocks(item.raw.decode())[0].blocks:
        found: dict[str, str] = {}
        for line in event.items:
            assert isinstance(line, str)
            name = name_of(line)
            found[name] = f"{found[name]}\n{line}" if name in found else line
        yield found
