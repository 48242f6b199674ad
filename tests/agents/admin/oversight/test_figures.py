"""The figures of oversight, against what was counted by hand."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents.admin.oversight.figures import quantile, read_figures
from agents.admin.oversight.scope import days_until, read_choices, read_scope
from agents.approval import expiring, lifecycle
from agents.models import Agent, Approval
from inbox.models import Activity
from inbox.viewer import viewer_of_user
from tests import factories
from tests.agents.admin.desk import make_activity, propose

pytestmark = pytest.mark.django_db
BERLIN = ZoneInfo("Europe/Berlin")


def figures(user, now=None, zone=UTC, **wanted):
    viewer = viewer_of_user(user)
    choices = read_choices(viewer)
    scope = read_scope(viewer, wanted, choices, now or timezone.now(), zone)
    return read_figures(scope, choices.agents)


def come_in(inbox, at, tier=1, **fields):
    message = factories.make_message(inbox, at=at)
    return make_activity(message, "processed", autonomy_tier=tier, **fields)


def test_what_came_in_is_counted_by_its_classification(inbox, reviewer):
    now = timezone.now()
    for tier in (1, 1, 2, 3, 4):
        come_in(inbox, now - timedelta(hours=1), tier)
    come_in(inbox, now - timedelta(hours=1), 1, confidence=0.2)
    come_in(inbox, now - timedelta(days=8))
    found = {name: sum(counts) for name, counts in figures(reviewer, days="7").came.items()}
    assert found == {
        "silent": 2, "noted": 1, "asked": 1, "surfaced": 1, "quarantined": 1, "other": 0,
    }  # fmt: skip


def test_a_day_is_the_readers_and_has_23_hours_in_spring(inbox, reviewer):
    now = datetime(2026, 3, 30, 12, tzinfo=UTC)
    spring = days_until(now, BERLIN, 7)[-2]
    assert spring.date.isoformat() == "2026-03-29"
    length = spring.ends.astimezone(UTC) - spring.begins.astimezone(UTC)
    assert length == timedelta(hours=23)
    # The last minute of the 29th in Berlin and the first of the 30th.
    come_in(inbox, datetime(2026, 3, 29, 21, 59, tzinfo=UTC))
    come_in(inbox, datetime(2026, 3, 29, 22, 0, tzinfo=UTC))
    assert figures(reviewer, now, BERLIN, days="7").came["silent"][-2:] == [1, 1]
    assert figures(reviewer, now, UTC, days="7").came["silent"][-2:] == [2, 0]


def test_every_day_is_counted_as_one_by_one(inbox, reviewer):
    now = timezone.now()
    for number in range(60):
        come_in(inbox, now - timedelta(hours=37 * number), number % 4 + 1)
    came = figures(reviewer, now, BERLIN, days="90").came
    for name, tier in (("silent", 1), ("noted", 2), ("asked", 3), ("surfaced", 4)):
        rows = Activity.objects.filter(autonomy_tier=tier)
        by_hand = [
            sum(1 for row in rows if day.begins <= row.created_at < day.ends)
            for day in days_until(now, BERLIN, 90)
        ]
        assert came[name] == by_hand, name


@pytest.fixture(scope="module")
def made_once(make_once):
    return make_once(make_rows)


def make_rows():
    """What a reviewer decided of an agent's proposals."""
    made = factories.make_lantern()
    made["reviewer"] = factories.make_person_user(made["workspace"], name="rhea")
    return {**made, "ended": end_some(made["inbox"], made["actor"], made["reviewer"])}


@pytest.fixture
def ended(own_rows, db):
    return own_rows["ended"]


def end_some(inbox, actor, reviewer):
    """Proposals: approved, edited and approved, rejected, sent back, undone, expired, waiting."""
    waiting = [propose(actor, factories.make_message(inbox).thread) for _ in range(7)]
    approve = {"by": reviewer}
    lifecycle.approve(approval=waiting[0], sha256=waiting[0].sha256, **approve)
    draft = waiting[1].submission.draft
    lifecycle.edit_and_approve(
        approval=waiting[1], subject=draft.subject, body="Quite other words.", to=draft.to, cc=[],
        bcc=[], **approve,
    )  # fmt: skip
    lifecycle.reject(approval=waiting[2], reason="No.", **approve)
    lifecycle.send_back(approval=waiting[3], feedback="Shorter.", **approve)
    lifecycle.approve(approval=waiting[4], sha256=waiting[4].sha256, **approve)
    lifecycle.undo(approval=waiting[4], **approve)
    Approval.objects.filter(pk=waiting[5].pk).update(expires_at=timezone.now())
    expiring.expire_due()
    return waiting


def test_decisions_are_counted_by_how_they_ended(ended, reviewer):
    found = figures(reviewer, days="7")
    assert {name: sum(counts) for name, counts in found.ended.items()} == {
        "approved": 1, "edited": 1, "rejected": 1, "returned": 1, "canceled": 1, "expired": 1,
    }  # fmt: skip
    assert found.decided == 4
    assert len(found.seconds) == 4


def test_edits_say_what_share_of_approvals_and_of_the_words_changed(ended, reviewer):
    edits = figures(reviewer, days="7").edits
    assert (edits.count, edits.approved, edits.share) == (1, 2, 0.5)
    assert edits.changed is not None
    assert edits.changed > 0.5


def test_an_agents_line_has_its_own_proposals_and_no_place_that_was_taken_anew(ended, reviewer):
    (row,) = figures(reviewer, days="7").agents
    assert row.agent == Agent.objects.get()
    assert (row.proposed, row.decided, row.ends["edited"]) == (7, 4, 1)


def test_nothing_of_another_workspace_is_counted(ended, inbox):
    stranger = factories.make_person_user(factories.make_workspace("elsewhere"), "owner")
    come_in(inbox, timezone.now())
    found = figures(stranger, days="7", workspace=inbox.workspace.public_id)
    assert sum(map(sum, found.came.values())) == 0
    assert (found.decided, found.agents) == (0, [])


def test_an_account_and_an_agent_narrow_it(ended, inbox, reviewer, workspace):
    other = factories.make_inbox(workspace)
    idle = factories.make_agent(workspace, "Idle", (other,))
    come_in(inbox, timezone.now())
    assert figures(reviewer, days="7", account=other.account.public_id).decided == 0
    assert sum(figures(reviewer, days="7", account=other.account.public_id).came["silent"]) == 0
    assert sum(figures(reviewer, days="7", account=inbox.account.public_id).came["silent"]) == 1
    assert figures(reviewer, days="7", agent=idle.public_id).decided == 0


def count_queries(reviewer):
    with CaptureQueriesContext(connection) as queries:
        figures(reviewer, days="90")
    return len(queries)


def test_the_queries_are_as_many_for_many_rows_as_for_few(ended, inbox, reviewer, workspace):
    few = count_queries(reviewer)
    for number in range(10):
        come_in(inbox, timezone.now() - timedelta(days=number))
        factories.make_agent(workspace)
    assert count_queries(reviewer) == few


def test_a_quantile_is_the_nearest_rank():
    assert quantile([], 0.5) is None
    assert quantile([5], 0.9) == 5
    assert quantile([1, 2, 3, 4], 0.5) == 2
    assert quantile(list(range(1, 11)), 0.9) == 9
