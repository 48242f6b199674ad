"""The page on which somebody says that they are away."""

from datetime import timedelta

import pytest
from django.utils import timezone
from django.utils.html import strip_tags

from agents.models import Absence
from inbox.models import Membership, Role
from tests import factories
from tests.cases import in_one_test

pytestmark = pytest.mark.django_db
PLACE = "/admin/me/away/"


@pytest.fixture
def page(client, reviewer):
    client.force_login(reviewer)
    return client


@pytest.fixture
def omar(workspace):
    return factories.make_person_user(workspace, name="omar")


@pytest.fixture
def keys(omar, reviewer, workspace):
    """Of people by what they are, and of the workspace."""
    stranger = factories.make_person_user(factories.make_workspace("elsewhere"), name="nora")
    return {"omar": omar.pk, "self": reviewer.pk, "stranger": stranger.pk, "here": workspace.pk}


def day(days=3):
    return (timezone.now() + timedelta(days=days)).date().isoformat()


def test_one_is_away_until_the_end_of_a_day_and_says_when_one_is_back(page, omar, workspace):
    here = f"{PLACE}{workspace.pk}/"
    assert "I'm away" in page.get(PLACE).text
    form = {"until": day(), "delegate": str(omar.pk)}
    assert page.post(here, form, follow=True).status_code == 200
    absence = Absence.objects.get()
    assert absence.delegate == omar
    assert absence.until.date().isoformat() == day()
    assert "stands in for you" in strip_tags(page.get(PLACE).text)
    assert "omar stands in" in strip_tags(page.get(f"/admin/members/{workspace.pk}/").text)
    page.post(f"{here}back/")
    assert not Absence.objects.exists()


@in_one_test(
    ("until", "delegate", "named"),
    [("", "omar", "until"), ("tomorrow", "omar", "until"), (day(-2), "omar", "until"),
     ("9999-12-31", "omar", "until"), (day(), "", "delegate"), (day(), "0", "delegate"),
     (day(), "self", "delegate"), (day(), "stranger", "delegate"), (day(), "\0", "delegate")],
)  # fmt: skip
def test_what_is_not_a_day_or_nobody_of_here_is_refused_at_its_field(
    page, keys, until, delegate, named
):
    form = {"until": until, "delegate": str(keys.get(delegate, delegate))}
    answer = page.post(f"{PLACE}{keys['here']}/", form)
    assert answer.status_code == 400
    (place,) = answer.context["away_in"]
    assert list(place.form.errors) == [named]
    assert not Absence.objects.exists()


def test_nobody_is_made_away_in_a_workspace_that_is_not_theirs_or_by_a_look(page, omar, workspace):
    other = factories.make_workspace("elsewhere")
    factories.make_person_user(other, name="nora")
    form = {"until": day(), "delegate": str(omar.pk)}
    assert page.post(f"{PLACE}{other.pk}/", form).status_code == 404
    assert page.post(f"{PLACE}{other.pk}/back/").status_code == 404
    assert page.get(f"{PLACE}{workspace.pk}/").status_code == 405


def test_who_only_reads_and_who_is_alone_is_told_why_there_is_no_form(page, reviewer, workspace):
    assert "No one else can decide here, so no one can stand in for you" in page.get(PLACE).text
    Membership.objects.filter(user=reviewer).update(role=Role.VIEWER)
    assert "You cannot decide anywhere, so nothing is waiting for you" in page.get(PLACE).text
