"""What persons do with an account leaves a receipt that names them, and nothing secret."""

import io
import json

import pytest
from django.core.management import call_command
from django.test import Client

from agents.models import Receipt
from inbox.background.jobs import publish, run_due
from inbox.models import Account, Role
from inbox.operations.accounts.setup_facts import OPERATOR
from tests import factories
from tests.ports import CLOSED_PORT
from tests.servers import smtp_sink

pytestmark = pytest.mark.django_db
WORD = "open sesame"


@pytest.fixture
def owner(workspace) -> Client:
    client = Client()
    client.force_login(factories.make_person_user(workspace, Role.OWNER, name="olga"))
    return client


def told() -> list[tuple[str, str, list[str]]]:
    run_due()
    rows = Receipt.objects.filter(tool__startswith="account.").order_by("seq")
    assert WORD not in json.dumps([row.arguments for row in rows])
    return [(row.tool, row.actor_name, row.arguments.get("changed", [])) for row in rows]


def test_connecting_changing_pausing_and_resuming(workspace, owner):
    with smtp_sink() as (_, port):
        fields = {
            "workspace": workspace.pk, "address": "sales@lantern.example", "auth": "password",
            "username": "sales", "password": WORD, "smtp_host": "127.0.0.1", "smtp_port": port,
            "smtp_security": "none", "imap_host": "", "imap_port": "", "imap_security": "tls",
        }  # fmt: skip
        owner.post(
            "/admin/inbox/account/add/",
            fields | {"name": "Sales", "preset": "", "action": "anyway"},
        )
        account = Account.objects.get(address="sales@lantern.example")
        place = f"/admin/inbox/account/{account.pk}/change/"
        mail = {"imap_host": "127.0.0.1", "imap_port": CLOSED_PORT, "imap_security": "none"}
        owner.post(place, fields | mail | {"action": "anyway"})
        owner.post(place, {"action": "pause"})
        owner.post(place, {"action": "resume"})
    first, second, *rest = told()
    assert first == ("account.connected", "olga", [])
    assert second[:2] == ("account.changed", "olga")
    assert {"credential", "imap_host"} <= set(second[2])
    assert "smtp_host" not in second[2]
    assert rest == [("account.paused", "olga", []), ("account.resumed", "olga", [])]


def test_what_its_letters_are_and_how_long_they_can_be_taken_back(workspace, owner):
    account = factories.make_inbox(workspace).account
    given = {
        "action": "mail_settings", "name": account.name, "undo_seconds": "0",
        "authserv_id": "mx.lantern.example",
    }  # fmt: skip
    for _ in range(2):
        owner.post(f"/admin/inbox/account/{account.pk}/change/", given)
    assert told() == [("account.changed", "olga", ["authserv_id", "undo_seconds"])]


def test_on_the_command_line_it_is_the_operator(workspace, tmp_path):
    (tmp_path / "word").write_text(WORD)
    call_command(
        "connect", "sales@lantern.example", "--smtp-host", "127.0.0.1", "--imap-host", "127.0.0.1",
        "--password-file", str(tmp_path / "word"), "--anyway", stdout=io.StringIO(),
    )  # fmt: skip
    assert told() == [("account.connected", OPERATOR, [])]


def test_what_0_2_0_stored_leaves_its_receipt_too(workspace):
    account = factories.make_inbox(workspace).account
    by = {"by_kind": "person", "by_id": 1, "by_name": "olga", "once": "1f"}
    facts = {
        "account.set_up": {"account_id": account.pk, "deed": "account.paused", "changed": []},
        "understanding.saved": {
            "workspace_id": workspace.pk, "deed": "save_policy", "id": "pol_1", "name": "Usual",
            "version": 2,
        },
    }  # fmt: skip
    for fact, payload in facts.items():
        publish(fact, payload | by, workspace_id=workspace.pk)
    assert told() == [("account.paused", "olga", [])]
    assert Receipt.objects.get(tool="save_policy").actor_name == "olga"
