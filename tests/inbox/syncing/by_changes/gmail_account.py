"""An account at the stand-in for Gmail, our side of it, and another program in its mail."""

import random

from django.utils import timezone

from inbox.accounts.credentials import Secret, Tokens, encrypt_tokens
from inbox.models import Account, SyncState
from inbox.providers.base import Connection
from inbox.providers.google.gmail import labels
from inbox.providers.google.gmail.store import GmailStore
from inbox.providers.sign_in.declared import GOOGLE
from tests.inbox.syncing.by_changes.mirroring import ChangesMirror
from tests.inbox.syncing.mirrors import letter
from tests.machines.google.everything import Google
from tests.machines.google.gmail.mailbox import SYSTEM, GmailBox, Letter


def connect(inbox, google: Google, url: str = "") -> ChangesMirror:
    """Make the inbox's account one whose mail lies at Gmail."""
    account: Account = inbox.account
    account.provider = GOOGLE.mail_api
    account.settings = {"mail_api": GOOGLE.mail_api, "api_url": url or google.url, "auth": "oauth"}
    none = Secret("")
    account.secret = encrypt_tokens(Tokens(Secret(google.token()), none, none))
    account.save()
    SyncState.objects.create(workspace=account.workspace, account=account, next_at=timezone.now())
    return ChangesMirror(account)


def opened(google: Google, *scopes: str) -> GmailStore:
    """Return a way to the mail, with everything granted or some scopes."""
    settings = {"mail_api": GOOGLE.mail_api, "api_url": google.url}
    return GmailStore(Connection(google.address, settings, Secret(google.token(*scopes))))


def agree(google: Google, mirror: ChangesMirror) -> None:
    """Hold our side against Gmail's."""
    box = google.gmail.box
    states = {key: labels.state_of(one.labels) for key, one in box.letters.items()}
    own = {key: name for key, name in box.labels.items() if key not in SYSTEM}
    names = {
        "INBOX": "Inbox", "SENT": "Sent", "DRAFT": "Drafts", "SPAM": "Spam", "TRASH": "Trash",
        labels.ARCHIVE: "Archive", **own,
    }  # fmt: skip
    mirror.assert_same(
        {key: state for key, state in states.items() if state}, names, labels.KEYWORDS.__contains__
    )


class OtherProgram:
    """Changes the mail at random, as Gmail's own page would."""

    def __init__(self, google: Google, chance: random.Random) -> None:
        self._google, self._box, self._chance = google, google.gmail.box, chance
        self.arrived = 0

    @property
    def box(self) -> GmailBox:
        return self._box

    def act(self) -> None:
        acts = (self._arrive, self._arrive, self._mark, self._mark, self._put, self._put,
                self._remove, self._labels, self._forget)  # fmt: skip
        with self._google.lock:
            self._chance.choice(acts)()

    def _arrive(self) -> None:
        self.arrived += 1
        labels = {"INBOX", "UNREAD", "CATEGORY_UPDATES", *self._own(1)}
        self._box.add(letter(f"Letter {self.arrived}"), labels)

    def _mark(self) -> None:
        if one := self._one():
            mark = self._chance.choice(("UNREAD", "STARRED", "IMPORTANT"))
            is_set = mark in one.labels
            self._box.change(one, () if is_set else {mark}, {mark} if is_set else ())

    def _put(self) -> None:
        if one := self._one():
            places = ["INBOX", "TRASH", "SPAM", *self._own(2)]
            add = set(self._chance.sample(places, self._chance.randint(0, 2)))
            add -= {"SPAM"} if "TRASH" in add else set()
            self._box.change(one, add, set(places) - add)

    def _remove(self) -> None:
        if (one := self._one()) and self._chance.random() < 0.5:
            self._box.remove(one.id)

    def _labels(self) -> None:
        own = [key for key in self._box.labels if key not in SYSTEM]
        act = self._chance.choice(("add", "remove", "rename"))
        name = f"Label {next(self._box.numbers)}"
        if act == "add" or not own:
            if len(own) < 3:
                self._box.add_label(name)
        elif act == "remove":
            self._box.remove_label(self._chance.choice(own))
        else:
            self._box.rename_label(self._chance.choice(own), name)

    def _forget(self) -> None:
        if self._chance.random() < 0.3:
            self._box.forget()

    def _own(self, most: int) -> list[str]:
        own = sorted(key for key in self._box.labels if key not in SYSTEM)
        return self._chance.sample(own, min(len(own), self._chance.randint(0, most)))

    def _one(self) -> Letter | None:
        rows = sorted(self._box.letters.values(), key=lambda it: it.id)
        return self._chance.choice(rows) if rows else None
