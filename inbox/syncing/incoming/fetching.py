"""Messages on their way from the provider: fetched batch by batch, whatever one of them does."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.utils import timezone

from inbox.intake.held_items import HeldItem
from inbox.intake.prepared import Delivery
from inbox.intake.sources import TargetMailbox
from inbox.models.remote import RemoteFolder
from inbox.operations.batched import in_chunks
from inbox.providers.mail_store import LARGEST_MESSAGE, Fetched, MailStore, StoreError
from inbox.reasons import ReasonText, quoted
from inbox.reasons import phrase as _
from inbox.syncing.keywords import shared

BATCH = 500
# After so many losses in a row over the same message, asked for alone, it is left out.
_MOST_LOSSES = 6
_NARROWING = (500, 60, 8)
_MOST_REFUSED = 20
LONGEST_REPLY = 300
NOT_HANDED_OUT = _("The server lists it but does not provide it.")


@dataclass(slots=True)
class Stream:
    """The messages of these UIDs of the open mailbox, in their order, as they come.

    When it `is_over`, it ends after the batch at hand; `asked` tells how many were asked for.
    Trouble with the connection ends it, and is kept in `error` so that what came before is not
    lost. `keywords` has those of what came; `problems` says in words why something did not.
    """

    store: MailStore
    folder: RemoteFolder
    uids: Sequence[int]
    place: TargetMailbox
    is_over: Callable[[], bool]
    asked: int = 0
    error: StoreError | None = None
    keywords: dict[int, frozenset[str]] = field(default_factory=dict)
    problems: dict[int, ReasonText] = field(default_factory=dict)

    def items(self) -> Iterator[HeldItem]:
        """Yield the messages, each named by its UID."""
        for batch in in_chunks(self.uids, batch_size(self.folder.stuck)):
            if self.asked and self.is_over():
                return
            self.asked += len(batch)
            try:
                for fetched in self._fetch(batch):
                    self.keywords[fetched.uid] = fetched.keywords
                    yield self._item(fetched)
                self._explain([uid for uid in batch if uid not in self.keywords])
            except StoreError as error:
                self.error = error
                return

    @property
    def was_lost(self) -> bool:
        """Whether the connection was lost on the way."""
        return self.error is not None and self.error.kind == "transient"

    @property
    def suspect(self) -> int | None:
        """The message over which the connection was lost time and again; None: there is none."""
        if not self.was_lost or self.keywords or self.folder.stuck + 1 < _MOST_LOSSES:
            return None
        return self.uids[0]

    @property
    def stuck(self) -> int:
        """How closely the next look encircles what the connection is lost over; 0: not at all.

        With each loss less is asked for at once, until what is lost is one message alone.
        """
        losses = self.folder.stuck
        if not self.was_lost or self.suspect is not None:
            return 0
        if self.keywords:
            return min(losses + 1, len(_NARROWING)) if losses else 0
        return losses + 1

    def _fetch(self, uids: Sequence[int]) -> Iterator[Fetched]:
        """Yield what there is; where the server refuses a batch, find out which one it is."""
        came: set[int] = set()
        try:
            for fetched in self.store.fetch(uids):
                came.add(fetched.uid)
                yield fetched
        except StoreError as error:
            rest = [uid for uid in uids if uid not in came]
            if error.kind != "permanent" or len(self.problems) >= _MOST_REFUSED:
                raise
            if len(rest) == 1:
                why = quoted(error.reply, "", LONGEST_REPLY) if error.reply else error.words
                self.problems[rest[0]] = _("The server does not provide it: %(why)s", why=why)
                return
            middle = (len(rest) + 1) // 2
            yield from self._fetch(rest[:middle])
            yield from self._fetch(rest[middle:])

    def _explain(self, missing: Sequence[int]) -> None:
        """Say of what was asked for and did not come why that is."""
        unexplained = [uid for uid in missing if uid not in self.problems]
        if not unexplained:
            return
        sizes = self.store.sizes(unexplained)
        for uid in unexplained:
            size = sizes.get(uid, 0)
            self.problems[uid] = (
                _("It has %(size)s bytes, which is too large.", size=size)
                if size > LARGEST_MESSAGE
                else NOT_HANDED_OUT
            )  # fmt: skip

    def _item(self, fetched: Fetched) -> HeldItem:
        delivery = Delivery(
            received_at=believed(fetched.received_at),
            keywords=sorted(shared(fetched.keywords)),
            place=self.place,
            # Whatever name it bears, what lies among the sent was sent.
            outbound=True if self.folder.role == "sent" else None,
        )
        return HeldItem(str(fetched.uid), fetched.raw, delivery)


def believed(received_at: datetime | None) -> datetime | None:
    """Return when the server took a message; None for a time to come, which the message settles."""
    latest = timezone.now() + timedelta(days=1)
    return received_at if received_at is not None and received_at <= latest else None


def batch_size(losses: int) -> int:
    """Return how many messages are asked for at once, after losses in a row; in the end, one."""
    return _NARROWING[losses] if losses < len(_NARROWING) else 1
