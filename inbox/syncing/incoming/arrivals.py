"""Messages that are new at the provider, brought in: fetched, read and stored in batches."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inbox.intake.prepared import Prepared
from inbox.intake.sources import TargetMailbox
from inbox.models.remote import RemoteFolder, RemoteMessage
from inbox.operations.mail.storing import store_messages
from inbox.reasons import ReasonText
from inbox.reasons import phrase as _
from inbox.syncing.incoming.batches import FEW, Batches
from inbox.syncing.incoming.fetching import Stream
from inbox.syncing.incoming.locations import write_locations
from inbox.syncing.incoming.own_copies import own_copies
from inbox.syncing.visits import Visit


def bring_in(visit: Visit, folder: RemoteFolder, uids: Sequence[int], *, live: bool) -> int:
    """Store the messages of these UIDs of the open mailbox, in their order, each once.

    Returns how many of them were dealt with before the visit's time was up. What cannot be had or
    stored gets a place that says why, and is not asked for again. Raises StoreError where the
    connection is lost; what came before is stored.
    """
    place = TargetMailbox(role=folder.mailbox.role, name=folder.mailbox.name)
    stream = Stream(visit.store, folder, uids, place, is_over=lambda: visit.is_over)
    arriving = _Arriving(visit, folder, stream, live)
    batches = Batches(visit, arriving.put, arriving.put_problems, adds_to_total=live)
    batches.store_all(visit.readers(many=len(uids) > FEW).read(stream.items()))
    arriving.finish()
    if stream.error is not None:
        raise stream.error
    return stream.asked


@dataclass(frozen=True, slots=True)
class _Arriving:
    """How what comes into one mailbox is written down."""

    visit: Visit
    folder: RemoteFolder
    stream: Stream
    live: bool

    def finish(self) -> None:
        """Write down what did not come, and what the connection was lost over."""
        problems = dict(self.stream.problems)
        if (suspect := self.stream.suspect) is not None:
            problems[suspect] = _("The connection was lost each time it was fetched.")
        stuck = self.stream.stuck
        if not problems and stuck == self.folder.stuck:
            return
        with self.visit.writing():
            self.put_problems(problems)
            RemoteFolder.objects.filter(pk=self.folder.pk).update(stuck=stuck)
        self.folder.stuck = stuck

    def put(self, prepared: Mapping[int, Prepared]) -> None:
        """Store messages with their places."""
        ours = own_copies(self.visit, self.folder, prepared)
        rest = {uid: each for uid, each in prepared.items() if uid not in ours}
        stored = store_messages(
            inbox=self.visit.inbox, recipient=self.visit.recipient, batch=list(rest.values()),
            live=self.live,
        )  # fmt: skip
        message_of = ours | {uid: stored.keys[each.sha256] for uid, each in rest.items()}
        places = [
            RemoteMessage(
                folder=self.folder, uid=uid, message_id=message_of[uid],
                keywords=sorted(self.stream.keywords[uid]),
            )
            for uid in prepared
        ]  # fmt: skip
        times: dict[int, int] = {}
        for message in message_of.values():
            times[message] = times.get(message, 0) + 1
        fresh = {message.pk for message in stored.made if times.get(message.pk) == 1}
        write_locations(self.visit, put=places, fresh=fresh, quiet=not self.live)

    def put_problems(self, problems: Mapping[int, ReasonText]) -> None:
        """Give what did not come, or cannot be stored, a place that says why."""
        rows = [
            RemoteMessage(folder=self.folder, uid=uid, problem=words)
            for uid, words in problems.items()
        ]
        RemoteMessage.objects.bulk_create(rows, ignore_conflicts=True)
