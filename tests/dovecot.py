"""A Dovecot of our own on loopback: its folder, its ports and its certificate last one run.

It runs as a plain user, whoever starts it. Every user name is let in with `PASSWORD` and has mail
of its own, so that one server serves many tests: `new_user` makes up a name.
"""

import base64
import hashlib
import hmac
import itertools
import json
import os
import pwd
import shutil
import socket
import ssl
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from imapclient import IMAPClient

from tests.ports import free_port
from tests.servers import make_certificate

PASSWORD = "open-sesame"
_TOKEN_KEY = b"the key under which the tests' tokens are signed"
_PLACES = ("/usr/sbin/dovecot", "/usr/local/sbin/dovecot", "/opt/homebrew/sbin/dovecot")
_names = itertools.count(1)

_CONFIG = """
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/log
protocols = imap
listen = 127.0.0.1
default_internal_user = {owner}
default_internal_group = {group}
default_login_user = {owner}
service anvil {{
  chroot =
  unix_listener anvil-auth-penalty {{
    mode = 0
  }}
}}
service stats {{
  chroot =
}}
service imap-login {{
  chroot =
  service_count = 0
  inet_listener imap {{
    port = {port}
  }}
  inet_listener imaps {{
    port = {tls_port}
  }}
}}
first_valid_uid = 1
first_valid_gid = 1
mail_location = maildir:~/mail
mail_fsync = never
mailbox_list_index = yes
mail_max_userip_connections = {connections}
disable_plaintext_auth = no
ssl = yes
ssl_cert = <{folder}/certificate.pem
ssl_key = <{folder}/certificate.pem
auth_mechanisms = {mechanisms}
auth_failure_delay = 0
passdb {{
  driver = passwd-file
  deny = yes
  args = {folder}/refused
}}
passdb {{
  driver = oauth2
  mechanisms = xoauth2 oauthbearer
  args = {folder}/oauth2.conf
}}
passdb {{
  driver = static
  mechanisms = plain login
  args = password={password}
}}
userdb {{
  driver = static
  args = uid={uid} gid={gid} home={folder}/homes/%u
}}
namespace inbox {{
  inbox = yes
  separator = /
  {mailboxes}
}}
protocol imap {{
  {capability}
}}
"""
_CROWDED = """
default_client_limit = {number}
default_process_limit = {number}
service imap {{
  process_limit = {number}
}}
verbose_proctitle = yes
"""
_ROLES = ("Drafts", "Sent", "Junk", "Trash", "Archive")
_MAILBOX = "mailbox {name} {{\n    auto = subscribe\n    special_use = \\{name}\n  }}"


class Dovecot:
    """The server: where it answers, and what tests do to it."""

    host = "127.0.0.1"

    def __init__(
        self,
        program: str,
        *,
        capability: str = "",
        connections: int = 50,
        roles: bool = True,
        mechanisms: str = "plain login xoauth2 oauthbearer",
        users_at_once: int | None = None,
    ) -> None:
        self._program = program
        self._process: subprocess.Popen[bytes] | None = None
        self.folder = Path(tempfile.mkdtemp(prefix="dovecot-", dir="/tmp"))
        self.port, self.tls_port = free_port(), free_port()
        self.certificate = make_certificate(self.folder / "certificate.pem")
        self.owner = pwd.getpwnam("nobody") if os.getuid() == 0 else pwd.getpwuid(os.getuid())
        (self.folder / "refused").touch()
        (self.folder / "homes").mkdir()
        self._write_token_key()
        self._write_config(capability, connections, roles, mechanisms)
        if users_at_once:
            with (self.folder / "dovecot.conf").open("a") as config:
                config.write(_CROWDED.format(number=users_at_once))
        self._give_away()

    def _write_config(
        self, capability: str, connections: int, roles: bool, mechanisms: str
    ) -> None:
        mailboxes = [_MAILBOX.format(name=name) for name in _ROLES] if roles else []
        text = _CONFIG.format(
            folder=self.folder, owner=self.owner.pw_name, uid=self.owner.pw_uid,
            gid=self.owner.pw_gid, group=_group_name(self.owner.pw_gid), password=PASSWORD,
            port=self.port, tls_port=self.tls_port, connections=connections, mechanisms=mechanisms,
            mailboxes="\n  ".join(mailboxes),
            capability=f"imap_capability = {capability}" if capability else "",
        )  # fmt: skip
        (self.folder / "dovecot.conf").write_text(text)

    def _write_token_key(self) -> None:
        keys = self.folder / "keys" / "default" / "HS256"
        keys.mkdir(parents=True)
        (keys / "default").write_bytes(base64.b64encode(_TOKEN_KEY))
        (self.folder / "oauth2.conf").write_text(
            "introspection_mode = local\nusername_attribute = sub\n"
            f"local_validation_key_dict = fs:posix:prefix={self.folder}/keys/\n"
        )

    def _give_away(self) -> None:
        if os.getuid() == 0:
            for path in (self.folder, *self.folder.rglob("*")):
                os.chown(path, self.owner.pw_uid, self.owner.pw_gid)

    def start(self) -> None:
        """Start it, or start it again; it answers when this returns."""
        as_owner = {"user": self.owner.pw_uid, "group": self.owner.pw_gid, "extra_groups": []}
        self._process = subprocess.Popen(
            [self._program, "-F", "-c", str(self.folder / "dovecot.conf")],
            stdout=subprocess.DEVNULL, stderr=(self.folder / "errors").open("ab"),
            **(as_owner if os.getuid() == 0 else {}),
        )  # fmt: skip
        for _ in range(200):
            if self._greets():
                return
            time.sleep(0.05)
        raise RuntimeError(f"Dovecot does not answer: {self.log()}")

    def _greets(self) -> bool:
        try:
            with socket.create_connection((self.host, self.port), 2) as talk:
                return talk.recv(4) == b"* OK"
        except OSError:
            return False

    def stop(self) -> None:
        """Stop it; its mail stays, and `start` brings it back on the same ports."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait(20)
            self._process = None

    def remove(self) -> None:
        """Stop it and remove all that it kept."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def log(self) -> str:
        """Return what it wrote about itself."""
        paths = (self.folder / "errors", self.folder / "log")
        return "\n".join(path.read_text() for path in paths if path.exists())

    def new_user(self, name: str = "mira") -> str:
        """Return a user name that nobody else has, whose mailboxes are empty."""
        return f"{name}{next(_names)}"

    def settings(self, user: str, security: str = "none", **more: object) -> dict[str, object]:
        """Return what `Account.settings` holds for a user of this server."""
        return {
            "imap_host": self.host,
            "imap_port": self.tls_port if security == "tls" else self.port,
            "imap_security": security,
            "imap_ca_file": str(self.certificate),
            "imap_timeout": 20,
            "username": user,
            **more,
        }

    def client(self, user: str) -> IMAPClient:
        """Return another client of this user, logged in; a context manager."""
        client = IMAPClient(self.host, self.port, ssl=False, timeout=20)
        client.login(user, PASSWORD)
        return client

    @staticmethod
    def place(name: str) -> str:
        """Return what a mailbox is called there, of which the path has slashes: just so."""
        return name

    def maildir(self, user: str) -> Path:
        """Return where the user's INBOX lies: a Maildir, with the other mailboxes below it."""
        return self.folder / "homes" / user / "mail"

    def token(self, user: str, *, lasts: float = 600) -> str:
        """Return an access token (RFC 7519) with which XOAUTH2 and OAUTHBEARER let the user in."""
        now = int(time.time())
        claims = {"sub": user, "iat": now - 10, "nbf": now - 10, "exp": int(now + lasts)}
        parts = [_base64(json.dumps(part)) for part in ({"alg": "HS256", "typ": "JWT"}, claims)]
        signature = hmac.digest(_TOKEN_KEY, ".".join(parts).encode(), hashlib.sha256)
        return ".".join([*parts, _base64(signature)])

    def refuse(self, *users: str) -> None:
        """Refuse the logins of these users, and of nobody else; takes a second to be known."""
        lines = "".join(f"{user}:\n" for user in users)
        (self.folder / "refused").write_text(lines or "# nobody\n")
        time.sleep(1.1)  # it looks for changes of the file once a second

    def tls_context(self) -> ssl.SSLContext:
        """Return a context that trusts its certificate."""
        return ssl.create_default_context(cafile=str(self.certificate))


def _base64(data: str | bytes) -> str:
    raw = data.encode() if isinstance(data, str) else data
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _group_name(gid: int) -> str:
    return next(
        line.split(":")[0]
        for line in Path("/etc/group").read_text().splitlines()
        if line.split(":")[2] == str(gid)
    )


def dovecot_program() -> str | None:
    """Return the path of Dovecot, None where it is not installed."""
    return shutil.which("dovecot") or next((p for p in _PLACES if Path(p).exists()), None)


@contextmanager
def run_dovecot(**options: Any) -> Iterator[Dovecot]:
    """Run a server; skip the test where Dovecot is not installed.

    `capability`: the extensions it admits to, instead of all of them (as `CAPABILITY` lists them).
    `connections`: how many a user may have at once. `roles`: whether there are mailboxes with
    SPECIAL-USE from the start. `mechanisms`: the ways to log in, as AUTH names them.
    `users_at_once`: for how many there is room, where the usual hundred are too few.
    """
    program = dovecot_program()
    if program is None:
        pytest.skip("Dovecot is not installed (Debian's package dovecot-imapd)")
    server = Dovecot(program, **options)
    try:
        server.start()
        yield server
    finally:
        server.remove()
