"""Filters and search: what they choose, how they stand in the address, and what is kept of them."""

import pytest

from agents.admin.queue.criteria import QueueCriteria
from agents.models import Approval, SavedFilter
from inbox.flags import FLAGS, as_json, collect, found
from inbox.models import Activity, Message
from tests import factories
from tests.agents.admin.desk import make_activity, make_desk, propose
from tests.cases import in_one_test

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def made_once(make_once):
    return make_once(make_rows)


def make_rows():
    lantern = factories.make_lantern()
    desk = make_desk(lantern["inbox"], lantern["actor"])
    reviewer = factories.make_person_user(lantern["workspace"], name="rhea")
    return {**lantern, "reviewer": reviewer, "desk": desk}


@pytest.fixture
def desk(own_rows, db):
    return own_rows["desk"]


@pytest.fixture
def page(client, reviewer):
    client.force_login(reviewer)
    return lambda **query: client.get("/admin/", query)


def whats(response):
    return [row.what for row in response.context["page"].rows]


ALL = ["Re: A question", "About surfaced", "About needs_review"]


@in_one_test(
    ("query", "expected"),
    [
        ({"q": "question"}, ["Re: A question"]),
        ({"q": "ABOUT bo"}, ["About surfaced", "About needs_review"]),
        ({"q": "clerk"}, ["Re: A question"]),
        ({"q": "ada@customer.example"}, ["Re: A question"]),
        ({"q": "deadline nowhere"}, []),
        ({"q": "%"}, []),
        ({"kind": "approval"}, ["Re: A question"]),
        ({"kind": "activity"}, ["About surfaced", "About needs_review"]),
        ({"kind": "nonsense"}, ALL),
        ({"urgency": "high"}, []),
        ({"urgency": "normal"}, ["About surfaced", "About needs_review"]),
        ({"sender": "other.example"}, ["About surfaced", "About needs_review"]),
        ({"sender": "customer.example"}, ["Re: A question"]),
        ({"agent": "agt_nonsense"}, []),
        ({"inbox": "inb_nonsense"}, []),
        ({"snoozed": "yes"}, []),
    ],
)
def test_a_filter_chooses(page, desk, query, expected):
    assert whats(page(**query)) == expected


def test_one_agent_and_one_inbox(page, desk, agent, inbox, workspace):
    other = factories.make_inbox(workspace, "sales@lantern.example")
    make_activity(factories.make_message(other, subject="To sales"))
    assert whats(page(agent=agent.public_id)) == ["Re: A question"]
    assert whats(page(inbox=other.public_id)) == ["To sales"]
    assert sorted(whats(page(inbox=inbox.public_id))) == sorted(ALL)
    assert "sales@lantern.example" in page().content.decode()


def test_flags_of_proposals_and_of_mail(page, desk):
    Approval.objects.update(
        risk_flags=[{"flag": "new_recipient", "reason": "Never.", "excerpt": "", "source": None}]
    )
    odd = desk["surfaced"].message
    Message.objects.filter(pk=odd.pk).update(anomalies=["hidden_text"])
    Message.objects.filter(pk=desk["needs_review"].message_id).update(authentication="fail")
    assert whats(page(flag="new_recipient")) == ["Re: A question"]
    assert whats(page(flag="hidden_text")) == ["About surfaced"]
    assert whats(page(flag="authentication_failed")) == ["About needs_review"]
    assert len(whats(page(flag="any"))) == 3
    assert whats(page(flag="none")) == []
    assert whats(page(flag='"')) == []


def test_the_queue_offers_every_flag_there_is(page, desk):
    """A new flag was missing from the filter, and nothing said so. What each finds: `test_flagging`."""
    offered = page().content.decode()
    assert [code for code in FLAGS if f'<option value="{code}"' not in offered] == []


def test_the_words_of_a_flag_are_searched_as_they_are_read(page, desk):
    Approval.objects.update(
        checks_due=False, risk_flags=as_json(collect([found("new_recipient", "new")]))
    )
    assert whats(page(q="recipient new written")) == ["Re: A question"]


def test_words_beyond_ascii_are_found_in_either_case(page, inbox):
    make_activity(factories.make_message(inbox, subject="Ärger im Büro"))
    assert whats(page(q="ärger büro")) == ["Ärger im Büro"]


@pytest.mark.parametrize("tab", ["noted", "done"])
def test_what_is_over_is_searched_too(page, inbox, tab):
    status = {"noted": "processed", "done": "archived"}[tab]
    for name in ("alpha", "beta"):
        message = factories.make_message(inbox, subject=name)
        make_activity(message, status=status, autonomy_tier=2)
    assert whats(page(tab=tab)) == ["beta", "alpha"]
    response = page(tab=tab, q="alpha")
    assert whats(response) == ["alpha"]
    assert "the newest 2,000" in response.content.decode()


def test_noted_holds_what_is_of_tier_2_and_done_the_rest(page, inbox):
    for tier in (1, 2):
        message = factories.make_message(inbox, subject=f"tier {tier}")
        make_activity(message, status="processed", autonomy_tier=tier)
    assert whats(page(tab="noted")) == ["tier 2"]
    assert whats(page(tab="done")) == ["tier 1"]


def test_nothing_that_matches_leads_back(page, desk):
    text = page(tab="waiting", q="nothing of the kind").content.decode()
    assert "Nothing matches this filter." in text
    assert 'href="/admin/?tab=waiting"' in text


def test_the_address_holds_what_is_chosen_and_nothing_else(page, desk):
    response = page(tab="waiting", q="", agent="", kind="approval")
    assert response.status_code == 302
    assert response["Location"] == "/admin/?tab=waiting&kind=approval"


def test_the_address_of_an_item_leads_back_to_where_it_was_opened(page, desk):
    text = page(tab="waiting", q="question").content.decode()
    assert "/?in=tab%3Dwaiting%26q%3Dquestion" in text
    assert (
        QueueCriteria.from_query("tab=waiting&q=question").url() == "/admin/?tab=waiting&q=question"
    )


@pytest.mark.parametrize(
    "query",
    ["", "tab=done", "tab=waiting&q=a+b&flag=any", "urgency=high&kind=activity&snoozed=yes"],
)
def test_what_is_wanted_is_read_as_it_was_written(query):
    assert QueueCriteria.from_query(query).to_query() == query


def test_hostile_filters_do_no_harm(page, desk):
    for value in ("\0", "'; DROP TABLE x;--", "<script>", "x" * 5000, "\u202e"):
        for name in ("q", "sender", "flag", "agent", "inbox", "tab", "kind", "snoozed"):
            response = page(**{name: value})
            assert response.status_code == 200
            assert "<script>" not in response.content.decode()
    assert Activity.objects.exists()


# -- saved ---------------------------------------------------------------------------------------
def save(client, **data):
    return client.post("/admin/queue/filters/", data)


def test_a_filter_is_kept_under_a_name_and_removed(client, page, desk):
    page()
    answer = save(client, name="  My   letters ", query="tab=waiting&kind=approval&junk=1")
    assert answer["Location"] == "/admin/?tab=waiting&kind=approval"
    kept = SavedFilter.objects.get()
    assert (kept.name, kept.query) == ("My letters", "tab=waiting&kind=approval")
    text = page().content.decode()
    assert 'href="/admin/?tab=waiting&amp;kind=approval"' in text
    client.post(f"/admin/queue/filters/{kept.pk}/remove/")
    assert not SavedFilter.objects.exists()


def test_the_same_name_again_takes_its_place(client, page, desk):
    page()
    save(client, name="Mine", query="tab=done")
    save(client, name="Mine", query="tab=noted")
    assert list(SavedFilter.objects.values_list("query", flat=True)) == ["tab=noted"]


def test_another_persons_filters_are_neither_seen_nor_removed(client, page, desk, workspace):
    other = factories.make_person_user(workspace, name="otto")
    theirs = SavedFilter.objects.create(user=other, name="Secret", query="tab=done")
    assert "Secret" not in page().content.decode()
    client.post(f"/admin/queue/filters/{theirs.pk}/remove/")
    assert SavedFilter.objects.filter(pk=theirs.pk).exists()


def test_nothing_is_kept_without_a_name_by_get_or_beyond_thirty(client, page, desk, reviewer):
    page()
    for name in ("", "   ", "x" * 61):
        save(client, name=name, query="tab=done")
    assert client.get("/admin/queue/filters/").status_code == 405
    assert not SavedFilter.objects.exists()
    for number in range(31):
        save(client, name=f"n{number}", query="tab=done")
    assert SavedFilter.objects.count() == 30


def test_a_proposal_is_found_by_the_agents_filter_among_several(page, desk, workspace, inbox):
    other = factories.agent_actor(factories.make_agent(workspace, "Scribe", (inbox,)))
    propose(other, factories.make_message(inbox, subject="Second").thread)
    scribe = other.id
    found = page(agent=Approval.objects.get(agent_id=scribe).agent.public_id)
    assert whats(found) == ["Re: Second"]


def test_a_filter_too_long_to_keep_is_refused_in_words_of_its_own(client, page, desk):
    page()
    long = QueueCriteria(q="字" * 200, sender="字" * 200).to_query()
    for query in (long, f"q={'字' * 200}&sender={'字' * 200}"):
        answer = client.post("/admin/queue/filters/", {"name": "Long", "query": query}, follow=True)
        assert "This filter is too long to save" in answer.content.decode()
    assert not SavedFilter.objects.exists()


# -- what means nothing --------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("query", "named"),
    [
        ({"tab": "nonsense"}, "Tab"),
        ({"kind": "letters", "urgency": "purple"}, "Kind, Urgency"),
        ({"snoozed": "no"}, "Snoozed"),
        ({"after": "1.2.3"}, "Page"),
        ({"urgency": "purple", "q": ""}, "Urgency"),
    ],
)
def test_what_of_an_address_means_nothing_is_said(client, page, desk, query, named):
    page()
    text = client.get("/admin/", query, follow=True).content.decode()
    assert f"Part of the address was not understood and was ignored: {named}." in text


def test_an_address_that_means_something_is_not_complained_of(page, desk):
    text = page(tab="waiting", kind="approval", urgency="high", snoozed="yes").content.decode()
    assert "Part of the address was not understood and was ignored" not in text
