"""The people of a workspace: who they are, and what owners change."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from agents.models import Receipt
from agents.receipts import verify
from inbox.models import Membership, Role, StartPassword
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner(workspace) -> User:
    return factories.make_person_user(workspace, Role.OWNER, "olga")


@pytest.fixture
def browser(owner) -> Client:
    client = Client()
    client.force_login(owner)
    return client


def place(workspace, deed=""):
    return f"/admin/members/{workspace.pk}/{deed}"


def test_members_see_each_other_with_how_they_sign_in(browser, workspace, reviewer):
    text = browser.get(place(workspace)).content.decode()
    assert "rhea" in text
    assert "password only" in text
    assert "never signed in" in text


def test_a_new_person_gets_a_password_that_is_shown_once(browser, workspace):
    response = browser.post(
        place(workspace, "add/"), {"username": "nora", "role": "viewer", "new": "1"}
    )
    password = response.context["password"]
    assert password in response.content.decode()
    assert "no-store" in response["Cache-Control"]
    assert password not in browser.get(place(workspace)).content.decode()
    nora = User.objects.get(username="nora")
    assert nora.check_password(password)
    assert StartPassword.objects.filter(user=nora).exists()
    comes = Client()
    comes.post("/admin/login/", {"username": "nora", "password": password})
    assert comes.get("/admin/")["Location"] == "/admin/password_change/"
    assert password not in str(list(Receipt.objects.values()))


def test_somebody_who_is_known_is_added_and_each_change_leaves_a_receipt(browser, workspace):
    sam = User.objects.create_user("sam", password="x", is_staff=True)
    browser.post(place(workspace, "add/"), {"username": "sam", "role": "viewer"})
    there = Membership.objects.get(user=sam)
    assert there.role == Role.VIEWER
    browser.post(place(workspace, f"{there.pk}/role/"), {"role": "reviewer"})
    browser.post(place(workspace, f"{there.pk}/remove/"))
    assert not Membership.objects.filter(user=sam).exists()
    tools = Receipt.objects.order_by("seq").values_list("tool", "actor_name")
    assert list(tools) == [
        (f"member.{what}", "olga") for what in ("added", "role_changed", "removed")
    ]
    assert verify(workspace) == []


@pytest.mark.parametrize(
    "answer",
    [{"username": "nobody", "role": "viewer"}, {"username": "olga", "role": "viewer"},
     {"username": "OLGA", "role": "viewer", "new": "1"}, {"username": "a b", "role": "viewer", "new": "1"}],
)  # fmt: skip
def test_what_cannot_be_added_is_said_at_the_field(browser, workspace, answer):
    response = browser.post(place(workspace, "add/"), answer)
    assert response.status_code == 400
    assert "username" in response.context["add_form"].errors
    assert Membership.objects.count() == 1


@pytest.mark.parametrize(("deed", "answer"), [("role/", {"role": "viewer"}), ("remove/", {})])
def test_the_last_owner_stays(browser, workspace, owner, deed, answer):
    own = owner.memberships.get()
    assert browser.post(place(workspace, f"{own.pk}/{deed}"), answer).status_code == 409
    assert owner.memberships.get().role == Role.OWNER
    factories.make_person_user(workspace, Role.OWNER)
    assert browser.post(place(workspace, f"{own.pk}/{deed}"), answer).status_code == 302


def test_a_role_that_is_none_is_refused(browser, workspace, reviewer):
    pk = reviewer.memberships.get().pk
    assert browser.post(place(workspace, f"{pk}/role/"), {"role": "emperor"}).status_code == 409
    assert reviewer.memberships.get().role == Role.REVIEWER


def test_a_stale_login_changes_nobody_s_place(browser, workspace, reviewer):
    session = browser.session
    session["signed_in_freshly_at"] = 1.0
    session.save()
    pk = reviewer.memberships.get().pk
    answer = browser.post(place(workspace, f"{pk}/remove/"))
    assert "Is it you?" in answer.content.decode()
    assert reviewer.memberships.exists()
    browser.post(place(workspace, f"{pk}/remove/"), {"again_password": "sealing-wax"})
    assert not reviewer.memberships.exists()


def test_a_member_of_another_workspace_is_not_found(browser, workspace):
    other = factories.make_workspace()
    foreign = factories.make_person_user(other).memberships.get()
    assert browser.get(place(other)).status_code == 404
    assert browser.post(place(other, f"{foreign.pk}/remove/")).status_code == 404
    assert browser.post(place(workspace, f"{foreign.pk}/remove/")).status_code == 404
    assert Membership.objects.filter(pk=foreign.pk).exists()
