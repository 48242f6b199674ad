"""The people of a workspace: who they are, and what owners change."""

from datetime import timedelta

import pytest
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.contrib.auth.models import Permission, User
from django.db.models import QuerySet
from django.test import Client
from django.utils import timezone

from agents.models import Receipt
from agents.operations.members import add_new_person
from agents.receipts import verify
from inbox.errors import DomainError
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


def place(workspace, action=""):
    return f"/admin/members/{workspace.pk}/{action}"


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


@pytest.mark.parametrize(("action", "answer"), [("role/", {"role": "viewer"}), ("remove/", {})])
def test_the_last_owner_stays(browser, workspace, owner, action, answer):
    own = owner.memberships.get()
    factories.make_person_user(factories.make_workspace(), Role.OWNER)
    assert browser.post(place(workspace, f"{own.pk}/{action}"), answer).status_code == 409
    assert owner.memberships.get().role == Role.OWNER
    factories.make_person_user(workspace, Role.OWNER)
    assert browser.post(place(workspace, f"{own.pk}/{action}"), answer).status_code == 302


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
    assert "Confirm your identity" in answer.content.decode()
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


# -- a forgotten password ----------------------------------------------------------------------


def reset(browser, workspace, person):
    pk = person.memberships.get(workspace=workspace).pk
    return browser.post(place(workspace, f"{pk}/password/"))


def test_an_owner_makes_a_new_password_for_whoever_forgot_theirs(browser, workspace, reviewer):
    theirs = Client()
    theirs.post("/admin/login/", {"username": "rhea", "password": "sealing-wax"})
    assert theirs.get("/admin/").status_code == 200
    answer = reset(browser, workspace, reviewer)
    password = answer.context["password"]
    assert password in answer.content.decode()
    assert "no-store" in answer["Cache-Control"]
    assert theirs.get("/admin/").status_code == 302
    receipt = Receipt.objects.get(tool="member.password_reset")
    assert (receipt.actor_name, receipt.arguments["person"]) == ("olga", "rhea")
    assert password not in str(list(Receipt.objects.values()))
    theirs.post("/admin/login/", {"username": "rhea", "password": password})
    assert theirs.get("/admin/")["Location"] == "/admin/password_change/"
    new = {
        "old_password": password,
        "new_password1": "wax-seals-9!",
        "new_password2": "wax-seals-9!",
    }
    theirs.post("/admin/password_change/", new)
    assert theirs.get("/admin/").status_code == 200
    assert not StartPassword.objects.exists()


def test_a_lapsed_password_is_made_anew_and_again(browser, workspace, reviewer):
    first = reset(browser, workspace, reviewer).context["password"]
    StartPassword.objects.update(expires_at=timezone.now())
    second = reset(browser, workspace, reviewer).context["password"]
    for password, status in ((first, 200), (second, 302)):
        answer = Client().post("/admin/login/", {"username": "rhea", "password": password})
        assert answer.status_code == status


def test_a_second_step_outlives_a_new_password(browser, workspace, reviewer):
    TOTP.activate(reviewer, generate_totp_secret())
    password = reset(browser, workspace, reviewer).context["password"]
    answer = Client().post("/admin/login/", {"username": "rhea", "password": password})
    assert answer["Location"] == "/admin/login/code/"


@pytest.mark.parametrize("who", ["self", "elsewhere", "superuser", "permitted", "inactive"])
def test_no_owner_becomes_somebody_who_may_more(browser, workspace, owner, reviewer, who):
    person = owner if who == "self" else reviewer
    if who == "elsewhere":
        Membership.objects.create(user=person, workspace=factories.make_workspace())
    if who == "permitted":
        person.user_permissions.add(Permission.objects.get(codename="change_user"))
    User.objects.filter(pk=person.pk).update(
        is_superuser=who == "superuser", is_active=who != "inactive"
    )
    assert reset(browser, workspace, person).status_code == 409
    person.refresh_from_db()
    assert person.check_password("sealing-wax")
    assert not Receipt.objects.exists()


@pytest.mark.parametrize("role", [Role.REVIEWER, Role.VIEWER])
def test_only_owners_do_what_owners_do(workspace, owner, role):
    client = Client()
    client.force_login(factories.make_person_user(workspace, role, "mallory"))
    pk = owner.memberships.get().pk
    for action in ("add/", f"{pk}/role/", f"{pk}/remove/", f"{pk}/password/"):
        given = {"username": "nora", "role": "owner", "new": "1"}
        assert client.post(place(workspace, action), given).status_code == 403
        assert client.get(place(workspace, action)).status_code == 405
    assert owner.memberships.get().role == Role.OWNER
    assert User.objects.count() == 2
    assert not Receipt.objects.exists()


def test_a_stale_login_makes_no_password(browser, workspace, reviewer):
    session = browser.session
    session["signed_in_freshly_at"] = 1.0
    session.save()
    assert "Confirm your identity" in reset(browser, workspace, reviewer).content.decode()
    reviewer.refresh_from_db()
    assert reviewer.check_password("sealing-wax")


# -- names -------------------------------------------------------------------------------------


def test_a_name_is_taken_however_it_is_written(browser, workspace, reviewer):
    """Django keeps names in their compatible form: these are `rhea` and `RHEA` there."""
    for name in ("ｒｈｅａ", "ＲＨＥＡ", "a" * 149 + "ﷺ"):
        given = {"username": name, "role": "viewer", "new": "1"}
        assert browser.post(place(workspace, "add/"), given).status_code == 400
    assert User.objects.count() == 2


def test_of_two_owners_who_make_the_same_name_one_is_told(workspace, owner, reviewer, monkeypatch):
    """Both look before either has made it."""
    monkeypatch.setattr(QuerySet, "exists", lambda _rows: False)
    with pytest.raises(DomainError) as refused:
        add_new_person(workspace=workspace, username="rhea", role="viewer", by=owner)
    assert (refused.value.code, refused.value.field) == ("conflict", "username")


def test_names_cannot_be_tried_without_end(browser, workspace, reviewer):
    other = factories.make_workspace()
    factories.make_person_user(other, Role.VIEWER, "hidden")
    for number in range(20):
        browser.post(place(workspace, "add/"), {"username": f"guess{number}", "role": "viewer"})
    answer = browser.post(place(workspace, "add/"), {"username": "hidden", "role": "viewer"})
    assert "Too many failed sign-ins" in answer.content.decode()
    assert not workspace.memberships.filter(user__username="hidden").exists()


def test_whoever_can_be_added_is_not_counted(browser, workspace):
    for number in range(21):
        given = {"username": f"clerk{number}", "role": "viewer", "new": "1"}
        assert browser.post(place(workspace, "add/"), given).status_code == 200


def test_whoever_was_made_elsewhere_and_has_not_come_yet_is_not_added(browser, workspace, owner):
    """Who made them knows their password, and could come as them."""
    other = factories.make_workspace()
    new = factories.make_person_user(other, Role.VIEWER, "nora")
    StartPassword.objects.create(user=new, expires_at=timezone.now() + timedelta(days=1))
    given = {"username": "nora", "role": "viewer"}
    assert browser.post(place(workspace, "add/"), given).status_code == 400
    Membership.objects.create(user=owner, workspace=other, role=Role.OWNER)
    assert browser.post(place(workspace, "add/"), given).status_code == 302


def test_an_owner_who_never_came_does_not_count_as_one(browser, workspace, owner):
    own = owner.memberships.get()
    browser.post(place(workspace, "add/"), {"username": "nora", "role": "owner", "new": "1"})
    for action in ("role/", "remove/"):
        answer = browser.post(place(workspace, f"{own.pk}/{action}"), {"role": "viewer"})
        assert answer.status_code == 409
    StartPassword.objects.all().delete()
    assert browser.post(place(workspace, f"{own.pk}/remove/")).status_code == 302
