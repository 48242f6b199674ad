"""Random approvals under random faults, carried by Celery workers that die and a forgetful broker."""

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings

from inbox.models import Account, Job, Submission
from tests.faults.crew import Crew
from tests.faults.invariants import check_lane
from tests.faults.random_approvals import WEIGHTS, Desk, act
from tests.faults.recovery import bring_to_an_end, is_moving, type_in_passwords
from tests.faults.sights import Sights
from tests.faults.stage import Case, Lane, Stage
from tests.faults.steps import Steps
from tests.faults.tally import Tally, say
from tests.machines.brokers import OWN_BROKERS, Broker

# In seconds: between one message and the next, how long a server takes at the final dot, and how long
# the workers have in the end for what they left.
BETWEEN, DOT, TO_SETTLE = 0.6, 0.5, 60.0
PROGRAM = ("tests.faults.hasty",)


class FarDesk(Desk):
    """A message whose work is done elsewhere: it is waited for a moment instead."""

    def work(self) -> None:
        time.sleep(self.chance.uniform(0, 0.2))

    def die(self) -> None:
        time.sleep(self.chance.uniform(0, 0.2))


def run_brokered(stage: Stage, numbers: range, seed: str, ends: float, name: str) -> Tally:
    """Do so many; `name` is redis or rabbitmq, for one of its own, or the address of a broker.

    What we keep there is emptied now and then, and one of its own is stopped besides.
    """
    chance = random.Random(f"{seed} {numbers.start}")
    kind = name.partition(":")[0].replace("amqp", "rabbitmq")
    tally = Tally(f"random approvals carried by two Celery workers that die, over {kind}")
    started = time.monotonic()
    lanes = [*stage.open_lanes(), *stage.open_encrypted_lanes()]
    sights = Sights(DOT)
    for lane in lanes:
        if lane.smtp:
            lane.smtp.script = sights.script
    cases = []
    with (
        _broker(name) as broker,
        broker.ringing(),
        Crew(broker, sights, random.Random(chance.random())) as crew,
    ):
        for _ in numbers:
            if time.monotonic() > ends:
                break
            cases.append(_one(stage, lanes, chance))
            time.sleep(chance.uniform(0, BETWEEN))
            if len(cases) % 100 == 0:
                say(f"  {len(cases)} of {len(numbers)} approved")
        crew.rest()
        for lane in lanes:
            lane.behave()
        _settle(tally)
        tally.notes += crew.notes
        tally.notes["submissions taken over from the dead"] = _taken_over()
    bring_to_an_end(Submission.objects.values_list("pk", flat=True))
    for case in cases:
        tally.add(check_lane(case.lane, stage, [case]))
        tally.ends[Submission.objects.get(pk=case.line[-1].submission_id).state] += 1
    tally.seconds = time.monotonic() - started
    return tally


@contextmanager
def _broker(name: str) -> Iterator[Broker]:
    """Give the broker of this name, ours to stop, or that at this address."""
    if name not in OWN_BROKERS:
        yield Broker(name, settings.VAR_DIR, PROGRAM)
        return
    broker = OWN_BROKERS[name](settings.VAR_DIR, PROGRAM)
    try:
        broker.start()
        yield broker
    finally:
        broker.stop()


def _one(stage: Stage, lanes: list[Lane], chance: random.Random) -> Case:
    lane = chance.choices(lanes, WEIGHTS)[0]
    undo = chance.choice((0, 0, 2))
    Account.objects.filter(pk=lane.inbox.account_id).update(undo_seconds=undo)
    case = stage.propose(lane, chance)
    lane.misbehave(chance, patient=chance.random() < 0.03)
    act(FarDesk(stage, case, chance, Steps(0, lambda name: None)))
    return case


def _taken_over() -> int:
    """Return how many were just being sent when their worker died."""
    return Job.objects.filter(kind="submission.recover", state="done").count()


def _settle(tally: Tally) -> None:
    """Let the workers finish; what they do not is noted, and left to the hand of time."""
    rows = Submission.objects.all()
    end = time.monotonic() + TO_SETTLE
    while is_moving(rows):
        type_in_passwords()
        if time.monotonic() > end:
            tally.notes["times the workers did not finish in time"] += 1
            return
        time.sleep(0.2)
