"""Which real proposal's company a planted one keeps, and which real message it answers."""

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, Q

from agents.approval.authority import check_agent
from agents.approval.status import ApprovalError
from agents.contracts import Tool
from agents.evidence.exposures import window
from agents.models import Approval
from agents.planted.writing import Source, read_source
from inbox.actor import Actor
from inbox.errors import DomainError
from inbox.models import (
    Activity,
    ActivityStatus,
    Direction,
    Draft,
    DraftStatus,
    Inbox,
    Message,
)
from inbox.operations.drafts.replying import plan_reply_to

# Older mail is answered by nobody any more; so many of the newest are looked at.
RECENT = timedelta(days=60)
LOOKED_AT = 60
TRIED = 8
_COMPANY = 20
_OPEN = (ActivityStatus.SURFACED, ActivityStatus.NEEDS_REVIEW, ActivityStatus.QUARANTINED)


@dataclass(frozen=True, slots=True)
class Company:
    """A real proposal that waits: whose the planted one seems to be, and from which inbox."""

    agent: Actor
    tool: Tool
    inbox: Inbox


def find_company(actor: Actor, chance: random.Random) -> Company | None:
    """Return one of the real messages that wait in the queue of the actor's workspace.

    None where there is none: then nothing is planted.
    """
    rows = Approval.objects.visible_to(actor).in_queue().real()
    rows = rows.filter(submission__isnull=False, agent__person=None, first_approver=None)
    rows = rows.select_related("agent__person", "submission__draft__inbox__account")
    waiting = list(rows.defer("submission__mime").order_by("-pk")[:_COMPANY])
    chance.shuffle(waiting)
    for approval in waiting:
        try:
            tool, agent = check_agent(approval)
        except ApprovalError:
            continue
        if approval.submission is not None:
            return Company(agent, tool, approval.submission.draft.inbox)
    return None


def find_sources(
    actor: Actor, company: Company, now: datetime, chance: random.Random
) -> Iterator[Source]:
    """Yield a few messages that can be answered without standing in anybody's way, at random.

    The newest message of a thread that came in from a person, in a language of the deck, with no
    item of it open and nothing proposed: a planted answer hides no real one. Those come first that
    the agent was shown of late, as it was what it really answers.
    """
    free = list(_free(actor, company.inbox, now))
    chance.shuffle(free)
    read = {shown.object_id for shown in window(company.agent) if shown.kind == "msg"}
    for message in sorted(free, key=lambda one: one.pk not in read)[:TRIED]:
        try:
            plan = plan_reply_to(message)
        except DomainError:
            continue
        found = read_source(plan, message.new_text, now.date())
        if found is not None:
            yield found


def _free(actor: Actor, inbox: Inbox, now: datetime) -> Iterable[Message]:
    rows = Message.objects.visible_to(actor).kept()
    thread = {"thread": OuterRef("thread")}
    later = rows.filter(**thread, received_at__gt=OuterRef("received_at"))
    opened = Activity.objects.visible_to(actor).filter(
        message__thread=OuterRef("thread"), status__in=_OPEN
    )
    drafted = Q(status__in=[DraftStatus.OPEN, DraftStatus.PROPOSED, DraftStatus.RETURNED])
    drafts = (
        Draft.objects.visible_to(actor)
        .kept()
        .filter(drafted | Q(planted_mark__isnull=False), **thread)
    )
    rows = rows.filter(
        ~Exists(later), ~Exists(opened), ~Exists(drafts), inbox=inbox, list_id="",
        direction=Direction.INBOUND, thread__merged_into=None, received_at__gte=now - RECENT,
    )  # fmt: skip
    rows = rows.select_related("thread__inbox__account", "inbox").defer("html", "search_extra")
    return rows.order_by("-received_at", "-pk")[:LOOKED_AT]
