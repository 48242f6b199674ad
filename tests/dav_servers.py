"""CalDAV, CardDAV and WebDAV servers of our own on loopback; folder and port last one run."""

import base64
import hashlib
import itertools
import json
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import httpx
import pytest

from inbox.accounts.credentials import Secret
from inbox.providers.base import Connection
from tests.ports import free_port

Server = TypeVar("Server", bound="DavServer")
PASSWORD = "open-sesame"
_names = itertools.count(1)

_RADICALE = """
[server]
hosts = 127.0.0.1:{port}
[auth]
type = htpasswd
htpasswd_filename = {folder}/users
htpasswd_encryption = plain
delay = 0
[storage]
filesystem_folder = {folder}/collections
[rights]
type = owner_only
[logging]
level = warning
"""
_CALENDAR = """<d:mkcol xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"
 xmlns:a="http://apple.com/ns/ical/"><d:set><d:prop>
<d:resourcetype><d:collection/><c:calendar/></d:resourcetype>
<d:displayname>{name}</d:displayname><a:calendar-color>#336699ff</a:calendar-color>
<c:supported-calendar-component-set>{components}</c:supported-calendar-component-set>
</d:prop></d:set></d:mkcol>"""
_ADDRESSBOOK = """<d:mkcol xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:carddav"><d:set><d:prop>
<d:resourcetype><d:collection/><c:addressbook/></d:resourcetype>
<d:displayname>{name}</d:displayname></d:prop></d:set></d:mkcol>"""


class DavServer:
    """A server: where it answers, and what tests do to it as another client."""

    title = ""

    def __init__(self, place: Path | None = None) -> None:
        self.port = free_port()
        self.folder = Path(tempfile.mkdtemp(prefix=f"{self.title}-", dir=place))
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}"

    def command(self) -> list[str]:
        """Return what starts it."""
        raise NotImplementedError

    def start(self) -> None:
        """Start it, or start it again; it answers when this returns."""
        self._process = subprocess.Popen(
            self.command(), cwd=self.folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=(self.folder / "log").open("ab"),
        )  # fmt: skip
        for _ in range(400):
            try:
                httpx.get(f"{self.url}/", timeout=5, trust_env=False, verify=False)
            except httpx.TransportError:
                time.sleep(0.05)
            else:
                return
        raise RuntimeError(f"{self.title} does not answer: {(self.folder / 'log').read_text()}")

    def processor_seconds(self) -> float:
        """Return how much of the processor it has used so far (proc(5), `utime` and `stime`)."""
        assert self._process is not None
        told = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> None:
        """Stop it; what it keeps stays."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait(20)
            self._process = None

    def remove(self) -> None:
        """Stop it and remove all that it kept."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def new_user(self) -> str:
        """Return a user who has nothing yet."""
        return f"mira{next(_names)}"

    def home(self, user: str) -> str:
        """Return where the collections of a user lie."""
        return f"{self.url}/{user}/"

    def contacts_home(self, user: str) -> str:
        """Return where the address books of a user lie."""
        return self.home(user)

    def connection(self, user: str, **more: object) -> Connection:
        """Return how a source of a user is reached."""
        settings = {"url": f"{self.url}/", "username": user, "timeout": 20, **more}
        return Connection(f"{user}@dav.example", settings, Secret(PASSWORD))

    def client(self, user: str) -> httpx.Client:
        """Return another client of this user."""
        return httpx.Client(auth=(user, PASSWORD), trust_env=False, verify=False, timeout=20)

    def shown_name(self, name: str) -> str:
        """Return how the server shows the name of a collection that was made."""
        return name

    def make_calendar(self, user: str, name: str, components: tuple[str, ...]) -> str:
        """Make a calendar of these components; return its address."""
        listed = "".join(f'<c:comp name="{each}"/>' for each in components)
        body = _CALENDAR.format(name=name, components=listed)
        return self._make(user, f"{self.home(user)}{name}/", body)

    def make_addressbook(self, user: str, name: str) -> str:
        """Make an address book; return its address."""
        return self._make(
            user, f"{self.contacts_home(user)}{name}/", _ADDRESSBOOK.format(name=name)
        )

    def _make(self, user: str, url: str, body: str) -> str:
        with self.client(user) as client:
            answer = client.request(
                "MKCOL", url, content=body.encode(), headers={"content-type": "application/xml"}
            )
        assert answer.is_success, answer.text
        return url


class Radicale(DavServer):
    """Radicale (PyPI): every user who is asked for gets in."""

    title = "radicale"

    def command(self) -> list[str]:
        """Return what starts it."""
        (self.folder / "config").write_text(_RADICALE.format(port=self.port, folder=self.folder))
        (self.folder / "users").touch()
        return [sys.executable, "-m", "radicale", "--config", str(self.folder / "config")]

    def new_user(self) -> str:
        """Return a user who has nothing yet."""
        user = super().new_user()
        with (self.folder / "users").open("a") as users:
            users.write(f"{user}:{PASSWORD}\n")
        return user


class Xandikos(DavServer):
    """Xandikos (PyPI): one user, whose name and password it does not look at."""

    title = "xandikos"

    def command(self) -> list[str]:
        """Return what starts it."""
        return [
            str(Path(sys.executable).with_name("xandikos")), "serve", "-d", str(self.folder / "data"),
            "-l", "127.0.0.1", "-p", str(self.port), "--autocreate",
            "--current-user-principal", "/mira/", "--no-detect-systemd",
            "--state-dir", str(self.folder / "state"),
        ]  # fmt: skip

    def home(self, user: str) -> str:
        """Return where the calendars of the one user lie."""
        return f"{self.url}/mira/calendars/"

    def contacts_home(self, user: str) -> str:
        """Return where the address books of the one user lie."""
        return f"{self.url}/mira/contacts/"


@contextmanager
def run(server: Server) -> Iterator[Server]:
    """Run a server for as long as it is needed."""
    try:
        server.start()
        yield server
    finally:
        server.remove()


_APACHE = """
ServerRoot {folder}
ServerName 127.0.0.1
Listen 127.0.0.1:{port}
PidFile {folder}/pid
ErrorLog {folder}/errors
{modules}
Mutex posixsem
DavLockDB {folder}/locks
DocumentRoot {folder}/files
{user}
<Directory {folder}/files>
  Dav On
  DavDepthInfinity {deep}
  AuthType {scheme}
  AuthName files
  {users}
  Require valid-user
</Directory>
"""
_MODULES = (
    "mpm_event", "authn_core", "authz_core", "authn_file", "authz_user", "auth_basic",
    "auth_digest", "dav", "dav_fs", "dav_lock",
)  # fmt: skip
_MODULE_FOLDERS = (Path("/usr/lib/apache2/modules"), Path("/usr/libexec/apache2"))


class Apache(DavServer):
    """Apache's mod_dav with a folder of files; `scheme` is Basic or Digest."""

    title = "apache"

    def __init__(self, program: str, *, scheme: str = "Digest", deep: bool = False) -> None:
        super().__init__()
        self._program, self._scheme, self._deep = program, scheme, deep

    def command(self) -> list[str]:
        """Return what starts it."""
        place = next(folder for folder in _MODULE_FOLDERS if folder.is_dir())
        modules = "\n".join(f"LoadModule {n}_module {place}/mod_{n}.so" for n in _MODULES)
        is_root = os.getuid() == 0
        if is_root and (place / "mod_unixd.so").exists():
            modules += f"\nLoadModule unixd_module {place}/mod_unixd.so"
        (self.folder / "files").mkdir(exist_ok=True)
        self._write_users()
        users = (
            f"AuthUserFile {self.folder}/digests\n  AuthDigestProvider file"
            if self._scheme == "Digest"
            else f"AuthUserFile {self.folder}/users"
        )
        text = _APACHE.format(
            folder=self.folder, port=self.port, modules=modules, scheme=self._scheme, users=users,
            deep="On" if self._deep else "Off", user="User nobody" if is_root else "",
        )  # fmt: skip
        (self.folder / "config").write_text(text)
        if is_root:
            owner = pwd.getpwnam("nobody")
            for path in (self.folder, *self.folder.rglob("*")):
                os.chown(path, owner.pw_uid, owner.pw_gid)
        return [self._program, "-X", "-f", str(self.folder / "config")]

    def _write_users(self) -> None:
        digest = hashlib.md5(f"mira:files:{PASSWORD}".encode()).hexdigest()
        (self.folder / "digests").write_text(f"mira:files:{digest}\n")
        sha = base64.b64encode(hashlib.sha1(PASSWORD.encode()).digest()).decode()
        (self.folder / "users").write_text(f"mira:{{SHA}}{sha}\n")

    def client(self, user: str) -> httpx.Client:
        """Return another client of this user."""
        kind = httpx.DigestAuth if self._scheme == "Digest" else httpx.BasicAuth
        return httpx.Client(auth=kind(user, PASSWORD), trust_env=False, verify=False, timeout=20)


class WsgiDav(DavServer):
    """WsgiDAV (PyPI) with a folder of files, which lists a whole tree and signs in by passwords."""

    title = "wsgidav"

    def command(self) -> list[str]:
        """Return what starts it."""
        files = self.folder / "files"
        files.mkdir(exist_ok=True)
        config = {
            "host": "127.0.0.1", "port": self.port, "provider_mapping": {"/": str(files)},
            "simple_dc": {"user_mapping": {"*": {"mira": {"password": PASSWORD}}}},
            "http_authenticator": {"accept_digest": False, "default_to_digest": False},
            "logging": {"enable": False}, "verbose": 1,
        }  # fmt: skip
        (self.folder / "config.json").write_text(json.dumps(config))
        path = str(self.folder / "config.json")
        return [sys.executable, "-m", "wsgidav.server.server_cli", "--config", path]


def apache_program() -> str:
    """Return the path of Apache; skip the test where it is not installed."""
    found = shutil.which("apache2") or shutil.which("apache2", path="/usr/sbin:/usr/local/sbin")
    if found is None:
        pytest.skip("Apache is not installed (Debian's package apache2)")
    return found
