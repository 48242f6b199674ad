"""The page of planted items: who may turn it on, and what it counts."""

import json
from datetime import UTC
from pathlib import Path

import jsonschema
import pytest
from django.urls import reverse
from django.utils import timezone

from agents.admin.oversight.figures import read_figures
from agents.admin.oversight.people import read_people
from agents.admin.oversight.scope import read_choices, read_scope
from agents.approval import lifecycle
from agents.models import DecisionMeasure, PlantingSetting, Receipt
from agents.planted.counting import by_verdict, count_planted
from inbox.viewer import viewer_of_user
from tests import factories

pytestmark = pytest.mark.django_db
SCHEMA = json.loads(
    (Path(__file__).parents[3] / "docs" / "reference" / "planted.schema.json").read_text()
)


def switch(client, workspace, **values):
    given = {"is_on": "on", "most_a_day": "2", "percent": "5"} | values
    posted = {f"{workspace.pk}-{name}": value for name, value in given.items()}
    return client.post(reverse("planted-switch", args=[workspace.pk]), posted)


def test_an_owner_turns_it_on_and_off_and_each_leaves_a_receipt(client, workspace, owner):
    client.force_login(owner)
    page = client.get(reverse("oversight-planted")).content.decode()
    assert "Off: nothing is planted." in page
    assert switch(client, workspace).status_code == 302
    setting = PlantingSetting.objects.get()
    assert (setting.is_on, setting.most_a_day, setting.percent) == (True, 2, 5)
    assert setting.changed_by == owner
    receipt = Receipt.objects.get(tool="switch_planting")
    assert receipt.actor == f"person:{owner.pk}"
    assert receipt.arguments == {"is_on": True, "most_a_day": 2, "percent": 5}
    assert "at most 2 a day, and 5 in a hundred decisions" in receipt.why
    assert switch(client, workspace, is_on="").status_code == 302
    assert not PlantingSetting.objects.get().is_on


def test_nobody_else_may(client, workspace, reviewer):
    other = factories.make_person_user(factories.make_workspace("other"), "owner", name="eve")
    for user, status in ((reviewer, 403), (other, 404)):
        client.force_login(user)
        assert switch(client, workspace).status_code == status
        assert (
            f'name="{workspace.pk}-is_on"'
            not in client.get(reverse("oversight-planted")).content.decode()
        )
    assert not PlantingSetting.objects.filter(workspace=workspace).exists()


@pytest.mark.parametrize("values", [{"most_a_day": "6"}, {"percent": "11"}, {"percent": "x"}])
def test_what_is_out_of_bounds_is_refused_beside_its_field(client, workspace, owner, values):
    client.force_login(owner)
    answer = switch(client, workspace, **values)
    assert answer.status_code == 400
    assert f"id_{workspace.pk}-{next(iter(values))}_error" in answer.content.decode()
    assert not PlantingSetting.objects.exists()


@pytest.fixture
def decided(planted, reviewer, workspace):
    """Three missed and one caught by rhea, one caught by omar, one open, one expired."""
    omar = factories.make_person_user(workspace, name="omar")
    kinds = ("amount_of_the_thread", "amount_of_the_thread", "password_in_the_text")
    for number, kind in enumerate(kinds):
        one = planted(kind, number=number)
        lifecycle.approve(approval=one, by=reviewer, sha256=one.sha256)
    for number, by in ((3, reviewer), (4, omar)):
        lifecycle.reject(approval=planted(number=number), by=by, reason="No.")
    planted(number=5)
    return omar


def test_caught_and_missed_are_counted_by_reviewer_and_kind_with_their_bound(decided, reviewer):
    counts = count_planted(by_verdict(DecisionMeasure.objects.all()))
    assert [(it.name, it.caught, it.missed) for it in counts.reviewers] == [
        (reviewer.username, 1, 3), ("omar", 1, 0),
    ]  # fmt: skip
    assert [(it.code, it.caught, it.missed) for it in counts.kinds] == [
        ("amount_of_the_thread", 2, 2), ("password_in_the_text", 0, 1),
    ]  # fmt: skip
    assert (counts.whole.caught, counts.whole.missed) == (2, 3)
    low, high = counts.whole.misses.interval
    assert (round(low, 3), round(high, 3)) == (0.231, 0.882)


def test_the_pages_show_them_and_the_file_is_after_its_schema(decided, client, reviewer):
    client.force_login(reviewer)
    page = client.get(reverse("oversight-planted")).content.decode()
    assert "between 23 and 88 % are missed" in " ".join(page.split())
    assert "A password in the text" in page
    assert "Planted items by reviewer" in client.get(reverse("oversight")).content.decode()
    told = json.loads(client.get(reverse("planted-figures")).content)
    checker = jsonschema.FormatChecker()
    jsonschema.Draft202012Validator(SCHEMA, format_checker=checker).validate(told)
    assert told["whole"] == {
        "caught": 2, "missed": 3, "missed_share": 0.6, "lowest": 0.230724, "highest": 0.882379,
    }  # fmt: skip
    assert told["kinds"][0]["title"] == "An amount that is not the thread's"


def test_no_other_figure_counts_them(decided, workspace, reviewer):
    viewer = viewer_of_user(reviewer)
    choices = read_choices(viewer)
    scope = read_scope(viewer, {}, choices, timezone.now(), UTC)
    people, figures = read_people(scope), read_figures(scope, choices.agents)
    assert (people.reviewers, people.agents, people.flags, people.quick) == ([], [], [], [])
    assert figures.decided == 0
    # The real one, and the planted one that nobody knows of yet.
    assert [each.proposed for each in figures.agents] == [2]


def test_another_workspace_counts_none_of_them(decided):
    other = factories.make_person_user(factories.make_workspace("other"), "owner", name="eve")
    actor = factories.person_actor(other)
    counts = count_planted(by_verdict(DecisionMeasure.objects.visible_to(actor)))
    assert (counts.reviewers, counts.kinds) == ([], [])
