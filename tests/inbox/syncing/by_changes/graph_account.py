"""An account at the stand-in for Graph, our side of it, and other programs in its mail."""

import random

from django.utils import timezone

from inbox.accounts.credentials import Secret, Tokens, encrypt_tokens
from inbox.models import SyncState
from inbox.providers.mail_changes import MailState
from inbox.providers.sign_in.declared import MICROSOFT
from tests.inbox.syncing.by_changes.mirroring import ChangesMirror
from tests.inbox.syncing.mirrors import letter
from tests.machines.graph.mail.kept import Mail, MailFolder
from tests.machines.graph.server import ADDRESS, GraphServer

FOLLOWED = ("inbox", "archive", "junkemail", "deleteditems", "sentitems", "drafts")
# What was done with a message last (PidTagLastVerbExecuted).
VERB = "Integer 0x1081"
WORDS = ("Travel", "Red category", "errand", "Übersicht")


def connect(inbox, server: GraphServer, address: str = ADDRESS) -> ChangesMirror:
    """Make the inbox's account one whose mail lies at Graph."""
    account = inbox.account
    account.address, account.provider = address, MICROSOFT.mail_api
    account.settings = {"mail_api": MICROSOFT.mail_api, "api_url": server.url, "auth": "oauth"}
    none = Secret("")
    account.secret = encrypt_tokens(Tokens(Secret(server.sign_in(address)), none, none))
    account.save()
    SyncState.objects.create(workspace=account.workspace, account=account, next_at=timezone.now())
    return ChangesMirror(account)


def path_of(mail: Mail, folder: MailFolder) -> str:
    above = mail.folders.get(folder.parent)
    return f"{path_of(mail, above)}/{folder.name}" if above else folder.name


def agree(mail: Mail, mirror: ChangesMirror) -> None:
    """Hold our side against the server's: states, folders, and every keyword that it keeps."""
    there = {}
    for one in mail.letters.values():
        marks = {"$seen": one.is_read, "$flagged": one.flag == "flagged", "$draft": one.is_draft,
                 "$answered": one.extended.get(VERB) in ("102", "103")}  # fmt: skip
        words = {name for name, is_set in marks.items() if is_set}
        words |= {name.lower() for name in one.categories}
        there[one.id] = MailState(frozenset({one.folder}), frozenset(words))
    followed = [one for one in mail.folders.values() if one.known not in ("outbox", "syncissues")]
    mirror.assert_same(there, {one.id: path_of(mail, one) for one in followed})


class OtherProgram:
    """Changes the account at random."""

    def __init__(self, server: GraphServer, mail: Mail, chance: random.Random) -> None:
        self._server, self._mail, self._chance = server, mail, chance
        self.arrived = 0

    def act(self) -> None:
        acts = (self._arrive, self._arrive, self._mark, self._mark, self._move, self._move,
                self._remove, self._folders, self._forget)  # fmt: skip
        with self._server.lock:
            self._chance.choice(acts)()

    def _arrive(self) -> None:
        self.arrived += 1
        self._mail.arrive(letter(f"Letter {self.arrived}"), self._chance.choice(FOLLOWED[:4]))

    def _mark(self) -> None:
        if one := self._one():
            state = self._chance.choice((
                {"is_read": not one.is_read},
                {"flag": self._chance.choice(("flagged", "notFlagged", "complete"))},
                {"categories": self._chance.sample(WORDS, self._chance.randint(0, 2))},
                {"extended": {VERB: self._chance.choice(("0", "102", "103", "104"))}},
            ))  # fmt: skip
            self._mail.change(one, **state)

    def _move(self) -> None:
        if one := self._one():
            folders = [it for it in self._mail.folders.values() if it.known in (*FOLLOWED, "")]
            self._mail.move(one, self._chance.choice(folders))

    def _remove(self) -> None:
        if (one := self._one()) and self._chance.random() < 0.5:
            self._mail.remove(one)

    def _folders(self) -> None:
        own = [one for one in self._mail.folders.values() if not one.known]
        name = f"Folder {self._chance.randint(100, 999)}"
        act = self._chance.choice(("add", "remove", "rename"))
        if act == "add" or not own:
            if len(own) < 3:
                self._mail.add_folder(name, parent=self._mail.folder("inbox").id)
        elif act == "remove":
            self._mail.remove_folder(self._chance.choice(own))
        else:
            self._mail.rename(self._chance.choice(own), name)

    def _forget(self) -> None:
        if self._chance.random() < 0.3:
            self._server.forget_changes()

    def _one(self):
        letters = list(self._mail.letters.values())
        return self._chance.choice(letters) if letters else None
