"""Programs that change a calendar at Google at random."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import httpx

from tests.inbox.providers.google.stages import SILENT, CalendarStage, other_client
from tests.inbox.syncing.collections.random_program import Acts, RandomProgram
from tests.machines.google.everything import Google

_BERLIN = "Europe/Berlin"


class RandomGoogleProgram(RandomProgram):
    """Changes a calendar; what it makes and removes is named by its UID."""

    def __init__(self, client: httpx.Client, path: str, seed: int, rounds: int) -> None:
        super().__init__(seed, rounds)
        self._client, self._path = client, path

    def acts(self) -> Acts:
        return {self._make: 3, self._change: 5, self._change_instance: 2, self._remove: 2}

    def _make(self, number: int) -> None:
        uid, day = f"{self._name}-{number}@random", self._chance.randint(1, 28)
        words = self._words()
        body = {
            "iCalUID": uid, "summary": words,
            "start": {"dateTime": f"2026-03-{day:02}T09:00:00", "timeZone": _BERLIN},
            "end": {"dateTime": f"2026-03-{day:02}T10:00:00", "timeZone": _BERLIN},
            "extendedProperties": {"private": {"random": f"{words} as it is"}},
        }  # fmt: skip
        if self._chance.random() < 0.4:
            body["recurrence"] = ["RRULE:FREQ=DAILY;COUNT=5"]
        if self._client.post(self._path, params=SILENT, json=body).is_success:
            self.made.add(uid)

    def _change(self, _number: int) -> None:
        if event := self._any():
            self._patch(event)

    def _change_instance(self, _number: int) -> None:
        """Change an occurrence of a series, or call it off."""
        series = self._any(lambda it: "recurrence" in it)
        if series is None:
            return
        first = datetime.fromisoformat(series["start"]["dateTime"])
        start = (first + timedelta(days=self._chance.randint(0, 4))).isoformat()
        answer = self._client.get(
            f"{self._path}/{series['id']}/instances", params={"originalStart": start}
        )
        if not answer.is_success or not answer.json()["items"]:
            return
        event = answer.json()["items"][0]
        if self._chance.random() < 0.3:
            self._client.delete(f"{self._path}/{event['id']}", params=SILENT)
        else:
            self._patch(event)

    def _patch(self, event: dict) -> None:
        name = self._chance.choice(("summary", "location", "description", "transparency"))
        value = self._words() if name != "transparency" else "transparent"
        self._client.patch(
            f"{self._path}/{event['id']}", params=SILENT, json={name: value},
            headers={"If-Match": event["etag"]},
        )  # fmt: skip

    def _remove(self, _number: int) -> None:
        event = self._any()
        if event is None:
            return
        url = f"{self._path}/{event['id']}"
        headers = {"If-Match": event["etag"]}
        if self._client.delete(url, params=SILENT, headers=headers).is_success:
            self.removed.add(event["iCalUID"])

    def _any(self, fits=lambda event: True):
        found, query = [], {"maxResults": 2500}
        while True:
            page = self._client.get(self._path, params=query).json()
            found += [it for it in page["items"] if "recurringEventId" not in it and fits(it)]
            if "nextPageToken" not in page:
                return self._chance.choice(found) if found else None
            query["pageToken"] = page["nextPageToken"]


@dataclass
class GooglePlace:
    """A calendar at the stand-in for Google, which answers in small pages."""

    server: Google
    provider: str = "google"
    busy: str = ""
    stage: Any = field(init=False)

    def __post_init__(self) -> None:
        self.calendars = self.server.calendars
        self.calendars.tokens.page_size = 7
        self.stage = CalendarStage(self.server)
        self.settings = {"api_url": self.server.url}
        self.secret = self.server.token()

    def program(self, seed: int, rounds: int) -> RandomGoogleProgram:
        return RandomGoogleProgram(other_client(self.server), self.stage.path, seed, rounds)

    def check(self, _raws: list[bytes]) -> None:
        """What we do not know of theirs is as it was, and nobody was told of anything."""
        events = self.stage.calendar.events.values()
        theirs = [it for it in events if it["iCalUID"].endswith("@random")]
        assert theirs
        for event in theirs:
            assert event["extendedProperties"]["private"]["random"].endswith(" as it is")
        assert self.calendars.told == []
        assert self.server.violations == []
