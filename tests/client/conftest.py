"""A running service with the demo, and both clients of its agent."""

import pytest

from chancery_client import AsyncChancery, Chancery
from examples.chancery_api import Person
from tests.up import DemoUp


@pytest.fixture(scope="package")
def service(demo_folder, tmp_path_factory):
    up = DemoUp(demo_folder, tmp_path_factory.mktemp("client"))
    up.wait_until_ready(180)
    yield up
    up.stop()


@pytest.fixture
def url(service):
    return service.wait_until_ready()


@pytest.fixture
def token(service):
    return service.secret("token")


@pytest.fixture
def person(service, url):
    return Person(url, "reviewer", service.secret("password"))


@pytest.fixture
def chancery(url, token):
    with Chancery(url, token) as client:
        yield client


@pytest.fixture
def awaited(url, token):
    """The client that is awaited; each test closes it in the loop in which it was used."""
    return AsyncChancery(url, token)


@pytest.fixture
def thread(chancery):
    """A thread of the demo that can be answered."""
    around = chancery.house.look_around(kind="inboxes")
    found = chancery.mail.search_inbox(inbox_id=around["inboxes"][0]["id"], query="refund card")
    return found["results"][0]["thread_id"]
