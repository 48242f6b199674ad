"""Fixtures that every test may ask for; which tests are run stands in `tests.selection`."""

import copy
import fcntl
import gc
import itertools
import json
import os
import pickle
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import override_settings
from django.utils import translation
from hypothesis import HealthCheck, settings
from pytest_django.live_server_helper import LiveServer

from agents.models import Agent
from inbox.actor import Actor
from inbox.models import Inbox, Workspace
from inbox.syncing.hits import HITS
from tests import factories
from tests.at_start import Started, ask
from tests.cyrus import Cyrus, run_cyrus
from tests.dovecot import Dovecot, run_dovecot
from tests.machines.model_server import ModelMachine, model_machine, named_by_settings
from tests.selection import (  # noqa: F401
    pytest_addoption,
    pytest_collection_modifyitems,
    pytest_configure,
    pytest_configure_node,
    pytest_runtest_setup,
    pytest_terminal_summary,
    pytest_testnodedown,
)
from tests.shared_rows import held, kept_rows
from tests.under_way import UnderWay
from tests.up import clean_environment, make_demo_folder

_folders = itertools.count()
# A machine that is busy makes values slowly, and that is no fault of what is tested.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


def pytest_collection_finish() -> None:
    """Have no later collection of garbage look through all tests and what they import."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def surroundings(request, tmp_path_factory) -> Iterator[None]:
    """Give each test folders, numbers and counts of its own, and English again after a page.

    Times and names of what the factories make come from the numbers. Most tests store nothing: a
    folder is made by what is stored first, unless the test asks for `tmp_path`, where it then is.
    """
    given = "tmp_path" in request.fixturenames
    unmade = tmp_path_factory.getbasetemp() / f"own-{next(_folders)}"
    folder = request.getfixturevalue("tmp_path") if given else unmade
    copied = None
    if held.files and given:
        shutil.copytree(held.files, folder, dirs_exist_ok=True)
    elif held.files:
        folder, _ = copied = held.copy(unmade)
    factories._numbers = itertools.count(held.next_number)
    HITS.forget()
    with override_settings(
        MEDIA_ROOT=folder / "media",
        LOCAL_MAIL_DIR=folder / "mail",
        EXCHANGE_DIR=folder / "exchange",
    ):
        yield
    translation.deactivate()
    if copied:
        held.take_back(copied)
    else:
        shutil.rmtree(unmade, ignore_errors=True)


@pytest.fixture(scope="module")
def make_once(
    django_db_setup, django_db_blocker, tmp_path_factory
) -> Iterator[Callable[[Callable[[], Any]], Any]]:
    """Make rows once for all tests of a module: `make_once(lambda: furnish("ours", "walnut"))`."""
    with kept_rows(tmp_path_factory.mktemp("files"), django_db_blocker.unblock) as make:
        yield make


@pytest.fixture(scope="module")
def made_once() -> dict[str, Any]:
    """Return what is made once for all tests of a module; one that does so has its own `made_once`."""
    return {}


@pytest.fixture(scope="module")
def _copied_rows(made_once) -> Callable[[], dict[str, Any]]:
    """Return what copies them: from a pickle, in a quarter of the time, if there can be one."""
    try:
        pickled = pickle.dumps(made_once, pickle.HIGHEST_PROTOCOL)
    except (AttributeError, TypeError, pickle.PicklingError):
        return lambda: copy.deepcopy(made_once)
    return lambda: pickle.loads(pickled)


@pytest.fixture
def own_rows(_copied_rows) -> dict[str, Any]:
    """Return the test's own copy of what its module made once."""
    return _copied_rows()


@pytest.fixture
def workspace(own_rows, db) -> Workspace:
    return own_rows.get("workspace") or factories.make_workspace("lantern")


@pytest.fixture
def inbox(own_rows, workspace: Workspace) -> Inbox:
    return own_rows.get("inbox") or factories.make_inbox(workspace, "office@lantern.example")


@pytest.fixture
def agent(own_rows, workspace: Workspace, inbox: Inbox) -> Agent:
    return own_rows.get("agent") or factories.make_agent(workspace, "Clerk", (inbox,))


@pytest.fixture
def actor(own_rows, agent: Agent) -> Actor:
    """The agent Clerk, with every scope, granted the one account."""
    return own_rows.get("actor") or factories.agent_actor(agent)


@pytest.fixture
def reviewer(own_rows, workspace: Workspace) -> User:
    return own_rows.get("reviewer") or factories.make_person_user(workspace, name="rhea")


@pytest.fixture(scope="session")
def live_server() -> Iterator[LiveServer]:
    """The server of pytest-django, with all it serves by way of our own middleware."""
    server = LiveServer("localhost", start=False)
    server.thread.static_handler = UnderWay
    server.start()
    yield server
    server.stop()


@pytest.fixture(autouse=True)
def _all_answered(request) -> Iterator[None]:
    """Empty no table while the server is at a request, whose rows would stand in its way or come after."""
    if "live_server" not in request.fixturenames:
        yield
        return
    request.getfixturevalue("transactional_db")
    server = request.getfixturevalue("live_server")
    yield
    server.thread.httpd.application.wait()


@contextmanager
def _shared_by_workers(tmp_path_factory) -> Iterator[Path]:
    """Give the folder that all workers of a run share, to one of them at a time."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    with (shared / "made_once.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield shared


@pytest.fixture(scope="session")
def demo_folder(tmp_path_factory) -> Path:
    """The data folder of a `manage.py up` that made the demo, for `DemoUp`; made once in a run."""
    with _shared_by_workers(tmp_path_factory) as shared:
        if not (shared / "demo").exists():
            make_demo_folder(shared / "making")
            (shared / "making").rename(shared / "demo")
    return shared / "demo"


@pytest.fixture(scope="session")
def at_start(tmp_path_factory) -> Started:
    """What a process of ours that names a model has loaded when it starts; asked once in a run."""
    with _shared_by_workers(tmp_path_factory) as shared:
        told = shared / "at_start.json"
        if not told.exists():
            named = {
                "CHANCERY_MODEL": "openai:x", "CHANCERY_VAR": str(shared / "starting"),
                "DJANGO_SETTINGS_MODULE": "project.settings",
            }  # fmt: skip
            told.write_text(json.dumps(asdict(ask(clean_environment() | named))))
        return Started(**json.loads(told.read_text()))


@pytest.fixture(scope="session")
def cyrus() -> Iterator[Cyrus]:
    """A real JMAP server for all tests of the run; `cyrus.new_user()` has mailboxes of its own."""
    with run_cyrus() as server:
        yield server


@pytest.fixture(scope="session")
def dovecot() -> Iterator[Dovecot]:
    """A real IMAP server for all tests of the run; `dovecot.new_user()` has mailboxes of its own."""
    with run_dovecot() as server:
        yield server


@pytest.fixture(scope="session")
def running_model() -> Iterator[ModelMachine]:
    with model_machine() as machine:
        yield machine


@pytest.fixture
def machine(running_model) -> Iterator[ModelMachine]:
    """A scripted server of language models, as new, which the settings name and allow."""
    running_model.reset()
    with named_by_settings(running_model):
        yield running_model
