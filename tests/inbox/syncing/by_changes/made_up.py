"""A made-up provider whose mail is followed by change tokens, and other programs in its mail.

It is what `docs/how-to/add-a-provider.md` asks for and no more: one position for the account or one
for each mailbox, a message in many mailboxes or in one.
"""

import itertools
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from inbox.providers.declaration import Declaration
from inbox.providers.mail_changes import (
    MailboxEntry,
    MailChange,
    MailChanges,
    MailItem,
    MailState,
    is_keyword,
)
from inbox.providers.mail_store import StoreError
from tests.inbox.syncing.mirrors import letter

NAME = "made_up"
PAGE = 7
BEGINNING = datetime(2026, 3, 2, 12, tzinfo=UTC)


@dataclass
class Kept:
    raw: bytes
    received_at: datetime
    state: MailState


@dataclass
class MadeUpServer:
    """The account's mail, with a log of which message was touched in which mailboxes."""

    by_mailbox: bool = False
    lies_in_many: bool = True
    mailboxes: dict[str, MailboxEntry] = field(default_factory=dict)
    messages: dict[str, Kept] = field(default_factory=dict)
    log: list[tuple[str, frozenset[str]]] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    forgotten_before: int = 0
    fetched: list[str] = field(default_factory=list)
    calls: int = 0
    # Raises what a call is to raise; gets its name and number.
    fault: object = None
    # Messages that it does not change for us.
    refuses: set[str] = field(default_factory=set)
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def __post_init__(self):
        for role in ("inbox", "archive", "junk", "trash", "sent"):
            self.add_mailbox(role.capitalize(), role)

    # -- what other programs do --------------------------------------------------------------------
    def add_mailbox(self, name: str, role: str = "") -> str:
        key = f"box-{next(self.numbers)}"
        self.mailboxes[key] = MailboxEntry(key, name, role)
        return key

    def box(self, name: str) -> str:
        return next(key for key, entry in self.mailboxes.items() if entry.name == name)

    def arrive(self, subject: str, *names: str, keywords=(), raw: bytes | None = None) -> str:
        number = next(self.numbers)
        key = f"mail/{number}"
        boxes = frozenset(self.box(name) for name in names or ("Inbox",))
        self.messages[key] = Kept(
            letter(subject) if raw is None else raw,
            BEGINNING + timedelta(minutes=number), MailState(boxes, frozenset(keywords)),
        )  # fmt: skip
        self.log.append((key, boxes))
        return key

    def put(self, key: str, *names: str) -> None:
        boxes = frozenset(self.box(name) for name in names)
        self._set(key, replace(self.messages[key].state, mailboxes=boxes))

    def mark(self, key: str, *keywords: str) -> None:
        self._set(key, replace(self.messages[key].state, keywords=frozenset(keywords)))

    def remove(self, key: str) -> None:
        self.log.append((key, self.messages.pop(key).state.mailboxes))

    def remove_mailbox(self, name: str) -> None:
        box = self.box(name)
        del self.mailboxes[box]
        for key, kept in list(self.messages.items()):
            if rest := kept.state.mailboxes - {box}:
                self._set(key, replace(kept.state, mailboxes=rest))
            else:
                self.remove(key)

    def rename(self, name: str, to: str) -> None:
        box = self.box(name)
        self.mailboxes[box] = replace(self.mailboxes[box], name=to)

    def forget(self) -> None:
        """Know no position any more that was given out so far."""
        self.forgotten_before = len(self.log) + 1
        self.log.append(("", frozenset()))

    def _set(self, key: str, state: MailState) -> None:
        before = self.messages[key].state
        self.messages[key].state = state
        if before != state:
            self.log.append((key, before.mailboxes | state.mailboxes))

    def declare(self) -> Declaration:
        return Declaration(
            name=NAME, title="Made up", carries=frozenset({"mail_in"}),
            read_mail_changes=lambda _connection: MadeUpStore(self),
            has_mail=lambda _settings: True, keeps_sent=True,
        )  # fmt: skip


class MadeUpStore:
    """One signed-in way to it."""

    features = frozenset({"push"})

    def __init__(self, server: MadeUpServer) -> None:
        self._server = server
        self.calls = 0

    @property
    def by_mailbox(self) -> bool:
        return self._server.by_mailbox

    @property
    def lies_in_many(self) -> bool:
        return self._server.lies_in_many

    def takes_keyword(self, keyword: str) -> bool:
        return is_keyword(keyword)

    def __enter__(self):
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Nothing is open."""

    def _call(self, name: str) -> None:
        self.calls += 1
        self._server.calls += 1
        if self._server.fault is not None:
            self._server.fault(name, self.calls)

    # -- reading -----------------------------------------------------------------------------------
    def mailboxes(self) -> list[MailboxEntry]:
        self._call("mailboxes")
        return list(self._server.mailboxes.values())

    def changes(self, scope: str, position: str) -> MailChanges:
        self._call("changes")
        known = json.loads(position) if position else {}
        if (
            not known
            or known.get("since", known.get("listed_at", 0)) < self._server.forgotten_before
        ):
            return self._listed(scope, len(self._server.log), "", begins=True)
        if "listed_at" in known:
            return self._listed(scope, known["listed_at"], known["after"], begins=False)
        since = known["since"]
        touched = dict.fromkeys(
            key for key, boxes in self._server.log[since : since + PAGE]
            if not scope or scope in boxes
        )  # fmt: skip
        there = {
            key: kept.state for key in touched
            if (kept := self._server.messages.get(key)) and self._is_in(scope, kept.state)
        }  # fmt: skip
        end = min(since + PAGE, len(self._server.log))
        return MailChanges(
            there, frozenset(touched.keys() - there.keys()), json.dumps({"since": end}),
            more=end < len(self._server.log),
        )  # fmt: skip

    def _listed(self, scope: str, listed_at: int, after: str, *, begins: bool) -> MailChanges:
        order = sorted(self._server.messages, key=lambda key: -int(key.split("/")[1]))
        order = [key for key in order if self._is_in(scope, self._server.messages[key].state)]
        rest = [key for key in order if not after or int(key.split("/")[1]) < int(after)]
        page = rest[:PAGE]
        more = len(rest) > len(page)
        last = page[-1].split("/")[1] if page else after
        position = {"listed_at": listed_at, "after": last} if more else {"since": listed_at}
        states = {key: self._server.messages[key].state for key in page}
        return MailChanges(
            states, frozenset(), json.dumps(position), more=more, is_whole=True, begins=begins
        )

    def _is_in(self, scope: str, state: MailState) -> bool:
        return not scope or scope in state.mailboxes

    def states(self, ids: Sequence[str]) -> dict[str, MailState]:
        self._call("states")
        return {
            key: self._server.messages[key].state for key in ids if key in self._server.messages
        }

    def fetch(self, ids: Sequence[str]) -> Iterator[MailItem]:
        for key in ids:
            self._call(f"fetch {key}")
            if kept := self._server.messages.get(key):
                self._server.fetched.append(key)
                yield MailItem(key, kept.raw, kept.received_at)

    # -- changing ----------------------------------------------------------------------------------
    def apply(self, changes: Mapping[str, MailChange]) -> dict[str, StoreError]:
        self._call("apply")
        refused = {}
        for key, change in changes.items():
            kept = self._server.messages.get(key)
            if kept is None:
                refused[key] = StoreError("gone", "There is no such message.")
                continue
            if key in self._server.refuses:
                refused[key] = StoreError("permanent", "It stays as it is.")
                continue
            if not change.add_mailboxes <= self._server.mailboxes.keys():
                refused[key] = StoreError("permanent", "There is no such mailbox.")
                continue
            self._server.told.append(key)
            boxes = (kept.state.mailboxes | change.add_mailboxes) - change.remove_mailboxes
            if not self._server.lies_in_many and len(boxes) > 1:
                boxes = frozenset({min(change.add_mailboxes)})
            if not boxes:
                refused[key] = StoreError("permanent", "It has to lie somewhere.")
                continue
            words = (kept.state.keywords | change.add_keywords) - change.remove_keywords
            self._server._set(key, MailState(boxes, words))
        return refused

    def destroy(self, ids: Sequence[str]) -> dict[str, StoreError]:
        self._call("destroy")
        for key in ids:
            if key in self._server.messages:
                self._server.remove(key)
        return {}

    def create(self, name: str, role: str) -> str:
        self._call("create")
        return self._server.add_mailbox(name, role)

    def wait(self, seconds: float) -> bool:
        return False


class OtherProgram:
    """Changes the account at random."""

    def __init__(self, server: MadeUpServer, chance: random.Random) -> None:
        self._server, self._chance = server, chance
        self._number = 0

    def act(self) -> None:
        acts = (self._arrive, self._arrive, self._mark, self._mark, self._put, self._put,
                self._remove, self._mailboxes, self._forget)  # fmt: skip
        self._chance.choice(acts)()

    def _arrive(self) -> None:
        self._number += 1
        self._server.arrive(f"Letter {self._number}", *self._names())

    def _mark(self) -> None:
        if self._server.messages:
            words = self._chance.sample(["$seen", "$flagged", "$answered", "errand"], 2)
            self._server.mark(self._one(), *words)

    def _put(self) -> None:
        if self._server.messages:
            self._server.put(self._one(), *self._names())

    def _remove(self) -> None:
        if self._server.messages and self._chance.random() < 0.5:
            self._server.remove(self._one())

    def _mailboxes(self) -> None:
        own = [entry.name for entry in self._server.mailboxes.values() if not entry.role]
        act = self._chance.choice(("add", "remove", "rename"))
        if act == "add" or not own:
            if len(own) < 3:
                self._server.add_mailbox(f"Folder {next(self._server.numbers)}")
        elif act == "remove":
            self._server.remove_mailbox(self._chance.choice(own))
        else:
            self._server.rename(self._chance.choice(own), f"Folder {next(self._server.numbers)}")

    def _forget(self) -> None:
        if self._chance.random() < 0.3:
            self._server.forget()

    def _one(self) -> str:
        return self._chance.choice(sorted(self._server.messages))

    def _names(self) -> list[str]:
        names = sorted(entry.name for entry in self._server.mailboxes.values())
        most = 2 if self._server.lies_in_many else 1
        return self._chance.sample(names, self._chance.randint(1, most))
