"""A short run of the fault suite, as `make faults` does a long one."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from tempfile import TemporaryDirectory

import pytest

from project.settings import BASE_DIR
from tests.cases import made_up
from tests.faults.invariants import check
from tests.faults.random_approvals import run_approvals
from tests.faults.tally import Tally
from tests.machines.brokers import find

POSTGRESQL = os.environ.get("DATABASE_URL", "postgres://postgres@127.0.0.1:5432/postgres")


@pytest.fixture
def short_folder() -> Iterator[str]:
    """A folder in whose name sockets still have room: an address of one is 107 bytes at most."""
    with TemporaryDirectory() as folder:
        yield folder


def run_faults(*numbers: int | str, **environment: str) -> str:
    """Run it as a process of its own, with a database of its own; return what it printed."""
    run = subprocess.run(
        [sys.executable, "-m", "tests.faults", *map(str, numbers)],
        cwd=BASE_DIR, capture_output=True, text=True, timeout=560, check=False,
        env={**os.environ, "FAULTS_KEEP": "0", "FAULTS_PROCESSES": "1", **environment},
    )  # fmt: skip
    assert run.returncode == 0, f"{environment}\n{run.stdout[-6000:]}\n{run.stderr[-3000:]}"
    return run.stdout


def test_killed_here_and_there_every_promise_holds(short_folder):
    """One part of it, as one of its processes does it."""
    environment = {**os.environ, "TMPDIR": short_folder, "FAULTS_SEED": os.urandom(4).hex()}
    # A folder, and with it a database, of its own.
    del environment["CHANCERY_VAR"]
    run = subprocess.run(
        [sys.executable, "-m", "tests.faults", str(made_up(16)), "0", "0", "1", "0"], cwd=BASE_DIR,
        capture_output=True, text=True, timeout=560, check=False, env=environment,
    )  # fmt: skip
    assert run.returncode == 0, f"{environment['FAULTS_SEED']}\n{run.stdout}\n{run.stderr}"
    (tally,) = map(Tally.read, json.loads(run.stdout.splitlines()[-1]))
    assert (tally.runs, tally.broken) == (made_up(16), []), environment["FAULTS_SEED"]


@pytest.mark.django_db(transaction=True)
def test_disturbed_here_and_there_every_promise_holds(built):
    seed, number = os.urandom(4).hex(), made_up(40)
    tally = run_approvals(built, range(number), seed, time.monotonic() + 560)
    assert (tally.runs, tally.broken + check(built)) == (number, []), seed


@pytest.mark.services
def test_the_same_holds_on_postgresql(short_folder):
    said = run_faults(20, 60, 0, TMPDIR=short_folder, DATABASE_URL=POSTGRESQL)
    assert said.count("0 broken") == 2


@pytest.mark.services
@pytest.mark.parametrize(
    ("broker", "program"), [("redis", "redis-server"), ("rabbitmq", "rabbitmq-server")]
)
def test_and_where_celery_workers_die_and_their_broker_fails(short_folder, broker, program):
    find(program)
    # A short run aims at a send once or twice, and on a busy machine nobody may come by in time.
    for _ in range(4):
        said = run_faults(
            0, 20, 0, TMPDIR=short_folder, DATABASE_URL=POSTGRESQL, FAULTS_BROKER=broker,
            FAULTS_SEED=os.urandom(4).hex(),
        )  # fmt: skip
        assert f"two Celery workers that die, over {broker}: 20 runs" in said
        assert said.count("0 broken") == 1
        if "deaths in the middle of a send" in said:
            return
    pytest.fail(f"no worker died in the middle of a send in four runs: {said}")
