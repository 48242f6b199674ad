"""Programs that change a calendar at the stand-in for Graph at random."""

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import httpx

from inbox.providers.graph.kept import EXPANDED, NAME, value_of
from tests.inbox.providers.graph.stages import CalendarStage, at, client
from tests.inbox.syncing.collections.random_program import Acts, RandomProgram
from tests.machines.graph.server import GraphServer

_BERLIN = "W. Europe Standard Time"
_LEFT = {"contentType": "html", "content": "<p>as <b>it</b> is</p>"}


class RandomGraphProgram(RandomProgram):
    """Changes a calendar; what it makes and removes is named by its UID."""

    def __init__(self, server: httpx.Client, path: str, seed: int, rounds: int) -> None:
        super().__init__(seed, rounds)
        self._client, self._path = server, path

    def acts(self) -> Acts:
        return {self._make: 3, self._change: 5, self._change_instance: 2, self._remove: 2}

    def _make(self, _number: int) -> None:
        day = self._chance.randint(1, 28)
        body: dict[str, Any] = {
            "subject": self._words(), "body": _LEFT, "categories": ["random"],
            "start": at(f"2026-03-{day:02}T09:00:00", _BERLIN),
            "end": at(f"2026-03-{day:02}T10:00:00", _BERLIN),
        }  # fmt: skip
        if self._chance.random() < 0.4:
            span = {"type": "numbered", "startDate": f"2026-03-{day:02}", "numberOfOccurrences": 5}
            body["recurrence"] = {"pattern": {"type": "daily", "interval": 1}, "range": span}
        answer = self._client.post(self._path, json=body)
        if answer.is_success:
            self.made.add(answer.json()["iCalUId"])

    def _change(self, _number: int) -> None:
        if event := self._any():
            self._patch(event)

    def _change_instance(self, _number: int) -> None:
        """Change an occurrence of a series, or take it out."""
        series = self._any(lambda it: it["recurrence"])
        if series is None:
            return
        span = {"startDateTime": "2026-01-01T00:00:00Z", "endDateTime": "2026-06-01T00:00:00Z"}
        answer = self._client.get(f"/me/events/{quote(series['id'])}/instances", params=span)
        if not answer.is_success or not answer.json()["value"]:
            return
        event = self._chance.choice(answer.json()["value"])
        if self._chance.random() < 0.3:
            self._client.delete(f"/me/events/{quote(event['id'])}")
        else:
            self._patch(event)

    def _patch(self, event: dict[str, Any]) -> None:
        name = self._chance.choice(("subject", "location", "showAs"))
        words = self._words()
        value = {"subject": words, "location": {"displayName": words}, "showAs": "free"}[name]
        self._client.patch(
            f"/me/events/{quote(event['id'])}", json={name: value},
            headers={"If-Match": event["@odata.etag"]},
        )  # fmt: skip

    def _remove(self, _number: int) -> None:
        event = self._any()
        if event is not None:
            headers = {"If-Match": event["@odata.etag"]}
            answer = self._client.delete(f"/me/events/{quote(event['id'])}", headers=headers)
            if answer.is_success:
                self.removed.add(value_of(event, NAME) or event["iCalUId"])

    def _any(self, fits: Any = lambda event: True) -> dict[str, Any] | None:
        options = {"$top": "1000", "$expand": EXPANDED}
        page = self._client.get(self._path, params=options).json()
        found = [it for it in page["value"] if fits(it)]
        return self._chance.choice(found) if found else None


@dataclass
class GraphPlace:
    """A calendar at the stand-in for Graph."""

    server: GraphServer
    provider: str = "graph"
    busy: str = ""
    stage: Any = field(init=False)

    def __post_init__(self) -> None:
        self.server.add_account()
        self.stage = CalendarStage(self.server)
        self.settings = {"api_url": self.server.url}
        self.secret = self.server.sign_in()

    def program(self, seed: int, rounds: int) -> RandomGraphProgram:
        path = f"/me/calendars/{quote(self.stage.collection.id)}/events"
        return RandomGraphProgram(client(self.server), path, seed, rounds)

    def check(self, _raws: list[bytes]) -> None:
        """What we do not know of theirs is as it was, and nobody was written to."""
        events = self.stage.box.calendars[self.stage.collection.id].events.values()
        theirs = [it for it in events if it.fields["categories"] == ["random"]]
        assert theirs
        changed = [it for it in theirs if it.body != _LEFT]
        # Ourselves write descriptions as well, and those are text.
        assert all(it.body["contentType"] == "text" for it in changed)
        assert self.stage.box.sent == []
