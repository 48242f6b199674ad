"""An IMAP server of many users on loopback, in one event loop: what one needs who only watches.

Each user has one mailbox, INBOX, into which `deliver` puts mail that nobody can read. By `faults` a
user's conversation goes wrong at a verb (`AUTHENTICATE`, `EXAMINE`, `IDLE` once it waits, …), in one
of the ways of `FAULTS`.
"""

import asyncio
import base64
import ssl
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.servers import server_context

PASSWORD = "open-sesame"


@dataclass
class Box:
    """A user's mailbox."""

    messages: int = 3
    uidnext: int = 4
    modseq: int = 10
    # Who waits in IDLE, and who hears of news with the next NOOP.
    waiting: set["Talk"] = field(default_factory=set)
    behind: set["Talk"] = field(default_factory=set)
    talks: set["Talk"] = field(default_factory=set)


class Talk:
    """One conversation."""

    def __init__(
        self, server: "CrowdedImap", reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.server, self.reader, self.writer = server, reader, writer
        self.user = ""

    async def run(self) -> None:
        self.say(f"* OK [CAPABILITY {self.server.capabilities}] ready")
        while line := await self.reader.readline():
            tag, _, rest = line.decode().rstrip("\r\n").partition(" ")
            verb, _, argument = rest.partition(" ")
            self.server.verbs[verb] += 1
            await self.act(tag, verb, argument)
            if verb == "LOGOUT":
                return

    async def act(self, tag: str, verb: str, argument: str) -> None:
        if verb == "AUTHENTICATE":
            await self.authenticate(tag, argument)
            return
        await self.go_wrong(verb)
        if verb == "EXAMINE":
            self.tell_state()
        elif verb == "IDLE":
            await self.idle()
        elif verb == "NOOP" and self in self.box.behind:
            self.box.behind.discard(self)
            self.say(f"* {self.box.messages} EXISTS")
        self.say(f"{tag} OK done")

    @property
    def box(self) -> Box:
        return self.server.boxes[self.user]

    def say(self, line: str) -> None:
        self.writer.write(line.encode() + b"\r\n")

    async def go_wrong(self, verb: str) -> None:
        if fault := self.server.faults.get((self.user, verb)):
            await FAULTS[fault](self)

    async def authenticate(self, tag: str, how: str) -> None:
        self.say("+ ")
        given = base64.b64decode(await self.reader.readline()).decode()
        if how == "PLAIN":
            _, self.user, secret = given.split("\0")
            is_good = secret == PASSWORD
        else:
            self.user = given.split("\1")[0].partition("=")[2]
            is_good = given.split("\1")[1] == f"auth=Bearer {self.server.token}"
        self.server.logins.append((asyncio.get_running_loop().time(), self.user))
        self.server.boxes.setdefault(self.user, Box()).talks.add(self)
        await self.go_wrong("AUTHENTICATE")
        if not is_good:
            self.say(f"{tag} NO [AUTHENTICATIONFAILED] no")
            return
        self.say(f"{tag} OK [CAPABILITY {self.server.capabilities}] welcome")

    def tell_state(self) -> None:
        box = self.box
        box.behind.discard(self)
        self.say(f"* {box.messages} EXISTS")
        self.say("* OK [UIDVALIDITY 7] valid")
        self.say(f"* OK [UIDNEXT {box.uidnext}] next")
        self.say(f"* OK [HIGHESTMODSEQ {box.modseq}] highest")

    async def idle(self) -> None:
        self.say("+ idling")
        if self in self.box.behind:
            self.box.behind.discard(self)
            self.say(f"* {self.box.messages} EXISTS")
        self.box.waiting.add(self)
        self.server.idling[self.user] += 1
        try:
            await self.reader.readline()
        finally:
            self.server.idling[self.user] -= 1
            self.box.waiting.discard(self)


async def _hang(talk: Talk) -> None:
    await talk.reader.read()
    raise ConnectionResetError


async def _flood(talk: Talk) -> None:
    talk.say("+ idling")
    while True:
        talk.writer.write(b"* OK nothing new, and nothing to be done about it\r\n" * 200)
        await talk.writer.drain()


async def _endless(talk: Talk) -> None:
    talk.say("+ idling")
    while True:
        talk.writer.write(b"x" * 10_000)
        await talk.writer.drain()


async def _literal(talk: Talk) -> None:
    talk.say("* 1 FETCH (BODY[] {10000000}")
    await _endless(talk)


async def _drip(talk: Talk) -> None:
    talk.say("+ idling")
    while True:
        talk.writer.write(b"*")
        await asyncio.sleep(0.05)


async def _bye(talk: Talk) -> None:
    talk.say("+ idling")
    talk.say("* BYE enough of you")


async def _drop(talk: Talk) -> None:
    """End in the middle of a line, once; afterwards all is well."""
    talk.server.faults = {}
    talk.server.change(talk.box)
    talk.writer.write(b"+ idling\r\n* 4 EXI")
    await talk.writer.drain()
    raise ConnectionResetError


FAULTS: dict[str, Callable[[Talk], Awaitable[None]]] = {
    "hang": _hang, "flood": _flood, "endless": _endless, "literal": _literal, "drip": _drip,
    "bye": _bye, "drop": _drop,
}  # fmt: skip


class CrowdedImap:
    """The server, and what it saw: `logins` with their time, commands by verb, users who idle."""

    def __init__(self, certificate: Path | None = None, capabilities: str = "IDLE") -> None:
        self.capabilities = f"IMAP4rev1 CONDSTORE AUTH=PLAIN AUTH=XOAUTH2 {capabilities}"
        self.certificate = certificate
        self.boxes: dict[str, Box] = {}
        self.faults: dict[tuple[str, str], str] = {}
        self.token = "none"
        self.logins: list[tuple[float, str]] = []
        self.verbs: Counter[str] = Counter()
        self.idling: Counter[str] = Counter()
        self.talks: set[Talk] = set()
        self.most_at_once = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.port: int = self.run(self._listen())

    def run(self, work: Any) -> Any:
        """Run a coroutine in the server's loop, and return what it gives."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(60)

    async def _listen(self) -> int:
        context: ssl.SSLContext | None = None
        if self.certificate:
            context = server_context(self.certificate)
        self._server = await asyncio.start_server(
            self._talk, "127.0.0.1", 0, ssl=context, backlog=1024
        )
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        talk = Talk(self, reader, writer)
        self.talks.add(talk)
        # Those that are not logged in yet.
        self.most_at_once = max(self.most_at_once, sum(not one.user for one in self.talks))
        try:
            with suppress(OSError, asyncio.IncompleteReadError, ValueError):
                await talk.run()
        finally:
            self.talks.discard(talk)
            if talk.user:
                talk.box.talks.discard(talk)
            writer.transport.abort()

    def change(self, box: Box) -> None:
        """Have one more message lie in a mailbox, and tell nobody."""
        box.messages += 1
        box.uidnext += 1
        box.modseq += 1

    def deliver(self, *users: str) -> None:
        """Have mail come for users, and tell whoever waits there."""

        async def come() -> None:
            for user in users:
                box = self.boxes[user]
                self.change(box)
                # To look through all of them for each of many users would take long.
                box.behind |= box.talks - box.waiting
                for talk in box.waiting:
                    talk.say(f"* {box.messages} EXISTS")

        self.run(come())

    @property
    def number_idling(self) -> int:
        """How many users are waited for in IDLE."""
        return sum(1 for number in self.idling.values() if number)

    def settings(self, user: str, **more: object) -> dict[str, object]:
        """Return what `Account.settings` holds for a user of this server."""
        return {
            "imap_host": "127.0.0.1", "imap_port": self.port, "imap_timeout": 5,
            "imap_security": "tls" if self.certificate else "none",
            "imap_ca_file": str(self.certificate or ""), "username": user, **more,
        }  # fmt: skip

    def close(self) -> None:
        """End all conversations."""

        async def end() -> None:
            self._server.close()
            others = asyncio.all_tasks() - {asyncio.current_task()}
            for task in others:
                task.cancel()
            await asyncio.wait(others or [asyncio.create_task(asyncio.sleep(0))])

        self.run(end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)


@contextmanager
def crowded_imap(
    certificate: Path | None = None, capabilities: str = "IDLE"
) -> Iterator[CrowdedImap]:
    """Run one until the end."""
    server = CrowdedImap(certificate, capabilities)
    try:
        yield server
    finally:
        server.close()
