"""Kill the web server, or the worker, at each step between "approve" and the copy of what was sent."""

import http.client
import random
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from urllib.parse import urlencode

from agents.approval.status import ApprovalError
from inbox.models import Job, Message, Submission
from tests.faults.invariants import check_lane
from tests.faults.recovery import bring_to_an_end
from tests.faults.stage import Case, Lane, Stage
from tests.faults.tally import Tally, say
from tests.faults.victims import Victim, web, worker

SIGNALS = (signal.SIGKILL, signal.SIGTERM)
LONGEST_RUN = 40.0
_CSRF = "a" * 32
_KINDS = {"web": web, "worker": worker}


@dataclass(frozen=True)
class Kill:
    """Who is killed, at which step of an undisturbed run, and how; `more`: after other faults."""

    kind: str
    lane: Lane
    step: int
    signal: signal.Signals
    more: bool = False


def run_kills(stage: Stage, numbers: range, seed: str, ends: float) -> Tally:
    """Do all of them, and then more at random, with faults of the servers, until there are enough."""
    chance = random.Random(f"{seed} {numbers.start}")
    tally = Tally("killed between approve and the copy")
    started = time.monotonic()
    # A few kills are spent on the longest way.
    lanes = stage.open_lanes() if numbers.stop >= 100 else [stage.open_lane(imap=True)]
    steps = {
        (kind, id(lane)): _steps(stage, lane, kind, chance) for kind in _KINDS for lane in lanes
    }
    for lane in lanes:
        counts = ", ".join(f"{len(steps[kind, id(lane)])} of the {kind}" for kind in _KINDS)
        say(f"  {lane.name}: {counts}")
    # Every part has the same plan, and does its own share of it.
    mine = islice(
        _plan(steps, lanes, random.Random(seed)), numbers.start, numbers.stop, numbers.step
    )
    for kill in mine:
        if time.monotonic() > ends:
            break
        _run(stage, kill, chance, tally)
        if tally.runs % 100 == 0:
            say(f"  {tally.runs} of {len(numbers)} killed, {time.monotonic() - started:.0f} s")
    tally.seconds = time.monotonic() - started
    return tally


def _plan(
    steps: dict[tuple[str, int], list[str]], lanes: list[Lane], chance: random.Random
) -> Iterator[Kill]:
    every = [
        Kill(kind, lane, step, number)
        for lane in lanes
        for kind in _KINDS
        for step in range(1, len(steps[kind, id(lane)]) + 1)
        for number in SIGNALS
    ]
    # In no order: a short run kills here and there.
    chance.shuffle(every)
    yield from every
    while True:
        once = chance.choice(every)
        yield Kill(once.kind, once.lane, once.step, once.signal, more=True)


def _steps(stage: Stage, lane: Lane, kind: str, chance: random.Random) -> list[str]:
    """Return the steps of a run that nothing disturbs."""
    case = stage.propose(lane, chance)
    if kind == "worker":
        stage.approve(case)
    with Victim(_KINDS[kind], 0, signal.SIGTERM) as victim:
        if kind == "web":
            _press(stage, case, victim)
        else:
            _wait_for_the_copy(case, victim)
        victim.process.terminate()
        names = victim.hear()
    bring_to_an_end([case.approval.submission_id])
    return list(names or ())


def _run(stage: Stage, kill: Kill, chance: random.Random, tally: Tally) -> None:
    case = stage.propose(kill.lane, chance)
    if kill.more:
        kill.lane.misbehave(chance, patient=False)
    if kill.kind == "web":
        died = _kill_web(stage, case, kill)
    else:
        died = _kill_worker(stage, case, kill)
        if kill.more and chance.random() < 0.5:
            # The next one dies as well.
            died += _kill_worker(stage, case, kill)
    pk = case.approval.submission_id
    bring_to_an_end([pk])
    kill.lane.behave()
    tally.add(check_lane(kill.lane, stage, [case]))
    tally.ends[Submission.objects.values_list("state", flat=True).get(pk=pk)] += 1
    tally.notes[f"{kill.kind} {kill.signal.name}: died" if died else f"{kill.kind}: outlived"] += 1


def _kill_web(stage: Stage, case: Case, kill: Kill) -> int:
    case.story.append(f"web {kill.signal.name} at step {kill.step}")
    with Victim(web, kill.step, kill.signal) as victim:
        _press(stage, case, victim)
        victim.process.join(5)
        died = victim.is_over
    # Who got no answer looks again, and presses again where it still waits.
    with suppress(ApprovalError):
        stage.approve(case)
        case.story.append("approved again")
    return int(died)


def _press(stage: Stage, case: Case, victim: Victim) -> None:
    """Press "approve" over HTTP, as the reviewer's browser does."""
    port = victim.hear()
    if port is None:
        return
    sha256 = case.approval.sha256
    form = urlencode({"sha256": sha256, "csrfmiddlewaretoken": _CSRF})
    cookies = {**stage.cookies, "csrftoken": _CSRF}
    headers = {
        "Content-Type": "application/x-www-form-urlencoded",
        "Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items()),
    }
    case.pressed.add(sha256)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    path = f"/admin/review/{case.approval.public_id}/approve/"
    try:
        connection.request("POST", path, form, headers)
        status = connection.getresponse().status
    except (OSError, http.client.HTTPException):
        case.story.append("no answer")
    else:
        case.story.append(f"answered {status}")
        if status == http.client.FOUND:
            case.granted.add(sha256)
    finally:
        connection.close()


def _kill_worker(stage: Stage, case: Case, kill: Kill) -> int:
    if not case.granted:
        stage.approve(case)
    case.story.append(f"worker {kill.signal.name} at step {kill.step}")
    with Victim(worker, kill.step, kill.signal) as victim:
        _wait_for_the_copy(case, victim)
        return int(victim.is_over)


def _wait_for_the_copy(case: Case, victim: Victim) -> None:
    """Wait until the process is over, or nothing more of the mail is to be done now."""
    end = time.monotonic() + LONGEST_RUN
    while not victim.is_over and time.monotonic() < end:
        if _is_settled(case.approval.submission_id):
            return
        time.sleep(0.01)


def _is_settled(pk: int) -> bool:
    submission = Submission.objects.defer("mime").get(pk=pk)
    was_tried = submission.attempts or submission.awaits_login
    if submission.state == "sending" or (submission.state == "pending" and not was_tried):
        return False
    if submission.state == "sent" and not (
        submission.filed_at and Message.objects.filter(submission_id=pk).exists()
    ):
        return False
    due = Job.objects.filter(kind__startswith="submission.", payload__submission_id=pk)
    return not due.filter(state="running").exists()
