"""Fixtures that every test may ask for."""

import itertools
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User

from agents.models import Agent
from inbox.actor import Actor
from inbox.models import Inbox, Workspace
from tests import factories
from tests.dovecot import Dovecot, run_dovecot


@pytest.fixture(autouse=True)
def media(settings, tmp_path):
    """Keep stored bytes and delivered mail in a folder of the test's own."""
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.LOCAL_MAIL_DIR = tmp_path / "mail"
    settings.EXCHANGE_DIR = tmp_path / "exchange"


@pytest.fixture(autouse=True)
def numbers(monkeypatch):
    """Count what the factories make from one in each test: times and names come from it."""
    monkeypatch.setattr(factories, "_numbers", itertools.count(1))


@pytest.fixture
def workspace(db) -> Workspace:
    return factories.make_workspace("lantern")


@pytest.fixture
def inbox(workspace: Workspace) -> Inbox:
    return factories.make_inbox(workspace, "office@lantern.example")


@pytest.fixture
def agent(workspace: Workspace, inbox: Inbox) -> Agent:
    return factories.make_agent(workspace, "Clerk", (inbox,))


@pytest.fixture
def actor(agent: Agent) -> Actor:
    """The agent Clerk, with every scope, granted the one account."""
    return factories.agent_actor(agent)


@pytest.fixture
def reviewer(workspace: Workspace) -> User:
    return factories.make_person_user(workspace, name="rhea")


@pytest.fixture(scope="session")
def dovecot() -> Iterator[Dovecot]:
    """A real IMAP server for all tests of the run; `dovecot.new_user()` has mailboxes of its own."""
    with run_dovecot() as server:
        yield server
