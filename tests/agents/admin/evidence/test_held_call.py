"""What a held call would do, with names for ids, before and after, in full."""

import pytest
from django.urls import reverse

from agents.admin.evidence.held_call import read_held_call
from agents.models import Approval, Memory
from agents.receipts import ReceiptEntry, open_receipt
from inbox.models import Person, ReplyPolicy, Role
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def held(agent, actor):
    """Have a call wait that sends nothing, as `hold` stores it."""

    def held(tool, **arguments):
        receipt = open_receipt(actor, ReceiptEntry(tool=tool, arguments=arguments))
        soon = "2099-01-01T00:00:00Z"
        return Approval.objects.create(
            workspace=agent.workspace, agent=agent, tool=tool, arguments=arguments, receipt=receipt,
            sha256="0" * 64, reason="A person decides on this.", expires_at=soon, place_at=soon,
        )  # fmt: skip

    return held


@pytest.fixture
def page(client, reviewer):
    client.force_login(reviewer)

    def page(approval):
        return client.get(reverse("review", args=[approval.public_id])).content.decode()

    return page


def test_a_changed_contact_is_shown_by_name_before_and_after(held, page, inbox):
    person = factories.make_person(inbox.workspace)
    Person.objects.update(fn="Ada Byron", title="Reader")
    approval = held(
        "contact_update", contact_id=person.public_id, updates={"job_title": "Countess <b>"}
    )
    shown = page(approval)
    assert "Ada Byron" in shown
    assert "Reader" in shown
    assert "Countess &lt;b&gt;" in shown
    assert "<b>" not in shown.partition("Countess")[2][:20]


def test_what_would_be_deleted_is_shown_in_full(held, page, agent, actor):
    memory = Memory.objects.create(
        workspace=agent.workspace, agent=agent, content="word " * 3_000, sha256="1" * 64, terms=""
    )
    shown = page(held("memory_delete", memory_id=memory.public_id))
    assert "would be removed" in shown
    assert shown.count("word ") >= 3_000


def test_a_new_memory_is_shown_in_full(held, page):
    assert page(held("internal_memory_service", action="save", content="x" * 9_000)).count(
        "x" * 9_000
    )


def test_nested_arguments_are_a_line_each_however_deep(held, actor):
    approval = held("anything", outer={"inner": [{"a": 1}, {"b": [2, {"c": 3}]}]}, plain=None)
    found = [(line.depth, line.name, line.after) for line in read_held_call(actor, approval).lines]
    assert (3, "a", "1") in found
    assert (5, "c", "3") in found
    assert (0, "plain", "nothing") in found


def test_a_changed_rule_is_compared_by_words(held, page, inbox):
    policy = ReplyPolicy.objects.create(
        workspace=inbox.workspace, name="House", source="tone: friendly\n" * 10
    )
    changed = policy.source.replace("friendly", "formal", 1)
    shown = page(held("policy_update", policy_id=policy.public_id, source=changed))
    assert "House" in shown
    assert "formal</ins>" in shown
    assert "friendly</del>" in shown


def test_ids_of_other_workspaces_stay_ids(held, actor, other_person):
    approval = held("contact_delete", contact_id=other_person.public_id)
    call = read_held_call(actor, approval)
    assert call.subjects == ()
    assert [line.after for line in call.lines] == [other_person.public_id]


@pytest.fixture
def other_person(db):
    return factories.make_person(factories.make_workspace("elsewhere"), email="x@far.example")


def test_a_viewer_reads_it_and_is_offered_nothing(held, page, reviewer):
    reviewer.memberships.update(role=Role.VIEWER)
    shown = page(held("anything", words="Hello"))
    assert "What it would do" in shown
    assert "reviewers decide" in shown


@pytest.mark.parametrize(
    "arguments", [{}, {"updates": None}, {"ids": []}, {"a": [[[[[[[[1]]]]]]]]}]
)
def test_odd_arguments_are_shown_too(held, page, arguments):
    assert "What it would do" in page(held("anything", **arguments))


def test_many_ids_are_named_in_one_query(held, actor, inbox, django_assert_max_num_queries):
    people = [
        factories.make_person(inbox.workspace, email=f"p{one}@x.example") for one in range(30)
    ]
    approval = held("contact_delete", contact_ids=[one.public_id for one in people])
    with django_assert_max_num_queries(1):
        call = read_held_call(actor, approval)
    assert len(call.subjects) == 30
