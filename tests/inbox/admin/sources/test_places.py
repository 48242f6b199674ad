"""From an address or a provider's name to the form that asks for the rest."""

import pytest
from django.urls import reverse

from inbox.admin.sources.places import PlaceForm
from inbox.models import Role
from tests import factories

ACCOUNT = "office@lantern.example"


def place(at, service=""):
    form = PlaceForm({"at": at, "service": service})
    assert form.is_valid(), form.errors
    return form.place(ACCOUNT)


@pytest.mark.parametrize(
    ("at", "service", "provider", "initial"),
    [
        ("mira@lantern.example", "", "dav",
         {"url": "lantern.example", "username": "mira@lantern.example"}),
        ("<mailto:mira@lantern.example>", "", "dav",
         {"url": "lantern.example", "username": "mira@lantern.example"}),
        ("cloud.example", "", "dav", {"url": "cloud.example", "username": ACCOUNT}),
        ("https://cloud.example/dav/", "", "dav",
         {"url": "https://cloud.example/dav/", "username": ACCOUNT}),
        ("mira@me.com", "", "dav",
         {"url": "https://caldav.icloud.com/", "contacts_url": "https://contacts.icloud.com/",
          "username": "mira@me.com"}),
        ("mira@lantern.example", "mailbox.org", "dav",
         {"url": "https://dav.mailbox.org/", "contacts_url": "", "username": "mira@lantern.example"}),
        ("cloud.example", "nextcloud", "dav", {"url": "cloud.example", "username": ACCOUNT}),
        ("mira@lantern.example", "nextcloud", "dav",
         {"url": "", "username": "mira@lantern.example"}),
        ("webcal://team.example/fair", "", "ics", {"url": "webcal://team.example/fair"}),
        ("https://team.example/fair.ics?key=1", "", "ics",
         {"url": "https://team.example/fair.ics?key=1"}),
        # Its mail alone is open to programs.
        ("mira@orange.fr", "", "dav", {"url": "orange.fr", "username": "mira@orange.fr"}),
    ],
)  # fmt: skip
def test_an_address_leads_to_a_form(at, service, provider, initial):
    found = place(at, service)
    assert (found.provider, found.initial, found.signs_in) == (provider, initial, False)


@pytest.mark.parametrize(
    ("at", "service", "provider"),
    [
        ("mira@gmail.com", "", "google"),
        ("mira@outlook.de", "", "graph"),
        ("mira@lantern.example", "gmail", "google"),
        ("mira@lantern.example", "microsoft365", "graph"),
    ],
)
def test_where_one_signs_in_by_clicking_no_form_is_filled_in(at, service, provider):
    found = place(at, service)
    assert (found.provider, found.signs_in) == (provider, True)


@pytest.mark.parametrize("at", ["", " ", "x" * 1001])
def test_what_is_no_address_is_refused(at):
    assert not PlaceForm({"at": at}).is_valid()


@pytest.fixture
def page(inbox, client):
    client.force_login(factories.make_person_user(inbox.workspace, Role.OWNER))
    place = reverse("source-add", args=[inbox.account_id])
    return lambda **asked: client.get(place, asked).content.decode()


@pytest.mark.django_db
def test_the_page_asks_for_what_is_missing_and_says_what_the_provider_wants(page):
    assert f'value="{ACCOUNT}"' in page()
    shown = page(at="mira@icloud.com")
    assert 'value="https://caldav.icloud.com/"' in shown
    assert 'value="mira@icloud.com"' in shown
    assert "Apple requires an app-specific password" in shown
    assert "https://account.apple.com/account/manage" in shown
    assert "https://dav.mailbox.org/servlet/webdav.infostore/" in page(at="mira@mailbox.org")


@pytest.mark.django_db
def test_a_sign_in_that_is_not_set_up_says_so_and_what_to_do_until_then(page):
    shown = page(at="mira@gmail.com")
    assert "How to set it up" in shown
    assert "Microsoft" not in shown
    assert "secret address" in shown


@pytest.mark.django_db
def test_what_is_no_address_is_asked_for_again(page):
    assert "This field is required." in page(at=" ")
