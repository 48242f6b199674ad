"""A policy tried on what persons decided: what they rejected that it lets leave, and the reverse."""

import pytest

from agents.approval import lifecycle
from agents.models import Approval
from inbox.models import ReplyPolicy, Role
from inbox.operations.activities.understanding import save_version
from inbox.policies import read_policy
from inbox.trials import Scope, try_policy
from tests import factories
from tests.agents.admin.desk import propose
from tests.cases import in_one_test

pytestmark = pytest.mark.django_db
NONE = ""


@pytest.fixture(scope="module")
def made_once(make_once):
    return make_once(make_rows)


def make_rows():
    """Of a workspace a person approved two replies and rejected two."""
    lantern = factories.make_lantern()
    reviewer = factories.make_person_user(lantern["workspace"], name="rhea")
    factories.make_person(lantern["workspace"], sent_count=2)
    for n, text in enumerate(("The price is 348 EUR.", "Thanks.", "It is 900 EUR.", "No way.")):
        mail = factories.make_message(lantern["inbox"], subject=f"Letter {n}")
        one = propose(lantern["actor"], mail.thread, text)
        if n < 2:
            lifecycle.approve(approval=one, by=reviewer, sha256=one.sha256)
        elif n == 2:
            lifecycle.reject(approval=one, by=reviewer, reason="Too dear.")
        else:
            lifecycle.send_back(approval=one, by=reviewer, feedback="Be kind.")
    return {**lantern, "reviewer": reviewer}


@pytest.fixture
def tried(own_rows, db):
    """Try a policy on the decisions; return the subjects of both lists."""

    def tried(then, now="", **scope):
        actor = scope.pop("actor", factories.person_actor(own_rows["reviewer"]))
        trial = try_policy(
            scope=Scope(actor, **scope), now=read_policy(now), then=read_policy(then)
        ).decisions
        lists = (trial.rejected_left, trial.approved_held)
        return tuple(sorted(one.decision.what[-1] for one in found) for found in lists), trial

    return tried


@in_one_test(
    ("then", "rejected_left", "approved_held"),
    [
        (NONE, ["2", "3"], []),
        ("forbidden_phrases: [{phrase: 900 EUR, block: true}]", ["3"], []),
        ("forbidden_phrases: [{phrase: 900 EUR}]", ["2", "3"], []),
        ("forbidden_phrases: [{phrase: EUR, block: true}]", ["3"], ["0"]),
        ("approval: {required_when: [{amount_over: 500}]}", ["3"], []),
        ("approval: {required_when: [{amount_over: 300}]}", ["3"], ["0"]),
        ("approval: {required_when: always}", ["2", "3"], []),
        ("decisions: [{when: [{amount_over: 500}], batch: never}]", ["3"], []),
        ("decisions: [{kinds: [message], second_approver: true}]", [], ["0", "1"]),
        ("decisions: [{kinds: [deletion], second_approver: true}]", ["2", "3"], []),
    ],
)
def test_a_policy_is_held_against_what_persons_decided(tried, then, rejected_left, approved_held):
    assert tried(then)[0] == (rejected_left, approved_held)


def test_flags_of_then_are_judged_by_the_flows_of_now(tried):
    flag = {"flag": "new_recipient", "reason": "new", "excerpt": "x@y.example", "source": None}
    blocked = {"flag": "policy_blocked", "reason": "Forbidden.", "excerpt": "", "source": None}
    Approval.objects.filter(submission__draft__subject__endswith="2").update(
        checks_due=False, risk_flags=[flag]
    )
    Approval.objects.filter(submission__draft__subject__endswith="1").update(
        checks_due=False, risk_flags=[flag]
    )
    Approval.objects.filter(submission__draft__subject__endswith="3").update(
        checks_due=False, risk_flags=[blocked]
    )
    lists, trial = tried("flows: {stranger_recipient: hold}")
    assert lists == (["3"], ["1"])
    assert trial.approved_held[0].why == ("flows: stranger_recipient: hold",)
    assert tried("flows: {stranger_recipient: flag}")[0] == (["2", "3"], [])
    lists, trial = tried("flows: {stranger_recipient: block}")
    assert (lists, trial.approved_held[0].then) == ((["3"], ["1"]), "blocked")


def test_the_version_in_use_is_counted_beside_it(tried):
    strict = "decisions: [{kinds: [message], batch: never}]"
    _lists, trial = tried("", now=strict)
    assert (trial.rejected_left_now, trial.approved_held_now) == (0, 2)
    assert (len(trial.rejected_left), len(trial.approved_held)) == (2, 0)


def test_decisions_carry_who_decided_and_their_words(tried):
    [dear] = [one for one in tried("")[1].rejected if one.decision.what.endswith("2")]
    assert (dear.decision.by, dear.decision.words) == ("rhea", "Too dear.")


def test_decisions_of_another_workspace_are_not_looked_at(tried):
    elsewhere = factories.make_workspace("elsewhere")
    stranger = factories.make_person_user(elsewhere, name="zoe")
    lists, trial = tried("", actor=factories.person_actor(stranger))
    assert (lists, trial.tried) == (([], []), ())


def test_decisions_of_an_inbox_and_of_some_days_are_chosen(tried, own_rows):
    inbox = own_rows["inbox"]
    assert tried("", inbox_id=inbox.pk)[0][0] == ["2", "3"]
    assert tried("", inbox_id=inbox.pk + 99)[1].tried == ()
    assert len(tried("", days=7)[1].tried) == 4


def test_what_waits_or_ended_by_itself_is_no_decision(tried):
    Approval.objects.filter(state="approved").update(decided_by=None)
    assert tried("")[1].approved == ()


def test_the_editor_shows_both_lists(client, own_rows, db):
    workspace = own_rows["workspace"]
    owner = factories.make_person_user(workspace, Role.OWNER, name="olga")
    row = save_version(ReplyPolicy, workspace=workspace, name="House", content="tone: formal\n")
    client.force_login(owner)
    source = "forbidden_phrases:\n  - {phrase: 348 EUR, block: true}\n"
    text = client.post(
        f"/admin/inbox/replypolicy/{row.pk}/try/", {"source": source}
    ).content.decode()
    assert "Rejected, but no rule would have stopped it" in text
    assert "Approved but would have been held or blocked" in text
    assert "Too dear." in text


def test_decisions_are_read_in_the_same_queries_however_many_they_are(
    tried, django_assert_max_num_queries
):
    with django_assert_max_num_queries(12):
        tried("")
