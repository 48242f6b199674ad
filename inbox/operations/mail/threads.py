"""Putting messages into threads, many at a time, and joining threads."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias

from django.db.models import Case, OuterRef, Subquery, Value, When

from inbox.background.jobs import publish
from inbox.bulk_insert import insert, insert_values
from inbox.intake.prepared import MOST_RECIPIENTS_MATCHED, Prepared
from inbox.intake.threading import CLOCK_ERROR, WINDOW, DisjointSets, ThreadingFacts, answers
from inbox.models import (
    Draft,
    Inbox,
    Message,
    Submission,
    Thread,
    ThreadReference,
    ThreadStatus,
    as_address,
)
from inbox.operations.activities.priority import settle_order_in
from inbox.operations.batched import in_chunks

# What hangs together: messages of this batch by position, keys of ids, threads that exist.
Node: TypeAlias = tuple[Literal["message", "key", "thread"], int | str]

MOST_PARTICIPANTS = 20
# Of messages with one subject, as many as these are looked at; more are a machine's.
_MOST_OF_ONE_SUBJECT = 2000
_MOST_JOINED_AT_ONCE = 500
_AWAKE = (ThreadStatus.OPEN, ThreadStatus.SNOOZED, ThreadStatus.CLOSED)


@dataclass(frozen=True, slots=True)
class _Group:
    """Messages that belong together, and what of them is known."""

    messages: tuple[int, ...]
    keys: tuple[str, ...]
    threads: tuple[int, ...]


def thread_messages(
    *, inbox: Inbox, batch: Sequence[Prepared], own: frozenset[str], live: bool
) -> list[Thread]:
    """Return the thread of each message, made, joined and brought up to date, not yet stored.

    Runs in the transaction that stores the messages, which has locked the inbox. A `live` message
    from outside opens its thread again, which publishes the fact `thread.updated`.
    """
    known = _threads_of_keys(inbox, {key for prepared in batch for key in prepared.keys})
    groups = _groups(inbox, batch, known, own)
    old = _old_threads(groups)
    asleep = {thread.pk for thread in old.values() if thread.status != ThreadStatus.OPEN}
    _join(old, groups)
    chosen: list[Thread | None] = [None] * len(batch)
    new: list[Thread] = []
    for group in groups:
        messages = [batch[place] for place in group.messages]
        messages.sort(key=lambda message: message.columns["received_at"])
        if group.threads:
            thread = old[min(group.threads)]
        else:
            thread = _new_thread(inbox, messages[0])
            new.append(thread)
        _bring_up_to_date(thread, messages, live=live)
        for i in group.messages:
            chosen[i] = thread
    _save(old.values(), new)
    _tell_opened(inbox, [pk for pk in asleep if old[pk].status == ThreadStatus.OPEN])
    named = (
        (inbox.pk, key, thread.pk)
        for group in groups
        for thread in [chosen[group.messages[0]]]
        if thread is not None
        for key in group.keys
        if key not in known
    )
    insert_values(ThreadReference, ("inbox_id", "key", "thread_id"), named)
    return [thread for thread in chosen if thread is not None]


def _threads_of_keys(inbox: Inbox, keys: Iterable[str]) -> dict[str, int]:
    rows = ThreadReference.objects.filter(inbox=inbox)
    return {
        key: thread
        for chunk in in_chunks(keys)
        for key, thread in rows.filter(key__in=chunk).values_list("key", "thread_id")
    }


def _tell_opened(inbox: Inbox, keys: Sequence[int]) -> None:
    if keys:
        publish("thread.updated", {"thread_ids": sorted(keys)}, workspace_id=inbox.workspace_id)


# -- what belongs together -------------------------------------------------------------------------
def _groups(
    inbox: Inbox, batch: Sequence[Prepared], known: Mapping[str, int], own: frozenset[str]
) -> list[_Group]:
    sets: DisjointSets[Node] = DisjointSets()
    for position, prepared in enumerate(batch):
        sets.find(("message", position))
        for key in prepared.keys:
            sets.join(("message", position), ("key", key))
    for key, thread in known.items():
        sets.join(("key", key), ("thread", thread))
    _join_by_subject(inbox, batch, own, sets)
    return [group for nodes in sets.groups() if (group := _group(nodes)).messages]


def _group(nodes: Sequence[Node]) -> _Group:
    return _Group(
        messages=tuple(int(node) for kind, node in nodes if kind == "message"),
        keys=tuple(str(node) for kind, node in nodes if kind == "key"),
        threads=tuple(sorted(int(node) for kind, node in nodes if kind == "thread")),
    )


def _join_by_subject(
    inbox: Inbox, batch: Sequence[Prepared], own: frozenset[str], sets: DisjointSets[Node]
) -> None:
    """Join each bare reply, here or stored, with what it answers, here or stored."""
    nodes: dict[str, list[tuple[ThreadingFacts, Node]]] = {}
    for position, prepared in enumerate(batch):
        facts = _facts(prepared)
        if facts.subject_key:
            nodes.setdefault(facts.subject_key[1:], []).append((facts, ("message", position)))
    for facts, node in _stored_of_subject(
        inbox, [found for all_ in nodes.values() for found in all_]
    ):
        nodes[facts.subject_key[1:]].append((facts, node))
    for of_one_subject in nodes.values():
        replies = [entry for entry in of_one_subject if entry[0].is_bare_reply]
        for reply, reply_node in replies:
            for other, node in of_one_subject:
                if answers(reply, other, own):
                    sets.join(reply_node, node)


def _facts(prepared: Prepared) -> ThreadingFacts:
    columns = prepared.columns
    return ThreadingFacts(
        subject_key=columns["subject_key"],
        at=columns["received_at"],
        sender=columns["from_email"].lower(),
        recipients=prepared.recipients,
    )


def _stored_of_subject(
    inbox: Inbox, found: Sequence[tuple[ThreadingFacts, Node]]
) -> Iterable[tuple[ThreadingFacts, Node]]:
    """Yield the stored messages that those of the batch may answer, or that may answer them."""
    # Everything may be answered by a stored bare reply; only a bare reply asks for all the others.
    keys = {f"r{facts.subject_key[1:]}" for facts, _ in found}
    keys |= {f"s{facts.subject_key[1:]}" for facts, _ in found if facts.is_bare_reply}
    if not keys:
        return
    times = [facts.at for facts, _ in found]
    span = WINDOW + CLOCK_ERROR
    rows = Message.objects.filter(
        inbox=inbox,
        subject_key__in=keys,
        received_at__range=(min(times) - span, max(times) + span),
    ).values_list("subject_key", "received_at", "from_email", "to", "cc", "thread_id")
    for key, at, sender, to, cc, thread in rows.order_by("-received_at")[:_MOST_OF_ONE_SUBJECT]:
        named = [*to, *cc][:MOST_RECIPIENTS_MATCHED]
        recipients = frozenset(address["email"].lower() for address in named)
        yield ThreadingFacts(key, at, sender.lower(), recipients), ("thread", thread)


# -- threads that exist ----------------------------------------------------------------------------
def _old_threads(groups: Sequence[_Group]) -> dict[int, Thread]:
    """Return the threads that the groups touch, each with `first_at`, the time of its first."""
    first = Message.objects.filter(thread=OuterRef("pk")).order_by("received_at", "id")
    threads = Thread.objects.annotate(first_at=Subquery(first.values("received_at")[:1]))
    return {
        thread.pk: thread
        for chunk in in_chunks(pk for group in groups for pk in group.threads)
        for thread in threads.filter(pk__in=chunk)
    }


def _join(threads: Mapping[int, Thread], groups: Sequence[_Group]) -> None:
    """Join the threads of each group into its oldest row; the others stay as pointers to it."""
    winners = {
        pk: threads[group.threads[0]]
        for group in groups
        for pk in group.threads[1:]
    }  # fmt: skip
    for pk, winner in winners.items():
        _absorb(winner, threads[pk])
    for chunk in in_chunks(winners.items(), _MOST_JOINED_AT_ONCE):
        _move(dict(chunk))


def _move(winners: Mapping[int, Thread]) -> None:
    """Move all that belongs to the losers (by their keys) to the winners."""
    winner_of = Case(*(When(thread_id=pk, then=Value(to.pk)) for pk, to in winners.items()))
    for model in (Message, ThreadReference, Draft, Submission):
        model.objects.filter(thread_id__in=winners).update(thread_id=winner_of)
    label: Any = Thread.mailboxes.through
    labels = label.objects.filter(thread_id__in=winners)
    label.objects.bulk_create(
        (label(thread_id=winners[row.thread_id].pk, mailbox_id=row.mailbox_id) for row in labels),
        ignore_conflicts=True,
    )
    labels.delete()
    pointers = Thread.objects.filter(merged_into_id__in=winners)
    pointers.update(
        merged_into_id=Case(
            *(When(merged_into_id=pk, then=Value(to.pk)) for pk, to in winners.items())
        )
    )
    settle_order_in(to.pk for to in winners.values())


def _absorb(winner: Thread, loser: Thread) -> None:
    """Take over what the loser counts; of two states, the more wakeful one stays."""
    if _first_at(loser) < _first_at(winner):
        winner.subject = loser.subject
        winner.first_at = _first_at(loser)  # type: ignore[attr-defined]
    winner.participants = _first_participants([*winner.participants, *loser.participants])
    winner.message_count += loser.message_count
    winner.last_message_at = max(winner.last_message_at, loser.last_message_at)
    winner.updated_at = max(winner.updated_at, loser.updated_at)
    if _AWAKE.index(ThreadStatus(loser.status)) < _AWAKE.index(ThreadStatus(winner.status)):
        winner.status, winner.snoozed_until = loser.status, loser.snoozed_until
    loser.merged_into, loser.message_count = winner, 0


def _first_at(thread: Thread) -> datetime:
    at: datetime | None = getattr(thread, "first_at", None)
    return at or thread.last_message_at


# -- bringing up to date ---------------------------------------------------------------------------
def _new_thread(inbox: Inbox, first: Prepared) -> Thread:
    at = first.columns["received_at"]
    return Thread(
        workspace_id=inbox.workspace_id, inbox=inbox, subject=first.columns["subject"],
        last_message_at=at, updated_at=at,
    )  # fmt: skip


def _bring_up_to_date(thread: Thread, messages: Sequence[Prepared], *, live: bool) -> None:
    first, newest = messages[0].columns, messages[-1].columns
    if thread.pk and first["received_at"] < _first_at(thread):
        thread.subject = first["subject"]
    senders = [
        as_address(message.columns["from_email"], message.columns["from_name"])
        for message in messages
        if message.columns["from_email"]
    ]
    thread.participants = _first_participants([*thread.participants, *senders])
    thread.message_count += len(messages)
    thread.last_message_at = max(thread.last_message_at, newest["received_at"])
    thread.updated_at = max(thread.updated_at, newest["received_at"])
    if live and newest["direction"] == "inbound":
        thread.status, thread.snoozed_until = ThreadStatus.OPEN, None


def _first_participants(addresses: Iterable[dict[str, str]]) -> list[dict[str, str]]:
    """Return the first of each address, at most twenty, in order of appearance."""
    found: dict[str, dict[str, str]] = {}
    for address in addresses:
        found.setdefault(address["email"].lower(), address)
    return list(found.values())[:MOST_PARTICIPANTS]


def _save(old: Iterable[Thread], new: Sequence[Thread]) -> None:
    insert(
        old,
        unique_fields=["id"],
        update_fields=[
            "subject", "status", "snoozed_until", "participants", "message_count",
            "last_message_at", "updated_at", "merged_into",
        ],
    )  # fmt: skip
    insert(new)
