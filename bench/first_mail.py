"""The first sync by JMAP, and by Gmail's interface, against our own by IMAP, of the same messages.

JMAP and IMAP are those of real servers, Cyrus and Dovecot; Gmail is the stand-in of our tests. Each
is on loopback, and its time counts too. All take turns, IMAP before and after the others; its
fastest turn counts. What ends has stored, threaded and indexed the messages. The seconds of the
processor are ours alone, with those that a process takes to start.
"""

import os
import resource
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import first_sync
from bench.results import Result
from tests.cyrus import ROOT, Cyrus, run_cyrus
from tests.dovecot import Dovecot, dovecot_program, run_dovecot
from tests.machines.google.everything import Google, google_server

MESSAGES = int(os.environ.get("BENCH_FIRST_MAIL", "10000"))
GOAL = 0.5
# So many are put into Cyrus at once.
_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class Turn:
    """What one sync took: seconds, and of them our processor's, all its processes together."""

    seconds: float
    processor: float

    @property
    def shown(self) -> str:
        """How fast it was, in words."""
        return f"{MESSAGES / self.seconds:.0f} messages/s, {self.processor:.0f} s of the processor"


def measure(maildir: Path, folder: Path) -> list[Result]:
    """Furnish each with the same messages, sync each from the beginning, and compare."""
    if dovecot_program() is None:
        return [_unmeasured("JMAP", "Dovecot"), _unmeasured("Gmail's interface", "Dovecot")]
    with run_dovecot() as server:
        first_sync.furnish(server, maildir, MESSAGES)
        first_sync.fetch_all(server)
        anchor = by_imap(server, folder / "before")
        gmail, calls = by_gmail(maildir, folder / "gmail")
        jmap = by_jmap(maildir, folder / "jmap") if has_cyrus() else None
        anchor = min(anchor, by_imap(server, folder / "after"), key=lambda turn: turn.seconds)
    return [
        _result("JMAP", jmap, "", anchor) if jmap else _unmeasured("JMAP", "Cyrus"),
        _result("Gmail's interface", gmail, f", {calls} requests", anchor),
    ]


def _unmeasured(name: str, missing: str) -> Result:
    return Result(_name(name), "–", f"{missing} is not installed", "–", f"≥ {GOAL}", None)


def _name(way: str) -> str:
    return f"first sync of {MESSAGES} messages by {way}"


def _result(way: str, ours: Turn, more: str, anchor: Turn) -> Result:
    ratio = anchor.seconds / ours.seconds
    return Result(
        _name(way), f"{ours.shown}{more}", f"by IMAP {anchor.shown}",
        f"{ratio:.2f} ({anchor.processor / ours.processor:.2f} of the processor)", f"≥ {GOAL}",
        ratio >= GOAL,
    )  # fmt: skip


def by_imap(server: Dovecot, folder: Path) -> Turn:
    """Sync what lies in Dovecot."""
    return _sync(server.settings(first_sync.USER), folder)


# -- Gmail -----------------------------------------------------------------------------------------
def by_gmail(maildir: Path, folder: Path) -> tuple[Turn, int]:
    """Sync what lies in the stand-in for Gmail; return how many requests that took, too."""
    with google_server() as google:
        for number, raw in enumerate(first_sync.messages(maildir, MESSAGES)):
            google.gmail.box.add(raw, {"INBOX"} if number % 2 else {"INBOX", "UNREAD"})
        google.gmail.box.history.clear()
        turn = _sync(_gmail_settings(google), folder, google.token())
        return turn, len(google.calls)


def _gmail_settings(google: Google) -> dict[str, str]:
    """Return what an account's settings hold of it."""
    return {
        "mail_api": "gmail", "api_url": google.url, "auth": "oauth",
        "oauth_token_url": f"{google.url}/token", "oauth_client_id": "bench",
    }  # fmt: skip


# -- JMAP ------------------------------------------------------------------------------------------
def has_cyrus() -> bool:
    """Return True if there is a Cyrus to be run."""
    return (ROOT / "usr/lib/cyrus/bin/master").exists()


def by_jmap(maildir: Path, folder: Path) -> Turn:
    """Sync what lies in Cyrus, after it was read once."""
    with run_cyrus() as cyrus:
        user = cyrus.new_user()
        furnish(cyrus, user, maildir)
        return _sync(cyrus.settings(user), folder)


def furnish(cyrus: Cyrus, user: str, maildir: Path) -> None:
    """Have the same messages lie there, half of them unread."""
    with cyrus.client(user) as client:
        some: list[dict[str, Any]] = []
        for number, raw in enumerate(first_sync.messages(maildir, MESSAGES)):
            seen = (b"\\Seen",) if number % 2 else ()
            # A server takes lines as they end in mail.
            some.append({"msg": raw.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"), "flags": seen})
            if len(some) == _AT_ONCE:
                client.multiappend("INBOX", some)
                some = []
        if some:
            client.multiappend("INBOX", some)
        client.select_folder("INBOX", readonly=True)
        uids = client.search("ALL")
        for at in range(0, len(uids), _AT_ONCE):
            client.fetch(uids[at : at + _AT_ONCE], [b"BODY.PEEK[]"])


def _sync(settings: dict[str, Any], folder: Path, token: str = "") -> Turn:
    before = _processor()
    seconds, stored = first_sync.sync_all(settings, folder, token)
    if stored != MESSAGES:
        raise SystemExit(f"The sync has {stored} of {MESSAGES} messages.")
    return Turn(seconds, _processor() - before)


def _processor() -> float:
    """Return the processor's seconds of all processes of ours that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
