"""`manage.py up` ends in the middle of a send, and is started again: sent once, or asked about."""

import hashlib
import json
import shutil
import signal
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest

from tests.faults.scripted import Pause
from tests.faults.smtp_peer import SmtpPeer
from tests.fork_server import run
from tests.machines.webs import Webs
from tests.sqlite3.base import put_empty_database
from tests.up import Up, clean_environment


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """A data folder with an empty database."""
    folder = tmp_path_factory.mktemp("prepared")
    put_empty_database(folder)
    if not (folder / "chancery.sqlite3").exists():
        ask(folder, "prepare")
    return folder


def ask(var: Path, *arguments: str) -> dict[str, object]:
    """Have it done in the data folder."""
    environment = {**clean_environment(), "CHANCERY_VAR": str(var)}
    done = run(["-m", "tests.machines.upright", *arguments], env=environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def approve(address: str, given: dict[str, object]) -> int:
    approval = SimpleNamespace(public_id=given["id"], sha256=given["sha256"])
    return Webs([urlsplit(address).port]).approve(approval, given["session"]).status


@pytest.mark.parametrize(("verb", "by", "ends"), [
    ("MAIL", signal.SIGKILL, "sent"), ("dot", signal.SIGKILL, "unknown"),
    ("MAIL", signal.SIGTERM, "sent"), ("dot", signal.SIGTERM, "sent"),
])  # fmt: skip
def test_a_mail_is_sent_once_or_asked_about_where_it_ends_in_the_middle(
    prepared, tmp_path, verb, by, ends
):
    shutil.copytree(prepared, tmp_path, dirs_exist_ok=True)
    pause = Pause()
    with SmtpPeer(script={verb: [pause]}) as peer:
        given = ask(tmp_path, "propose", str(peer.port))
        up = Up(tmp_path)
        assert approve(up.wait_until_ready(), given) == 302
        assert pause.reached.wait(60)
        if by == signal.SIGTERM:
            # Asked to end, it finishes what it is at.
            up.process.terminate()
            pause.go.set()
            assert up.wait() == 0
        else:
            up.stop(by)
            pause.go.set()
            ask(tmp_path, "lapse")
        up = Up(tmp_path)
        up.wait_until_ready()
        told = ask(tmp_path, "settle")
        up.stop()
    assert (told["state"], told["copies"]) == (ends, 1 if ends == "sent" else 0)
    assert told["outcome"]
    arrived = [hashlib.sha256(whole.content).hexdigest() for whole in peer.whole]
    assert arrived == [told["sha256"]] == [given["sha256"]]
