"""A Cyrus 3.6 of our own on loopback: mail by JMAP and IMAP, calendars and contacts by JMAP and DAV.

Debian's packages displace Dovecot's, so `.ci/services` unpacks them into a folder of their own
(`CYRUS_ROOT`). Every user name is let in with `PASSWORD`, and has an address at lantern.example. It
drops to a plain user, and what it sends goes to an SMTP server of the tests.
"""

import contextlib
import itertools
import os
import pwd
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from imapclient import IMAPClient

from tests.ports import free_port
from tests.servers import Sink, smtp_sink

PASSWORD = "open-sesame"
ROOT = Path(os.environ.get("CYRUS_ROOT", "/var/cache/chancery-tests/cyrus"))
_ROOM = 2 * 10**9
_names = itertools.count(1)

_IMAPD = """
configdirectory: {folder}/conf
partition-default: {folder}/spool
defaultpartition: default
cyrus_user: {owner}
servername: localhost
sasl_pwcheck_method: saslauthd
sasl_mech_list: PLAIN LOGIN
sasl_saslauthd_path: {folder}/sock/mux
allowplaintext: yes
autocreate_users: anyone
autocreate_quota: 0
autocreate_inbox_folders: Sent|Drafts|Archive|Junk|Trash
xlist-sent: Sent
xlist-drafts: Drafts
xlist-archive: Archive
xlist-junk: Junk
xlist-trash: Trash
unixhierarchysep: yes
altnamespace: yes
virtdomains: off
conversations: 1
conversations_db: twoskip
httpmodules: jmap caldav carddav
calendar_user_address_set: lantern.example
jmap_max_size_upload: 65536
jmap_pushpoll: 1s
jmap_nonstandard_extensions: yes
smtp_backend: host
smtp_host: 127.0.0.1:{smtp}/noauth
idlesocket: {folder}/sock/idle
lmtpsocket: {folder}/sock/lmtp
"""
_CYRUS = """
START {{
  recover cmd="{bin}/ctl_cyrusdb -C {folder}/imapd.conf -r"
}}
SERVICES {{
  imap cmd="{bin}/imapd -C {folder}/imapd.conf" listen="127.0.0.1:{imap}" prefork=1
  http cmd="{bin}/httpd -C {folder}/imapd.conf" listen="127.0.0.1:{http}" prefork=2
}}
EVENTS {{
  checkpoint cmd="{bin}/ctl_cyrusdb -C {folder}/imapd.conf -c" period=180
}}
DAEMON {{
  idled cmd="{bin}/idled -C {folder}/imapd.conf"
}}
"""
_FOLDERS = ("proc", "socket", "db", "log", "msg", "ptclient", "quota", "sieve", "user", "lock")


class Cyrus:
    """The server: where it answers, and what tests do to it."""

    host = "127.0.0.1"

    def __init__(self, outgoing: Sink, smtp_port: int) -> None:
        self.outgoing = outgoing
        self.folder = Path(tempfile.mkdtemp(prefix="cyrus-", dir=_place()))
        self.imap_port, self.port = free_port(), free_port()
        owner = pwd.getpwnam("nobody") if os.getuid() == 0 else pwd.getpwuid(os.getuid())
        for name in (*(f"conf/{one}" for one in _FOLDERS), "spool", "sock"):
            (self.folder / name).mkdir(parents=True)
        given = {
            "folder": self.folder, "owner": owner.pw_name, "bin": ROOT / "usr/lib/cyrus/bin",
            "smtp": smtp_port, "imap": self.imap_port, "http": self.port,
        }  # fmt: skip
        (self.folder / "imapd.conf").write_text(_IMAPD.format(**given))
        (self.folder / "cyrus.conf").write_text(_CYRUS.format(**given))
        for path in (self.folder, *self.folder.rglob("*")):
            os.chown(path, owner.pw_uid, owner.pw_gid)
        self._passwords = _Passwords(self.folder / "sock" / "mux")
        self._owner = owner.pw_name
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where its JMAP begins."""
        return f"http://{self.host}:{self.port}"

    def start(self) -> None:
        libraries = [str(ROOT / place / "x86_64-linux-gnu") for place in ("usr/lib", "lib")]
        self._process = subprocess.Popen(
            [ROOT / "usr/lib/cyrus/bin/master", "-C", self.folder / "imapd.conf",
             "-M", self.folder / "cyrus.conf", "-p", self.folder / "master.pid", "-D"],
            env={**os.environ, "CYRUS_USER": self._owner, "LD_LIBRARY_PATH": ":".join(libraries)},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
            cwd=self.folder,
        )  # fmt: skip
        end = time.monotonic() + 30
        while time.monotonic() < end:
            with contextlib.suppress(OSError):
                for port in (self.imap_port, self.port):
                    socket.create_connection((self.host, port), 1).close()
                return
            time.sleep(0.1)
        raise AssertionError("Cyrus does not answer.")

    def stop(self) -> None:
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGTERM)
            self._process.wait(10)
        self._passwords.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def new_user(self) -> str:
        """Make up a user; their mailboxes are made as they first log in."""
        user = f"mira{next(_names)}"
        with self.client(user):
            return user

    @contextmanager
    def client(self, user: str) -> Iterator[IMAPClient]:
        """Yield a mail program of theirs."""
        with self.logged_in(user) as client:
            yield client

    def logged_in(self, user: str) -> IMAPClient:
        """Return a mail program of theirs; a context manager."""
        client = IMAPClient(self.host, self.imap_port, ssl=False)
        client.login(user, PASSWORD)
        return client

    def settings(self, user: str) -> dict[str, Any]:
        """Return the settings of an account here."""
        return {"jmap_url": self.url, "username": user}


def _place() -> str:
    """Return where it keeps all: in memory if there is room, for it waits for the disk often."""
    memory = Path("/dev/shm")
    if os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > _ROOM:
        return str(memory)
    # Short, for the names of sockets.
    return "/tmp"


class _Passwords:
    """What Cyrus asks whether a password is right, as saslauthd answers: four counted strings."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(str(path))
        path.chmod(0o777)
        self._socket.listen(64)
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self._socket.close()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._socket.accept()
                with contextlib.suppress(OSError, EOFError), connection:
                    self._answer(connection)

    def _answer(self, connection: socket.socket) -> None:
        connection.settimeout(5)
        with connection.makefile("rb") as asked:
            given = []
            for _ in range(4):
                (size,) = struct.unpack(">H", asked.read(2))
                given.append(asked.read(size))
        answer = b"OK" if given[1] == PASSWORD.encode() else b"NO"
        connection.sendall(struct.pack(">H", len(answer)) + answer)


@contextmanager
def run_cyrus() -> Iterator[Cyrus]:
    """Run a Cyrus; skips where there is none."""
    if not (ROOT / "usr/lib/cyrus/bin/master").exists():
        pytest.skip(f"there is no Cyrus in {ROOT} (`.ci/services` unpacks Debian's there)")
    with smtp_sink() as (sink, port):
        server = Cyrus(sink, port)
        try:
            server.start()
            yield server
        finally:
            server.stop()
