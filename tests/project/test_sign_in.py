"""Signing in by real posts: two steps, limits, first things first, and asking again."""

import logging
import re
from datetime import timedelta

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal import auth as totp
from cryptography.fernet import Fernet
from django.contrib.auth.models import User
from django.core import mail
from django.core.cache import cache
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from agents.models import Approval
from inbox.models import CacheEntry, Membership, Role, StartPassword, Submission
from tests import factories
from tests.agents.admin.desk import BODY, propose

pytestmark = pytest.mark.django_db
LOGIN = "/admin/login/"


def sign_in(client, name="rhea", password="sealing-wax", **more):
    return client.post(LOGIN, {"username": name, "password": password}, **more)


def code_of(user) -> str:
    """The code that the app of somebody shows now."""
    secret = totp.decrypt(Authenticator.objects.get(user=user, type="totp").data["secret"])
    return shown(secret)


def shown(secret: str) -> str:
    """The code of this half minute: that of the one before is good only until the next begins."""
    _before, now, _after = totp.yield_hotp_counters_from_time()
    return totp.format_hotp_value(totp.hotp_value(secret, now))


def set_up_app(user) -> None:
    totp.TOTP.activate(user, totp.generate_totp_secret())
    RecoveryCodes.activate(user)


def make_stale(client) -> None:
    session = client.session
    session["signed_in_freshly_at"] = 1.0
    session.save()


# -- name and password -------------------------------------------------------------------------


def test_name_and_password_open_the_page_that_was_asked_for(client, reviewer):
    response = client.post(
        f"{LOGIN}?next=/admin/inbox/thread/", {"username": "rhea", "password": "sealing-wax"}
    )
    assert (response.status_code, response["Location"]) == (302, "/admin/inbox/thread/")
    assert client.get("/admin/").status_code == 200


@pytest.mark.parametrize(
    "place", ["https://evil.example/", "//evil.example", "javascript:alert(1)"]
)
def test_nobody_is_led_elsewhere(client, reviewer, place):
    response = client.post(f"{LOGIN}?next={place}", {"username": "rhea", "password": "sealing-wax"})
    assert response["Location"] == "/admin/"


def test_who_is_no_staff_is_told_what_a_stranger_is_told(client, reviewer):
    User.objects.create_user("cust", password="sealing-wax")
    refusals = [
        re.findall(r'id="refusal">(?s:(.*?))</div>', sign_in(client, *who).content.decode())
        for who in (("cust", "sealing-wax"), ("rhea", "wrong"), ("nobody", "wrong"))
    ]
    assert refusals[0]
    assert refusals[0] == refusals[1] == refusals[2]


@pytest.mark.parametrize("place", ["signup/", "email/", "password/reset/", "me/webauthn/"])
def test_of_allauth_only_what_makes_sense_is_served(client, reviewer, place):
    client.force_login(reviewer)
    assert client.get(f"/admin/{place}").status_code == 404


def test_the_cookies_come_along_with_a_link_but_with_no_other_site_s_post(client, reviewer):
    response = sign_in(client)
    assert response.cookies["sessionid"]["samesite"] == "Lax"
    assert response.cookies["sessionid"]["httponly"]
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(reviewer)
    assert strict.post("/admin/me/", {"first_name": "Mallory"}).status_code == 403


# -- limits ------------------------------------------------------------------------------------


def test_after_too_many_failures_a_right_password_does_not_do_either(client, reviewer, settings):
    for _ in range(10):
        assert "Wrong name or password" in sign_in(client, password="no").content.decode()
    assert "Wait 15 minutes, then try again" in sign_in(client).content.decode()
    assert client.get("/admin/").status_code == 302


def test_another_host_or_spelling_of_the_name_gives_no_further_tries(client, reviewer):
    for number in range(10):
        sign_in(
            client, name=(" rhea", "Rhea", "rhea ")[number % 3], password="no",
            HTTP_HOST=f"localhost:{8000 + number}", REMOTE_ADDR=f"2001:db8::{number}",
        )  # fmt: skip
    text = sign_in(client, REMOTE_ADDR="2001:db8::99").content.decode()
    assert "Wait 15 minutes, then try again" in text


def test_the_old_password_cannot_be_tried_without_end(client, reviewer):
    sign_in(client)
    new = {"new_password1": "a-new-sealing-wax", "new_password2": "a-new-sealing-wax"}
    for number in range(10):
        client.post("/admin/password_change/", {"old_password": f"no{number}", **new})
    client.post("/admin/password_change/", {"old_password": "sealing-wax", **new})
    reviewer.refresh_from_db()
    assert reviewer.check_password("sealing-wax")


def test_an_address_cannot_try_name_after_name(client, reviewer):
    for number in range(10):
        sign_in(client, name=f"guess{number}", password="no")
    assert "Wait 15 minutes, then try again" in sign_in(client).content.decode()
    assert sign_in(client, REMOTE_ADDR="203.0.113.9").status_code == 302


def test_a_right_code_of_one_s_own_gives_no_further_tries_at_others(client, reviewer, workspace):
    mallory = factories.make_person_user(workspace, Role.VIEWER, "mallory")
    set_up_app(mallory)
    for number in range(9):
        sign_in(client, name=f"guess{number}", password="no")
    other = Client()
    sign_in(other, "mallory")
    other.post("/admin/login/code/", {"code": code_of(mallory)})
    assert other.get("/admin/").status_code == 200
    sign_in(client, name="guess9", password="no")
    assert "Wait 15 minutes, then try again" in sign_in(client).content.decode()


def test_a_made_up_forwarded_header_gives_no_further_tries(client, reviewer):
    for number in range(10):
        sign_in(
            client,
            name=f"n{number}",
            password="no",
            headers={"X-Forwarded-For": f"10.0.0.{number}"},
        )
    text = sign_in(client, headers={"X-Forwarded-For": "10.1.1.1"}).content.decode()
    assert "Wait 15 minutes, then try again" in text


def test_the_tries_are_counted_where_every_process_sees_them(client, reviewer, settings):
    if settings.CACHES["default"]["BACKEND"].endswith("RedisCache"):
        pytest.skip("Redis keeps them here")
    before = CacheEntry.objects.filter(cache_key__contains="login_failed").count()
    sign_in(client, password="no")
    assert CacheEntry.objects.filter(cache_key__contains="login_failed").count() == before + 3


def test_a_failure_is_in_the_log_without_the_password_or_a_name_nobody_has(
    client, reviewer, caplog
):
    with caplog.at_level(logging.WARNING, "chancery.sign_in"):
        sign_in(client, password="hunter2-wrong")
        sign_in(client, name="my-real-password", password="x")
    assert "'rhea' from 127.0.0.1" in caplog.text
    assert "a name that nobody has" in caplog.text
    assert "hunter2" not in caplog.text
    assert "my-real-password" not in caplog.text


def test_a_wrong_code_is_in_the_log(client, reviewer, caplog):
    set_up_app(reviewer)
    sign_in(client)
    with caplog.at_level(logging.WARNING, "chancery.sign_in"):
        client.post("/admin/login/code/", {"code": "000000"})
    assert "refused a code of 'rhea' from 127.0.0.1" in caplog.text


# -- two steps ---------------------------------------------------------------------------------


def test_the_second_step_is_set_up_and_then_asked_for(client, reviewer):
    sign_in(client)
    page = client.get("/admin/me/app/")
    assert 'src="data:image/svg+xml;base64,' in page.content.decode()
    secret = page.context["form"].secret
    response = client.post("/admin/me/app/", {"code": shown(secret)})
    assert response["Location"] == "/admin/me/codes/"
    assert len(client.get("/admin/me/codes/").context["unused_codes"]) == 10
    stored = Authenticator.objects.get(type="totp").data["secret"]
    assert secret not in stored
    assert mail.outbox == []

    other = Client()
    assert sign_in(other)["Location"] == "/admin/login/code/"
    assert other.get("/admin/").status_code == 302
    assert "is not valid" in other.post("/admin/login/code/", {"code": "000000"}).content.decode()
    assert other.post("/admin/login/code/", {"code": code_of(reviewer)})["Location"] == "/admin/"
    assert other.get("/admin/").status_code == 200


def test_a_code_works_once(client, reviewer):
    set_up_app(reviewer)
    code = code_of(reviewer)
    for browser, opens in ((client, True), (Client(), False)):
        sign_in(browser)
        browser.post("/admin/login/code/", {"code": code})
        assert (browser.get("/admin/").status_code == 200) is opens


def test_a_code_works_once_as_long_as_it_counts(client, reviewer):
    """Of three that count at a time the last does for a minute and a half."""
    set_up_app(reviewer)
    secret = totp.decrypt(Authenticator.objects.get(type="totp").data["secret"])
    newest = list(totp.yield_hotp_counters_from_time())[-1]
    code = totp.format_hotp_value(totp.hotp_value(secret, newest))
    for browser, opens in ((client, True), (Client(), False)):
        sign_in(browser)
        browser.post("/admin/login/code/", {"code": code})
        assert (browser.get("/admin/").status_code == 200) is opens
        # After 30 seconds allauth remembers no longer that it was used.
        used = totp.TOTP(Authenticator.objects.get(type="totp"))._get_used_cache_key(code)
        cache.delete(used)


def test_where_recovery_codes_are_left_over_an_app_is_set_up_all_the_same(client, reviewer):
    RecoveryCodes.activate(reviewer)
    sign_in(client)
    secret = client.get("/admin/me/app/").context["form"].secret
    assert client.post("/admin/me/app/", {"code": shown(secret)})["Location"] == "/admin/me/codes/"


def test_a_recovery_code_opens_once(client, reviewer):
    set_up_app(reviewer)
    code = RecoveryCodes(Authenticator.objects.get(type="recovery_codes")).get_unused_codes()[0]
    for browser, opens in ((client, True), (Client(), False)):
        sign_in(browser)
        browser.post("/admin/login/code/", {"code": code})
        assert (browser.get("/admin/").status_code == 200) is opens


def test_a_code_opens_nothing_after_a_password_that_was_changed_meanwhile(client, reviewer):
    set_up_app(reviewer)
    sign_in(client)
    reviewer.set_password("another-sealing-wax")
    reviewer.save()
    answer = client.post("/admin/login/code/", {"code": code_of(reviewer)})
    assert answer["Location"] == "/admin/login/"
    assert client.get("/admin/").status_code == 302


def test_codes_cannot_be_tried_without_end(client, reviewer):
    set_up_app(reviewer)
    sign_in(client)
    for _ in range(10):
        client.post("/admin/login/code/", {"code": "000000"})
    response = client.post("/admin/login/code/", {"code": code_of(reviewer)})
    assert "Wait 15 minutes, then try again" in response.content.decode()


@pytest.mark.parametrize(
    "case",
    [
        ("", "owner", 200),
        ("owners", "reviewer", 200),
        ("owners", "owner", 302),
        ("all", "viewer", 302),
    ],
    ids=str,
)
def test_who_must_have_a_second_step_sees_nothing_before(client, reviewer, settings, case):
    settings.REQUIRE_MFA, role, status = case
    Membership.objects.update(role=role)
    sign_in(client)
    assert client.get("/admin/inbox/thread/").status_code == status
    assert client.get("/admin/me/app/").status_code == 200
    set_up_app(reviewer)
    assert client.get("/admin/inbox/thread/").status_code == 200


def test_rotating_the_keys_encrypts_second_factors_anew(client, reviewer, settings):
    set_up_app(reviewer)
    before = code_of(reviewer)
    settings.CREDENTIAL_KEYS = [Fernet.generate_key().decode(), *settings.CREDENTIAL_KEYS]
    call_command("rotate_keys")
    settings.CREDENTIAL_KEYS = settings.CREDENTIAL_KEYS[:1]
    assert code_of(reviewer) == before


# -- what comes first, and last ----------------------------------------------------------------


def test_whoever_has_a_start_password_chooses_another_first(client, reviewer):
    StartPassword.objects.create(user=reviewer, expires_at=timezone.now() + timedelta(days=1))
    sign_in(client)
    assert client.get("/admin/")["Location"] == "/admin/password_change/"
    new = {
        "old_password": "sealing-wax",
        "new_password1": "wax-seals-9!",
        "new_password2": "wax-seals-9!",
    }
    assert client.post("/admin/password_change/", new).status_code == 302
    assert client.get("/admin/").status_code == 200
    assert not StartPassword.objects.exists()


def test_a_start_password_does_for_a_week_only(client, reviewer):
    StartPassword.objects.create(user=reviewer, expires_at=timezone.now() - timedelta(days=1))
    assert "Wrong name or password" in sign_in(client).content.decode()


@pytest.mark.parametrize("new", ["sealing-wax", "short", "12345678901", "password123"])
def test_a_password_of_one_s_own_is_another_and_a_good_one(client, reviewer, new):
    sign_in(client)
    given = {"old_password": "sealing-wax", "new_password1": new, "new_password2": new}
    assert client.post("/admin/password_change/", given).status_code == 200
    reviewer.refresh_from_db()
    assert reviewer.check_password("sealing-wax")


def test_a_password_set_at_the_command_line_does_though_the_first_one_lapsed(client, reviewer):
    StartPassword.objects.create(user=reviewer, expires_at=timezone.now() - timedelta(days=1))
    reviewer.set_password("by-the-operator")
    reviewer.save()
    assert sign_in(client, password="by-the-operator").status_code == 302
    assert client.get("/admin/").status_code == 200


def test_signing_out_everywhere_ends_the_other_sessions(client, reviewer):
    other = Client()
    for browser in (client, other):
        sign_in(browser)
    assert client.post("/admin/me/sign-out/", {"password": "wrong"}).status_code == 400
    assert other.get("/admin/").status_code == 200
    client.post("/admin/me/sign-out/", {"password": "sealing-wax"})
    assert other.get("/admin/").status_code == 302
    assert client.get("/admin/").status_code == 200


# -- asking again ------------------------------------------------------------------------------


@pytest.fixture
def approval(actor, inbox) -> Approval:
    return propose(actor, factories.make_message(inbox, at=factories.NOON).thread)


@pytest.fixture
def flagged(approval) -> Approval:
    flag = {"flag": "new_recipient", "reason": "Nobody wrote there before.", "excerpt": "Ada"}
    Approval.objects.filter(pk=approval.pk).update(checks_due=False, risk_flags=[flag])
    approval.refresh_from_db()
    return approval


def approve(client, approval, **more):
    return client.post(
        f"/admin/review/{approval.public_id}/approve/", {"sha256": approval.sha256, **more}
    )


def test_what_raised_flags_wants_the_password_again(client, reviewer, flagged):
    sign_in(client)
    make_stale(client)
    page = approve(client, flagged)
    assert "Confirm your identity" in page.content.decode()
    assert Approval.objects.get().state == "waiting"
    wrong = approve(client, flagged, again_password="wrong")
    assert "Wrong password" in wrong.content.decode()
    assert ("sha256", flagged.sha256) in wrong.context["kept"]
    assert Approval.objects.get().state == "waiting"
    assert approve(client, flagged, again_password="sealing-wax").status_code == 302
    assert Approval.objects.get().state == "approved"
    assert approve(client, flagged, again_password="sealing-wax").status_code == 409


@pytest.mark.parametrize(
    "given",
    [{"again_password": "sealing-wax"}, {"again_code": "right"},
     {"again_password": "sealing-wax", "again_code": "000000"},
     {"again_password": "wrong", "again_code": "right"}],
    ids=str,
)  # fmt: skip
def test_where_there_is_a_second_factor_neither_does_alone(client, reviewer, flagged, given):
    set_up_app(reviewer)
    client.force_login(reviewer)
    make_stale(client)
    right = code_of(reviewer)
    given = {name: right if value == "right" else value for name, value in given.items()}
    page = approve(client, flagged, **given)
    assert page.context["refusal"]
    assert Approval.objects.get().state == "waiting"
    both = {"again_password": "sealing-wax", "again_code": right}
    assert approve(client, flagged, **both).status_code == 302


def test_a_code_does_for_one_action(client, reviewer, flagged):
    set_up_app(reviewer)
    client.force_login(reviewer)
    both = {"again_password": "sealing-wax", "again_code": code_of(reviewer)}
    make_stale(client)
    client.post("/admin/me/app/off/", {"again_looked": "1", **both})
    make_stale(client)
    assert "is not valid" in approve(client, flagged, **both).context["refusal"]


def test_a_fresh_login_or_no_flag_is_asked_nothing(client, reviewer, flagged):
    sign_in(client)
    assert approve(client, flagged).status_code == 302


def test_without_flags_a_stale_login_is_asked_nothing(client, reviewer, approval):
    Approval.objects.update(checks_due=False, risk_flags=[])
    # We wrote to her before, so that nothing is said against her address either.
    factories.make_person(approval.workspace, email="ada@customer.example", sent_count=1)
    sign_in(client)
    make_stale(client)
    assert approve(client, approval).status_code == 302


def test_an_edited_letter_is_kept_whichever_way_one_leaves(client, reviewer, flagged):
    sign_in(client)
    make_stale(client)
    letter = {
        "to": "ada@customer.example",
        "subject": "Re: Mine",
        "body": f"{BODY}\r\nMine.\r\n",
        "sha256": flagged.sha256,
    }
    place = f"/admin/review/{flagged.public_id}/edit/"
    asked = client.post(place, letter)
    assert ("body", letter["body"]) in asked.context["kept"]
    back = client.post(place, {**dict(asked.context["kept"]), "again_back": "1"})
    assert "Mine." in back.context["message_form"]["body"].value()
    assert Submission.objects.filter(state="pending").count() == 0
    done = client.post(place, {**dict(asked.context["kept"]), "again_password": "sealing-wax"})
    assert done.status_code == 302
    assert Submission.objects.get(state="pending").draft.subject == "Re: Mine"


def test_asking_again_is_limited_too(client, reviewer, flagged):
    sign_in(client)
    make_stale(client)
    for _ in range(10):
        approve(client, flagged, again_password="wrong")
    text = approve(client, flagged, again_password="sealing-wax").content.decode()
    assert "Wait 15 minutes, then try again" in text
    assert Approval.objects.get().state == "waiting"


def test_the_second_step_is_turned_off_only_by_whoever_shows_who_they_are(client, reviewer):
    set_up_app(reviewer)
    client.force_login(reviewer)
    make_stale(client)
    assert "Confirm your identity" in client.get("/admin/me/app/off/").content.decode()
    assert "Confirm your identity" in client.post("/admin/me/app/off/").content.decode()
    assert Authenticator.objects.filter(type="totp").exists()
    both = {"again_password": "sealing-wax", "again_code": code_of(reviewer)}
    looked = client.post("/admin/me/app/off/", {"again_looked": "1", **both})
    assert looked.status_code == 302
    assert Authenticator.objects.filter(type="totp").exists()
    client.post("/admin/me/app/off/")
    assert not Authenticator.objects.exists()


def test_nobody_lists_second_factors_in_the_admin(client, admin_user):
    factories.Membership.objects.create(
        user=admin_user, workspace=factories.make_workspace(), role=Role.OWNER
    )
    client.force_login(admin_user)
    for place in ("mfa/authenticator/", "account/emailaddress/", "inbox/cacheentry/"):
        assert client.get(f"/admin/{place}").status_code == 404


def test_an_operator_sets_no_password_by_a_stale_login(client, admin_user):
    client.force_login(admin_user)
    make_stale(client)
    new = {"password1": "a-new-sealing-wax", "password2": "a-new-sealing-wax"}
    for place in (f"{admin_user.pk}/password/", f"{admin_user.pk}/change/", "add/"):
        assert (
            "Confirm your identity"
            in client.post(f"/admin/auth/user/{place}", new).content.decode()
        )
    admin_user.refresh_from_db()
    assert admin_user.check_password("password")
    client.force_login(admin_user)
    assert client.post(f"/admin/auth/user/{admin_user.pk}/password/", new).status_code == 302
