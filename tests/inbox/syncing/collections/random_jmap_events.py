"""Programs that change calendars at JMAP servers at random: at a Cyrus, and at the stand-in."""

from dataclasses import dataclass, field
from typing import Any

from tests.cyrus import PASSWORD, Cyrus
from tests.inbox.providers.jmap.stages import CalendarStage, EventStage
from tests.inbox.syncing.collections.random_program import Acts, RandomProgram
from tests.machines.jmap.server import ACCOUNT, JmapServer

_BERLIN = "Europe/Berlin"
# What we do not know of an event, and leave as it is.
_LEFT = {"alerts": {"bell": {
    "@type": "Alert", "action": "display",
    "trigger": {"@type": "OffsetTrigger", "relativeTo": "start", "offset": "-PT10M"},
}}}  # fmt: skip


class RandomEvents(RandomProgram):
    """Makes events and series, changes them and single occurrences, and removes them."""

    # As the server calls a rule.
    rule = "recurrenceRules"

    def acts(self) -> Acts:
        return {self._make: 3, self._change: 5, self._change_instance: 3, self._remove: 2}

    def _make(self, number: int) -> None:
        uid, day = f"{self._name}-{number}@random.example", self._chance.randint(1, 28)
        body: dict[str, Any] = {
            "uid": uid, "title": self._words(), "start": f"2026-03-{day:02}T09:00:00",
            "timeZone": _BERLIN, "duration": "PT1H", "showWithoutTime": False, **_LEFT,
        }  # fmt: skip
        if self._chance.random() < 0.4:
            body |= self.rules({"@type": "RecurrenceRule", "frequency": "daily", "count": 5})
        if self.create(body):
            self.made.add(uid)

    def rules(self, rule: dict[str, Any]) -> dict[str, Any]:
        return {"recurrenceRules": [rule]}

    def _change(self, _number: int) -> None:
        if event := self._any():
            self.patch(event["id"], self._said())

    def _said(self) -> dict[str, Any]:
        words = self._words()
        return self._chance.choice([
            {"title": words}, {"description": words}, {"freeBusyStatus": "free"},
            {"locations": {"l": {"@type": "Location", "name": words}}},
        ])  # fmt: skip

    def _change_instance(self, _number: int) -> None:
        """Change an occurrence of a series, or take it out."""
        events = [it for it in self.events() if it.get(self.rule)]
        if not events:
            return
        event = self._chance.choice(events)
        day = int(event["start"][8:10]) + self._chance.randint(0, 2)
        key = f"2026-03-{day:02}T09:00:00"
        old = event.get("recurrenceOverrides") or {}
        said: dict[str, Any] = {"excluded": True}
        if self._chance.random() < 0.7:
            said = {"title": self._words(), "start": f"{key[:11]}11:00:00"}
        if day <= 31:
            self.patch(event["id"], {"recurrenceOverrides": {**old, key: said}})

    def _remove(self, _number: int) -> None:
        if (event := self._any()) and self.destroy(event["id"]):
            self.removed.add(event["uid"])

    def _any(self) -> dict[str, Any] | None:
        found = self.events()
        return self._chance.choice(found) if found else None

    def create(self, body: dict[str, Any]) -> bool:
        raise NotImplementedError

    def events(self) -> list[dict[str, Any]]:
        raise NotImplementedError

    def patch(self, id: str, patch: dict[str, Any]) -> None:  # noqa: A002
        raise NotImplementedError

    def destroy(self, id: str) -> bool:  # noqa: A002
        raise NotImplementedError


class CyrusEvents(RandomEvents):
    """At a Cyrus."""

    rule = "recurrenceRule"

    def __init__(self, stage: CalendarStage, seed: int, rounds: int) -> None:
        super().__init__(seed, rounds)
        self._calendar, self._program = stage.calendar, stage.other_program()

    def rules(self, rule: dict[str, Any]) -> dict[str, Any]:
        return {"recurrenceRule": rule}

    def create(self, body: dict[str, Any]) -> bool:
        said = {"@type": "jsevent", "calendarId": self._calendar, **body}
        return bool(self._set(create={"new": said})["created"])

    def events(self) -> list[dict[str, Any]]:
        found = self._program.call("CalendarEvent/get", ids=None)["list"]
        return [it for it in found if it["calendarId"] == self._calendar]

    def patch(self, id: str, patch: dict[str, Any]) -> None:  # noqa: A002
        self._set(update={id: patch})

    def destroy(self, id: str) -> bool:  # noqa: A002
        return bool(self._set(destroy=[id])["destroyed"])

    def _set(self, **asked: Any) -> dict[str, Any]:
        return self._program.call("CalendarEvent/set", **asked)


@dataclass
class CyrusPlace:
    """A calendar at a Cyrus."""

    cyrus: Cyrus
    provider: str = "jmap"
    busy: str = ""
    secret: str = PASSWORD
    stage: Any = field(init=False)

    def __post_init__(self) -> None:
        self.cyrus.outgoing.taken.clear()
        self.stage = CalendarStage(self.cyrus)
        self.settings = self.cyrus.settings(self.stage.user)

    def program(self, seed: int, rounds: int) -> RandomEvents:
        return CyrusEvents(self.stage, seed, rounds)

    def check(self, _raws: list[bytes]) -> None:
        """What we do not know of theirs is as it was, and nobody was written to."""
        check_left(self.stage.program.call("CalendarEvent/get", ids=None)["list"])
        assert self.cyrus.outgoing.taken == []


def check_left(events: list[dict[str, Any]]) -> None:
    theirs = [it for it in events if it["uid"].endswith("@random.example")]
    assert all(it["alerts"] == _LEFT["alerts"] for it in theirs)


class ServedEvents(RandomEvents):
    """At the stand-in."""

    def __init__(self, stage: EventStage, seed: int, rounds: int) -> None:
        super().__init__(seed, rounds)
        self._server, self._calendar = stage.server, stage.calendar

    def create(self, body: dict[str, Any]) -> bool:
        said = {"@type": "Event", "calendarIds": {self._calendar: True}, **body}
        with self._server.lock:
            return bool(self._server.add("CalendarEvent", said))

    def events(self) -> list[dict[str, Any]]:
        with self._server.lock:
            return list(self._server.events.values())

    def patch(self, id: str, patch: dict[str, Any]) -> None:  # noqa: A002
        with self._server.lock:
            if id in self._server.events:
                self._server.change("CalendarEvent", id, patch)

    def destroy(self, id: str) -> bool:  # noqa: A002
        with self._server.lock:
            if id not in self._server.events:
                return False
            self._server.destroy("CalendarEvent", id)
            return True


@dataclass
class ServedPlace:
    """A calendar at the stand-in."""

    server: JmapServer
    provider: str = "jmap"
    busy: str = ""
    stage: Any = field(init=False)

    def __post_init__(self) -> None:
        self.stage = EventStage(self.server)
        self.settings = {"jmap_url": self.server.url, "username": "mira"}
        self.secret = self.server.issue(ACCOUNT)

    def program(self, seed: int, rounds: int) -> RandomEvents:
        return ServedEvents(self.stage, seed, rounds)

    def check(self, _raws: list[bytes]) -> None:
        """What we do not know of theirs is as it was, and nobody was written to."""
        check_left(list(self.server.events.values()))
        sets = [it for it in self.server.sets if it["kind"] == "CalendarEvent"]
        assert all(it.get("sendSchedulingMessages") is False for it in sets)
