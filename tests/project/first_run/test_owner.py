"""The first person is made in the browser by whoever has the code from the terminal, and nobody else."""

import io
import re
import threading

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.test import Client

from agents.operations.setup import codes
from inbox.models import Membership

pytestmark = pytest.mark.django_db
PAGE = "/admin/start/"
ADA = {
    "username": "ada", "first_name": "Ada", "password1": "wax, ribbon and a ring",
    "password2": "wax, ribbon and a ring",
}  # fmt: skip


@pytest.fixture
def code():
    return codes.make_code()


def test_an_empty_installation_leads_everybody_to_its_first_page(client):
    for place in ("/", "/admin/", "/admin/login/", "/admin/inbox/thread/"):
        assert client.get(place, follow=True).redirect_chain[-1] == (PAGE, 302)
    page = client.get(PAGE)
    assert page.status_code == 200
    text = page.content.decode()
    assert "This Chancery has no owner yet" in text
    assert 'name="code"' in text
    assert 'name="password1"' not in text
    assert "Step 1 of 7" in text


def test_who_has_the_code_makes_themselves_its_owner_and_is_signed_in(client, code):
    page = client.get(PAGE, {"code": code})
    assert 'name="password1"' in page.content.decode()
    assert "no-store" in page["Cache-Control"]
    answer = client.post(PAGE, {**ADA, "code": code}, follow=True)
    assert answer.redirect_chain[-1] == ("/admin/start/workspace/", 302)
    ada = User.objects.get()
    assert (ada.get_full_name(), ada.is_superuser, ada.is_staff) == ("Ada", True, True)
    assert ada.check_password(ADA["password1"])
    assert not Membership.objects.exists()


@pytest.mark.parametrize("typed", ["{0}", " {0} ", "{1}", "{2}"])
def test_it_does_however_it_is_typed(client, code, typed):
    typed = typed.format(code, code.replace("-", " "), code.lower().replace("-", ""))
    assert 'name="password1"' in client.get(PAGE, {"code": typed}).content.decode()


@pytest.mark.parametrize("wrong", ["AAAA-AAAA-AAAA", "x" * 5000, "é", "\x00", "0"])
def test_a_wrong_code_makes_nobody(client, code, wrong):
    for answer in (client.get(PAGE, {"code": wrong}), client.post(PAGE, {**ADA, "code": wrong})):
        assert answer.status_code == 400
        assert "That code is not valid" in answer.content.decode()
    assert client.post(PAGE, ADA).status_code == 200
    assert not User.objects.exists()


def test_too_many_codes_are_refused_unread(client, code):
    for _ in range(20):
        client.get(PAGE, {"code": "AAAA-AAAA-AAAA"})
    answer = client.get(PAGE, {"code": code})
    assert "Too many tries" in answer.content.decode()
    assert not User.objects.exists()


def test_a_code_is_over_once_there_is_another_or_its_day_is(client, code):
    second = codes.make_code()
    assert not codes.is_right(code)
    assert codes.is_right(second)
    cache.delete("setup.code")
    assert not codes.is_right(second)
    assert codes.LASTS_HOURS <= 24


def test_once_somebody_is_there_no_code_makes_another(client, code):
    User.objects.create_user("rhea", password="sealing-wax")
    for answer in (client.get(PAGE, {"code": code}), client.post(PAGE, {**ADA, "code": code})):
        assert answer["Location"].startswith("/admin/login/")
    assert client.get("/admin/login/").status_code == 200
    assert User.objects.count() == 1


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"username": ""}, "required"),
        ({"username": "a b"}, "valid username"),
        ({"password1": "short", "password2": "short"}, "too short"),
        ({"password1": "12345678901", "password2": "12345678901"}, "numeric"),
        ({"password2": "another one"}, "match"),
    ],
)
def test_what_is_amiss_is_said_at_its_field_and_the_code_still_does(client, code, given, words):
    answer = client.post(PAGE, {**ADA, **given, "code": code})
    assert answer.status_code == 400
    assert words in answer.content.decode()
    assert not User.objects.exists()
    assert codes.is_right(code)


@pytest.mark.django_db(transaction=True)
def test_of_two_at_once_one_becomes_the_owner(code):
    def post(name):
        Client().post(PAGE, {**ADA, "username": name, "code": code})
        connection.close()

    threads = [threading.Thread(target=post, args=[name]) for name in ("ada", "bo")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert User.objects.count() == 1


def test_the_command_prints_an_address_and_refuses_where_somebody_is(client):
    said = io.StringIO()
    call_command("setup_code", stdout=said, stderr=io.StringIO())
    place = said.getvalue().strip()
    assert re.fullmatch(r"http://127\.0\.0\.1:8000/admin/start/\?code=(\w{4}-){2}\w{4}", place)
    assert client.get(place.partition("8000")[2]).context["code"]
    User.objects.create_user("rhea")
    with pytest.raises(CommandError, match="sign in here already"):
        call_command("setup_code")


def test_only_a_hash_of_it_is_kept(code):
    with connection.cursor() as cursor:
        cursor.execute("SELECT value FROM inbox_cacheentry")
        kept = str(cursor.fetchall())
    assert kept
    assert code.replace("-", "") not in kept
    assert code not in kept
