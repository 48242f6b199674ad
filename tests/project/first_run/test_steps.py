"""The steps after the first: each by its own page, left and taken up again, told by rows alone."""

import pytest
from allauth.mfa.totp.internal.auth import TOTP
from django.contrib.auth.models import User
from django.test import Client

from agents.admin.agent_presets import PRESETS
from agents.dispatching.dispatch import call
from agents.models import Agent, Approval, NoticeSettings, Token
from agents.operations.agents import authenticate
from inbox.background.jobs import run_due
from inbox.models import Account, Membership, Role, Workspace
from project.first_run.steps import STEPS
from tests import factories

pytestmark = pytest.mark.django_db
START = "/admin/start/"


@pytest.fixture
def ada() -> User:
    return User.objects.create_superuser("ada", password="wax, ribbon and a ring")


@pytest.fixture
def browser(ada) -> Client:
    client = Client()
    client.force_login(ada)
    return client


@pytest.fixture
def lantern(browser) -> Workspace:
    browser.post(f"{START}workspace/", {"name": "Lantern"})
    return Workspace.objects.get()


def connect(browser, address="office@lantern.example"):
    place = browser.get(f"{START}mail/")["Location"]
    given = {"address": address, "preset": "local", "workspace": Workspace.objects.get().pk}
    return browser.post(place, given, follow=True)


def make_agent(browser, **given):
    return browser.post(f"{START}agent/", {"preset": "mail", "name": "Clerk", **given})


def text_of(answer):
    return " ".join(answer.content.decode().split())


def test_without_a_workspace_every_step_leads_to_the_one_that_makes_it(browser):
    for step in ("mail", "agent", "notices", "second-step"):
        assert browser.get(f"{START}{step}/")["Location"] == f"{START}workspace/"
    assert browser.get(f"{START}call/")["Location"] == f"{START}agent/"
    assert "Continue: Workspace" in text_of(browser.get(START))


def test_the_page_that_connects_says_which_step_it_is_and_comes_back(browser, lantern):
    page = browser.get(f"{START}mail/", follow=True)
    assert page.redirect_chain[-1][0].startswith("/admin/inbox/account/add/")
    assert "Step 3 of 7" in text_of(page)
    assert f'href="{START}agent/"' in text_of(page)
    # By itself it is no step.
    assert "Step 3 of 7" not in text_of(browser.get("/admin/inbox/account/add/"))
    answer = connect(browser)
    assert answer.redirect_chain[-1] == (f"{START}mail/", 302)
    assert "office@lantern.example" in text_of(answer)


@pytest.mark.parametrize(
    "away", ["https://evil.example/", "//evil.example/admin/", "/api/tools", "javascript:alert(1)"]
)
def test_it_comes_back_to_pages_of_this_site_alone(browser, lantern, away):
    given = {"address": "office@lantern.example", "preset": "local", "workspace": lantern.pk}
    answer = browser.post(f"/admin/inbox/account/add/?next={away}", given)
    assert answer["Location"] == f"/admin/inbox/account/{Account.objects.get().pk}/change/"


def test_an_agent_is_made_by_a_preset_for_all_accounts_and_its_token_shown_once(browser, lantern):
    connect(browser)
    page = text_of(browser.get(f"{START}agent/"))
    assert all(str(preset.name) in page for preset in PRESETS)
    answer = make_agent(browser)
    token = answer.context["token_text"]
    assert answer.content.decode().count(token) > 5
    assert "no-store" in answer["Cache-Control"]
    actor = authenticate(token)
    assert actor.scopes == set(PRESETS[0].scopes)
    assert actor.account_ids == {Account.objects.get().pk}
    again = browser.get(f"{START}call/")
    assert token not in again.content.decode()
    assert "chy_…" in again.content.decode()
    # Sent once more, as by loading the page anew, it makes no second one.
    assert make_agent(browser).status_code == 400
    assert Agent.objects.count() == 1


@pytest.mark.parametrize("given", [{"preset": ""}, {"preset": "custom"}, {"name": " "}])
def test_an_agent_needs_a_preset_and_a_name(browser, lantern, given):
    assert make_agent(browser, **given).status_code == 400
    assert not Agent.objects.exists()


def test_a_new_token_ends_those_that_were_never_used(browser, lantern):
    first = make_agent(browser).context["token_text"]
    second = browser.post(f"{START}call/").context["token_text"]
    assert authenticate(second).scopes == set(PRESETS[0].scopes)
    assert Token.objects.filter(revoked_at=None).count() == 1
    third = browser.post(f"{START}call/").context["token_text"]
    assert len({first, second, third}) == 3
    # The second was used meanwhile, and goes on.
    assert Token.objects.filter(revoked_at=None).count() == 2


def test_the_first_call_is_seen_by_its_receipt(browser, lantern):
    token = make_agent(browser).context["token_text"]
    assert "You will see it here when it does" in text_of(browser.get(f"{START}call/"))
    actor = authenticate(token)
    assert "is connected but has not done anything yet" in text_of(browser.get(f"{START}call/"))
    call("look_around", {}, actor)
    page = text_of(browser.get(f"{START}call/"))
    assert "First call seen" in page
    assert "look_around" in page


def test_the_demo_is_filled_and_its_agent_works_when_asked_to(browser, ada):
    answer = browser.post(f"{START}workspace/", {"demo": "1"}, follow=True)
    assert "The demo is loading" in text_of(answer)
    assert "data-refresh-url" in text_of(answer)
    run_due()
    assert "messages to" in text_of(browser.get(f"{START}mail/"))
    make_agent(browser)
    assert "No agent yet" in text_of(browser.get(f"{START}call/"))
    answer = browser.post(f"{START}call/", {"work": "1"}, follow=True)
    assert "The demo's agent is working" in text_of(answer)
    run_due()
    page = text_of(browser.get(f"{START}call/"))
    assert "First call seen" in page
    assert "7 proposals are waiting for you" in page
    assert Approval.objects.count() == 7
    assert "Open the queue (7 need approval)" in text_of(browser.get(START))


def test_after_the_demo_comes_ones_own_workspace(browser, ada):
    browser.post(f"{START}workspace/", {"demo": "1"})
    assert "Whenever you like, create your own workspace below" in text_of(
        browser.get(f"{START}workspace/")
    )
    browser.post(f"{START}workspace/", {"demo": "1"})
    assert Workspace.objects.count() == 1
    for _ in range(2):
        browser.post(f"{START}workspace/", {"name": "Lantern"})
    assert Membership.objects.filter(user=ada, role=Role.OWNER).count() == 2
    place = browser.get(f"{START}mail/", follow=True)
    assert f'value="{Workspace.objects.get(name="Lantern").pk}" selected' in text_of(place)


def test_the_demos_agent_is_nobodys_who_has_no_demo(browser, lantern):
    make_agent(browser)
    browser.post(f"{START}call/", {"work": "1"})
    run_due()
    assert "You will see it here when it does" in text_of(browser.get(f"{START}call/"))


def test_one_is_told_in_the_browser_unless_one_says_no(browser, lantern, ada):
    assert "checked" in text_of(browser.get(f"{START}notices/"))
    answer = browser.post(f"{START}notices/", {"by_browser": "on"})
    assert answer["Location"] == f"{START}second-step/"
    kept = NoticeSettings.objects.get(user=ada)
    assert (kept.by_browser, kept.by_mail, kept.kinds) == (True, False, ["approval"])
    browser.post(f"{START}notices/", {})
    assert not NoticeSettings.objects.get(user=ada).by_browser
    assert browser.post(f"{START}notices/", {"by_mail": "on"}).status_code == 400


def test_the_second_step_comes_back_when_it_is_set_up(browser, lantern, ada):
    page = text_of(browser.get(f"{START}second-step/"))
    assert f"/admin/me/app/?next={START}second-step/" in page
    TOTP.activate(ada, "JBSWY3DPEHPK3PXP")
    assert "You are asked for a code from your app after your password" in text_of(
        browser.get(f"{START}second-step/")
    )


def test_all_steps_at_a_glance_say_what_is_done(browser, lantern):
    connect(browser)
    make_agent(browser)
    answer = browser.get(START)
    done = [step.key for step in answer.context["steps"] if step.is_done]
    assert done == ["owner", "workspace", "mail", "agent"]
    assert len(answer.context["steps"]) == len(STEPS)
    assert "Back to the queue" in text_of(answer)


def test_each_can_be_skipped_and_gone_back_from(browser, lantern):
    places = [f"{START}agent/", f"{START}notices/", f"{START}second-step/"]
    for place in places:
        page = text_of(browser.get(place))
        assert "Skip" in page
        assert "Back:" in page


def test_who_owns_nothing_here_has_nothing_to_set_up(lantern):
    for role in (Role.REVIEWER, Role.VIEWER):
        client = Client()
        client.force_login(factories.make_person_user(lantern, role, name=f"a-{role}"))
        assert client.get(START).status_code == 403
        assert client.get(f"{START}workspace/").status_code == 403
        assert client.post(f"{START}agent/", {"preset": "mail", "name": "X"}).status_code == 302
        assert "Setup" not in client.get("/admin/").content.decode()
    assert not Agent.objects.exists()


def test_an_owner_who_operates_nothing_sets_their_workspace_up(lantern):
    client = Client()
    client.force_login(factories.make_person_user(lantern, Role.OWNER, name="olga"))
    assert client.get(START).status_code == 200
    client.post(f"{START}workspace/", {"name": "Another"})
    assert Workspace.objects.count() == 1
    assert make_agent(client).context["token_text"]
    assert Agent.objects.get().created_by.username == "olga"
