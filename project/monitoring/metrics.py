"""What `/metrics` tells Prometheus: requests, and what waits in the database.

Requests are those of this process or, where `PROMETHEUS_MULTIPROC_DIR` names a folder, of all that
share it, as the web processes of one `manage.py up` do.
"""

import os
from collections.abc import Iterable, Iterator
from functools import cache

from prometheus_client import (
    CollectorRegistry,
    GCCollector,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from agents.operations.figures import approvals_waiting, webhooks_failing
from inbox.operations.figures import (
    jobs_failed_lately,
    jobs_under_way,
    queue_figures,
    submissions_by_state,
    sync_figures,
)
from inbox.operations.worker_processes import seconds_since_worker, workers_at_work
from inbox.submission_states import SubmissionState

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Figures(Collector):
    """The figures of the database, read when they are asked for; the same in every process."""

    def collect(self) -> Iterator[Metric]:
        """Yield the figures."""
        yield from _queue()
        yield from _sending()
        yield from _mirrors()
        yield _gauge("webhooks_failing", "Webhook endpoints that do not answer", webhooks_failing())

    def describe(self) -> Iterable[Metric]:
        """Say nothing: registering must not ask the database."""
        return ()


def _queue() -> Iterator[Metric]:
    jobs = _family(
        "jobs", "Jobs that wait, by pace and by whether their time has come", "pace", "state"
    )
    ages = _family("jobs_oldest_seconds", "How long the job that is due longest has waited", "pace")
    for each in queue_figures():
        jobs.add_metric([each.pace, "due"], each.due)
        jobs.add_metric([each.pace, "later"], each.later)
        ages.add_metric([each.pace], each.oldest_seconds)
    yield jobs
    yield ages
    yield _gauge("jobs_running", "Jobs that a worker has taken", jobs_under_way())
    yield _gauge("jobs_failed_day", "Jobs given up within a day", jobs_failed_lately())
    yield _gauge("workers", "Processes that said lately that they carry jobs", workers_at_work())
    silent = seconds_since_worker()
    if silent is not None:
        yield _gauge("worker_seen_seconds", "For how long no worker was seen", silent)


def _sending() -> Iterator[Metric]:
    found = submissions_by_state()
    states = _family("submissions", "Submissions, by state; none is ever removed", "state")
    for state in SubmissionState.values:
        states.add_metric([state], found.get(state, 0))
    yield states
    waiting = approvals_waiting()
    yield _gauge("approvals_waiting", "Approvals that wait for a person", waiting.count)
    yield _gauge(
        "approvals_oldest_seconds", "How long the oldest of them waits", waiting.oldest_seconds
    )


def _mirrors() -> Iterator[Metric]:
    found = sync_figures()
    accounts = _family(
        "accounts", "Accounts with mail elsewhere, by how their mirror does", "status"
    )
    for status, count in sorted(found.accounts.items()):
        accounts.add_metric([status], count)
    yield accounts
    yield _gauge("sync_lag_seconds", "How old the oldest mirror is", found.oldest_seconds)


def _family(name: str, words: str, *labels: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"chancery_{name}", words, labels=labels)


def _gauge(name: str, words: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"chancery_{name}", words, value=value)


REGISTRY = CollectorRegistry(auto_describe=False)
_IS_SHARED = "PROMETHEUS_MULTIPROC_DIR" in os.environ
if _IS_SHARED:
    # What is a process's own would differ by which one answers.
    MultiProcessCollector(REGISTRY)  # type: ignore[no-untyped-call]
else:
    ProcessCollector(registry=REGISTRY)
    GCCollector(registry=REGISTRY)
REGISTRY.register(Figures())
# When each series began says nothing that a scrape does not show.
disable_created_metrics()  # type: ignore[no-untyped-call]
_REQUESTS = Histogram(
    "chancery_request_seconds",
    "How long requests took until their answer began",
    ["surface", "status"],
    buckets=_SECONDS,
    # Those that are shared are read from the folder.
    registry=None if _IS_SHARED else REGISTRY,
)


def observe_request(surface: str, status: int, seconds: float) -> None:
    """Count a request that was answered."""
    _counted(surface, status).observe(seconds)


# Each is looked up once: surfaces and statuses are few.
@cache
def _counted(surface: str, status: int) -> Histogram:
    return _REQUESTS.labels(surface, str(status))


def exposition() -> bytes:
    """Return all figures in Prometheus's text form; asks the database."""
    return generate_latest(REGISTRY)
