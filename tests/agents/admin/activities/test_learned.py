"""The page of what is learned: what it shows, and who turns a version on."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents.models import Receipt
from inbox.models import (
    Correction,
    CorrectionOffer,
    Job,
    LearnedModel,
    LearnedOpinion,
    Role,
)
from inbox.operations.activities.activities import update_activities
from tests import factories
from tests.agents.admin.desk import make_activity
from tests.factories import person_actor

pytestmark = pytest.mark.django_db
PAGE = "/admin/learned/"
CONTENT = {"labels": [], "scorers": {}, "curve": [1, 0], "sure": {}}
FIGURES = {
    "decisions": {"unwanted": 40, "wanted": 60}, "measured_on": 100, "accuracy": 0.97,
    "calibration_error": 0.021, "bins": [[20, 0.62, 0.6], [80, 0.97, 0.99]],
    "heaviest": {"unwanted": [["w/pills", 2.1], ["b/buy now", 1.4], ["w/contract", -1.9]]},
}  # fmt: skip


@pytest.fixture
def model(workspace) -> LearnedModel:
    return LearnedModel.objects.create(
        workspace=workspace, about="judge", version=3, content=CONTENT, figures=FIGURES,
        trained_at=timezone.now(),
    )  # fmt: skip


@pytest.fixture
def opinion(model, activity) -> LearnedOpinion:
    return LearnedOpinion.objects.create(
        workspace=model.workspace, model=model, activity=activity, said="unwanted",
        confidence=0.94, weights=[["w/pills", 2.1], ["w/contract", -0.4]], by_rules="needs_review",
        would="quarantined", was_followed=False,
    )  # fmt: skip


@pytest.fixture
def offered(workspace, activity) -> CorrectionOffer:
    return CorrectionOffer.objects.create(
        workspace=workspace, scope="sender", value=activity.sender, route="dismiss", count=6,
        activity=activity,
    )  # fmt: skip


@pytest.fixture
def owner(workspace) -> Client:
    client = Client()
    client.force_login(factories.make_person_user(workspace, Role.OWNER, name="olga"))
    return client


def shown(client: Client) -> str:
    """Return the words of the page."""
    page = client.get(PAGE).content.decode()
    return " ".join(re.sub(r"<[^<>]*>", "", page).split())


def test_it_says_what_a_version_is_worth_and_what_says_most(browser, model):
    page = shown(browser)
    for words in (
        "version 3",
        "97 %",
        "2 %",
        "unwanted 40",
        "worth a look 60",
        "pills, buy now",
        "99 %",
    ):
        assert words in page, words
    assert "contract" not in page
    assert 'name="off"' not in page
    assert "Turn on" not in page


def test_its_differences_are_shown_with_what_people_decided_since(
    browser, reviewer, opinion, workspace
):
    page = shown(browser)
    assert "unwanted, 94 %" in page
    assert "not followed" in page
    assert "decided:" not in page
    update_activities(
        actor=person_actor(reviewer), activities=[opinion.activity], status="needs_review"
    )
    assert "decided: worth a look" in shown(browser)


def test_an_owner_turns_it_on_and_off_with_receipts_and_nobody_else(browser, owner, model):
    place = f"{PAGE}{model.public_id}/switch/"
    assert browser.post(place).status_code == 403
    assert owner.get(place).status_code == 405
    assert owner.post(place).status_code == 302
    model.refresh_from_db()
    assert (model.state, model.switched_by_name) == ("on", "olga")
    assert "Turn off" in shown(owner)
    owner.post(place)
    assert "It is already on." in shown(owner)
    owner.post(place, {"off": "1"})
    model.refresh_from_db()
    assert model.state == "shadow"
    told = Receipt.objects.filter(tool="switch_learned").order_by("pk")
    assert [one.arguments["on"] for one in told] == [True, False]


def test_another_workspace_is_neither_seen_nor_switched(model, opinion, offered):
    elsewhere = factories.make_workspace("elsewhere")
    client = Client()
    client.force_login(factories.make_person_user(elsewhere, Role.OWNER))
    page = client.get(PAGE).content.decode()
    assert "pills" not in page
    assert offered.value not in page
    for place in (f"{model.public_id}/switch/", f"offers/{offered.public_id}/"):
        assert client.post(PAGE + place).status_code == 404
    assert client.get(f"{PAGE}{model.public_id}/").status_code == 404


def test_an_owner_has_a_version_trained_once_an_hour(browser, owner, workspace):
    assert "Train a new version" not in shown(browser)
    browser.post(f"{PAGE}train/")
    assert not Job.objects.filter(kind="learned.train").exists()
    for _ in range(2):
        owner.post(f"{PAGE}train/")
    assert Job.objects.get(kind="learned.train").payload == {"workspace_id": workspace.pk}


def test_an_offer_is_taken_with_a_receipt_or_dismissed(browser, offered):
    assert offered.value in shown(browser)
    browser.post(f"{PAGE}offers/{offered.public_id}/")
    made = Correction.objects.get()
    assert (made.value, made.route, made.created_by_name) == (offered.value, "dismiss", "rhea")
    assert Receipt.objects.get(tool="make_correction").arguments["offer_id"] == offered.public_id
    assert "Always decided alike" not in shown(browser)
    browser.post(f"{PAGE}offers/{offered.public_id}/", {"dismiss": "1"})
    assert "It was already decided." in shown(browser)


def test_a_dismissed_offer_makes_nothing(browser, offered):
    browser.post(f"{PAGE}offers/{offered.public_id}/", {"dismiss": "1"})
    assert not Correction.objects.exists()
    assert "Always decided alike" not in shown(browser)


def test_it_costs_as_many_queries_for_ten_differences_as_for_one(
    browser, model, opinion, inbox, django_assert_num_queries
):
    with CaptureQueriesContext(connection) as queries:
        shown(browser)
    for number in range(9):
        made = make_activity(factories.make_message(inbox, sender=f"p{number}@customer.example"))
        LearnedOpinion.objects.create(
            workspace=model.workspace, model=model, activity=made, said="aside", confidence=0.95,
            by_rules="needs_review", would="processed", was_followed=False,
        )  # fmt: skip
    with django_assert_num_queries(len(queries)):
        assert shown(browser).count("not followed") == 10
