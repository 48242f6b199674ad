"""An installation without the demo: its superuser names a workspace in the browser, and owns it."""

import io
import re

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from agents.models import Agent, Receipt
from agents.receipts import verify
from inbox.background.jobs import run_due
from inbox.models import Account, Membership, Role, Taxonomy, Workspace
from inbox.operations.accounts.workspaces import free_slug
from project.admin_site import PLACES
from tests import factories

pytestmark = pytest.mark.django_db
PAGE = "/admin/start/workspace/"


@pytest.fixture
def ada() -> User:
    return User.objects.create_superuser("ada", password="wax, ribbon and a ring")


@pytest.fixture
def browser(ada) -> Client:
    client = Client()
    client.force_login(ada)
    return client


def name_it(browser, name="Lantern & Sons"):
    return browser.post(PAGE, {"name": name}, follow=True)


def test_who_signs_in_first_is_asked_for_a_workspace_and_not_told_that_all_is_quiet(client, ada):
    answer = client.post(
        "/admin/login/?next=/admin/",
        {"username": "ada", "password": "wax, ribbon and a ring"},
        follow=True,
    )
    assert answer.redirect_chain[-1] == (PAGE, 302)
    text = answer.content.decode()
    assert "Your first workspace" in text
    assert "All quiet" not in text


def test_no_page_that_anything_leads_to_says_not_for_you_to_decide(browser):
    """Whatever the top of a page and Everything lead to asks for a workspace, or does without."""
    everything = browser.get("/admin/all/").content.decode()
    addresses = {reverse(view) for _, _, view, _ in PLACES}
    addresses |= set(re.findall(r'href="(/admin/[a-z_/]*)"', everything)) - {"/admin/logout/"}
    asked = {one for one in addresses if browser.get(one).get("Location") == PAGE}
    assert {reverse(view) for _, _, view, _ in PLACES} - asked == {reverse("everything")}
    others = {one: browser.get(one).status_code for one in addresses - asked}
    assert set(others.values()) == {200}, others
    assert len(addresses) >= 20


def test_the_workspace_is_theirs_with_its_defaults_and_a_receipt(browser, ada):
    answer = name_it(browser)
    assert answer.redirect_chain[-1][0].startswith("/admin/inbox/account/add/?next=")
    assert "Lantern &amp; Sons is yours. Set it up now" in answer.content.decode()
    workspace = Workspace.objects.get()
    assert (workspace.name, workspace.slug) == ("Lantern & Sons", "lantern-sons")
    membership = Membership.objects.get()
    assert (membership.user, membership.role) == (ada, Role.OWNER)
    assert Taxonomy.objects.filter(workspace=workspace).exists()
    run_due()
    receipt = Receipt.objects.get(tool="create_workspace")
    assert receipt.actor == f"person:{ada.pk}"
    assert receipt.arguments == {"name": "Lantern & Sons", "owner": "ada"}
    assert verify(workspace) == []


def test_the_command_line_leaves_the_same_receipt(ada):
    call_command("create_workspace", "Lantern", "--owner", "ada", stdout=io.StringIO())
    run_due()
    receipt = Receipt.objects.get(tool="create_workspace")
    assert receipt.actor_name == "Operator"
    assert receipt.arguments == {"name": "Lantern", "owner": "ada"}


def test_then_an_agent_is_saved_before_there_is_an_inbox_and_an_account_connected(browser):
    name_it(browser)
    workspace = Workspace.objects.get()
    page = browser.get("/admin/agents/agent/add/").content.decode()
    assert "You can skip this for now and grant accounts on its page later" in page
    answer = browser.post(
        "/admin/agents/agent/add/",
        {
            "workspace": workspace.pk, "name": "Clerk", "description": "", "expires_at_0": "",
            "expires_at_1": "", "scopes": ["inbox:read"],
        },
    )  # fmt: skip
    assert answer.context["token_text"].startswith("chy_")
    agent = Agent.objects.get(name="Clerk")
    assert not agent.grants.exists()
    given = {"address": "office@lantern.example", "preset": "local", "workspace": workspace.pk}
    answer = browser.post("/admin/inbox/account/add/", given, follow=True)
    account = Account.objects.get()
    assert f"/admin/inbox/account/{account.pk}/" in answer.redirect_chain[-1][0]
    browser.post(
        f"/admin/agents/agent/{agent.pk}/change/", {"description": "", "accounts": [account.pk]}
    )
    assert agent.grants.get().account == account


@pytest.mark.parametrize(
    ("name", "words"),
    [("", "A workspace needs a name."), ("  ", "needs a name"), ("x" * 201, "at most 200")],
)
def test_a_name_that_is_none_is_refused_at_its_field(browser, name, words):
    answer = name_it(browser, name)
    assert answer.status_code == 400
    assert words in answer.content.decode()
    assert not Workspace.objects.exists()


def test_any_name_has_a_slug_and_none_has_two_workspaces(browser):
    factories.make_workspace("workspace")
    name_it(browser, "灯籠")
    assert Workspace.objects.get(name="灯籠").slug == "workspace-2"
    assert free_slug("Lantern " * 20) == free_slug("lantern " * 20)
    assert len(free_slug("Lantern " * 20)) <= 50


def test_it_is_made_once_however_often_the_button_is_pressed(browser):
    for _ in range(2):
        name_it(browser)
    assert Workspace.objects.count() == 1
    assert "Create workspace" not in browser.get(PAGE).content.decode()
    assert browser.get("/admin/").status_code == 200


def test_it_is_for_superusers_alone(client):
    for user in (
        User.objects.create_user("guest", is_staff=True),
        factories.make_person_user(factories.make_workspace(), name="rhea"),
    ):
        client.force_login(user)
        assert client.get(PAGE).status_code == 403
        assert client.post(PAGE, {"name": "Mine"}).status_code == 403
        assert client.get("/admin/").status_code == 200
    client.logout()
    assert "/admin/login/" in client.get(PAGE)["Location"]
    assert not Workspace.objects.filter(name="Mine").exists()


def test_who_operates_it_for_others_need_not_have_one(browser):
    factories.make_workspace("others")
    assert (
        "To join one, ask an owner to add your user name under Members"
        in browser.get(PAGE).content.decode()
    )
    for place in ("all/", "auth/user/", "me/"):
        assert browser.get(f"/admin/{place}").status_code == 200
