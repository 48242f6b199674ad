"""The places of the queue are found by its indexes, in every tab and from any place on."""

import re
from sqlite3 import SQLITE_LIMIT_COMPOUND_SELECT

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents.admin.queue.criteria import QueueCriteria
from agents.admin.queue.place import Position
from agents.admin.queue.positions import SLICES_AT_ONCE, find_places
from inbox.viewer import viewer_of_user
from tests import factories
from tests.agents.admin.desk import make_activity

pytestmark = pytest.mark.django_db
NOW = timezone.now()

INDEXES = {
    "waiting": {"approval_queued"},
    "surfaced": {"activity_in_queue"},
    "quarantine": {"activity_in_queue"},
    "needs-you": {"approval_queued", "activity_in_queue"},
    "noted": {"activity_tier_newest"},
    "done": {"approval_over", "activity_status_newest", "activity_tier_newest"},
}
# Whether an approval answers an activity is looked up for each, step by step, by keys.
BY_KEY = (
    "sqlite_autoindex_inbox_submission_1", "sqlite_autoindex_agents_approval_",
    "inbox_submission_draft_id_", "inbox_draft_in_reply_to_id_",
)  # fmt: skip


def plans(user, tab, after):
    """Return how SQLite would run each query that looks for places."""
    with CaptureQueriesContext(connection) as queries:
        find_places(viewer_of_user(user).actor, QueueCriteria(tab=tab), NOW, 26, after=after)
    found = []
    for query in queries.captured_queries:
        if "place_level" in query["sql"]:
            with connection.cursor() as cursor:
                cursor.execute(f"EXPLAIN QUERY PLAN {query['sql'].replace('%', '%%')}")
                found.append("\n".join(row[3] for row in cursor.fetchall()))
    return found


@pytest.mark.skipif(connection.vendor != "sqlite", reason="the words are those of SQLite")
@pytest.mark.parametrize("workspaces", [1, 3])
@pytest.mark.parametrize(
    "after", [None, Position(NOW, 31, NOW, 1, 7), Position(NOW, 20, NOW, 0, 7)]
)
@pytest.mark.parametrize("tab", INDEXES)
def test_no_tab_sorts_or_looks_through_all(workspace, reviewer, tab, after, workspaces):
    for number in range(workspaces - 1):
        other = factories.make_workspace(f"other{number}")
        reviewer.memberships.create(workspace=other, role="reviewer")
    found = plans(reviewer, tab, after)
    used = set(re.findall(r"USING (?:COVERING )?INDEX (\w+)", "\n".join(found)))
    assert used & INDEXES[tab] or not found
    assert {name for name in used if not name.startswith(BY_KEY)} <= INDEXES[tab]
    for plan in found:
        assert "TEMP B-TREE" not in plan
        assert not re.search(r"^SCAN (agents_approval|inbox_activity)", plan, re.MULTILINE)


def test_what_was_processed_is_noted_or_done_by_its_tier(inbox, reviewer):
    made = {
        tier: make_activity(
            factories.make_message(inbox), "processed", autonomy_tier=tier, created_at=NOW
        ).pk
        for tier in (1, 2, 3, 4, None)
    }
    actor = viewer_of_user(reviewer).actor
    noted = [one.pk for one in find_places(actor, QueueCriteria(tab="noted"), NOW, 26)]
    done = [one.pk for one in find_places(actor, QueueCriteria(tab="done"), NOW, 26)]
    assert noted == [made.pop(2)]
    assert done == sorted(made.values(), reverse=True)


@pytest.fixture
def no_more_at_once(db):
    """Have SQLite take as many SELECTs in one statement as are to be put into one, and no more."""
    if connection.vendor != "sqlite":
        yield
        return
    before = connection.connection.setlimit(SQLITE_LIMIT_COMPOUND_SELECT, SLICES_AT_ONCE)
    assert before >= SLICES_AT_ONCE
    yield
    connection.connection.setlimit(SQLITE_LIMIT_COMPOUND_SELECT, before)


def test_a_person_in_very_many_workspaces_is_answered(reviewer, no_more_at_once):
    """Of 21 workspaces the tab of what is over has 126 slices: more than go into one statement."""
    for number in range(20):
        other = factories.make_workspace(f"other{number}")
        reviewer.memberships.create(workspace=other, role="reviewer")
    for tab in INDEXES:
        assert find_places(viewer_of_user(reviewer).actor, QueueCriteria(tab=tab), NOW, 26) == []
