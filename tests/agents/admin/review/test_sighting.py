"""What is kept of a decision: how its item was looked at, and what of that is believed."""

import re
from datetime import timedelta

import pytest
from django.core import signing
from django.test import Client
from django.utils import timezone

from agents.admin.review import sighting
from agents.approval import lifecycle
from agents.models import Approval, DecisionMeasure
from agents.oversight.measuring import (
    LONGEST_LOOK,
    READ_A_SECOND,
    count_changed,
    count_words,
    is_too_quick,
)
from inbox.models import ReplyPolicy
from inbox.operations.activities.understanding import save_version
from tests import factories
from tests.agents.admin.desk import BODY, propose
from tests.agents.surfaces.test_deciding import Person, approving
from tests.cases import in_one_test

pytestmark = pytest.mark.django_db
MINUTE = 60_000


@pytest.fixture(scope="module")
def made_once(make_once):
    return make_once(make_rows)


def make_rows():
    """A reviewer, and three replies that wait, to somebody whom we wrote to before."""
    lantern = factories.make_lantern()
    inbox = lantern["inbox"]
    factories.make_person(inbox.workspace, sent_count=2)
    threads = [factories.make_message(inbox, subject=f"Letter {n}").thread for n in range(3)]
    approvals = [propose(lantern["actor"], one, f"{BODY} {n}.") for n, one in enumerate(threads)]
    Approval.objects.update(checks_due=False, risk_flags=[])
    reviewer = factories.make_person_user(lantern["workspace"], name="rhea")
    return {**lantern, "reviewer": reviewer, "letters": approvals}


@pytest.fixture
def letters(own_rows, db):
    return list(Approval.objects.order_by("pk"))


@pytest.fixture
def browser(reviewer):
    client = Client()
    client.force_login(reviewer)
    return client


@pytest.fixture
def opened(browser, monkeypatch):
    """Open a page; return the form's fields, as if the page had been given out some time ago."""

    def opened(url, ago=MINUTE):
        page = browser.get(url).content.decode()
        token = re.search(r'name="opened" value="([^"]+)"', page)[1]
        later = timezone.now() + timedelta(milliseconds=ago)
        monkeypatch.setattr(sighting.timezone, "now", lambda: later)
        return {"opened": token}

    return opened


def place(approval, action=""):
    return f"/admin/review/{approval.public_id}/" + (f"{action}/" if action else "")


def seen(approval, **fields):
    return {"sha256": approval.sha256, **fields}


def measured():
    return DecisionMeasure.objects.get()


def test_a_decision_on_its_page_keeps_how_long_it_was_in_front_and_what_was_on_the_screen(
    browser, reviewer, letters, opened
):
    one = letters[0]
    fields = opened(place(one)) | {"shown": "41000", "end_seen": one.public_id, "source_seen": ""}
    browser.post(place(one, "approve"), seen(one, **fields))
    kept = measured()
    assert (kept.approval, kept.user, kept.agent_id) == (one, reviewer, one.agent_id)
    assert (kept.verb, kept.way, kept.milliseconds) == ("approved", "page", 41_000)
    assert (kept.end, kept.source, kept.is_quick) == ("seen", "unseen", False)
    assert kept.words == count_words(f"{one.submission.draft.subject}\n{BODY} 0.")


def test_without_a_script_the_whole_time_counts_and_the_screen_is_unknown(browser, letters, opened):
    browser.post(place(letters[0], "approve"), seen(letters[0], **opened(place(letters[0]))))
    kept = measured()
    assert MINUTE <= kept.milliseconds < 2 * MINUTE
    assert (kept.end, kept.source) == ("unknown", "unknown")


def test_no_page_says_that_it_was_in_front_for_longer_than_it_was_there(browser, letters, opened):
    fields = opened(place(letters[0]), ago=500) | {
        "shown": "900000",
        "end_seen": letters[0].public_id,
    }
    browser.post(place(letters[0], "approve"), seen(letters[0], **fields))
    assert 500 <= measured().milliseconds < MINUTE
    assert measured().is_quick


@in_one_test(
    "claim",
    [
        {"shown": "-1"}, {"shown": "1e9"}, {"shown": "9" * 40}, {"shown": "²"}, {"shown": "\0"},
        {"opened": "made:up"}, {"opened": "x" * 10_000}, {"end_seen": "apr_x " * 9_000},
    ],
)  # fmt: skip
def test_a_made_up_claim_says_nothing(rf, reviewer, claim):
    token = signing.dumps([reviewer.pk, "apr_x", 0], salt="agents.sighting")
    request = rf.post("/", {"opened": token, "shown": "", **claim})
    request.user = reviewer
    found = sighting.read_sighting(request, "apr_x")
    assert (found.end, found.source) == ("unknown", "unknown")
    assert found.milliseconds == (None if "opened" in claim else LONGEST_LOOK)


def test_another_persons_page_and_another_items_tell_nothing(browser, letters, workspace, opened):
    other = Client()
    other.force_login(factories.make_person_user(workspace, name="omar"))
    theirs = re.search(
        r'name="opened" value="([^"]+)"', other.get(place(letters[0])).content.decode()
    )
    browser.post(place(letters[0], "approve"), seen(letters[0], opened=theirs[1], shown="1"))
    fields = opened(place(letters[2]))
    browser.post(place(letters[1], "approve"), seen(letters[1], **fields))
    assert [one.milliseconds for one in DecisionMeasure.objects.all()] == [None, None]


def test_of_an_edit_the_words_that_changed_are_kept_with_what_was_shown(browser, letters, opened):
    one = letters[0]
    body = f"{BODY} 0.".replace("Friday", "next Monday")
    edit = {"to": "ada@customer.example", "subject": one.submission.draft.subject, "body": body}
    browser.post(place(one, "edit"), seen(one, **opened(place(one)), **edit))
    kept = measured()
    assert (kept.verb, kept.approval_id, kept.changed_words) == ("edited", one.pk, 2)
    assert not kept.is_quick


def test_in_a_batch_the_pages_time_is_shared_by_the_words(browser, letters, opened):
    names = [one.public_id for one in letters]
    url = f"/admin/queue/batch/?item={'&item='.join(names)}"
    form = {f"sha256-{one.public_id}": one.sha256 for one in letters[:2]}
    form |= opened(url) | {"item": names, "shown": "20000", "end_seen": f"{names[0]} {names[1]}"}
    browser.post("/admin/queue/batch/approve/", form)
    first, second = DecisionMeasure.objects.order_by("pk")
    assert (first.way, first.end, first.source) == ("batch", "seen", "unseen")
    assert first.milliseconds + second.milliseconds == pytest.approx(20_000, abs=1)
    assert first.words == second.words
    assert first.milliseconds == second.milliseconds


def test_by_the_api_nothing_is_known_of_the_screen_and_it_is_kept_all_the_same(reviewer, letters):
    one = letters[0]
    assert Person(reviewer).decide(one, approving(one)).status_code == 200
    kept = measured()
    assert (kept.way, kept.milliseconds, kept.end) == ("api", None, "unknown")
    assert not kept.is_quick


def test_each_of_two_persons_has_a_measure_and_the_flags_that_they_were_shown(
    letters, reviewer, workspace
):
    save_version(
        ReplyPolicy, workspace=workspace, name="House", stored=None,
        content="decisions:\n  - {second_approver: true}\n",
    )  # fmt: skip
    other = factories.make_person_user(workspace, name="omar")
    flag = {"flag": "external_link", "reason": "", "excerpt": "", "source": None}
    one = letters[0]
    Approval.objects.filter(pk=one.pk).update(risk_flags=[flag, {**flag, "flag": "hidden_text"}])
    for by in (reviewer, other):
        lifecycle.approve(approval=one, by=by, sha256=one.sha256)
    kept = DecisionMeasure.objects.order_by("pk")
    assert [(row.user, row.verb) for row in kept] == [(reviewer, "first"), (other, "approved")]
    assert {row.flags for row in kept} == {"external_link hidden_text"}


def test_a_decision_that_is_refused_has_no_measure(browser, letters):
    browser.post(place(letters[0], "approve"), seen(letters[0], sha256="0" * 64))
    assert not DecisionMeasure.objects.exists()


def test_what_is_faster_than_anybody_reads_is_told_from_what_is_not():
    assert is_too_quick(READ_A_SECOND * 10 + 1, 10_000)
    assert not is_too_quick(READ_A_SECOND * 10, 10_000)
    assert not is_too_quick(900, None)
    assert not is_too_quick(0, 0)


@in_one_test(
    ("old", "new", "changed"),
    [("a b c", "a b c", 0), ("a b c", "a c b", 0), ("a b", "a b c d", 2), ("a b c", "", 3),
     ("by Friday", "by next Monday", 2), ("a a a", "a", 2)],
)  # fmt: skip
def test_changed_words_are_those_that_the_other_text_has_not(old, new, changed):
    assert count_changed(old, new) == changed
