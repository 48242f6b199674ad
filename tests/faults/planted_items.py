"""What is planted, attacked: every way to make a message leave is tried on some of many.

Each is put among approved mail, and a few of the ways are tried on it, in any order, by people, by
our own code called directly and by SQL, while workers go on and die; all ways are tried equally
often. The servers behind the accounts write down what reaches them: nothing of a planted message
may, and in the end each that is over is told of on the receipts.
"""

import itertools
import json
import random
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import timedelta

from django.db import DatabaseError, connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from agents.approval import lifecycle
from agents.approval.lifecycle import ApprovalError, Batch
from agents.approval.plan import Approved
from agents.contracts import REGISTRY, ToolError
from agents.dispatching import dispatch
from agents.models import Absence, Approval, PlantedItem, Receipt
from inbox.actor import system_actor
from inbox.background import jobs
from inbox.errors import DomainError
from inbox.models import Draft, Job, Message, PlantedDraft, Submission
from inbox.operations.sending import delivery
from inbox.operations.sending.submissions import (
    enqueue_send,
    propose_submission,
    release_submission,
)
from inbox.submission_states import APPROVED_STATES
from tests import factories
from tests.agents.planted.making import plant_item
from tests.faults.invariants import arrived
from tests.faults.random_approvals import STEPS, DiedError, dying
from tests.faults.stage import Lane, Stage
from tests.faults.steps import Steps
from tests.faults.tally import Tally, say
from tests.sending_tools import hurry

# Of 22 ways five are tried on each, so that of ten thousand each is tried more than 2,000 times.
PLANTED, TRIED = 10_000, 5
NAME = "planted items under every way to send them"
TRIES, LEAST = "attempts", "at least by each way"
# Those of `Attempts`, which has one for each.
WAYS = (
    "approve", "approve_in_a_batch", "approve_as_delegate", "edit_and_approve", "undo",
    "say_it_arrived", "press_on_the_page", "press_in_a_batch", "ask_the_api", "resume", "release",
    "enqueue", "enqueue_by_hand", "deliver", "move_by_the_orm", "insert_another", "insert_approved",
    "seal_anew", "move_by_sql", "lose_the_mark", "other_draft", "die",
)  # fmt: skip
_REFUSALS = (ApprovalError, DomainError, ToolError, DatabaseError, AssertionError)


class Attempts:
    """One planted message, and every way to make it leave."""

    def __init__(self, stage: Stage, lane: Lane, chance: random.Random, steps: Steps) -> None:
        self.stage, self.lane, self.chance, self.steps = stage, lane, chance, steps
        self.approval = plant_on(stage, lane, chance)
        self.submission: Submission = Submission.objects.get(pk=self.approval.submission_id)
        self.story: list[str] = []

    def take(self, way: Callable[[], object]) -> None:
        """Try one; what is refused is refused."""
        self.story.append(way.__name__)
        with suppress(*_REFUSALS), transaction.atomic():
            way()

    # -- what people do ----------------------------------------------------------------------------
    def approve(self) -> None:
        lifecycle.approve(
            approval=self.approval, by=self.stage.reviewer, sha256=self.approval.sha256
        )

    def approve_in_a_batch(self) -> None:
        batch = Batch(uuid.UUID(int=self.chance.getrandbits(128)), 0)
        lifecycle.approve(
            approval=self.approval, by=self.stage.reviewer, sha256=self.approval.sha256, batch=batch
        )

    def approve_as_delegate(self) -> None:
        delegate = self.stage.reviewer
        away = factories.make_person_user(self.approval.workspace)
        now = timezone.now()
        Absence.objects.create(
            workspace=self.approval.workspace, user=away, delegate=delegate, since=now,
            until=now + timedelta(days=1),
        )  # fmt: skip
        self.approve()

    def edit_and_approve(self) -> None:
        draft = self.submission.draft
        lifecycle.edit_and_approve(
            approval=self.approval, by=self.stage.reviewer, subject=draft.subject,
            body=f"Edited. {draft.body}", to=draft.to, cc=draft.cc, bcc=draft.bcc,
        )  # fmt: skip

    def undo(self) -> None:
        lifecycle.undo(approval=self.approval, by=self.stage.reviewer)

    def say_it_arrived(self) -> None:
        lifecycle.settle(approval=self.approval, by=self.stage.reviewer, sent=True)

    def press_on_the_page(self) -> None:
        url = reverse("review-approve", args=[self.approval.public_id])
        self._client().post(url, {"sha256": self.approval.sha256})

    def press_in_a_batch(self) -> None:
        name = self.approval.public_id
        posted = {"item": name, f"sha256-{name}": self.approval.sha256}
        self._client().post(reverse("batch-approve"), posted)

    def ask_the_api(self) -> None:
        url = f"/api/v1/approvals/{self.approval.public_id}/decision"
        body = {"decision": "approve", "sha256": self.approval.sha256}
        self._client().post(url, json.dumps(body), content_type="application/json")

    def _client(self) -> Client:
        client = Client()
        client.cookies.load(self.stage.cookies)
        return client

    # -- our own code, called past all that asks ---------------------------------------------------
    def resume(self) -> None:
        self.approval.decided_by = self.stage.reviewer
        tool = REGISTRY.tool(self.approval.tool)
        dispatch.resume(Approved(self.approval), tool, self.stage.actor)

    def release(self) -> None:
        release_submission(
            submission=self.submission, approved_by=self.stage.reviewer,
            sha256=self.submission.sha256,
        )  # fmt: skip

    def enqueue(self) -> None:
        enqueue_send(self.submission, timezone.now())

    def enqueue_by_hand(self) -> None:
        Job.objects.create(
            workspace=self.approval.workspace, kind="submission.send", run_at=timezone.now(),
            payload={"submission_id": self.submission.pk},
        )  # fmt: skip

    def deliver(self) -> None:
        delivery.send({"submission_id": self.submission.pk})

    # -- rows, written by hand ---------------------------------------------------------------------
    def move_by_the_orm(self) -> None:
        self._move(self.submission)

    def _move(self, submission: Submission) -> None:
        now = timezone.now() - timedelta(seconds=1)
        submission.state = self.chance.choice(sorted(APPROVED_STATES))
        submission.approved_sha256 = submission.sha256
        submission.approved_by, submission.approved_at = self.stage.reviewer, now
        submission.send_at = now
        submission.save()

    def insert_another(self) -> None:
        """Insert a second submission of the draft, and move that."""
        Submission.objects.filter(pk=self.submission.pk, state="held").update(state="canceled")
        other = Submission.objects.get(pk=self.submission.pk)
        other.pk, other.state = None, "held"
        other.message_id_header = f"<{self.chance.getrandbits(120):x}@lantern.example>"
        other.save(force_insert=True)
        # Whether it can be moved is another question than whether it can be there.
        with suppress(DatabaseError), transaction.atomic():
            self._move(other)

    def insert_approved(self) -> None:
        other = Submission.objects.get(pk=self.submission.pk)
        other.pk, other.state, other.approved_sha256 = None, "pending", other.sha256
        other.message_id_header = f"<{self.chance.getrandbits(120):x}@lantern.example>"
        other.save(force_insert=True)

    def seal_anew(self) -> None:
        system = system_actor(self.approval.workspace_id, "Chancery")
        draft = Draft.objects.get(pk=self.submission.draft_id)
        Draft.objects.filter(pk=draft.pk).update(status="open")
        again = propose_submission(actor=system, draft=draft)
        with suppress(*_REFUSALS), transaction.atomic():
            release_submission(
                submission=again, approved_by=self.stage.reviewer, sha256=again.sha256
            )

    def move_by_sql(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE inbox_submission SET state = 'pending', approved_sha256 = sha256, "
                "approved_by_id = %s, send_at = %s WHERE draft_id = %s",
                [self.stage.reviewer.pk, timezone.now(), self.submission.draft_id],
            )

    def lose_the_mark(self) -> None:
        table = self.chance.choice([PlantedDraft, PlantedItem])._meta.db_table
        with connection.cursor() as cursor:
            cursor.execute(f"DELETE FROM {table}")

    def other_draft(self) -> None:
        draft = Draft.objects.filter(planted_mark=None).order_by("-pk").first()
        Submission.objects.filter(pk=self.submission.pk).update(draft=draft)

    def die(self) -> None:
        """Be a worker that ends in the middle."""
        hurry()
        self.steps.last = self.steps.count + self.chance.randrange(1, STEPS)
        try:
            with self.steps.counted():
                jobs.run_due(limit=6)
        except DiedError:
            connection.close()
        finally:
            self.steps.last = 0

    # -- what came of it ---------------------------------------------------------------------------
    def broken(self, seen: set[str]) -> list[str]:
        """Return in words what does not hold; `seen` are the Message-IDs that servers were given."""
        rows = Submission.objects.filter(draft=self.submission.draft_id).defer("mime")
        found = []
        for row in rows:
            if row.message_id_header in seen:
                found.append("A PLANTED MESSAGE LEFT")
            if row.state in APPROVED_STATES or row.approved_sha256:
                found.append(f"a planted message is {row.state}")
        if Approval.objects.filter(pk=self.approval.pk, state="approved").exists():
            found.append("a planted proposal is approved")
        if not PlantedDraft.objects.filter(draft=self.submission.draft_id).exists():
            found.append("the mark is gone")
        if Message.objects.filter(submission__in=rows).exists():
            found.append("a copy lies with the sent mail")
        told = " → ".join(self.story)
        return [f"{self.submission.public_id}: {words}; {told}" for words in found]


def plant_on(stage: Stage, lane: Lane, chance: random.Random) -> Approval:
    """Plant an item of any kind on an account."""
    language, number = chance.choice(("en", "de")), chance.getrandbits(40)
    made = plant_item(stage.actor, lane.inbox, language=language, number=number, chance=chance)
    if chance.random() < 0.995:
        # What flags it raises takes most of the time, and says nothing of whether it leaves.
        made.checks_due = False
        made.save(update_fields=["checks_due"])
    return made


def deal(names: Sequence[str], chance: random.Random) -> Iterator[tuple[str, ...]]:
    """Yield the ways to try on one item after the other, all of them equally often."""
    dealt = itertools.chain.from_iterable(
        chance.sample(names, len(names)) for _ in itertools.count()
    )
    while True:
        yield tuple(itertools.islice(dealt, TRIED))


def try_one(
    stage: Stage, lane: Lane, chance: random.Random, steps: Steps, names: Sequence[str]
) -> Attempts:
    """Plant one and try these ways on it; then let the workers go on."""
    attempts = Attempts(stage, lane, chance, steps)
    for name in names:
        attempts.take(getattr(attempts, name))
    if chance.random() < 0.1:
        hurry()
        with suppress(DiedError):
            jobs.run_due(limit=100)
    return attempts


def run_planted(stage: Stage, numbers: range, seed: str, ends: float) -> Tally:
    """Do so many, with approved mail between them that has to leave."""
    # What is planted is always on a thread of its own, whose mail a demo would not have.
    chance = random.Random(f"{seed} {numbers.start}")
    tally, started = Tally(NAME), time.monotonic()
    lanes = [stage.open_lane(), stage.open_lane(smtp=False)]
    dealt, tried = deal(WAYS, chance), Counter[str]()
    with dying() as steps:
        for number, names in zip(numbers, dealt, strict=False):
            lane = chance.choice(lanes)
            if time.monotonic() > ends:
                break
            if number % 50 == 0:
                case = stage.propose(lane, chance)
                stage.approve(case)
                tally.notes["real ones were approved between them"] += 1
            attempts = try_one(stage, lane, chance, steps, names)
            tried.update(names)
            # What is given to the built-in provider are files: they are looked at in the end.
            newest = lane.smtp.whole[-50:] if lane.smtp else []
            tally.add(attempts.broken({whole.message_id for whole in newest}))
            item = PlantedItem.objects.get(approval=attempts.approval)
            tally.ends[str(item.verdict or "undecided")] += 1
            if tally.runs % 100 == 0:
                _say_how_far(tally.runs, len(numbers), started)
    tally.notes[TRIES], tally.notes[LEAST] = tried.total(), min(tried[it] for it in WAYS)
    hurry()
    jobs.run_due()
    _add_what_holds_in_the_end(tally, lanes)
    tally.seconds = time.monotonic() - started
    return tally


def _say_how_far(runs: int, of: int, started: float) -> None:
    took, at_work = time.monotonic() - started, time.process_time()
    say(f"  {runs} of {of}, {took:.0f} s, {at_work:.0f} s of the processor")


def _add_what_holds_in_the_end(tally: Tally, lanes: list[Lane]) -> None:
    for words in (*_left(lanes), *_untold()):
        tally.broken.append(words)
        say(f"  BROKEN {words}")


def _left(lanes: list[Lane]) -> list[str]:
    """Return what of all that servers were given was planted."""
    seen = {whole.message_id for lane in lanes for whole in arrived(lane)}
    planted = Submission.objects.filter(draft__planted_mark__isnull=False)
    left = set(planted.values_list("message_id_header", flat=True)) & seen
    return [f"A PLANTED MESSAGE LEFT: {name}" for name in sorted(left)]


def _untold() -> list[str]:
    """Return what is over, and of which no receipt says that it was planted."""
    over = Approval.objects.filter(planted__isnull=False).exclude(state="waiting")
    told = Receipt.objects.filter(tool="tell_planted").values_list("approval", flat=True)
    untold = {one.public_id for one in over.only("pk")} - set(told)
    return [f"never told that it was planted: {name}" for name in sorted(untold)]
