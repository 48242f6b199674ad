"""The first sync of a mailbox on Dovecot against imapclient, which fetches it and does nothing.

Both read the same messages from the same server on loopback, by turns, after it has read each of
them once. Ours has stored, threaded and indexed them when it ends. The fastest turn of imapclient
counts.
"""

import json
import os
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.imports import manage
from bench.results import Result
from tests.dovecot import Dovecot, dovecot_program, run_dovecot

MESSAGES = int(os.environ.get("BENCH_FIRST_SYNC", "20000"))
GOAL, BATCH, USER = 0.25, 500, "bench"
# A few large ones more or less would make the runs hard to compare.
_LARGEST = 1_000_000
_IDENTIFIERS = re.compile(
    rb"^(?:message-id|in-reply-to|references):.*(?:\r?\n[ \t].*)*", re.IGNORECASE | re.MULTILINE
)


def measure(maildir: Path, folder: Path) -> list[Result]:
    """Furnish a server, let both read it, and compare."""
    name = f"first sync of {MESSAGES} messages"
    if dovecot_program() is None:
        return [Result(name, "–", "Dovecot is not installed", "–", f"≥ {GOAL}", None)]
    with run_dovecot() as server:
        furnish(server, maildir)
        fetch_all(server)
        anchor = fetch_all(server)
        ours, stored = sync_all(server.settings(USER), folder / "first-sync")
        anchor = min(anchor, fetch_all(server))
    if stored != MESSAGES:
        raise SystemExit(f"The sync has {stored} of {MESSAGES} messages.")
    speed, anchor_speed = MESSAGES / ours, MESSAGES / anchor
    ratio = speed / anchor_speed
    return [
        Result(
            name, f"{speed:.0f} messages/s", f"imapclient {anchor_speed:.0f} messages/s",
            f"{ratio:.2f}", f"≥ {GOAL}", ratio >= GOAL,
        )
    ]  # fmt: skip


def furnish(server: Dovecot, maildir: Path, most: int = MESSAGES) -> None:
    """Put so many messages into the user's INBOX."""
    inbox = server.maildir(USER) / "cur"
    for part in ("cur", "new", "tmp"):
        (inbox.parent / part).mkdir(parents=True)
    for number, raw in enumerate(messages(maildir, most)):
        name = f"{1_700_000_000 + number}.M{number}.bench:2,{'S' * (number % 2)}"
        (inbox / name).write_bytes(raw)
    for path in (inbox.parent.parent, *inbox.parent.parent.rglob("*")):
        shutil.chown(path, server.owner.pw_uid, server.owner.pw_gid)


def messages(maildir: Path, most: int) -> Iterator[bytes]:
    """Yield so many messages; where there are too few, each again as another."""
    letters = sorted(path for part in ("cur", "new") for path in (maildir / part).glob("[!.]*"))
    made = 0
    while made < most:
        turn, before = made // max(len(letters), 1), made
        for path in letters:
            raw = path.read_bytes()
            if made < most and len(raw) <= _LARGEST:
                yield another(raw, turn) if turn else raw
                made += 1
        if made == before:
            raise SystemExit(f"There is no mail in {maildir}.")


def another(raw: bytes, turn: int) -> bytes:
    """Return a message as another one, in another thread of the same shape."""
    end = raw.find(b"\n\n") if b"\n\n" in raw else raw.find(b"\r\n\r\n")
    head, body = raw[:end], raw[end:]
    head = _IDENTIFIERS.sub(lambda it: it[0].replace(b"<", b"<%d." % turn), head)
    return b"X-Copy: %d\n" % turn + head + body


def fetch_all(server: Dovecot) -> float:
    """Have imapclient fetch all messages and do nothing; return the seconds, login included."""
    start = time.perf_counter()
    with server.client(USER) as client:
        client.select_folder("INBOX", readonly=True)
        uids = client.search("ALL")
        for at in range(0, len(uids), BATCH):
            client.fetch(uids[at : at + BATCH], [b"BODY.PEEK[]"])
    return time.perf_counter() - start


def sync_all(settings: dict[str, Any], folder: Path, token: str = "") -> tuple[float, int]:
    """Connect an account in a new database and sync it; return the seconds and how many it has."""
    folder.mkdir(parents=True)
    manage(folder, "migrate", "--verbosity=0")
    code = f"from bench.in_process.syncing import sync_first; sync_first({settings!r}, {token!r})"
    found = json.loads(manage(folder, "shell", "-v", "0", "-c", code).splitlines()[-1])
    return found["seconds"], found["messages"]
