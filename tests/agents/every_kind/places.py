"""Where the things of an account lie besides: a collection at a server, or nowhere else."""

from typing import Any

from inbox.models import RemoteItem
from tests.calendar_server import calendar
from tests.inbox.syncing.collections.sources import connect, run_jobs_but_syncs, sync


class Place:
    """A collection at a server that our account is connected to; `stage` is another client of it."""

    is_elsewhere = True

    def __init__(
        self, account: Any, stage: Any, provider: str, secret: str, settings: dict[str, Any],
        *, read_only: bool = False,
    ) -> None:  # fmt: skip
        self.stage = stage
        only = {stage.collection.id}
        self.source = connect(
            account, provider, settings, secret, only=only, read_only=read_only
        )  # fmt: skip
        self.sync()

    def sync(self) -> None:
        """Keep both sides in step; nothing is left to be told, and nothing was refused."""
        self.source = sync(self.source)
        assert self.source.failures == 0, (self.source.words, self.source.reply)
        items = RemoteItem.objects.filter(collection__source=self.source)
        assert not items.filter(dirty=True).exists()
        problems = list(items.exclude(problem="").values_list("problem", flat=True))
        assert problems == [], problems

    def change(self, uid: str, title: str) -> None:
        """Have the other client make or change something, of which we hear later."""
        self.stage.put(uid, title)

    def come(self, uid: str, title: str) -> None:
        """Have the other client make or change something, and read it."""
        self.change(uid, title)
        self.sync()

    def go(self, uid: str) -> None:
        """Have the other client remove something, and hear of it."""
        self.stage.remove(uid)
        self.sync()

    def has(self, *titles: str) -> None:
        """Sync; exactly these lie there, and the next sync changes nothing."""
        self.sync()
        before = self._etags()
        with self.stage.reopened() as store:
            items = list(store.fetch(self.stage.collection, list(before))) if before else []
        assert sorted(self.stage.title(item.raw) for item in items) == sorted(titles)
        self.sync()
        assert self._etags() == before

    def close(self) -> None:
        """Let go of the other client."""
        self.stage.close()

    def _etags(self) -> dict[str, str]:
        with self.stage.reopened() as store:
            found = store.changes(self.stage.collection, "").present
        return {entry.id: entry.etag for entry in found if not entry.is_folder}


class Nowhere:
    """What lies here alone: nothing comes from elsewhere, and nothing has to arrive."""

    is_elsewhere = False

    def sync(self) -> None:
        """Do what is due."""
        run_jobs_but_syncs()

    def has(self, *titles: str) -> None:
        """There is nowhere to look."""
        self.sync()

    def close(self) -> None:
        """There is nothing to let go of."""


_EVENT = """
UID:{uid}@team
DTSTAMP:20260101T000000Z
DTSTART:20260110T100000Z
DTEND:20260110T110000Z
SUMMARY:{title}
"""


class Feed(Place):
    """A calendar at an address, that only its makers change."""

    def __init__(self, account: Any, server: Any) -> None:
        self.server, self.titles = server, {}
        self._serve()
        self.source = sync(connect(account, "ics", {"url": server.url}))

    def change(self, uid: str, title: str) -> None:
        """Have the file say something else."""
        self.titles[uid] = title
        self._serve()

    def has(self, *titles: str) -> None:
        """Nothing of ours is there: the server takes nothing but requests to read."""
        self.sync()

    def go(self, uid: str) -> None:
        """Have the file leave something out, and hear of it."""
        del self.titles[uid]
        self._serve()
        self.sync()

    def close(self) -> None:
        """The server is its maker's to stop."""

    def _serve(self) -> None:
        events = [_EVENT.format(uid=uid, title=title) for uid, title in self.titles.items()]
        self.server.content = calendar(*events)
