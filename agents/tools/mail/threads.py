"""What is done to a thread: opened, closed, snoozed until a time, labelled."""

from typing import Annotated, TypeAlias, cast

from django.db.models import Q
from pydantic import ConfigDict, Field, model_validator

from agents.contracts import Effect, tool
from agents.contracts.fields import Closed, Maybe, Moment, OrAbsent
from agents.dispatching.rows import get_thread_row
from agents.errors import ToolError
from agents.models import Approval, ApprovalState
from agents.tools.shapes import ThreadState
from inbox import ids
from inbox.actor import Actor
from inbox.models import Activity, ActivityStatus, Inbox, Submission, Thread, ThreadStatus
from inbox.operations.mail.thread_changes import (
    LONGEST_LABEL,
    MOST_LABELS,
    label_thread,
    labels_of,
    set_thread_status,
)
from inbox.submission_states import SubmissionState

# Where an activity waits for a person.
_ASKS = (ActivityStatus.SURFACED, ActivityStatus.NEEDS_REVIEW, ActivityStatus.QUARANTINED)
Label: TypeAlias = Annotated[str, Field(min_length=1, max_length=LONGEST_LABEL)]


class ThreadUpdate(Closed):
    """Which thread, and what to change; what is left out stays."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 2})

    thread_id: Annotated[str, Field(min_length=1, description="The thread; list_threads has it.")]
    status: Maybe[
        Annotated[ThreadState, Field(description="Where the conversation stands from now on.")]
    ] = None
    snoozed_until: Maybe[
        Annotated[
            Moment,
            Field(description="With status snoozed: when it opens again, within a year."),
        ]
    ] = None
    add_labels: Maybe[
        Annotated[
            list[Label],
            Field(
                min_length=1,
                max_length=MOST_LABELS,
                description="Labels to put it under; one that is not known yet is made.",
            ),
        ]
    ] = None
    remove_labels: Maybe[
        Annotated[
            list[Label],
            Field(min_length=1, max_length=MOST_LABELS, description="Labels to take off it."),
        ]
    ] = None  # fmt: skip

    @model_validator(mode="after")
    def _changes_something(self) -> "ThreadUpdate":
        if not self.model_fields_set - {"thread_id"}:
            raise ValueError("changes nothing; give status, add_labels or remove_labels")
        if self.snoozed_until is not None and self.status is None:
            raise ValueError("has a snoozed_until without a status; give status snoozed with it")
        return self


class UpdatedThread(Closed):
    """A thread as it stands now."""

    id: str
    inbox_id: str
    subject: str
    status: ThreadState
    snoozed_until: OrAbsent[Moment] = None
    labels: list[str]
    updated_at: Moment


@tool(
    family="house",
    domain="inbox",
    effect=Effect.WRITE,
    example={
        "thread_id": "thr_8fXoQ2mKpL",
        "status": "closed",
        "add_labels": ["Offers"],
    },
)
def thread_update(actor: Actor, args: ThreadUpdate) -> UpdatedThread:
    """Open, close or snooze a thread, and put it under labels or take it from them.

    A snoozed thread opens again at `snoozed_until`, and any thread when a message comes in. What
    waits for a person may not be put away: while a proposal or an item of the thread waits, closing
    and snoozing it is a `conflict`. Labels are no folders: `email_move` moves mail into those.
    """
    thread = get_thread_row(actor, args.thread_id)
    if args.status in {ThreadStatus.CLOSED, ThreadStatus.SNOOZED} and actor.kind == "agent":
        _refuse_while_a_person_is_asked(thread)
    if args.status is not None:
        thread = set_thread_status(
            actor=actor, thread=thread, status=args.status, snoozed_until=args.snoozed_until
        )
    if args.add_labels or args.remove_labels:
        thread = label_thread(
            actor=actor, thread=thread, add=args.add_labels or (), remove=args.remove_labels or ()
        )
    return UpdatedThread(
        id=thread.public_id,
        inbox_id=ids.encode(Inbox.ID_PREFIX, thread.inbox_id),
        subject=thread.subject,
        status=cast("ThreadState", thread.status),
        snoozed_until=thread.snoozed_until,
        labels=[label.name for label in labels_of(thread)],
        updated_at=thread.updated_at,
    )


def _refuse_while_a_person_is_asked(thread: Thread) -> None:
    """Raise ToolError `conflict` where something in the thread waits for a person."""
    place = thread.workspace_id
    waiting = Approval.objects.real().filter(
        Q(submission__thread=thread) | Q(activities__message__thread=thread),
        workspace_id=place, state=ApprovalState.WAITING,
    )  # fmt: skip
    unknown = Submission.objects.filter(
        workspace_id=place, thread=thread, state=SubmissionState.UNKNOWN
    )
    items = Activity.objects.filter(workspace_id=place, message__thread=thread, status__in=_ASKS)
    asked = [row.public_id for row in items.order_by("pk").only("pk")[:20]]
    if not asked and not waiting.exists() and not unknown.exists():
        return
    what = "an item of it" if asked else "a proposal in it"
    raise ToolError(
        "conflict",
        f"/status {what} waits for a person: it may not be put away",
        {
            "errors": [
                {
                    "pointer": "/status",
                    "message": f"puts away what waits for a person: {what}",
                    "accepted": "open; closed or snoozed once a person has decided",
                }
            ],
            "activity_ids": asked,
        },
    )
