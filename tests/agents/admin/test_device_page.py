"""The page on which an owner grants an agent an account."""

import re
from html import unescape
from urllib.parse import unquote

import pytest
from django.urls import reverse

from agents.models import FlowState, Grant, Receipt, WrongCode
from agents.operations.granting import device_flows
from agents.operations.granting.device_flows import MOST_WRONG, complete_flow, start_flow, written
from inbox.models import Account
from tests import factories
from tests.inbox.admin.accounts.signing_in import begin, come_back, set_up_openid
from tests.machines.authorization_server import authorization_server
from tests.machines.authorization_server import decide as decide_there

pytestmark = pytest.mark.django_db


@pytest.fixture
def flow(actor):
    return start_flow(actor=actor)[0]


@pytest.fixture
def second(workspace):
    return factories.make_inbox(workspace, "sales@lantern.example").account


@pytest.fixture
def olga(client, workspace):
    """An owner, signed in."""
    user = factories.make_person_user(workspace, "owner", "olga")
    client.force_login(user)
    return user


def look(client, code):
    return client.post("/admin/device/look/", {"code": code})


def decide(client, flow, **given):
    return client.post("/admin/device/decide/", {"code": flow.user_code, **given})


def test_a_link_fills_the_code_in_and_does_nothing(client, olga, flow):
    page = client.get(f"/admin/device/?code={written(flow.user_code)}")
    assert written(flow.user_code) in page.content.decode()
    assert "Clerk" not in page.content.decode()
    flow.refresh_from_db()
    assert flow.state == FlowState.PENDING


@pytest.mark.parametrize("as_typed", [str, written, str.lower, lambda code: f" {written(code)} "])
def test_a_code_is_read_as_people_type_it(client, olga, flow, as_typed):
    page = look(client, as_typed(flow.user_code))
    assert page.status_code == 200
    assert page.context["flow"] == flow


def test_the_page_says_who_asks_and_what_it_holds_already(client, olga, flow, agent, second):
    agent.description = "<b>Sorts</b> mail"
    agent.save()
    shown = look(client, flow.user_code).content.decode()
    assert "&lt;b&gt;Sorts&lt;/b&gt; mail" in shown
    assert "office@lantern.example" in shown
    assert "sales@lantern.example" in shown


def test_an_owner_grants_an_account_of_the_workspace(client, olga, flow, agent, second):
    answer = decide(client, flow, action="grant", account=second.pk)
    assert answer.status_code == 302
    assert Grant.objects.filter(agent=agent, account=second).exists()
    assert Receipt.objects.get(tool="grant_account").actor == f"person:{olga.pk}"


def test_an_owner_makes_an_account_for_it(client, olga, flow, agent):
    decide(client, flow, action="make", address="Robot@Lantern.example", name="Robot")
    made = Account.objects.get(address="robot@lantern.example")
    assert Grant.objects.filter(agent=agent, account=made).exists()


def test_an_owner_refuses(client, olga, flow):
    decide(client, flow, action="refuse")
    flow.refresh_from_db()
    assert flow.state == FlowState.DENIED
    assert Receipt.objects.filter(tool="refuse_account").exists()


@pytest.mark.parametrize(
    "given",
    [
        {"action": "grant"},
        {"action": "grant", "account": "999999"},
        {"action": "make", "address": "no address"},
        {"action": "make", "address": "office@lantern.example"},
        {"action": "seal"},
        {},
    ],
)
def test_what_cannot_be_granted_is_said_and_nothing_is_done(client, olga, flow, given):
    answer = decide(client, flow, **given)
    assert answer.status_code == 400
    assert 'class="error"' in answer.content.decode() or 'role="alert"' in answer.content.decode()
    flow.refresh_from_db()
    assert flow.state == FlowState.PENDING


def test_an_account_of_another_workspace_cannot_be_granted(client, olga, flow, agent):
    foreign = factories.make_inbox(factories.make_workspace()).account
    assert decide(client, flow, action="grant", account=foreign.pk).status_code == 400
    assert not Grant.objects.filter(account=foreign).exists()


def test_a_decided_request_cannot_be_decided_again(client, olga, flow, second):
    decide(client, flow, action="refuse")
    answer = decide(client, flow, action="grant", account=second.pk)
    assert "already decided" in answer.content.decode()
    assert not Grant.objects.filter(account=second).exists()


def test_the_owner_of_another_workspace_finds_no_such_code(client, flow):
    client.force_login(factories.make_person_user(factories.make_workspace(), "owner"))
    foreign, none = look(client, flow.user_code), look(client, "ZZZZ-ZZZZ")
    assert foreign.status_code == none.status_code == 400
    assert "Clerk" not in foreign.content.decode()
    assert WrongCode.objects.count() == 2


def test_a_reviewer_grants_nothing(client, reviewer, flow, second):
    client.force_login(reviewer)
    assert client.get("/admin/device/").status_code == 403
    assert decide(client, flow, action="grant", account=second.pk).status_code == 403


def test_who_has_not_signed_in_is_asked_to(client, flow):
    assert client.get("/admin/device/").status_code == 302
    assert decide(client, flow, action="refuse").status_code == 302
    flow.refresh_from_db()
    assert flow.state == FlowState.PENDING


def test_nothing_is_done_by_get_or_without_the_csrf_token(client, olga, flow):
    assert client.get("/admin/device/decide/").status_code == 405
    client.handler.enforce_csrf_checks = True
    assert decide(client, flow, action="refuse").status_code == 403
    flow.refresh_from_db()
    assert flow.state == FlowState.PENDING


def test_after_too_many_wrong_codes_even_the_right_one_is_not_looked_at(client, olga, flow):
    for _ in range(MOST_WRONG):
        look(client, "BBBB-BBBB")
    answer = look(client, flow.user_code)
    assert answer.status_code == 400
    assert "Wait 15 minutes and try again" in answer.content.decode()
    WrongCode.objects.update(at=flow.created_at - device_flows.LIFETIME)
    assert look(client, flow.user_code).status_code == 200


def test_a_stale_login_grants_nothing_but_may_refuse(client, olga, flow, agent, second):
    session = client.session
    session["signed_in_freshly_at"] = 1.0
    session.save()
    asked = decide(client, flow, action="grant", account=second.pk)
    assert "Confirm your identity" in asked.content.decode()
    assert decide(client, flow, action="make", address="robot@lantern.example").status_code == 200
    back = decide(client, flow, **dict(asked.context["kept"]), again_back="1")
    assert back.context["flow"] == flow
    assert not Grant.objects.filter(agent=agent, account=second).exists()
    assert not Account.objects.filter(address="robot@lantern.example").exists()
    given = {**dict(asked.context["kept"]), "again_password": "sealing-wax"}
    assert client.post("/admin/device/decide/", given).status_code == 302
    assert Grant.objects.filter(agent=agent, account=second).exists()


def test_a_stale_login_refuses(client, olga, flow):
    session = client.session
    session["signed_in_freshly_at"] = 1.0
    session.save()
    decide(client, flow, action="refuse")
    flow.refresh_from_db()
    assert flow.state == FlowState.DENIED


def test_an_account_that_is_signed_in_to_on_the_way_can_be_granted(
    client, olga, actor, settings, workspace
):
    flow, device_code = start_flow(actor=actor)
    with authorization_server() as server:
        set_up_openid(settings, server)
        shown = unescape(look(client, written(flow.user_code)).content.decode())
        button = re.search(r'formaction="[^"]*/openid/\?next=([^"]+)"', shown)
        where = begin(client, onward=unquote(button[1]), workspace=workspace.pk)
        page = come_back(client, decide_there(where))
    # Back at the code, from where it is granted like any other.
    assert page["Location"] == f"{reverse('device')}?code={written(flow.user_code)}"
    assert written(flow.user_code) in client.get(page["Location"]).content.decode()
    account = Account.objects.get(address="mira@lantern.example")
    decide(client, flow, action="grant", account=account.pk)
    assert complete_flow(actor=actor, device_code=device_code) == account
