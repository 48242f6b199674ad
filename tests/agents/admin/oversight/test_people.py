"""How people decided, against what was counted by hand."""

from datetime import UTC, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents.admin.oversight.people import read_people
from agents.admin.oversight.scope import read_choices, read_scope
from agents.models import DecisionMeasure
from inbox.viewer import viewer_of_user
from tests import factories
from tests.agents.admin.desk import propose

pytestmark = pytest.mark.django_db
NOW = timezone.now().replace(hour=12, minute=0, second=0, microsecond=0) - timedelta(days=1)


@pytest.fixture(scope="module")
def made_once(make_once):
    return make_once(make_rows)


def make_rows():
    """Two reviewers and a proposal to hang decisions on."""
    lantern = factories.make_lantern()
    workspace = lantern["workspace"]
    return {
        **lantern,
        "reviewer": factories.make_person_user(workspace, name="rhea"),
        "omar": factories.make_person_user(workspace, name="omar"),
        "approval": propose(lantern["actor"], factories.make_message(lantern["inbox"]).thread),
    }


@pytest.fixture
def omar(own_rows, db):
    return own_rows["omar"]


@pytest.fixture
def decide(own_rows, db):
    """Keep a decision so many minutes after noon."""

    def decide(by, minute=0, **fields):
        approval = own_rows["approval"]
        values = {"verb": "approved", "way": "page", "words": 50, "milliseconds": 10_000, **fields}
        return DecisionMeasure.objects.create(
            workspace=approval.workspace, approval=approval, agent=approval.agent, user=by,
            decided_at=NOW + timedelta(minutes=minute), **values,
        )  # fmt: skip

    return decide


def people(user, **wanted):
    viewer = viewer_of_user(user)
    choices = read_choices(viewer)
    return read_people(read_scope(viewer, {"days": "7", **wanted}, choices, timezone.now(), UTC))


def test_each_reviewer_and_each_agent_has_a_line_of_their_decisions(reviewer, omar, decide):
    for number in range(1, 11):
        decide(reviewer, number, milliseconds=number * 1000)
    decide(omar, 1, way="batch", is_quick=True)
    decide(omar, 2, verb="edited", words=40, changed_words=10, milliseconds=None, way="api")
    found = people(reviewer)
    rhea, other = found.reviewers
    assert (rhea.name, rhea.decided, rhea.median, rhea.p90) == ("rhea", 10, 5000, 9000)
    assert (other.name, other.decided, other.in_batches, other.quick) == ("omar", 2, 1, 1)
    assert (other.edited, other.edited_words, other.changed_words) == (1, 40, 10)
    assert other.median == 10_000
    (agent,) = found.agents
    assert (agent.decided, agent.in_batches, agent.edited, agent.quick) == (12, 1, 1, 1)
    assert [row.user for row in found.quick] == [omar]


def test_what_was_on_the_screen_is_a_share_of_what_is_known(reviewer, decide):
    decide(reviewer, end="seen", source="seen")
    decide(reviewer, end="seen", source="none")
    decide(reviewer, end="seen", source="unseen")
    decide(reviewer, end="unseen", source="seen")
    decide(reviewer)
    (rhea,) = people(reviewer).reviewers
    assert (rhea.decided, rhea.known, rhea.seen) == (5, 4, 2)


def test_time_at_work_counts_short_pauses_and_begins_with_the_opening(reviewer, omar, decide):
    # 10 s, then 14 and 15 minutes; a pause of an hour; then a minute. Somebody else lies between.
    for minute in (0, 14, 29):
        decide(reviewer, minute)
    decide(omar, 40, milliseconds=3_600_000)
    decide(reviewer, 89, milliseconds=60_000)
    seconds = {hand.name: hand.shift_seconds for hand in people(reviewer).reviewers}
    assert seconds == {"rhea": 10 + 29 * 60 + 60, "omar": 15 * 60}


def test_a_flag_is_as_precise_as_the_share_of_its_proposals_that_was_not_let_through(
    reviewer, decide
):
    decide(reviewer, flags="external_link hidden_text", verb="rejected")
    decide(reviewer, flags="external_link", verb="approved")
    decide(reviewer, flags="external_link", verb="edited")
    decide(reviewer, flags="hidden_text", verb="returned")
    decide(reviewer, flags="hidden_text", verb="first")
    found = {one.code: (one.against.right, one.against.total) for one in people(reviewer).flags}
    assert found == {"external_link": (2, 3), "hidden_text": (2, 2)}


def test_nothing_of_another_workspace_of_other_days_or_of_another_agent_is_among_it(
    reviewer, decide, workspace, inbox
):
    decide(reviewer, is_quick=True, flags="hidden_text")
    stranger = factories.make_person_user(factories.make_workspace("elsewhere"), "owner")
    idle = factories.make_agent(workspace, "Idle", (inbox,))
    further = factories.make_inbox(workspace)
    for who, wanted in (
        (stranger, {"workspace": workspace.public_id}),
        (reviewer, {"agent": idle.public_id}),
        (reviewer, {"account": further.account.public_id}),
    ):
        found = people(who, **wanted)
        assert (found.reviewers, found.agents, found.flags, found.quick) == ([], [], [], [])
    assert len(people(reviewer, account=inbox.account.public_id).reviewers) == 1
    DecisionMeasure.objects.update(decided_at=NOW - timedelta(days=20))
    assert people(reviewer).reviewers == []


def test_the_queries_are_as_many_for_many_rows_as_for_few(reviewer, omar, decide):
    def queries():
        with CaptureQueriesContext(connection) as asked:
            people(reviewer)
        return len(asked)

    decide(reviewer, is_quick=True)
    few = queries()
    for number in range(10):
        decide(omar, number, is_quick=True, flags=f"flag_{number}")
    assert queries() == few


def test_the_page_names_who_decided_and_leads_to_what_was_approved_too_quickly(
    client, reviewer, decide, own_rows
):
    decide(reviewer, is_quick=True, milliseconds=1200, flags="external_link", verb="approved")
    DecisionMeasure.objects.create(
        workspace=reviewer.memberships.get().workspace, approval=own_rows["approval"],
        agent=own_rows["approval"].agent, verb="rejected", way="api", decided_at=NOW,
    )  # fmt: skip
    client.force_login(reviewer)
    text = client.get("/admin/oversight/?days=7").text
    assert "By reviewer" in text
    assert "50 words in 1.2 s" in text
    assert f'href="/admin/review/{own_rows["approval"].public_id}/"' in text
    assert "Someone" in text
    assert 'href="#quick-heading"' in text
