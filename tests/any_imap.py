"""An IMAP server that is running already, for the tests that can do with any.

`CHANCERY_TEST_IMAP` says where, in JSON: `{"port": 1143, "users": "u1 u2 u3", "ca_file": "x.pem"}`.
It is on this machine, and lets each of these users in with `PASSWORD`. Their mail is removed.
"""

import itertools
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from imapclient import IMAPClient
from imapclient.exceptions import IMAPClientError

from tests.dovecot import PASSWORD, Dovecot, run_dovecot

_turns = itertools.count()
_ROLES = ("Archive", "Sent", "Trash", "Junk")


@dataclass
class AnyImap:
    """The server; `prefix` and `delimiter` are those of the last user that was asked for."""

    port: int
    users: list[str]
    ca_file: str
    prefix: str = ""
    delimiter: str = "/"
    host: str = "127.0.0.1"

    def new_user(self) -> str:
        """Return a user who has mailboxes for the usual roles and no mail, and had some maybe."""
        user = self.users[next(_turns) % len(self.users)]
        with self.client(user) as client:
            self._learn(client)
            for _, _, name in sorted(client.list_folders(), key=lambda it: it[2], reverse=True):
                if name.upper() != "INBOX":
                    with suppress(IMAPClientError):
                        client.delete_folder(name)
            client.select_folder("INBOX")
            if uids := client.search("ALL"):
                client.add_flags(uids, [b"\\Deleted"], silent=True)
                client.expunge()
            for role in _ROLES:
                with suppress(IMAPClientError):
                    client.create_folder(self.place(role))
        return user

    def _learn(self, client: IMAPClient) -> None:
        [(_, delimiter, _)] = client.list_folders("", "INBOX")
        self.delimiter = (delimiter or b"/").decode()
        if client.has_capability("NAMESPACE"):
            self.prefix = client.namespace().personal[0][0]

    def place(self, name: str) -> str:
        """Return what a mailbox is called there, of which the path has slashes."""
        return name if name == "INBOX" else self.prefix + name.replace("/", self.delimiter)

    def settings(self, user: str, security: str = "none", **more: object) -> dict[str, object]:
        """Return what `Account.settings` holds for a user of this server."""
        return {
            "imap_host": self.host, "imap_port": self.port, "imap_security": security,
            "imap_ca_file": self.ca_file, "imap_timeout": 20, "username": user, **more,
        }  # fmt: skip

    def client(self, user: str) -> IMAPClient:
        """Return another client of this user, logged in; a context manager."""
        client = IMAPClient(self.host, self.port, ssl=False, timeout=30)
        client.login(user, PASSWORD)
        return client


def named_server() -> AnyImap | None:
    """Return the server that the environment names, if it does."""
    given: dict[str, Any] = json.loads(os.environ.get("CHANCERY_TEST_IMAP", "{}"))
    if not given:
        return None
    return AnyImap(given["port"], given["users"].split(), given.get("ca_file", ""))


@contextmanager
def some_server(**options: Any) -> Iterator[Dovecot | AnyImap]:
    """Yield the server that the environment names, or else a Dovecot with these options."""
    named = named_server()
    if named is not None:
        yield named
        return
    with run_dovecot(**options) as server:
        yield server
