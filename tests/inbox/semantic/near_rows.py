"""Messages with vectors made up, for processes of tests that search on a database of their own."""

import itertools

import numpy as np

from inbox.background.jobs import run_due, run_now
from inbox.models import Inbox, Message, MessageVector, store_blob
from inbox.semantic import indexing, matrix
from inbox.semantic.encoder import DIMENSIONS
from inbox.semantic.finding import MESSAGES
from inbox.semantic.loading import find_encoder
from inbox.semantic.vectors import find_nearest
from tests import factories

QUERIES = (
    "rental agreement expires", "the printer jams", "flights to Lisbon", "who pays the invoice",
    "knee surgery", "a choir that sings on Thursdays",
)  # fmt: skip
SOUGHT = 100


def vectors_near(queries, count, seed=1):
    """Return vectors at every distance from queries: of some more than of others."""
    chance = np.random.default_rng(seed)
    asked = find_encoder().encode(list(queries)).astype(float)
    asked /= np.linalg.norm(asked, axis=1, keepdims=True)
    noise = chance.normal(size=(count, DIMENSIONS)) / DIMENSIONS**0.5
    rows = asked[np.arange(count) % len(asked)] + noise * chance.uniform(0.4, 3.0, (count, 1))
    return np.round(rows * (127 / np.abs(rows).max(axis=1, keepdims=True))).astype(np.int8)


def fill(address, count, seed=1):
    """Make an inbox with messages that have vectors; return it."""
    slugs = (f"w{number}" for number in itertools.count(Inbox.objects.count()))
    inbox = factories.make_inbox(factories.make_workspace(next(slugs)), address)
    first = factories.make_message(inbox, subject="First")
    again = [
        Message(
            workspace_id=inbox.workspace_id, inbox=inbox, thread=first.thread, blob=store_blob(inbox.workspace_id, str(number).encode()),
            direction=first.direction, message_id_header=f"<{number}@{address}>",
            message_id_key=f"{number}@{address}"[:32], sent_at=first.sent_at, to=first.to,
            received_at=first.received_at, from_email=first.from_email, subject=f"No. {number}",
        )
        for number in range(1, count)
    ]  # fmt: skip
    made = [first, *Message.objects.bulk_create(again, batch_size=1000)]
    rows = vectors_near(QUERIES, count, seed)
    MessageVector.objects.bulk_create([
        MessageVector(message_id=message.pk, inbox=inbox, vector=row.tobytes())
        for message, row in zip(made, rows, strict=True)
    ], batch_size=1000)  # fmt: skip
    return inbox


def work(least=1000):
    """Do what a worker does, with inboxes of so many rows as large ones; return whether it did."""
    indexing.LEAST_INDEXED = least
    asked = indexing.ask_for_indexes()
    run_due()
    if asked:
        # The second time within an hour there is no new job.
        run_now(indexing.INDEX, {})
    return asked


def compared(inbox, query):
    """Return what comparing all finds, by key with its cosine."""
    vector = find_encoder().encode([query])[0]
    matrix.forget()
    return dict(matrix.nearest(MESSAGES, inbox.pk, vector, SOUGHT))


def found(inbox, query):
    """Return what a search by meaning finds, by key with its cosine."""
    return find_nearest(MESSAGES, [inbox.pk], query, SOUGHT)


def recall(inbox):
    """Return of what comparing all finds the share that the search finds as well."""
    pairs = [(compared(inbox, query), found(inbox, query)) for query in QUERIES]
    for exact, near in pairs:
        for key in exact.keys() & near.keys():
            assert abs(exact[key] - near[key]) < 1e-5
        assert list(near.values()) == sorted(near.values(), reverse=True)
    return sum(len(exact.keys() & near.keys()) for exact, near in pairs) / (SOUGHT * len(pairs))
