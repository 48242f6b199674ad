"""Messages that were fetched and read, stored in batches: all together, or else one by one."""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from django.db import DatabaseError, OperationalError
from django.db.models import F

from inbox.background.fairness import in_shares
from inbox.intake.prepared import Prepared
from inbox.intake.workers import Outcome, weight_of
from inbox.models.remote import SyncState
from inbox.reasons import ReasonText, quoted
from inbox.reasons import phrase as _
from inbox.syncing.incoming.fetching import LONGEST_REPLY
from inbox.syncing.visits import AccountVisit

STORED_AT_ONCE = 500
# A process takes longer to start than so many messages take to read.
FEW = 300
# What the database or a column refuses of one message is no trouble of the others.
_REFUSALS = (DatabaseError, ValueError, TypeError, OverflowError)

log = logging.getLogger(__name__)
Put: TypeAlias = Callable[[Mapping[int, Prepared]], None]
PutProblems: TypeAlias = Callable[[Mapping[int, ReasonText]], None]


@dataclass(frozen=True, slots=True)
class Batches:
    """How outcomes, each named by its number, are stored.

    `put` stores messages with their places, and `put_problems` says of those that cannot be stored
    why; both run inside `visit.writing()`. `adds_to_total`: a first sync did not count them yet.
    """

    visit: AccountVisit
    put: Put
    put_problems: PutProblems
    adds_to_total: bool

    def store_all(self, outcomes: Iterable[Outcome]) -> None:
        """Store outcomes as they come, some hundred at once."""
        waiting: list[Outcome] = []
        for outcome in outcomes:
            waiting.append(outcome)
            if len(waiting) >= STORED_AT_ONCE:
                self.store(waiting)
                waiting = []
        self.store(waiting)

    def store(self, outcomes: Sequence[Outcome]) -> None:
        """Store all of these, or each by itself where one of them cannot be."""
        for share in in_shares(outcomes, weight_of):
            try:
                self._store_together(share)
            except OperationalError:
                raise
            except _REFUSALS:
                for outcome in share:
                    self._store_alone(outcome)

    def _store_together(self, outcomes: Sequence[Outcome]) -> None:
        prepared = {int(it.name): it.prepared for it in outcomes if it.prepared is not None}
        problems = {int(it.name): it.problem for it in outcomes if it.prepared is None}
        with self.visit.writing():
            self.put(prepared)
            self.put_problems(problems)
            self._count(len(outcomes))

    def _count(self, number: int) -> None:
        """Count what a first sync dealt with; what comes meanwhile is more to do as well."""
        states = SyncState.objects.filter(account=self.visit.account, first_done_at=None)
        more = number if self.adds_to_total else 0
        states.update(done=F("done") + number, total=F("total") + more)

    def _store_alone(self, outcome: Outcome) -> None:
        try:
            self._store_together([outcome])
        except OperationalError:
            raise
        except _REFUSALS as error:
            log.warning(
                "message %s of account %s cannot be stored", outcome.name, self.visit.account.pk
            )
            with self.visit.writing():
                words = _(
                    "It could not be stored: %(why)s", why=quoted(str(error), "", LONGEST_REPLY)
                )
                self.put_problems({int(outcome.name): words})
