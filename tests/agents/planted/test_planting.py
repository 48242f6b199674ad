"""When something is planted, how much, beside what, and on which mail."""

import random
from datetime import timedelta

import pytest
from django.utils import timezone

from agents.contracts import REGISTRY
from agents.dispatching.dispatch import call
from agents.models import Approval, DecisionMeasure, PlantedItem, PlantingSetting, Receipt
from agents.planted import planting
from agents.planted.choosing import RECENT, Company, find_sources
from agents.planted.deck import deck
from agents.planted.planting import LIKELY, has_room, plant_due, plant_one
from inbox.actor import system_actor
from inbox.background.periodic import _PERIODIC
from inbox.models import ActivityStatus, Draft, Message
from tests import factories
from tests.agents.planted.making import make_letter

pytestmark = pytest.mark.django_db


class Always(random.Random):
    """Chance by which it is always time."""

    def random(self) -> float:
        """Return the least of all."""
        return 0.0


@pytest.fixture
def decided(workspace, propose, reviewer):
    """Keep so many decisions on a real proposal, as of yesterday."""

    def decided(number):
        approval = Approval.objects.first() or propose()
        DecisionMeasure.objects.bulk_create(
            DecisionMeasure(
                workspace=workspace, approval=approval, agent=approval.agent, user=reviewer,
                verb="approved", way="page", decided_at=timezone.now() - timedelta(days=1),
            )
            for _ in range(number)
        )  # fmt: skip

    return decided


@pytest.fixture
def ready(setting, decided, inbox):
    """All that has to be there: consent, decisions, a real proposal, and mail."""
    decided(100)
    make_letter(inbox)
    return setting


def plant_now(workspace, chance):
    return plant_one(workspace.pk, timezone.now(), chance)


def test_it_is_planted_as_if_an_agent_had_proposed_it(ready, workspace, chance, actor):
    approval = plant_now(workspace, chance)
    assert approval is not None
    submission = approval.submission
    assert (approval.state, approval.agent_id, approval.held_by) == ("waiting", actor.id, "")
    assert submission.proposed_by == f"agent:{actor.id}"
    assert submission.draft.author == f"agent:{actor.id}"
    receipt = Receipt.objects.get(pk=approval.receipt_id)
    assert (receipt.actor, receipt.outcome) == (f"agent:{actor.id}", "held")
    item = PlantedItem.objects.get(approval=approval)
    assert item.kind in deck()
    assert approval in Approval.objects.in_queue()


def test_it_is_off_until_an_owner_turns_it_on(ready, workspace, chance):
    PlantingSetting.objects.update(is_on=False)
    assert plant_now(workspace, chance) is None
    PlantingSetting.objects.all().delete()
    assert plant_due(chance=Always()) == 0


def test_nothing_is_planted_where_nothing_real_waits(ready, workspace, chance):
    Approval.objects.update(state="expired")
    assert plant_now(workspace, chance) is None


def test_one_is_open_at_a_time(ready, workspace, chance, inbox):
    PlantingSetting.objects.update(most_a_day=5, percent=10)
    make_letter(inbox, number=1)
    first = plant_now(workspace, chance)
    assert first is not None
    assert plant_now(workspace, chance) is None
    Approval.objects.filter(pk=first.pk).update(state="voided")
    assert plant_now(workspace, chance) is not None


def test_no_more_a_day_than_the_owner_said(ready, workspace, chance, inbox):
    PlantingSetting.objects.update(most_a_day=2, percent=10)
    for number in range(1, 4):
        make_letter(inbox, number=number)
    made = 0
    for _ in range(4):
        approval = plant_now(workspace, chance)
        made += approval is not None
        Approval.objects.filter(planted__isnull=False).update(state="voided")
    assert made == 2
    assert plant_one(workspace.pk, timezone.now() + timedelta(days=1, minutes=1), chance)


def test_no_more_of_a_hundred_decisions_than_the_owner_said(setting, decided, workspace):
    now = timezone.now()
    decided(33)
    assert not has_room(setting, now)
    decided(1)
    assert has_room(setting, now)
    assert not has_room(setting, now + timedelta(days=31))


def test_decisions_on_what_was_planted_do_not_count_towards_more(
    setting, decided, workspace, planted, reviewer
):
    decided(33)
    approval = planted()
    DecisionMeasure.objects.create(
        workspace=workspace, approval=approval, agent=approval.agent, user=reviewer,
        verb="rejected", way="page", decided_at=timezone.now() - timedelta(hours=1),
    )  # fmt: skip
    Approval.objects.filter(pk=approval.pk).update(state="voided")
    PlantingSetting.objects.update(most_a_day=5)
    setting.refresh_from_db()
    assert not has_room(setting, timezone.now())


def test_the_moment_is_left_to_chance(ready, workspace):
    class Never(random.Random):
        def random(self):
            return LIKELY

    assert plant_due(chance=Never()) == 0
    assert plant_due(chance=Always()) == 1


def test_a_worker_asks_every_few_minutes():
    name = f"{planting.__name__}.plant_due"
    assert _PERIODIC[name].period == timedelta(seconds=planting.EVERY_SECONDS)


def test_every_kind_comes_by_before_one_does_again(ready, workspace, chance, inbox):
    PlantingSetting.objects.update(most_a_day=5, percent=10)
    now, kinds = timezone.now(), []
    for number in range(1, 6):
        make_letter(inbox, number=number)
        approval = plant_one(workspace.pk, now, chance)
        kinds.append(PlantedItem.objects.get(approval=approval).kind)
        Approval.objects.filter(planted__isnull=False).update(state="voided")
    assert len(set(kinds)) == 5


def sources(workspace, inbox, actor, chance):
    system = system_actor(workspace.pk, "Chancery")
    company = Company(actor, REGISTRY.tool("send_reply"), inbox)
    found = find_sources(system, company, timezone.now(), chance)
    return [source.plan.in_reply_to for source in found]


def test_mail_that_somebody_has_to_see_or_answers_is_left_alone(workspace, inbox, chance, actor):
    free = make_letter(inbox, number=0)
    asked, drafted, answered, old, bulk, german = (
        make_letter(inbox, number=number) for number in range(1, 7)
    )
    factories.activities_from_messages([asked.pk])
    asked.activities.update(status=ActivityStatus.SURFACED)
    Draft.objects.create(
        workspace=workspace, account=inbox.account, inbox=inbox, thread=drafted.thread,
        identity=inbox.account.identities.get(), body="Hello", author=actor.key,
    )  # fmt: skip
    factories.make_message(
        inbox, thread=answered.thread, direction="outbound", at=timezone.now(), sender=inbox.address
    )
    Message.objects.filter(pk=old.pk).update(received_at=timezone.now() - RECENT * 2)
    Message.objects.filter(pk=bulk.pk).update(list_id="news.example")
    assert set(sources(workspace, inbox, actor, chance)) == {free, german}


def test_what_the_agent_was_shown_of_late_comes_first(workspace, inbox, chance, actor):
    letters = [make_letter(inbox, number=number) for number in range(6)]
    call("get_thread", {"thread_id": letters[3].thread.public_id}, actor)
    assert sources(workspace, inbox, actor, chance)[0] == letters[3]


def test_a_thread_is_used_once(ready, workspace, chance, inbox):
    PlantingSetting.objects.update(most_a_day=5, percent=10)
    assert plant_now(workspace, chance) is not None
    Approval.objects.filter(planted__isnull=False).update(state="voided")
    Draft.objects.filter(planted_mark__isnull=False).update(status="discarded")
    assert plant_now(workspace, chance) is None


def test_other_workspaces_are_let_be(ready, chance):
    other = factories.make_workspace("other")
    PlantingSetting.objects.create(workspace=other, is_on=True)
    assert plant_one(other.pk, timezone.now(), chance) is None
    assert plant_due(chance=Always()) == 1
    assert set(PlantedItem.objects.values_list("workspace_id", flat=True)) == {ready.workspace_id}
