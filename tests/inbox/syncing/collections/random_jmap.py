"""Programs that change what lies at JMAP servers at random: at a Cyrus, and at the stand-in."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.cyrus import PASSWORD
from tests.inbox.providers.jmap.stages import CardStage, ContactStage
from tests.inbox.syncing.collections.random_program import Acts, RandomProgram
from tests.machines.jmap.server import ACCOUNT, jmap_server

# What we do not know of a contact, and leave as it is.
_UNKNOWN = "as it is"


class RandomContacts(RandomProgram):
    """Contacts at a Cyrus, named by an address that stays."""

    def __init__(self, stage: ContactStage, seed: int, rounds: int) -> None:
        super().__init__(seed, rounds)
        self._program = stage.other_program()

    def acts(self) -> Acts:
        return {self._make: 3, self._change: 6, self._remove: 2}

    def _make(self, number: int) -> None:
        mark = f"{self._name}-{number}@random.example"
        self._program.make(
            "Contact", firstName=self._words(), lastName="Random", emails=[_email(mark)],
            online=[{"type": "username", "value": _UNKNOWN, "label": "Lamps"}],
        )  # fmt: skip
        self.made.add(mark)

    def _change(self, _number: int) -> None:
        if (one := self._any()) is not None:
            name = self._chance.choice(("jobTitle", "company", "notes", "firstName"))
            patch = {one["id"]: {name: self._words()}}
            self._program.call("Contact/set", update=patch)

    def _remove(self, _number: int) -> None:
        if (one := self._any()) is not None:
            answer = self._program.call("Contact/set", destroy=[one["id"]])
            if answer["destroyed"]:
                self.removed.add(one["emails"][0]["value"])

    def _any(self) -> dict[str, Any] | None:
        found = self._program.call("Contact/get", ids=None)["list"]
        return self._chance.choice(found) if found else None


def _email(mark: str) -> dict[str, Any]:
    return {"type": "work", "value": mark, "isDefault": True}


class RandomCards(RandomProgram):
    """Cards at the stand-in for RFC 9610."""

    def __init__(self, stage: CardStage, seed: int, rounds: int) -> None:
        super().__init__(seed, rounds)
        self._server, self._book = stage.server, stage.book

    def acts(self) -> Acts:
        return {self._make: 3, self._change: 6, self._remove: 2}

    def _make(self, number: int) -> None:
        mark = f"{self._name}-{number}@random.example"
        with self._server.lock:
            self._server.add("ContactCard", {
                "@type": "Card", "version": "1.0", "uid": mark, "example.com:lamp": _UNKNOWN,
                "addressBookIds": {self._book: True},
                "name": {"components": [{"kind": "surname", "value": self._words()}]},
                "emails": {"m": {"address": mark, "label": "lamp"}},
            })  # fmt: skip
        self.made.add(mark)

    def _change(self, _number: int) -> None:
        words = self._words()
        patch = self._chance.choice([
            {"titles": {"t": {"name": words}}}, {"notes": {"n": {"note": words}}},
            {"organizations": {"o": {"name": words, "units": [{"name": "Oil"}]}}},
            {"name": {"components": [{"kind": "given", "value": words}]}},
        ])  # fmt: skip
        with self._server.lock:
            if (key := self._any()) is not None:
                self._server.change("ContactCard", key, patch)

    def _remove(self, _number: int) -> None:
        with self._server.lock:
            if (key := self._any()) is None:
                return
            emails = self._server.cards[key]["emails"].values()
            self.removed |= {one["address"] for one in emails}
            self._server.destroy("ContactCard", key)

    def _any(self) -> str | None:
        found = sorted(self._server.cards)
        return self._chance.choice(found) if found else None


@contextmanager
def contacts_at_cyrus(request: Any) -> Iterator[tuple[Any, ...]]:
    """Yield a stage, how we connect to it, what makes programs, and what is left as it is."""
    cyrus = request.getfixturevalue("cyrus")
    stage = ContactStage(cyrus)

    def unknown() -> list[str]:
        found = stage.program.call("Contact/get", ids=None)["list"]
        theirs = [it for it in found if it["emails"][0]["value"].startswith("p")]
        return [one["value"] for it in theirs for one in it["online"]]

    yield (stage, "jmap", cyrus.settings(stage.user), PASSWORD,
           lambda *how: RandomContacts(stage, *how), unknown)  # fmt: skip


@contextmanager
def cards_at_stand_in(_request: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the same of an address book at the stand-in."""
    with jmap_server() as server:
        stage = CardStage(server)

        def unknown() -> list[str]:
            found = server.cards.values()
            return [it["example.com:lamp"] for it in found if it["uid"].startswith("p")]

        settings = {"jmap_url": server.url, "username": "mira"}
        yield (stage, "jmap", settings, server.issue(ACCOUNT),
               lambda *how: RandomCards(stage, *how), unknown)  # fmt: skip
