"""A short run of calls made up from the OpenAPI document; `make fuzz` is the long one."""

import collections

import pytest
import schemathesis
from django.core import signals
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections

from agents.surfaces.openapi.document import openapi_document
from tests.cases import made_up
from tests.fuzz.calls import Run, fuzz
from tests.fuzz.world import furnish_for_fuzzing

CALLS = made_up(300)


@pytest.fixture
def one_connection():
    """Keep the connection of the test's transaction over requests, as Django's own client does."""
    for signal in (signals.request_started, signals.request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (signals.request_started, signals.request_finished):
        signal.connect(close_old_connections)


@pytest.mark.usefixtures("one_connection")
@pytest.mark.django_db
def test_no_made_up_call_is_answered_by_a_5xx_or_otherwise_than_described(settings):
    settings.ALLOWED_HOSTS = ["*"]
    token, ids = furnish_for_fuzzing()
    schema = schemathesis.openapi.from_dict(openapi_document())
    schema.app = get_wsgi_application()
    run, bearer = Run(), {"Authorization": f"Bearer {token}"}
    fuzz(schema, ids, lambda case: case.call(headers=bearer), run, calls=CALLS, number=3)
    assert run.calls == CALLS
    assert run.failures == {}
    assert collections.Counter(run.statuses)[200] > CALLS / 10
