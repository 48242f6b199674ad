"""Workers killed with -9 while notes and commands come due: each fires once, and late ones say so.

A short run; `SCHEDULER_KILLS=30 SCHEDULER_ITEMS=200` makes it the whole one.
"""

import os
import random
import subprocess
import time
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from agents import receipts
from agents.models import AgentMessage, Receipt, Schedule
from agents.operations.firing import LATE_AFTER, LEASE
from agents.operations.schedules import FIRE, create_schedule
from inbox.background.jobs import sweep
from inbox.models import Activity, Job, JobState
from tests import factories
from tests.fork_server import Forked, start
from tests.processes import process_environment

pytestmark = pytest.mark.django_db(transaction=True)
KILLS = int(os.environ.get("SCHEDULER_KILLS", "4"))
ITEMS = int(os.environ.get("SCHEDULER_ITEMS", "30"))
# Workers at once, and seconds over which everything comes due.
WORKERS = 2
SPAN = max(3.0, 1.5 * (KILLS - 2))
PATIENCE = 240


def start_worker(var: Path) -> Forked:
    return start(
        ["manage.py", "worker", "--threads", "2"],
        env=process_environment(CHANCERY_VAR=str(var)),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def kill(process: Forked) -> None:
    process.kill()
    process.wait()


def schedule_all(actor, chance):
    """Half notes, half commands, from in a moment on; several at a time come due together."""
    begin = timezone.now() + timedelta(seconds=0.5)
    moments = [begin + timedelta(seconds=chance.uniform(0, SPAN)) for _ in range(ITEMS // 5)]
    for number in range(ITEMS):
        say = {"from_agent": "Clerk", "to_agent": "Scout", "message": f"Number {number}"}
        command, kind = ("send_message_to_agent", "command") if number % 2 else ("", "notification")
        create_schedule(
            actor=actor, kind=kind, command=command or f"Note {number}",
            payload=say if command else {}, trigger_at=chance.choice(moments),
        )  # fmt: skip


def run_killing(var, chance, actor):
    """Have workers at work when all comes due, killing some again and again; then let them end.

    Every second time the moment is any; else just after a job was begun.
    """
    workers = [start_worker(var) for _ in range(WORKERS)]
    try:
        schedule_all(actor, chance)
        for number in range(KILLS):
            time.sleep(chance.uniform(0.2, 1.5 * SPAN / KILLS))
            if number % 2:
                wait_for(lambda: running() or not unfinished(), seconds=5)
                time.sleep(chance.uniform(0, 0.02))
            for place in chance.choice(([0], [1], [0, 1])):
                kill(workers[place])
                workers[place] = start_worker(var)
        assert wait_for(lambda: not go_on(), seconds=PATIENCE), unfinished()
    finally:
        for process in workers:
            kill(process)


def go_on() -> int:
    """Let the time be over that what was killed is waited for; return how many are not finished.

    Who lives is done with a job, or has renewed its lease, within a second.
    """
    now = timezone.now()
    dead = jobs().filter(
        state=JobState.RUNNING, leased_until__lt=now + LEASE - timedelta(seconds=1)
    )
    if dead.update(leased_until=now - timedelta(seconds=1)):
        sweep()
    jobs().filter(state=JobState.QUEUED, run_at__gt=now).exclude(error="").update(run_at=now)
    return unfinished()


def wait_for(condition, seconds):
    """Wait until something holds, so many seconds at most; tell whether it does."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True


def jobs():
    return Job.objects.filter(kind=FIRE)


def running():
    return jobs().filter(state=JobState.RUNNING).exists()


def unfinished():
    return Schedule.objects.filter(state__in=["pending", "running"]).count()


def test_each_fires_once_and_late_ones_say_so(actor, workspace, tmp_path):
    factories.make_agent(workspace, "Scout")
    chance = random.Random(os.environ.get("SCHEDULER_SEED", "7"))
    run_killing(tmp_path, chance, actor)

    assert Counter(Schedule.objects.values_list("state", flat=True)) == {"fired": ITEMS}
    notes = Counter(Activity.objects.values_list("title", flat=True))
    said = Counter(AgentMessage.objects.values_list("text", flat=True))
    assert notes == {f"Note {number}": 1 for number in range(0, ITEMS, 2)}
    assert said == {f"Number {number}": 1 for number in range(1, ITEMS, 2)}
    fired = {
        receipt.arguments["schedule_id"]: receipt
        for receipt in Receipt.objects.filter(tool="schedule.fired")
    }
    assert len(fired) == Receipt.objects.filter(tool="schedule.fired").count() == ITEMS
    assert Receipt.objects.filter(tool="send_message_to_agent").count() == ITEMS // 2
    late = [check_lateness(schedule, fired[schedule.public_id])
            for schedule in Schedule.objects.all()]  # fmt: skip
    assert receipts.verify(workspace) == []
    again = sum(attempts - 1 for attempts in jobs().values_list("attempts", flat=True))
    print(  # noqa: T201
        f"\n{KILLS} kills left {again} jobs in the middle; {ITEMS} came due, each fired once, "
        f"{sum(late)} late"
    )


def check_lateness(schedule, receipt) -> bool:
    """What fired late says by how much, in the receipt and in the note; what did not says nothing."""
    by = (schedule.finished_at - schedule.trigger_at).total_seconds()
    stated = receipt.result["late_by_seconds"]
    note = Activity.objects.filter(source_id=schedule.public_id).first()
    is_late = stated > 0
    assert receipt.result["late"] == is_late == ("late: it was due" in receipt.reason)
    assert note is None or is_late == ("late: it was due" in note.reasoning)
    # It is looked at before the effect and finished after it: a little lies in between.
    assert stated <= by
    assert is_late or by < LATE_AFTER.total_seconds() + 5
    return is_late
