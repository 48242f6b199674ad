"""The first sync of a calendar by CalDAV against a bare fetch, which reads it and does nothing.

Both read the same events from the same Radicale on loopback, by turns, after it has read each of
them once: one list of what is there, and what it names in batches of a hundred. Ours has stored the
events and worked out when they take place when it ends. The fastest turn of the bare fetch counts.
The seconds of the processor are those of both ends together. Radicale's files lie in memory where
there is room: for each that is new it waits for the disk.
"""

import json
import os
import re
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx

from bench.imports import manage
from bench.results import Result
from tests.dav_servers import Radicale, run
from tests.own_folders import is_roomy

EVENTS = int(os.environ.get("BENCH_EVENTS", "5000"))
GOAL, BATCH = 0.2, 100
# In seconds: the first time, a server reads each of its files.
_TIMEOUT = 300
_MEMORY = Path("/dev/shm")
_HREF = re.compile(r"<(?:\w+:)?href>([^<]+\.ics)</")
_LIST = (
    '<sync-collection xmlns="DAV:"><sync-token/><sync-level>1</sync-level>'
    "<prop><getetag/></prop></sync-collection>"
)
_MANY = (
    '<c:calendar-multiget xmlns="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav">'
    "<prop><getetag/><c:calendar-data/></prop>{hrefs}</c:calendar-multiget>"
)


@dataclass(frozen=True, slots=True)
class Turn:
    """What one reading took: seconds, and of the processor both ends together."""

    seconds: float
    processor: float

    @property
    def shown(self) -> str:
        """How fast it was, in words."""
        return f"{EVENTS / self.seconds:.0f} events/s, {self.processor:.1f} s of the processor"


def measure(folder: Path) -> list[Result]:
    """Furnish a server, let both read it, and compare."""
    with run(Radicale(_MEMORY if is_roomy(_MEMORY) else None)) as server:
        user = server.new_user()
        url = server.make_calendar(user, "office", ("VEVENT",))
        furnish(server, user, url)
        fetch_all(server, user, url)
        turns = [fetch_all(server, user, url)]
        ours, megabytes = sync_all(server, user, folder)
        turns.append(fetch_all(server, user, url))
    anchor = min(turns, key=lambda turn: turn.seconds)
    ratio = anchor.seconds / ours.seconds
    return [
        Result(
            f"first sync of {EVENTS} events by CalDAV",
            f"{ours.shown}, {megabytes:.0f} MB more of memory", f"a bare fetch {anchor.shown}",
            f"{ratio:.2f} ({anchor.processor / ours.processor:.2f} of the processor)",
            f"≥ {GOAL}", ratio >= GOAL,
        )
    ]  # fmt: skip


def furnish(server: Radicale, user: str, url: str) -> None:
    """Put the events into the calendar: most take place once, one of twenty each week."""
    name = url.rstrip("/").rpartition("/")[2]
    place = server.folder / "collections" / "collection-root" / user / name
    for number in range(EVENTS):
        (place / f"{number}.ics").write_bytes(event(number).encode())


def event(number: int) -> str:
    """Return an event as calendar programs write it."""
    start = datetime(2025, 1, 6, 9, tzinfo=UTC) + timedelta(hours=3 * number)
    lines = [
        "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Bench//Bench//EN", "BEGIN:VEVENT",
        f"UID:{number}@bench", "DTSTAMP:20250101T000000Z", f"DTSTART:{start:%Y%m%dT%H%M%SZ}",
        f"DTEND:{start + timedelta(hours=1):%Y%m%dT%H%M%SZ}", f"SUMMARY:Meeting {number}",
        "DESCRIPTION:What we want to talk about\\, and with whom.", "LOCATION:Room 4",
        "CATEGORIES:Office", "X-BENCH:1", "BEGIN:VALARM", "ACTION:DISPLAY",
        "DESCRIPTION:Soon", "TRIGGER:-PT10M", "END:VALARM", "END:VEVENT", "END:VCALENDAR", "",
    ]  # fmt: skip
    if number % 20 == 0:
        lines.insert(8, "RRULE:FREQ=WEEKLY")
    return "\r\n".join(lines)


def fetch_all(server: Radicale, user: str, url: str) -> Turn:
    """Read all events and do nothing with them."""
    start, used = time.perf_counter(), time.process_time() + server.processor_seconds()
    with server.client(user) as client:
        client.timeout = _TIMEOUT
        hrefs = _HREF.findall(report(client, url, _LIST))
        for at in range(0, len(hrefs), BATCH):
            named = "".join(f"<href>{href}</href>" for href in hrefs[at : at + BATCH])
            report(client, url, _MANY.format(hrefs=named))
    if len(hrefs) != EVENTS:
        raise SystemExit(f"The server lists {len(hrefs)} of {EVENTS} events.")
    processor = time.process_time() + server.processor_seconds() - used
    return Turn(time.perf_counter() - start, processor)


def report(client: httpx.Client, url: str, body: str) -> str:
    """Return what a REPORT answers."""
    headers = {"Content-Type": "application/xml; charset=utf-8", "Depth": "1"}
    answer = client.request("REPORT", url, content=body, headers=headers)
    answer.raise_for_status()
    return answer.text


def sync_all(server: Radicale, user: str, folder: Path) -> tuple[Turn, float]:
    """Connect a calendar in a new database and sync it; return how much memory it took, too."""
    folder.mkdir(parents=True)
    manage(folder, "migrate", "--verbosity=0")
    settings = {"url": f"{server.url}/", "username": user}
    code = f"from bench.in_process.calendar_syncing import sync_first; sync_first({settings!r})"
    used = server.processor_seconds()
    found = json.loads(manage(folder, "shell", "-v", "0", "-c", code).splitlines()[-1])
    if found["events"] != EVENTS:
        raise SystemExit(f"The sync has {found['events']} of {EVENTS} events.")
    processor = found["processor"] + server.processor_seconds() - used
    return Turn(found["seconds"], processor), found["megabytes"]
