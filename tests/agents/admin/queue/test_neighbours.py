"""What stands before and after an item, in every tab."""

import pytest
from django.utils import timezone

from agents.admin.queue.criteria import TABS, QueueCriteria
from agents.admin.queue.neighbours import neighbours, place_of
from agents.admin.queue.queries import read_queue
from agents.models import Approval
from inbox.models import Activity
from inbox.viewer import viewer_of_user
from tests import factories
from tests.agents.admin.desk import make_activity, propose

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def made_once(make_once):
    """A queue with something at every level and in every tab."""
    return make_once(make_rows)


def make_rows():
    lantern = factories.make_lantern()
    fill(lantern["inbox"], lantern["actor"])
    return {**lantern, "reviewer": factories.make_person_user(lantern["workspace"], name="rhea")}


def fill(inbox, actor):
    statuses = ("surfaced", "needs_review", "quarantined", "processed", "archived")
    for number in range(30):
        message = factories.make_message(inbox, subject=f"n{number}")
        make_activity(
            message, status=statuses[number % 5], urgency=("low", "normal", "high")[number % 3],
            autonomy_tier=(2, 3, 4)[number % 4 % 3],
        )  # fmt: skip
    for number in range(6):
        approval = propose(actor, factories.make_message(inbox, subject=f"letter{number}").thread)
        soon = timezone.now() + timezone.timedelta(hours=4 * number + 3)
        state = "rejected" if number > 3 else "waiting"
        Approval.objects.filter(pk=approval.pk).update(place_at=soon, state=state)


@pytest.mark.parametrize("tab", TABS)
def test_one_goes_through_a_tab_as_it_is_listed_and_back(reviewer, tab):
    viewer, wanted = viewer_of_user(reviewer), QueueCriteria(tab=tab)
    rows = read_queue(viewer, wanted, size=100).rows
    assert len(rows) >= 3
    for at, row in enumerate(rows):
        before, after = neighbours(viewer, wanted, row.place)
        assert (before and before.public_id) == (rows[at - 1].public_id if at else None)
        assert (after and after.public_id) == (
            rows[at + 1].public_id if at + 1 < len(rows) else None
        )


@pytest.mark.parametrize("tab", TABS)
def test_pages_of_one_row_are_the_whole_tab(reviewer, tab):
    viewer, wanted = viewer_of_user(reviewer), QueueCriteria(tab=tab)
    whole = [row.public_id for row in read_queue(viewer, wanted, size=100).rows]
    found, place = [], None
    for _ in range(len(whole) + 1):
        page = read_queue(viewer, wanted, place, size=1)
        found += [row.public_id for row in page.rows]
        if not page.after:
            break
        place = page.rows[-1].place
    assert found == whole


def test_what_was_decided_still_has_neighbours(reviewer):
    viewer, wanted = viewer_of_user(reviewer), QueueCriteria(tab="waiting")
    first, second, third = read_queue(viewer, wanted, size=3).rows
    decided = Approval.objects.get(pk=second.place.pk)
    Approval.objects.filter(pk=decided.pk).update(state="rejected")
    before, after = neighbours(viewer, wanted, place_of(decided, wanted))
    assert (before.public_id, after.public_id) == (first.public_id, third.public_id)


def test_an_activity_has_neighbours_of_its_filter_only(reviewer):
    viewer = viewer_of_user(reviewer)
    wanted = QueueCriteria(tab="surfaced", urgency="high")
    rows = read_queue(viewer, wanted).rows
    assert {row.urgency for row in rows} == {"high"}
    activity = Activity.objects.get(pk=rows[0].place.pk)
    before, after = neighbours(viewer, wanted, place_of(activity, wanted))
    assert (before, after.public_id) == (None, rows[1].public_id)
