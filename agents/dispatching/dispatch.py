"""The one way in: validate, decide, open the receipt, run atomically, close the receipt."""

import json
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone, translation
from pydantic import BaseModel

from agents import receipts
from agents.approval.pending import answer_of, hold, waits_for_a_person
from agents.approval.plan import Approved, Plan
from agents.contracts import REGISTRY, Effect, Registry, Tool
from agents.contracts.families import render_answer
from agents.contracts.validation import as_given
from agents.directory import say_what_there_is
from agents.dispatching.answers import Answer, remarks_on
from agents.dispatching.canonical import CallArguments, as_object, by_hash
from agents.dispatching.flows import check_as_shown
from agents.dispatching.group_commit import group_commit
from agents.dispatching.keys import agree_on_key
from agents.dispatching.policy import Verdict, decide, decide_on_plan, named_by_ids
from agents.dispatching.spans import traced_call
from agents.dispatching.statements import Standing
from agents.dispatching.tracing import shown_by, written_by
from agents.errors import ToolError, as_tool_error
from agents.evidence.exposures import note_written
from agents.models import Approval, Decision, Outcome, Receipt
from agents.quotas.counting import add
from agents.quotas.deletions import find_brake, lock_deletions
from agents.quotas.reads import count_reads, read_on
from agents.receipts import AlreadyClosed, ReadyReceipt, ReceiptEntry
from inbox.actor import Actor
from inbox.reasons import ReasonText, own, say

# An open receipt older than this belongs to a call that crashed. It had no effect, for the effect
# and the closing are one transaction; the next call with its key does the work in its place.
ABANDONED_AFTER = timedelta(seconds=60)
# A longer result of a reading tool stands in its receipt by hash.
_LONGEST_READ = 1000


@dataclass(frozen=True, slots=True)
class _Call:
    tool: Tool
    arguments: CallArguments
    args: BaseModel
    actor: Actor
    key: str | None
    verdict: Verdict
    approved: Approved | None = None
    standing: Standing | None = None

    @property
    def entry(self) -> ReceiptEntry:
        approval = self.approved.approval.public_id if self.approved else ""
        return ReceiptEntry(
            tool=self.tool.name, arguments=self.arguments, reason=self.verdict.reason,
            approval=approval, decision=self.verdict.decision, idempotency_key=self.key,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Held:
    """A plan that waits for a person, why, and what is odd about it."""

    plan: Plan[Any]
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class _Done:
    """The answer of what was done, and what its receipt says besides why it could be."""

    answer: Any
    reason: ReasonText | None = None


@traced_call
def call(
    name: str,
    arguments: object,
    actor: Actor,
    idempotency_key: str | None = None,
    registry: Registry = REGISTRY,
    *,
    standing: Standing | None = None,
) -> Answer:
    """Run a tool for the actor; every call leaves a receipt.

    With an idempotency key the same call again returns the stored answer; one that failed had no
    effect and is tried again. `standing` came with the request that makes the call; without it
    it is asked for. Raises ToolError.
    """
    try:
        tool, own, inside = registry.find(name).resolve(arguments)
    except ToolError as error:
        _refuse(name, arguments, actor, error)
        raise
    try:
        # What agents and receipts read is in English, whatever language a person's page is in.
        with translation.override(settings.LANGUAGE_CODE):
            return _call(tool, own, actor, idempotency_key, registry, standing=standing)
    except ToolError as error:
        if not inside:
            raise
        raise error.inside(inside) from error


def _call(
    tool: Tool, arguments: object, actor: Actor, idempotency_key: str | None, registry: Registry,
    *, standing: Standing | None,
) -> Answer:  # fmt: skip
    try:
        args = named_by_ids(tool, registry.read_arguments(tool, arguments), actor)
        key = agree_on_key(tool, idempotency_key, args)
        verdict = decide(tool, actor, standing)
        if verdict.decision is Decision.DENY:
            raise ToolError("permission_denied", verdict.reason, {"scope": tool.scope})
    except ToolError as error:
        _refuse(tool.name, arguments, actor, error)
        raise
    given = CallArguments.of(as_given(args))
    wanted = _Call(tool, given, args, actor, key, verdict, standing=standing)
    return _read(wanted) if key is None and tool.effect is Effect.READ else _run_once(wanted)


def refuse_request(name: str, actor: Actor, error: ToolError) -> None:
    """Write the receipt of a request that never became a call: what it said could not be read."""
    _record_refusal(actor, ReceiptEntry(tool=name, decision=Decision.DENY), error)


def resume(approved: Approved, tool: Tool, actor: Actor) -> Answer:
    """Run the stored call that a person has just approved, in the caller's transaction.

    The caller has decided anew that the actor may. Raises ToolError.
    """
    approval = approved.approval
    args = REGISTRY.read_arguments(tool, approval.arguments)
    by = approval.decided_by.get_username() if approval.decided_by else ""
    verdict = Verdict(Decision.ALLOW, say("approved_by", person=by))
    arguments = CallArguments.of(approval.arguments)
    wanted = _Call(tool, arguments, args, actor, None, verdict, approved)
    with translation.override(settings.LANGUAGE_CODE):
        return _run(wanted, receipts.open_receipt(actor, wanted.entry))


def _read(wanted: _Call) -> Answer:
    """Run a reading tool: nothing to undo, so that one receipt written afterwards is enough."""
    try:
        found = wanted.tool.run(wanted.actor, wanted.args)
        text = render_answer(wanted.tool, found)
    except Exception as error:
        known = _explain(wanted, error)
        _record_refusal(wanted.actor, wanted.entry, known)
        raise known from error
    shown = shown_by(wanted.tool, wanted.actor, wanted.arguments, found, text)
    policies = wanted.standing.policies if wanted.standing else None
    ready = ReadyReceipt(wanted.actor, _entry_of_reading(wanted, found, text, shown))
    remarks = remarks_on(wanted.tool, found, text)
    with group_commit():
        brake, head = count_reads(wanted.tool, wanted.actor, shown, policies)
        if brake is None:
            receipt_id = ready.write(head).public_id
            return Answer(text, receipt_id, remarks=remarks, shown=tuple(shown))
        receipt = receipts.open_receipt(wanted.actor, wanted.entry)
        answer = _hold(wanted, _reading_on(brake), receipt)
    return _tell(answer)


def _entry_of_reading(wanted: _Call, found: Any, text: str, shown: list[str]) -> ReceiptEntry:
    """Return what the receipt says of what was read."""
    result = by_hash(text) if len(text) > _LONGEST_READ else json.loads(text)
    # What explains itself, as a classification does, says so in its receipt too.
    reason = own(getattr(found, "reasoning", "")) or wanted.verdict.reason
    return replace(wanted.entry, result=result, reason=reason, shown=shown)


def _run_once(wanted: _Call) -> Answer:
    """Run a tool that has an effect, or return what came of the same call before."""
    try:
        with transaction.atomic():
            receipt = receipts.open_receipt(wanted.actor, wanted.entry)
    except IntegrityError:
        found = _find_receipt(wanted)
        if found is None:
            raise
        receipt = found
        if not _is_abandoned(wanted, receipt):
            return _replay(wanted, receipt)
    try:
        with transaction.atomic():
            answer = _run(wanted, receipt)
    except AlreadyClosed:
        return _replay(wanted, Receipt.objects.get(pk=receipt.pk))
    except Exception as error:  # noqa: BLE001
        return _close_with_error(wanted, receipt, _explain(wanted, error))
    return _tell(answer)


def _tell(answer: Answer) -> Answer:
    """Return the answer; raises ToolError where it is that the call waits for a person."""
    if answer.approval and not answer.json:
        raise waits_for_a_person(answer.approval)
    return answer


def _find_receipt(wanted: _Call) -> Receipt | None:
    """Return the receipt that holds the call's idempotency key."""
    if wanted.key is None:
        return None
    rows = Receipt.objects.visible_to(wanted.actor)
    return rows.filter(actor=wanted.actor.key, idempotency_key=wanted.key).first()


def _run(wanted: _Call, receipt: Receipt) -> Answer:
    """Do the work and close its receipt; the caller's transaction makes it one."""
    done = _within_quotas(wanted)
    if isinstance(done, _Held):
        return _hold(wanted, done, receipt)
    found = done.answer
    text = render_answer(wanted.tool, found)
    approval = wanted.approved.approval if wanted.approved else None
    shown = shown_by(wanted.tool, wanted.actor, wanted.arguments, found, text)
    brake = None if approval else count_reads(wanted.tool, wanted.actor, shown).brake
    if brake is not None:
        return _hold(wanted, _reading_on(brake), receipt)
    # The whole answer is kept where it may be asked for again: by its key, or after an approval.
    is_kept = wanted.key is not None or approval is not None
    receipts.close(
        receipt, outcome=Outcome.OK, result=json.loads(text), answer=text if is_kept else "",
        reason=done.reason, shown=shown,
    )  # fmt: skip
    written = written_by(wanted.tool, wanted.actor, wanted.arguments, found, text)
    note_written(wanted.actor, receipt, written, approval)
    remarks = remarks_on(wanted.tool, found, text)
    return Answer(text, receipt.public_id, approval, remarks=remarks, shown=tuple(shown))


def _reading_on(brake: ReasonText) -> _Held:
    return _Held(Plan(), Verdict(Decision.HOLD, brake))


def _within_quotas(wanted: _Call) -> _Done | _Held:
    """Carry a call out and count what it deletes; what a person approved does not count."""
    if wanted.approved:
        if wanted.tool.effect is Effect.READ:
            read_on(wanted.actor)
        return _carry_out(wanted)
    counts = lock_deletions(wanted.tool, wanted.actor, wanted.arguments.whole)
    brake = find_brake(counts)
    if brake is not None:
        verdict = replace(wanted.verdict, decision=Decision.HOLD, reason=brake)
        return _carry_out(replace(wanted, verdict=verdict))
    done = _carry_out(wanted)
    if isinstance(done, _Done):
        add(counts)
    return done


def _carry_out(wanted: _Call) -> _Done | _Held:
    """Do what the call asks for, or return what is held where a person is asked first.

    What was sealed is released as it is: nothing is planned for it again.
    """
    tool, approved, verdict = wanted.tool, wanted.approved, wanted.verdict
    if tool.plan and approved and approved.approval.submission:
        return _Done(tool.plan.release(approved))
    if tool.plan is None and verdict.decision is Decision.HOLD:
        # Nothing of it is planned: once a person has approved it, it is simply run.
        return _Held(Plan(), verdict)
    found = tool.run(wanted.actor, wanted.args)
    if tool.plan is None:
        return _Done(found, verdict.noted)
    if approved:
        check_as_shown(wanted.actor, found, approved.approval)
        return _Done(found.apply())
    verdict = decide_on_plan(verdict, found, wanted.actor)
    if verdict.decision is Decision.DENY:
        raise ToolError("permission_denied", verdict.reason, {"scope": tool.scope})
    if verdict.decision is Decision.HOLD:
        return _Held(found, verdict)
    return _Done(found.apply(), verdict.noted)


def _hold(wanted: _Call, held: _Held, receipt: Receipt) -> Answer:
    """Store the call for a person; its answer is empty where the contract has none for this."""
    approval = hold(
        held.plan, tool=wanted.tool, actor=wanted.actor, arguments=wanted.arguments,
        receipt=receipt, reason=held.verdict.reason, flags=held.verdict.flags,
    )  # fmt: skip
    plan = held.plan
    text = render_answer(wanted.tool, plan.answer(approval)) if plan.sends else ""
    is_new = approval.receipt_id == receipt.pk
    remarks = (approval.reason,) if approval.held_by else ()
    again = say("same_proposal", approval=approval.public_id)
    receipts.close(
        receipt, outcome=Outcome.HELD, result=json.loads(text) if text else None,
        approval=approval.public_id, decision=Decision.HOLD,
        reason=approval.reason if is_new else again,
    )  # fmt: skip
    return Answer(text, receipt.public_id, approval, replayed=not is_new, remarks=remarks)


def _is_abandoned(wanted: _Call, receipt: Receipt) -> bool:
    """Return True if this call may do the work of the one that opened the receipt.

    Raises ToolError where the key belongs to another call, or to one that is still running.
    """
    same = wanted.arguments.sha256 == receipt.arguments_sha256
    if receipt.tool != wanted.tool.name or not same:
        raise _refuse_key(wanted, "idempotency_conflict", "The key was used for another call")
    if receipt.outcome != Outcome.OPEN:
        return False
    if timezone.now() - receipt.opened_at < ABANDONED_AFTER:
        raise _refuse_key(wanted, "idempotency_in_progress", "The call with this key is running")
    return True


def _replay(wanted: _Call, receipt: Receipt) -> Answer:
    """Return what came of the call that closed this receipt."""
    again = ReceiptEntry(
        tool=wanted.tool.name, arguments=wanted.arguments, approval=receipt.approval,
        reason=say("same_call", receipt=receipt.public_id),
    )  # fmt: skip
    try:
        text, approval = _find_answer(wanted.tool, receipt)
    except ToolError as error:
        _record_refusal(wanted.actor, again, error)
        raise
    shown = receipts.record(wanted.actor, replace(again, result=json.loads(text)))
    return Answer(text, shown.public_id, approval, replayed=True)


def _find_answer(tool: Tool, receipt: Receipt) -> tuple[str, Approval | None]:
    if receipt.outcome == Outcome.HELD:
        named = Approval.objects.with_public_id(receipt.approval)
        approval = named.select_related("submission").get()
        answer, newest = answer_of(tool, approval)
        return (answer if isinstance(answer, str) else render_answer(tool, answer)), newest
    if receipt.outcome == Outcome.ERROR:
        raise ToolError("conflict", "The same call has just failed; it may be tried again")
    return receipts.read_answer(receipt), None


def _close_with_error(wanted: _Call, receipt: Receipt, error: ToolError) -> Answer:
    """Close the receipt of a call whose effect was rolled back, and raise its error."""
    is_denied = error.code == "permission_denied"
    try:
        receipts.close(
            receipt, outcome=Outcome.ERROR, result=error.as_json(), error_code=error.code,
            decision=Decision.DENY if is_denied else None,
            reason=own(error.message) if is_denied else None,
        )  # fmt: skip
    except AlreadyClosed:
        return _replay(wanted, Receipt.objects.get(pk=receipt.pk))
    raise error


def _refuse_key(wanted: _Call, code: str, message: str) -> ToolError:
    error = ToolError(code, message, {"idempotency_key": wanted.key})
    _record_refusal(wanted.actor, replace(wanted.entry, decision=Decision.DENY), error)
    return error


def _refuse(name: str, arguments: object, actor: Actor, error: ToolError) -> None:
    """Write the receipt of a call that was not even begun."""
    given = as_object(arguments)
    _record_refusal(actor, ReceiptEntry(name, given, decision=Decision.DENY), error)


def _record_refusal(actor: Actor, entry: ReceiptEntry, error: ToolError) -> None:
    """Write the receipt of a call that had no effect; it never takes the idempotency key."""
    receipts.record(
        actor,
        replace(
            entry, outcome=Outcome.ERROR, error_code=error.code, result=error.as_json(),
            reason=own(error.message) if entry.decision is Decision.DENY else entry.reason,
            idempotency_key=None,
        ),
    )  # fmt: skip


def _explain(wanted: _Call, error: Exception) -> ToolError:
    """Return what the caller is told of an error: of a row that is not there, what there is."""
    known = as_tool_error(wanted.tool.name, error)
    return say_what_there_is(wanted.actor, wanted.args, known)
