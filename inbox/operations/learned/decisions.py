"""What people decided of mail, as examples to learn from; what agents and the rules did is none."""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from django.db.models import Exists, F, OuterRef

from inbox.learning.features import counted_words_of, features_of
from inbox.learning.training import Decision
from inbox.models import (
    Activity,
    ActivityChange,
    ActivitySource,
    ActivityStatus,
    Direction,
    Message,
    MessageMailbox,
    Taxonomy,
)
from inbox.operations.activities.deciding import DecidingContext
from inbox.operations.batched import in_chunks
from inbox.operations.learned.backend import ASIDE, UNWANTED, WANTED

# So many decisions are learned from, the newest; of people's changes, junk and answers each.
MOST: Final = 3_000
_CHUNK: Final = 250


def label_of(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """Return what a person's change says of an item; "" for one that says nothing of it.

    What is dismissed out of quarantine was rightly there; what is let out of it was not.
    """
    was, status = before.get("status", ""), after.get("status", "")
    was_held = was == ActivityStatus.QUARANTINED
    if status == ActivityStatus.QUARANTINED:
        return UNWANTED
    if status == ActivityStatus.ARCHIVED:
        return UNWANTED if was_held else ASIDE
    if status == ActivityStatus.PROCESSED:
        return ASIDE if was_held else WANTED
    return WANTED if status in (ActivityStatus.NEEDS_REVIEW, ActivityStatus.SURFACED) else ""


def labels_since(activity_ids: Iterable[int]) -> dict[int, str]:
    """Return what people last said of activities, by their keys."""
    found: dict[int, str] = {}
    for chunk in in_chunks(list(activity_ids)):
        rows = _by_people().filter(activity_id__in=chunk).order_by("pk")
        for key, before, after in rows.values_list("activity_id", "before", "after"):
            if label := label_of(before, after):
                found[key] = label
    return found


def read_decisions(workspace_id: int) -> list[Decision]:
    """Return what people of a workspace decided of mail, the newest `MOST`."""
    labels = {**_answered(workspace_id), **_junk(workspace_id), **_changed(workspace_id)}
    newest = sorted(labels, reverse=True)[:MOST]
    return list(_examples(newest, labels))


def _by_people() -> Any:
    rows = ActivityChange.objects.filter(by__startswith="person:", undoes=None, undone_by=None)
    return rows.filter(activity__source=ActivitySource.EMAIL)


def _changed(workspace_id: int) -> dict[int, str]:
    rows = _by_people().filter(workspace_id=workspace_id).order_by("-pk")
    newest = rows.values_list("activity__message_id", "before", "after")[: MOST * 2]
    found: dict[int, str] = {}
    for key, before, after in newest:
        label = label_of(before, after)
        if key is not None and label:
            found.setdefault(key, label)
    return found


def _junk(workspace_id: int) -> dict[int, str]:
    rows = MessageMailbox.objects.filter(
        mailbox__workspace_id=workspace_id, mailbox__role="junk",
        message__direction=Direction.INBOUND, message__deleted_at=None,
    )  # fmt: skip
    keys = rows.order_by("-message_id").values_list("message_id", flat=True)[:MOST]
    return dict.fromkeys(keys, UNWANTED)


def _answered(workspace_id: int) -> dict[int, str]:
    ours = Message.objects.filter(
        thread_id=OuterRef("message__thread_id"), direction=Direction.OUTBOUND,
        received_at__gt=OuterRef("message__received_at"),
    )  # fmt: skip
    rows = Activity.objects.filter(workspace_id=workspace_id, source=ActivitySource.EMAIL)
    keys = rows.filter(Exists(ours)).order_by("-created_at", "-pk")
    return dict.fromkeys(keys.values_list("message_id", flat=True)[:MOST], WANTED)


def _examples(keys: Sequence[int], labels: Mapping[int, str]) -> Iterator[Decision]:
    for chunk in in_chunks(keys, _CHUNK):
        rows = Message.objects.kept().filter(pk__in=chunk, direction=Direction.INBOUND)
        messages = list(rows.select_related("inbox").defer("text", "search_extra").order_by("-pk"))
        around = DecidingContext(messages)
        for message in messages:
            names = features_of(*around.facts_and_judgement(message))
            yield _decision(names, labels[message.pk], message.from_email)


def read_filings(taxonomy: Taxonomy, intents: Mapping[str, str]) -> list[tuple[Message, Decision]]:
    """Return the messages that lie in a mailbox called as an intent or its route, the newest.

    `intents` are names and routes in lower case to the intent's name. Urgency and route are the
    taxonomy's; only which intent a message has is learned.
    """
    rows = MessageMailbox.objects.filter(
        mailbox__workspace_id=taxonomy.workspace_id, message__deleted_at=None,
        message__direction=Direction.INBOUND,
    )  # fmt: skip
    placed = rows.annotate(name=F("mailbox__name")).order_by("-message_id")
    labels: dict[int, str] = {}
    for key, name in placed.values_list("message_id", "name")[: MOST * 4]:
        if intent := intents.get(name.rpartition("/")[2].casefold()):
            labels.setdefault(key, intent)
    found = []
    for chunk in in_chunks(list(labels)[:MOST], _CHUNK):
        messages = Message.objects.filter(pk__in=chunk).defer("text", "html", "search_extra")
        for message in messages.order_by("-pk"):
            names = counted_words_of(message.subject, message.new_text)
            found.append((message, _decision(names, labels[message.pk], message.from_email)))
    return found


def _decision(names: Sequence[str], label: str, sender: str) -> Decision:
    # Thousands of messages share their words: each is kept once.
    shared = [sys.intern(name) for name in names]
    return Decision(shared, label, sender.rpartition("@")[2].lower())
