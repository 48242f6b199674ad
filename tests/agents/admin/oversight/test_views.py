"""The page of oversight: figures drawn, a sample to judge, and nothing done by GET."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from agents.models import SampleCheck
from inbox.models import Membership, Role
from tests import factories
from tests.agents.admin.desk import make_activity, make_desk

pytestmark = pytest.mark.django_db
PLACE = "/admin/oversight/"


@pytest.fixture
def silent(inbox):
    at = timezone.now() - timedelta(hours=2)
    message = factories.make_message(inbox, at=at, subject="<b>News</b> of the week")
    return make_activity(message, "processed", autonomy_tier=1, reasoning="A newsletter.")


@pytest.fixture
def page(client, reviewer):
    client.force_login(reviewer)
    return client


def test_an_empty_workspace_has_empty_charts_in_words(page):
    answer = page.get(PLACE)
    assert answer.status_code == 200
    assert "Nothing in this period." in answer.text
    assert '<rect class="mark-' not in answer.text


def test_charts_have_titles_descriptions_and_a_table_and_no_style_of_their_own(
    page, inbox, actor, silent
):
    make_desk(inbox, actor, at=timezone.now())
    text = page.get(PLACE).text
    charts = re.findall(r"<svg class=\"chart .*?</svg>", text, re.DOTALL)
    assert charts
    for chart in charts:
        assert "<title id=" in chart
        assert "<desc id=" in chart
    came = "".join(chart for chart in charts if 'id="came-' in chart)
    marks = re.findall(r'<rect class="mark-silent" x="[\d.]+" [^>]*><title>([^<]+)</title>', came)
    assert len(marks) == 3
    assert all(words.endswith(": handled silently 1") for words in marks)
    assert "&lt;rect" not in text
    assert " style=" not in text
    assert "<script>" not in text
    assert "handled silently</th>" in text
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(ids) == len(set(ids))


def test_a_silent_item_says_why_and_what_mail_says_is_escaped(page, silent):
    text = page.get(PLACE).text
    assert "A newsletter." in text
    assert "&lt;b&gt;News&lt;/b&gt; of the week" in text


def test_a_verdict_is_given_by_post_and_the_sample_stays(page, silent):
    drawn = page.get(PLACE).context["drawn"]
    place = f"{PLACE}{silent.public_id}/check/"
    assert page.get(place).status_code == 405
    answer = page.post(place, {"verdict": "right", "days": "7", "drawn": drawn})
    assert answer.headers["location"].startswith(f"{PLACE}?days=7&drawn={drawn}")
    assert SampleCheck.objects.get().verdict == "right"
    shown = page.get(answer.headers["location"]).text
    assert "Right not to ask" in shown
    assert "For 1 of 1 items you checked, it was right not to ask" in shown


def test_a_viewer_sees_the_sample_and_may_not_judge(page, silent):
    Membership.objects.update(role=Role.VIEWER)
    assert f"{silent.public_id}/check/" not in page.get(PLACE).text
    answer = page.post(f"{PLACE}{silent.public_id}/check/", {"verdict": "right"})
    assert answer.status_code == 403


def test_nobody_judges_what_is_elsewhere(page):
    other = factories.make_inbox(factories.make_workspace())
    activity = make_activity(factories.make_message(other), "processed", autonomy_tier=1)
    answer = page.post(f"{PLACE}{activity.public_id}/check/", {"verdict": "right"})
    assert answer.status_code == 404


@pytest.mark.parametrize(
    "query",
    ["days=9", "days=90", "days=x&drawn=..", "drawn=99999999999.x", "account=acc_1&agent=%00",
     "drawn=1.a", "drawn=٣.a"],
)  # fmt: skip
def test_whatever_the_address_says_there_is_a_page(page, silent, query):
    assert page.get(f"{PLACE}?{query}").status_code == 200


def test_the_reader_asks_for_days_in_their_own_zone(page, silent):
    page.cookies["tz"] = "Pacific/Auckland"
    assert "Days are in Pacific/Auckland" in page.get(PLACE).text
