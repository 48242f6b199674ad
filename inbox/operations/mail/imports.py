"""Bringing mail in by bulk."""

import itertools
import os
from collections.abc import Callable, Iterator, Sequence

from django.db import DatabaseError, OperationalError, connection, connections, transaction
from django.utils import timezone

from inbox.background.fairness import in_shares
from inbox.background.precedence import in_background
from inbox.intake.prepared import Prepared, Recipient
from inbox.intake.sources import Source
from inbox.intake.workers import Outcome, ReaderContext, read_items, weight_of
from inbox.models import Import, ImportProblem, Inbox, Message
from inbox.operations.mail.storing import NO_SERVERS, blob_rows, recipient_of, store_messages
from inbox.reasons import phrase as _
from inbox.reasons import quoted
from inbox.rfc5322.authentication import OwnServers

# More at once is hardly faster, and holds up for longer who sends meanwhile.
BATCH = 100
LONGEST_WHY = 1000
# A worker process takes longer to start than a few messages take to read.
FEW = 300


class ImportStoppedError(Exception):
    """The import cannot go on, with the reason in plain words; what was stored stays stored."""


def import_mail(
    *,
    inbox: Inbox,
    source: Source,
    on_progress: Callable[[int], object] | None = None,
    processes: int | None = None,
    servers: OwnServers = NO_SERVERS,
) -> Import:
    """Store the messages of a source that are not stored yet; return what was done.

    Each batch is a transaction: a run after a kill skips what is there and goes on. `on_progress`
    hears how many items were dealt with. `processes` read beside this one; by default, as many as
    there are processors. `servers` are those that the mail was read from, where a person knows
    them. Raises ImportStoppedError where the disk or the database takes no more.
    """
    try:
        run = Import.objects.create(
            workspace_id=inbox.workspace_id, inbox=inbox, source=source.name, total=source.total
        )
        recipient = recipient_of(inbox, servers)
        with in_background():
            _read_and_store(run, source, recipient, processes or _processes(source), on_progress)
        run.finished_at = timezone.now()
        run.save(update_fields=["finished_at"])
    except (OSError, OperationalError) as error:
        raise ImportStoppedError(f"The import stopped: {error}.") from error
    return run


def _read_and_store(
    run: Import,
    source: Source,
    recipient: Recipient,
    processes: int,
    on_progress: Callable[[int], object] | None,
) -> None:
    desk = ReaderContext(recipient, _known_hashes(run.inbox))
    for batch in _batches(read_items(source, desk, processes=processes)):
        for share in in_shares(batch, weight_of):
            _store(run, recipient, share)
            if on_progress is not None:
                on_progress(len(share))


def _known_hashes(inbox: Inbox) -> frozenset[bytes]:
    hashes = Message.objects.filter(inbox=inbox).values_list("blob__sha256", flat=True)
    return frozenset(bytes.fromhex(sha256) for sha256 in hashes.iterator(chunk_size=10_000))


def _processes(source: Source) -> int:
    """Return how many processes should read; one that is inside a transaction reads itself."""
    if source.total < FEW or connection.in_atomic_block:
        return 1
    # No process may inherit an open connection.
    connections.close_all()
    return max(os.cpu_count() or 1, 2)


def _batches(outcomes: Iterator[Outcome]) -> Iterator[list[Outcome]]:
    while batch := list(itertools.islice(outcomes, BATCH)):
        yield batch


def _store(run: Import, recipient: Recipient, batch: Sequence[Outcome]) -> None:
    try:
        _store_together(run, recipient, batch)
    except OperationalError:
        raise
    except (DatabaseError, ValueError, TypeError, OverflowError):
        # One of them cannot be stored: the others must not suffer for it.
        for outcome in batch:
            _store_alone(run, recipient, outcome)


def _store_together(run: Import, recipient: Recipient, batch: Sequence[Outcome]) -> None:
    prepared = [outcome.prepared for outcome in batch if outcome.prepared is not None]
    with transaction.atomic():
        stored = store_messages(inbox=run.inbox, recipient=recipient, batch=prepared)
        _record_problems(run, [outcome for outcome in batch if outcome.problem])
        known = sum(outcome.known for outcome in batch) + len(prepared) - len(stored.made)
        counts = run.stored + len(stored.made), run.known + known
        Import.objects.filter(pk=run.pk).update(stored=counts[0], known=counts[1])
    run.stored, run.known = counts


def _store_alone(run: Import, recipient: Recipient, outcome: Outcome) -> None:
    try:
        _store_together(run, recipient, [outcome])
    except OperationalError:
        raise
    except (DatabaseError, ValueError, TypeError, OverflowError) as error:
        prepared: Prepared | None = outcome.prepared
        _record_problems(
            run,
            [
                Outcome(
                    outcome.name,
                    problem=_(
                        "could not be stored (%(why)s); its source is kept",
                        why=quoted(str(error), "", LONGEST_WHY),
                    ),
                    stored=(prepared.sha256, prepared.size) if prepared else outcome.stored,
                )
            ],
        )


def _record_problems(run: Import, outcomes: Sequence[Outcome]) -> None:
    """List what could not be read whole, each with its bytes where they are kept."""
    if not outcomes:
        return
    kept = {outcome.name: _kept_bytes(outcome) for outcome in outcomes}
    blobs = blob_rows(run.workspace_id, dict(bytes_ for bytes_ in kept.values() if bytes_))
    ImportProblem.objects.bulk_create(
        (
            ImportProblem(
                workspace_id=run.workspace_id,
                run=run,
                blob_id=blobs[bytes_[0]] if (bytes_ := kept[outcome.name]) else None,
                source=outcome.name,
                problem=outcome.problem,
            )
            for outcome in outcomes
        ),
        ignore_conflicts=True,
    )


def _kept_bytes(outcome: Outcome) -> tuple[str, int] | None:
    if outcome.prepared is not None:
        return outcome.prepared.sha256, outcome.prepared.size
    return outcome.stored
