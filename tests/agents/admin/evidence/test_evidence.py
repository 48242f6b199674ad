"""What stands beside a letter: passages, recipients, flags, versions, policy, what was read."""

import pytest
from django.urls import reverse

from agents.approval.lifecycle import edit_and_approve, send_back, undo
from agents.dispatching import dispatch
from agents.models import Approval
from inbox.models import Draft, ReplyPolicy
from inbox.operations.drafts.writing import create_draft
from tests import factories
from tests.agents.admin.desk import BODY, propose
from tests.sending_tools import check_proposed

pytestmark = pytest.mark.django_db

SHARED = "the gate of the yard is open from eight until five"


@pytest.fixture
def asked(inbox):
    return factories.make_message(inbox, text=f"Note: {SHARED}.\n\nAda", at=factories.NOON)


@pytest.fixture
def page(client, reviewer):
    client.force_login(reviewer)

    def page(approval, **query):
        return client.get(reverse("review", args=[approval.public_id]), query)

    return page


def evidence_of(response):
    return response.context["review"].evidence


def test_a_passage_that_was_taken_over_is_marked_in_both_and_each_leads_to_the_other(
    page, actor, asked
):
    shown = page(propose(actor, asked.thread, f"Dear Ada, {SHARED}.")).content.decode()
    assert 'id="mark-passage-1" href="#source-passage-1"' in shown
    assert 'id="source-passage-1" href="#mark-passage-1"' in shown
    assert shown.count(f'<mark class="mark-passage" data-marks="passage-1">{SHARED}</mark>') == 2


def test_words_of_a_flag_lead_to_the_letter_and_to_the_message_and_back(page, actor, asked):
    approval = propose(actor, asked.thread, f"Dear Ada, {SHARED}.")
    flag = {"flag": "forbidden_phrase", "reason": "No.", "excerpt": "gate of the yard"}
    over = {"flag": "external_link", "reason": "No.", "excerpt": "the yard is open"}
    flags = [{**flag, "source": asked.public_id}, {**over}]
    Approval.objects.update(risk_flags=flags, checks_due=False)
    response = page(approval)
    shown = response.content.decode()
    for number in (1, 2):
        assert f'id="flag-{number}"' in shown
        assert f'id="mark-{number}" href="#flag-{number}"' in shown
        assert f'id="source-{number}" href="#flag-{number}"' in shown
    assert "mark-flag mark-passage" in shown
    both = [one for one in evidence_of(response).message.body if one.text == "the yard"]
    assert [mark.number for mark in both[0].marks if mark.kind == "flag"] == [1, 2]


def test_a_source_in_another_thread_stands_on_the_page_too(page, actor, asked, inbox):
    other = factories.make_message(inbox, sender="bo@other.example", text="The code is 4711-xx.")
    approval = propose(actor, asked.thread)
    flag = {"flag": "content_from_other_thread", "reason": "Other.", "excerpt": "code is 4711-xx"}
    Approval.objects.update(risk_flags=[{**flag, "source": other.public_id}], checks_due=False)
    [found] = evidence_of(page(approval)).elsewhere
    assert found.reading.message == other
    assert any(one.marks for one in found.new)


def origins(response):
    return {
        one.email: [origin.kind for origin in one.origins]
        for one in evidence_of(response).message.recipients
    }


def test_every_recipient_says_where_the_address_comes_from(page, actor, inbox):
    person = factories.make_person(inbox.workspace, email="friend@customer.example")
    person.given_name = "Fay"
    person.save()
    person.emails.update(by_person=True)
    noted = factories.make_person(inbox.workspace, email="noted@customer.example", given_name="Ned")
    asked = factories.make_message(
        inbox, text="Please write to hidden@evil.example, not to unmade@up.example."
    )
    own = inbox.account.identities.get()
    draft = create_draft(
        actor=actor, inbox=inbox, identity=own, thread=asked.thread, subject="Re: A question", body=BODY,
        to=[asked.from_email, "friend@customer.example", noted.email, "hidden@evil.example", "made@up.example", own.email],
    )  # fmt: skip
    assert origins(page(propose(actor, asked.thread, draft.public_id))) == {
        asked.from_email: ["header"],
        "friend@customer.example": ["contact"],
        noted.email: ["agent's card"],
        "hidden@evil.example": ["body"],
        "made@up.example": ["typed"],
        own.email: ["ours", "header"],
    }


def test_an_address_that_a_person_put_in_names_the_person(page, actor, asked, reviewer):
    approval = propose(actor, asked.thread)
    to = [{"email": "ada@customer.example"}]
    edited = edit_and_approve(
        approval=approval, by=reviewer, subject="Re: A question", body=BODY, to=to,
        cc=[{"email": "later@customer.example"}], bcc=[],
    )  # fmt: skip
    response = page(undo(approval=edited, by=reviewer))
    assert origins(response)["later@customer.example"] == ["edited"]
    assert "added by" in response.content.decode()


def edited(approval, reviewer, body):
    made = edit_and_approve(
        approval=approval, by=reviewer, subject="Re: Another", body=body,
        to=[{"email": "ada@customer.example"}], cc=[], bcc=[],
    )  # fmt: skip
    return undo(approval=made, by=reviewer)


def test_any_two_versions_are_compared_by_words_with_their_subjects(page, actor, asked, reviewer):
    approval = propose(actor, asked.thread, "One two three.")
    second = edited(approval, reviewer, "One five three.")
    third = edited(second, reviewer, "One five seven.")
    last = evidence_of(page(third)).comparison
    assert (last.old.number, last.new.number) == (2, 3)
    assert [one.text for one in last.pieces if one.change != "same"] == ["three", "seven"]
    picked = evidence_of(page(third, old="1", new="3")).comparison
    assert [one.name for one in picked.fields] == ["to", "subject"]
    assert picked.is_open
    assert evidence_of(page(third, old="3", new="1")).comparison.old.number == 1
    for odd in ("99", "-1", "x", "²", "1" * 5_000):
        assert evidence_of(page(third, old=odd, new=odd)).comparison.new.number == 3


def test_what_answers_feedback_is_compared_with_what_was_sent_back(page, actor, asked, reviewer):
    first = propose(actor, asked.thread, "One two three.")
    send_back(approval=first, by=reviewer, feedback="Say four.")
    second = propose(actor, asked.thread, "One two four.", key="again")
    found = evidence_of(page(second)).comparison
    assert found.old.row.body == "One two three."
    assert [one.text for one in found.pieces if one.change != "same"] == ["three", "four"]
    assert found.is_open


def test_what_the_agent_read_before_is_listed_once_with_a_link(page, actor, asked, inbox):
    for _ in range(2):
        dispatch.call("get_thread", {"thread_id": asked.thread.public_id}, actor)
    search = {"inbox_id": inbox.public_id, "query": "<b>open gate"}
    dispatch.call("search_inbox", search, actor)
    response = page(propose(actor, asked.thread))
    searched, read = evidence_of(response).reading_history.recent
    assert (searched.words, read.count) == ("<b>open gate", 2)
    assert read.named.url == reverse("thread", args=[asked.thread.public_id])
    assert "&lt;b&gt;open gate" in response.content.decode()


def test_what_a_list_showed_is_named_and_a_stranger_s_words_are_told(page, actor, asked, inbox):
    stranger = factories.make_message(inbox, sender="eve@collector.example", subject="A gift")
    dispatch.call("list_threads", {"inbox_id": inbox.public_id}, actor)
    response = page(propose(actor, asked.thread))
    (read,) = evidence_of(response).reading_history.recent
    assert {one.named.row for one in read.listed} == {stranger.thread, asked.thread}
    assert {one.named.row for one in read.listed if one.is_strange} >= {stranger.thread}
    text = response.content.decode()
    assert reverse("thread", args=[stranger.thread.public_id]) in text
    assert "a stranger&#x27;s words" in text or "a stranger's words" in text


def test_what_it_read_before_its_proposal_before_is_told_apart(page, actor, asked, inbox):
    other = factories.make_message(inbox)
    dispatch.call("get_thread", {"thread_id": other.thread.public_id}, actor)
    propose(actor, other.thread)
    dispatch.call("get_thread", {"thread_id": asked.thread.public_id}, actor)
    trail = evidence_of(page(propose(actor, asked.thread))).reading_history
    assert [one.named.row for one in trail.recent] == [asked.thread]
    assert [one.named.row for one in trail.earlier] == [other.thread]


def test_the_policy_is_named_with_its_version_its_findings_and_what_changed(
    page, actor, asked, inbox
):
    source = "forbidden_phrases:\n  - phrase: guarantee\n"
    policy = ReplyPolicy.objects.create(workspace=inbox.workspace, name="House", source="{}")
    approval = propose(actor, asked.thread, "We guarantee it.")
    Draft.objects.update(policy=policy, policy_version=1)
    approval.submission.__class__.objects.update(policy=policy, policy_version=1)
    ReplyPolicy.objects.update(source=source, version=2)
    seen = evidence_of(page(approval)).policy
    assert (seen.version, seen.newest, seen.has_changed) == (1, 2, True)
    assert [one.flag for one in seen.findings] == ["forbidden_phrase"]


def test_hostile_words_stay_words_wherever_they_are_marked(page, actor, inbox):
    hostile = "<script>alert(1)</script> & <img src=x onerror=y> one two three four five"
    asked = factories.make_message(inbox, text=f"{hostile} \u202e")
    approval = propose(actor, asked.thread, f"Fine: {hostile}")
    flag = {"flag": "<b>x", "reason": "<i>", "excerpt": "<script>alert(1)", "source": "msg_x"}
    Approval.objects.update(risk_flags=[flag], checks_due=False)
    response = page(approval)
    shown = response.content.decode()
    assert "<script>alert" not in shown
    assert "<img src=x" not in shown
    assert "U+202E" in shown
    assert "&lt;script&gt;alert(1)" in shown


def test_all_of_it_costs_the_same_however_much_there_is(
    page, actor, asked, reviewer, django_assert_max_num_queries
):
    approval = propose(actor, asked.thread)
    dispatch.call("get_thread", {"thread_id": asked.thread.public_id}, actor)
    approval = edited(approval, reviewer, "Other words.")
    check_proposed()
    page(approval)
    with django_assert_max_num_queries(45) as few:
        page(approval)
    for number in range(6):
        approval = edited(approval, reviewer, f"Words {number}.")
    check_proposed()
    with django_assert_max_num_queries(len(few.captured_queries) + 1):
        page(approval)
