"""Fixtures that every test may ask for; which tests are run stands in `tests.selection`."""

import copy
import itertools
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import translation

from agents.models import Agent
from inbox.actor import Actor
from inbox.models import Inbox, Workspace
from tests import factories
from tests.dovecot import Dovecot, run_dovecot
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


@pytest.fixture(autouse=True)
def media(settings, tmp_path):
    """Keep stored bytes and delivered mail in a folder of the test's own."""
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.LOCAL_MAIL_DIR = tmp_path / "mail"
    settings.EXCHANGE_DIR = tmp_path / "exchange"
    if held.files:
        shutil.copytree(held.files, tmp_path, dirs_exist_ok=True)


@pytest.fixture(autouse=True)
def numbers(monkeypatch):
    """Count what the factories make anew in each test: times and names come from it."""
    monkeypatch.setattr(factories, "_numbers", itertools.count(held.next_number))


@pytest.fixture(autouse=True)
def english_again():
    """End with the test the language of a page that it asked for."""
    yield
    translation.deactivate()


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


@pytest.fixture
def own_rows(made_once) -> dict[str, Any]:
    """Return the test's own copy of what its module made once."""
    return copy.deepcopy(made_once)


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
def dovecot() -> Iterator[Dovecot]:
    """A real IMAP server for all tests of the run; `dovecot.new_user()` has mailboxes of its own."""
    with run_dovecot() as server:
        yield server
