"""An owner connects an account by JMAP through the pages, to a real Cyrus."""

import pytest
from django.urls import reverse

from calendar_app.models import Calendar
from inbox.models import Account, Message, RemoteSource
from inbox.syncing.session import sync_account
from tests.cyrus import PASSWORD
from tests.inbox.admin.accounts.test_lists import ADD, owner, place, text, whose
from tests.inbox.syncing.collections.sources import sync
from tests.inbox.syncing.mirrors import letter

__all__ = ["owner"]
pytestmark = [pytest.mark.services, pytest.mark.django_db]


def fields(cyrus, user, **changes):
    return {
        "jmap_url": f"{cyrus.url}/", "imap_host": "imap.lantern.example", "imap_security": "tls",
        "smtp_host": "smtp.lantern.example", "smtp_security": "tls", "username": user,
        "auth": "password", "password": PASSWORD,
    } | changes  # fmt: skip


def test_the_domain_is_where_the_server_is_looked_for(owner, workspace):
    response = owner.post(ADD, whose(workspace, preset="jmap"))
    assert response.context["form"]["jmap_url"].value() == "https://lantern.example/"


def test_what_works_is_connected_and_its_mail_comes_in(owner, workspace, cyrus):
    user = cyrus.new_user()
    with cyrus.client(user) as program:
        program.append("INBOX", letter("Letter"))
    tested = owner.post(ADD, whose(workspace, preset="jmap", action="test") | fields(cyrus, user))
    assert "Receiving works with 127.0.0.1" in text(tested)
    assert "Sending works with 127.0.0.1" in text(tested)
    assert "Calendars or contacts are there as well" in text(tested)
    response = owner.post(
        ADD, whose(workspace, preset="jmap", action="connect") | fields(cyrus, user)
    )
    made = Account.objects.get(address="sales@lantern.example")
    assert response["Location"] == place(made)
    assert made.provider == "jmap"
    assert "imap_host" not in made.settings
    assert sync_account(made.pk)
    assert Message.objects.get().subject == "Letter"
    shown = owner.get(place(made))
    assert cyrus.url in text(shown)
    counts = {folder.role: folder.shown for folder in shown.context["folders"]}
    assert (counts["inbox"], counts["sent"]) == (1, 0)


def test_a_wrong_password_is_said_and_nothing_is_kept(owner, workspace, cyrus):
    user = cyrus.new_user()
    given = fields(cyrus, user, password="wrong")
    response = owner.post(ADD, whose(workspace, preset="jmap", action="connect") | given)
    assert "does not accept the user name" in text(response)
    assert not Account.objects.exists()


def test_calendars_and_contacts_there_are_connected_on_the_accounts_page(owner, workspace, cyrus):
    user = cyrus.new_user()
    owner.post(ADD, whose(workspace, preset="jmap", action="connect") | fields(cyrus, user))
    made = Account.objects.get(address="sales@lantern.example")
    add = reverse("source-add", args=[made.pk])
    form = owner.get(f"{add}?provider=jmap").context["form"]
    assert (form["jmap_url"].value(), form["username"].value()) == (f"{cyrus.url}/", user)
    given = {"provider": "jmap", "jmap_url": cyrus.url, "username": user, "password": PASSWORD}
    seen = text(owner.post(add, {**given, "action": "try"}))
    assert "personal" in seen
    assert "Contacts" in seen
    taken = ["calendar calendar/Default", "contacts contacts"]
    owner.post(add, {**given, "action": "connect", "taken": taken})
    source = sync(RemoteSource.objects.get())
    assert source.failures == 0, source.words
    kinds = source.collections.filter(is_taken=True).values_list("kind", flat=True)
    assert sorted(kinds) == ["calendar", "contacts"]
    assert Calendar.objects.get(remote__source=source).name == "personal"
