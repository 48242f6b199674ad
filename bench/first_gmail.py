"""The first sync by Gmail's interface against our own by IMAP, of the same messages.

Gmail is the stand-in of our tests, on loopback and in a process of its own; IMAP is Dovecot. Both
have stored, threaded and indexed the messages when they end.
"""

import os
from pathlib import Path

from bench import first_sync
from bench.results import Result
from tests.dovecot import dovecot_program, run_dovecot
from tests.machines.google.everything import Google, google_server

MESSAGES = int(os.environ.get("BENCH_GMAIL", "10000"))
GOAL = 0.5


def measure(maildir: Path, folder: Path) -> list[Result]:
    """Furnish both with the same messages, sync each from the beginning, and compare."""
    name = f"first sync of {MESSAGES} messages by Gmail's interface"
    if dovecot_program() is None:
        return [Result(name, "–", "Dovecot is not installed", "–", f"≥ {GOAL}", None)]
    with run_dovecot() as server:
        first_sync.furnish(server, maildir, MESSAGES)
        first_sync.fetch_all(server)
        by_imap, stored = first_sync.sync_all(server.settings(first_sync.USER), folder / "imap")
    with google_server() as google:
        furnish(google, maildir)
        by_gmail, also_stored = first_sync.sync_all(
            settings_of(google), folder / "gmail", google.token()
        )
        calls = len(google.calls)
    if (stored, also_stored) != (MESSAGES, MESSAGES):
        raise SystemExit(f"The syncs have {stored} and {also_stored} of {MESSAGES} messages.")
    ratio = by_imap / by_gmail
    return [
        Result(
            name, f"{MESSAGES / by_gmail:.0f} messages/s, {calls} requests",
            f"by IMAP {MESSAGES / by_imap:.0f} messages/s", f"{ratio:.2f}", f"≥ {GOAL}",
            ratio >= GOAL,
        )
    ]  # fmt: skip


def furnish(google: Google, maildir: Path) -> None:
    """Have the same messages lie there, half of them unread."""
    for number, raw in enumerate(first_sync.messages(maildir, MESSAGES)):
        google.gmail.box.add(raw, {"INBOX"} if number % 2 else {"INBOX", "UNREAD"})
    google.gmail.box.history.clear()


def settings_of(google: Google) -> dict[str, str]:
    """Return what an account's settings hold of it."""
    return {
        "mail_api": "gmail", "api_url": google.url, "auth": "oauth",
        "oauth_token_url": f"{google.url}/token", "oauth_client_id": "bench",
    }  # fmt: skip
