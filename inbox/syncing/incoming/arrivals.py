"""Messages that are new at the provider, brought in: fetched, read and stored in batches."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import DatabaseError, OperationalError
from django.db.models import F

from inbox.background.fairness import in_shares
from inbox.intake.prepared import Prepared
from inbox.intake.sources import TargetMailbox
from inbox.intake.workers import Outcome
from inbox.models.remote import RemoteFolder, RemoteMessage, SyncState
from inbox.operations.mail.storing import store_messages
from inbox.reasons import ReasonText, quoted
from inbox.reasons import phrase as _
from inbox.syncing.incoming.fetching import LONGEST_REPLY, Stream
from inbox.syncing.incoming.locations import write_locations
from inbox.syncing.incoming.own_copies import own_copies
from inbox.syncing.visits import Visit

STORED_AT_ONCE = 500
# A process takes longer to start than so many messages take to read.
FEW = 300

log = logging.getLogger(__name__)


def bring_in(visit: Visit, folder: RemoteFolder, uids: Sequence[int], *, live: bool) -> int:
    """Store the messages of these UIDs of the open mailbox, in their order, each once.

    Returns how many of them were dealt with before the visit's time was up. What cannot be had or
    stored gets a place that says why, and is not asked for again. Raises StoreError where the
    connection is lost; what came before is stored.
    """
    place = TargetMailbox(role=folder.mailbox.role, name=folder.mailbox.name)
    stream = Stream(visit.store, folder, uids, place, is_over=lambda: visit.is_over)
    batch = _Batch(visit, folder, stream, live)
    outcomes: list[Outcome] = []
    for outcome in visit.readers(many=len(uids) > FEW).read(stream.items()):
        outcomes.append(outcome)
        if len(outcomes) >= STORED_AT_ONCE:
            batch.store(outcomes)
            outcomes = []
    batch.store(outcomes)
    batch.finish()
    if stream.error is not None:
        raise stream.error
    return stream.asked


@dataclass(frozen=True, slots=True)
class _Batch:
    """What is stored together, and how."""

    visit: Visit
    folder: RemoteFolder
    stream: Stream
    live: bool

    def store(self, outcomes: Sequence[Outcome]) -> None:
        """Store all of these, or each by itself where one of them cannot be."""
        for share in in_shares(outcomes):
            try:
                self._store_together(share)
            except OperationalError:
                raise
            except (DatabaseError, ValueError, TypeError, OverflowError):
                for outcome in share:
                    self._store_alone(outcome)

    def finish(self) -> None:
        """Write down what did not come, and what the connection was lost over."""
        problems = dict(self.stream.problems)
        if (suspect := self.stream.suspect) is not None:
            problems[suspect] = _("The connection was lost each time it was fetched.")
        stuck = self.stream.stuck
        if not problems and stuck == self.folder.stuck:
            return
        with self.visit.writing():
            self._put_problems(problems)
            RemoteFolder.objects.filter(pk=self.folder.pk).update(stuck=stuck)
        self.folder.stuck = stuck

    def _store_together(self, outcomes: Sequence[Outcome]) -> None:
        prepared = {int(it.name): it.prepared for it in outcomes if it.prepared is not None}
        problems = {int(it.name): it.problem for it in outcomes if it.prepared is None}
        with self.visit.writing():
            self._put(prepared)
            self._put_problems(problems)
            self._count(len(outcomes))

    def _count(self, number: int) -> None:
        """Count what a first sync dealt with; what comes meanwhile is more to do as well."""
        states = SyncState.objects.filter(account=self.visit.account, first_done_at=None)
        states.update(done=F("done") + number, total=F("total") + (number if self.live else 0))

    def _put(self, prepared: Mapping[int, Prepared]) -> None:
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

    def _store_alone(self, outcome: Outcome) -> None:
        try:
            self._store_together([outcome])
        except OperationalError:
            raise
        except (DatabaseError, ValueError, TypeError, OverflowError) as error:
            log.warning("message %s of %s cannot be stored", outcome.name, self.folder.pk)
            with self.visit.writing():
                words = _(
                    "It could not be stored: %(why)s", why=quoted(str(error), "", LONGEST_REPLY)
                )
                self._put_problems({int(outcome.name): words})

    def _put_problems(self, problems: Mapping[int, ReasonText]) -> None:
        rows = [
            RemoteMessage(folder=self.folder, uid=uid, problem=words)
            for uid, words in problems.items()
        ]
        RemoteMessage.objects.bulk_create(rows, ignore_conflicts=True)
