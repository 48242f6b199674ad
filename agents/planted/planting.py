"""Mixing planted items into the queues of workspaces whose owner asked for it, at their pace."""

import random
from dataclasses import asdict
from datetime import datetime, timedelta
from secrets import token_hex
from typing import Any

from django.db import transaction
from django.utils import timezone

from agents import receipts
from agents.approval.pending import store
from agents.approval.plan import SealedMail
from agents.contracts import REGISTRY, Tool
from agents.dispatching.canonical import CallArguments, canonical, digest
from agents.dispatching.policy import may_act
from agents.errors import ToolError
from agents.models import (
    Approval,
    ApprovalState,
    Decision,
    DecisionMeasure,
    DecisionVerb,
    Outcome,
    PlantedItem,
    PlantingSetting,
)
from agents.planted.choosing import Company, find_company, find_sources
from agents.planted.deck import Kind, deck
from agents.planted.writing import PlantedLetter, Source, suits, write_letter
from agents.quotas.proposals import Standing
from agents.receipts import ReceiptEntry
from inbox.actor import Actor, system_actor
from inbox.errors import DomainError
from inbox.operations.drafts.planting import plant_draft
from inbox.operations.sending.submissions import propose_submission
from inbox.reasons import say

# How often it is asked whether to plant, and how likely the answer is yes: about once in an hour
# and a half, so that no moment of the day says anything.
EVERY_SECONDS = 300
LIKELY = 1 / 18
# So many planted ones are open in a workspace at a time.
MOST_OPEN = 1
DAY, MONTH = timedelta(days=1), timedelta(days=30)
_REPLY, _INVITATION = "send_reply", "calendar_create_event"


def plant_due(now: datetime | None = None, chance: random.Random | None = None) -> int:
    """Plant in each workspace where the owner asked for it, now and then; return how many.

    `chance` decides on the moment, the company, the message and the kind; it is the system's own
    unless another is given.
    """
    now, chance = now or timezone.now(), chance or random.SystemRandom()
    planted = 0
    asked = PlantingSetting.objects.filter(is_on=True).values_list("workspace_id", flat=True)
    for workspace_id in asked.order_by("workspace_id"):
        if chance.random() < LIKELY:
            planted += plant_one(workspace_id, now, chance) is not None
    return planted


def plant_one(workspace_id: int, now: datetime, chance: random.Random) -> Approval | None:
    """Plant one in a workspace; None where its pace, its queue or its mail has no room for it."""
    with transaction.atomic():
        rows = PlantingSetting.objects.select_for_update(of=("self",))
        setting = rows.filter(workspace_id=workspace_id, is_on=True).first()
        if setting is None or not has_room(setting, now):
            return None
        actor = system_actor(workspace_id, "Chancery")
        company = find_company(actor, chance)
        return _plant(actor, company, now, chance) if company else None


def has_room(setting: PlantingSetting, now: datetime) -> bool:
    """Return True if one more is within the owner's limits, a day and a share of real decisions."""
    items = PlantedItem.objects.filter(workspace_id=setting.workspace_id)
    if items.filter(approval__state=ApprovalState.WAITING).count() >= MOST_OPEN:
        return False
    if items.filter(planted_at__gt=now - DAY).count() >= setting.most_a_day:
        return False
    decided = DecisionMeasure.objects.filter(
        workspace_id=setting.workspace_id, decided_at__gt=now - MONTH, approval__planted=None
    )
    planted = items.filter(planted_at__gt=now - MONTH).count() + 1
    real = decided.exclude(verb=DecisionVerb.FIRST).count()
    return planted * 100 <= real * setting.percent


def _plant(actor: Actor, company: Company, now: datetime, chance: random.Random) -> Approval | None:
    for source in find_sources(actor, company, now, chance):
        kinds = [kind for kind in deck().values() if _can_plant(kind, company, source)]
        if kinds:
            kind = _least_used(actor, kinds, chance)
            return plant(actor, company, source, write_letter(kind, source, chance))
    return None


def _can_plant(kind: Kind, company: Company, source: Source) -> bool:
    tool = _tool_of(is_meeting=kind.meeting is not None)
    return tool is not None and not may_act(tool, company.agent) and suits(kind, source)


def _tool_of(*, is_meeting: bool) -> Tool | None:
    try:
        return REGISTRY.tool(_INVITATION if is_meeting else _REPLY)
    except ToolError:
        return None


def _least_used(actor: Actor, kinds: list[Kind], chance: random.Random) -> Kind:
    """Return one of the kinds that were planted least, so that the whole deck comes by."""
    rows = PlantedItem.objects.visible_to(actor).order_by("-planted_at", "-pk")
    used = list(rows.values_list("kind", flat=True)[: 20 * len(kinds)])
    fewest = min(used.count(kind.code) for kind in kinds)
    return chance.choice([kind for kind in kinds if used.count(kind.code) == fewest])


def plant(actor: Actor, company: Company, source: Source, letter: PlantedLetter) -> Approval | None:
    """Store a letter as a proposal of an agent that waits in the queue; None where it cannot be.

    The mark is written before anything else. The receipt stands in the agent's name, as that of a
    real one, and a later one tells that it was planted; the agent is shown neither.
    """
    try:
        with transaction.atomic():
            draft = plant_draft(
                author=company.agent, plan=source.plan, body=letter.body, subject=letter.subject,
                calendar=letter.calendar, to=letter.to, cc=letter.cc,
            )  # fmt: skip
            submission = propose_submission(actor=actor, draft=draft, proposer=company.agent)
    except DomainError:
        return None
    tool = REGISTRY.tool(_INVITATION if letter.calendar else _REPLY)
    arguments = CallArguments.of(_arguments(letter, source, draft.public_id))
    reason = say("reaches", people=submission.envelope_to) if letter.calendar else say("leaves")
    entry = ReceiptEntry(
        tool.name, arguments, reason, decision=Decision.HOLD, idempotency_key=token_hex(12)
    )
    receipt = receipts.open_receipt(company.agent, entry)
    approval = store(
        tool, company.agent, SealedMail(submission), arguments=arguments, receipt=receipt,
        standing=Standing("", reason), proposal=digest(canonical(asdict(letter))),
    )  # fmt: skip
    receipts.close(receipt, outcome=Outcome.HELD, approval=approval.public_id, reason=reason)
    PlantedItem.objects.create(
        workspace_id=actor.workspace_id, approval=approval, kind=letter.kind,
        language=letter.language, wrong=letter.wrong, expected=letter.expected,
        planted_at=timezone.now(),
    )  # fmt: skip
    return approval


def _arguments(letter: PlantedLetter, source: Source, draft_id: str) -> dict[str, Any]:
    """Return what the call would have been given."""
    if not letter.calendar:
        return {
            "thread_id": source.plan.in_reply_to.thread.public_id, "body_or_draft_id": draft_id,
            "idempotency_key": token_hex(12),
        }  # fmt: skip
    return {
        "account_id": source.plan.identity.account.public_id, "subject": letter.subject,
        "attendees": [one["email"] for one in letter.to],
    }  # fmt: skip
