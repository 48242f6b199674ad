"""A workspace whose owner asked for planted items."""

import random

import pytest

from agents.models import PlantingSetting
from inbox.models import Role
from tests import factories
from tests.agents.planted.making import plant_item


@pytest.fixture
def owner(workspace):
    return factories.make_person_user(workspace, Role.OWNER, name="otto")


@pytest.fixture
def setting(workspace, owner):
    """Planting is on."""
    return PlantingSetting.objects.create(workspace=workspace, is_on=True, changed_by=owner)


@pytest.fixture
def chance():
    return random.Random(7)


@pytest.fixture
def planted(inbox, actor, propose):
    """Plant an item of a kind beside a real proposal; return its approval."""
    propose()

    def planted(kind="amount_of_the_thread", language="en", number=0):
        return plant_item(actor, inbox, kind, language=language, number=number)

    return planted
