"""Who looks at an item: noted, told to others of the workspace, and soon forgotten."""

from datetime import timedelta

import pytest
from django.utils import timezone

from agents.models import Presence
from agents.operations.presence import (
    FORGOTTEN_AFTER,
    OtherViewer,
    find_others,
    forget_absent,
    note_presence,
)
from inbox.viewer import viewer_of_user
from tests import factories
from tests.agents.admin.desk import make_activity, propose

pytestmark = pytest.mark.django_db


@pytest.fixture
def approval(actor, inbox):
    return propose(actor, factories.make_message(inbox, at=factories.NOON).thread)


@pytest.fixture
def mara(workspace):
    return factories.make_person_user(workspace)


def seen_by(user, item):
    return find_others(actor=viewer_of_user(user).actor, item=item)


def test_two_people_on_one_item_see_each_other_and_not_themselves(approval, reviewer, mara):
    note_presence(user_id=reviewer.pk, item=approval)
    note_presence(user_id=mara.pk, item=approval, is_writing=True)
    assert seen_by(reviewer, approval) == [OtherViewer(mara.get_username(), True)]
    assert seen_by(mara, approval) == [OtherViewer(reviewer.get_username(), False)]


def test_a_sighting_is_written_over_and_not_added(approval, mara, reviewer):
    for is_writing in (False, True, False):
        note_presence(user_id=mara.pk, item=approval, is_writing=is_writing)
    assert Presence.objects.count() == 1
    assert [other.is_writing for other in seen_by(reviewer, approval)] == [False]


def test_who_has_gone_is_not_shown_and_then_deleted(approval, mara, reviewer):
    note_presence(user_id=mara.pk, item=approval)
    note_presence(user_id=reviewer.pk, item=approval)
    Presence.objects.filter(user=mara).update(seen_at=timezone.now() - FORGOTTEN_AFTER)
    assert seen_by(reviewer, approval) == []
    assert forget_absent() == 1
    assert Presence.objects.get().user == reviewer
    assert forget_absent(timezone.now() + timedelta(minutes=1)) == 1


def test_activities_are_looked_at_as_well_and_apart_from_approvals(approval, inbox, mara, reviewer):
    activity = make_activity(factories.make_message(inbox))
    note_presence(user_id=mara.pk, item=activity)
    assert seen_by(reviewer, activity) == [OtherViewer(mara.get_username(), False)]
    assert seen_by(reviewer, approval) == []


def test_nobody_of_another_workspace_sees_who_looks(approval, mara):
    note_presence(user_id=mara.pk, item=approval)
    stranger = factories.make_person_user(factories.make_workspace())
    assert seen_by(stranger, approval) == []
