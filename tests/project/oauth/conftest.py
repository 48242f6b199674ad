"""A server, a person who owns a workspace on it, and a client that is let in."""

import pytest
from django.db import connections

from inbox.models import Role
from tests import factories
from tests.agents.surfaces.conftest import port  # noqa: F401
from tests.project.oauth.browsing import Person, answer_in
from tests.project.oauth.clients import Client, documents
from tests.servers import make_certificate


@pytest.fixture
def url(port, transactional_db, monkeypatch) -> str:  # noqa: F811
    # Each page is made by a thread of its own: PostgreSQL has no room for as many sessions as the
    # fixture of the server keeps until the end.
    monkeypatch.setitem(connections.databases["default"], "CONN_MAX_AGE", 0)
    return f"http://127.0.0.1:{port}"


@pytest.fixture
def owner(workspace):
    return factories.make_person_user(workspace, Role.OWNER, name="rhea")


@pytest.fixture
def signed_out(url, owner, inbox) -> Person:
    return Person(url, "rhea")


@pytest.fixture
def person(signed_out, owner) -> Person:
    """One who has signed in: to go by the form each time takes as long as most tests."""
    signed_out.has_signed_in(owner)
    return signed_out


@pytest.fixture
def client_of_mcp(url) -> Client:
    """One that has registered itself."""
    client = Client(url)
    client.register()
    return client


@pytest.fixture
def let_in(person, client_of_mcp):
    """Return what the client has once its person let it in: the answer of the token endpoint."""

    def let(client=client_of_mcp, **given):
        told = answer_in(person.decide(client.address(), **given).headers["location"])
        return client.exchange(told["code"]).json()

    return let


@pytest.fixture
def metadata(tmp_path, monkeypatch, settings):
    """A server of metadata documents that this one trusts, and may call though it is private."""
    certificate = make_certificate(tmp_path / "metadata.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    settings.WEBHOOK_ALLOW = frozenset({"127.0.0.1"})
    with documents(certificate) as script:
        yield script
