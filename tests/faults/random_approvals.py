"""Approve, undo, edit, refuse and send in any order and at once, while servers and workers fail."""

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial

from django.db import connection, connections

from agents.approval import lifecycle
from agents.approval.status import ApprovalError
from agents.models import Approval
from inbox.background import jobs
from inbox.errors import DomainError
from inbox.models import Account, Submission
from inbox.operations.drafts.writing import revise_draft
from tests.faults.invariants import check_lane
from tests.faults.recovery import bring_to_an_end
from tests.faults.stage import Case, Stage
from tests.faults.steps import Steps, install
from tests.faults.tally import Tally, say
from tests.sending_tools import hurry

MOST_ACTIONS = 4
# How often each lane is taken: those of `open_lanes`, then those of `open_encrypted_lanes`.
WEIGHTS = (5, 2, 2, 1, 3, 1)
# A worker that dies here dies at one of so many steps.
STEPS = 160


class DiedError(BaseException):
    """A worker of this process is over: nothing catches it, as nothing catches a SIGKILL."""


class Desk:
    """One message, and everything that may be done about it."""

    def __init__(self, stage: Stage, case: Case, chance: random.Random, steps: Steps) -> None:
        self.stage, self.case, self.chance, self.steps = stage, case, chance, steps

    @property
    def newest(self) -> Approval:
        """The approval that waits now."""
        approval = Approval.objects.select_related("replaced_by").get(pk=self.case.approval.pk)
        while approval.replaced_by is not None:
            approval = approval.replaced_by
        return approval

    def actions(self) -> list[Callable[[], None]]:
        """Return what will be done, in this order; most messages are approved and sent."""
        weighted = {
            self.approve: 12, self.approve_another: 1, self.edit_and_approve: 2, self.edit: 1,
            self.undo: 2, self.reject: 1, self.send_back: 1, self.work: 4, self.die: 3,
        }  # fmt: skip
        number = self.chance.randrange(1, MOST_ACTIONS + 1)
        return self.chance.choices(list(weighted), list(weighted.values()), k=number)

    def do(self, action: Callable[[], None]) -> None:
        """Do one thing; what is refused is refused."""
        self.case.story.append(action.__name__)
        with suppress(DomainError, ApprovalError):
            action()

    def approve(self) -> None:
        approval = self.newest
        self.case.pressed.add(approval.sha256)
        lifecycle.approve(approval=approval, by=self.stage.reviewer, sha256=approval.sha256)
        self.case.granted.add(approval.sha256)

    def approve_another(self) -> None:
        """Press the button on a page that showed other bytes."""
        other = f"{self.chance.getrandbits(256):064x}"
        lifecycle.approve(approval=self.newest, by=self.stage.reviewer, sha256=other)

    def edit_and_approve(self) -> None:
        words = f"Edited: {self.chance.random()}\n.\nBye"
        people = [{"name": "", "email": f"eve{it}@customer.example"} for it in range(3)]
        edited = lifecycle.edit_and_approve(
            approval=self.newest, by=self.stage.reviewer, subject="Edited", body=words,
            to=people[:1], cc=[], bcc=people[1:],
        )  # fmt: skip
        # What a person wrote is pressed for as it is sealed.
        self.case.pressed.add(edited.sha256)
        self.case.granted.add(edited.sha256)

    def edit(self) -> None:
        """Change the draft behind the person's back: the approval must not hold any more."""
        submission = Submission.objects.select_related("draft").get(pk=self.newest.submission_id)
        revise_draft(
            draft=submission.draft, author_key=self.stage.actor.key, author_name="Clerk",
            body=f"Changed behind your back: {self.chance.random()}",
        )  # fmt: skip

    def undo(self) -> None:
        approval = self.newest
        lifecycle.undo(approval=approval, by=self.stage.reviewer)
        self.case.taken_back[approval.submission_id] = time.monotonic()

    def reject(self) -> None:
        lifecycle.reject(approval=self.newest, by=self.stage.reviewer, reason="No.")

    def send_back(self) -> None:
        lifecycle.send_back(approval=self.newest, by=self.stage.reviewer, feedback="Shorter.")

    def work(self) -> None:
        """Be a worker for a while."""
        if self.chance.random() < 0.5:
            hurry()
        with self.steps.counted(), suppress(DiedError):
            jobs.run_due(limit=6)

    def die(self) -> None:
        """Be a worker that ends in the middle."""
        hurry()
        self.steps.last = self.steps.count + self.chance.randrange(1, STEPS)
        try:
            with self.steps.counted():
                jobs.run_due(limit=6)
        except DiedError:
            self.case.story.append(f"died {self.steps.names[self.steps.last - 1]}")
            connection.close()
        finally:
            self.steps.last = 0


def run_approvals(stage: Stage, numbers: range, seed: str, ends: float) -> Tally:
    """Do so many, one after the other; some of them are done to by several at once."""
    chance = random.Random(f"{seed} {numbers.start}")
    tally = Tally("random approvals under random faults")
    started = time.monotonic()
    lanes = [*stage.open_lanes(), *stage.open_encrypted_lanes()]
    with dying() as steps:
        for _ in numbers:
            if time.monotonic() > ends:
                break
            lane = chance.choices(lanes, WEIGHTS)[0]
            undo = chance.choice((0, 0, 30))
            Account.objects.filter(pk=lane.inbox.account_id).update(undo_seconds=undo)
            case = stage.propose(lane, chance)
            # To wait until we give up takes long: now and then.
            lane.misbehave(chance, patient=chance.random() < 0.03)
            act(Desk(stage, case, chance, steps))
            _finish(stage, case, tally)
            if tally.runs % 100 == 0:
                say(
                    f"  {tally.runs} of {len(numbers)} approved, {time.monotonic() - started:.0f} s"
                )
    tally.seconds = time.monotonic() - started
    return tally


@contextmanager
def dying() -> Iterator[Steps]:
    """Count steps at which a worker of this process may end."""

    def die(name: str) -> None:
        # What was not committed is undone, be it by a server that hears no more of its client.
        if connection.connection is not None:
            connection.connection.rollback()
        raise DiedError(name)

    steps = Steps(0, die, on=True)
    take_off = install(steps)
    try:
        yield steps
    finally:
        take_off()


def act(desk: Desk) -> None:
    """Do what may be done about a message; at last, most that still wait are approved."""
    (_at_once if desk.chance.random() < 0.1 else _in_turn)(desk)
    if desk.chance.random() < 0.8:
        desk.do(desk.approve)
        if desk.chance.random() < 0.3:
            desk.do(desk.die)


def _in_turn(desk: Desk) -> None:
    for action in desk.actions():
        desk.do(action)


def _at_once(desk: Desk) -> None:
    """Let four do something at the same moment: two approve, one disturbs, one sends."""
    disturb = desk.chance.choice((desk.edit, desk.undo, desk.reject, desk.edit_and_approve))
    everybody = [desk.approve, desk.approve, disturb, desk.work]
    barrier = threading.Barrier(len(everybody))

    def do(action: Callable[[], None]) -> None:
        try:
            barrier.wait(30)
            desk.do(action)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=partial(do, action)) for action in everybody]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    desk.case.story.append("all at once")


def _finish(stage: Stage, case: Case, tally: Tally) -> None:
    lane = case.lane
    submissions = Submission.objects.filter(account_id=lane.inbox.account_id)
    moving = submissions.filter(state__in=["pending", "sending", "sent"]).order_by("-pk")[:5]
    bring_to_an_end(moving.values_list("pk", flat=True))
    lane.behave()
    tally.add(check_lane(lane, stage, [case]))
    tally.ends[Submission.objects.get(pk=case.line[-1].submission_id).state] += 1
    for action in ("all at once", "undo", "edit"):
        if action in case.story:
            tally.notes[f"with {action}"] += 1
    if any(it.startswith("died") for it in case.story):
        tally.notes["with a worker that died"] += 1
