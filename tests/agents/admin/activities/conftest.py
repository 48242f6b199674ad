"""What the tests of the activity pages share."""

import pytest
from django.test import Client

from tests import factories
from tests.agents.admin.desk import make_activity


@pytest.fixture
def activity(inbox):
    return make_activity(
        factories.make_message(inbox, anomalies=["hidden_text"], authentication="fail")
    )


@pytest.fixture
def browser(reviewer) -> Client:
    client = Client()
    client.force_login(reviewer)
    return client
