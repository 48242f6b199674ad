"""Receipts a second: processes write them as calls that read do, into one chain and into one each.

A chain for each process is what a chain for each agent would be: what that is faster by is what
the order of all calls of a workspace costs.
"""

import multiprocessing
import time
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier

from django.db import connections

from agents.dispatching.group_commit import group_commit
from agents.receipts import ReadyReceipt, ReceiptEntry
from bench.results import Result, hand_over
from inbox.actor import system_actor
from inbox.operations.accounts.workspaces import create_workspace

PROCESSES, ROUNDS, SECONDS, WARM_UP = 8, 4, 2.0, 20
GOAL = 0.8
_ENTRY = ReceiptEntry(
    "list_threads",
    {"inbox_id": "inb_" + "0" * 26, "limit": 50},
    shown=[f"msg_{number:026}" for number in range(50)],
)
_FORK = multiprocessing.get_context("fork")


def measure() -> list[Result]:
    """Write by turns in one workspace and in one for each process; the best round counts."""
    own = [create_workspace(name=f"Own {at}", slug=f"own-{at}").pk for at in range(PROCESSES)]
    shared = [create_workspace(name="Shared", slug="shared").pk] * PROCESSES
    # No process goes on with the connection of another.
    connections.close_all()
    together, apart = [], []
    for _ in range(ROUNDS):
        together.append(_rate(shared))
        apart.append(_rate(own))
    ratio = max(together) / max(apart)
    return [
        Result(
            f"receipts of one workspace by {PROCESSES} processes, PostgreSQL",
            f"{max(together):.0f} a second", f"a workspace each {max(apart):.0f} a second",
            f"{ratio:.2f}", f"≥ {GOAL}", ratio >= GOAL,
        )
    ]  # fmt: skip


def _rate(workspaces: list[int]) -> float:
    """Return how many a second were written by one process for each workspace named."""
    start, rates = _FORK.Barrier(len(workspaces)), _FORK.Queue()
    running = [
        _FORK.Process(target=_write_for, args=(workspace, start, rates)) for workspace in workspaces
    ]
    for each in running:
        each.start()
    found = [rates.get(timeout=120) for _ in running]
    for each in running:
        each.join()
    return float(sum(found))


def _write_for(workspace: int, start: Barrier, rates: "Queue[float]") -> None:
    for _ in range(WARM_UP):
        _write(workspace)
    start.wait(60)
    count, began = 0, time.perf_counter()
    while time.perf_counter() - began < SECONDS:
        _write(workspace)
        count += 1
    rates.put(count / (time.perf_counter() - began))
    connections.close_all()


def _write(workspace: int) -> None:
    ready = ReadyReceipt(system_actor(workspace, "bench"), _ENTRY)
    with group_commit():
        ready.write()


if __name__ == "__main__":
    hand_over(measure())
