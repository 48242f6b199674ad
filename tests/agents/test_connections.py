"""Programs that people signed in, as rows: promised, claimed once, renewed, ended each by itself."""

import uuid
from datetime import timedelta

import pytest
from django.utils import timezone

from agents.models import Connection, Receipt, Token
from agents.operations.agents import digest_of
from agents.operations.granting.connections import (
    LASTS,
    OPENS,
    Promise,
    claim,
    end_by_code,
    end_by_family,
    forget_unclaimed,
    is_renewable,
    keep_promise,
    name_family,
    renew,
)
from inbox.errors import DomainError
from tests import factories

pytestmark = pytest.mark.django_db
ADDRESS = "https://host.example/mcp"


@pytest.fixture
def promise(agent, reviewer):
    return Promise(agent, reviewer, "Scout", "scout.example", ADDRESS)


@pytest.fixture
def connected(promise):
    """Return a connection that has its token, and another one beside it."""

    def connect(code):
        keep_promise(promise, code)
        connection = claim(code, f"chy_{code}", ["inbox:read", "comms:send"])
        name_family(connection, uuid.uuid4())
        return connection

    return connect("ours"), connect("other")


def live():
    """Return the tokens of programs that still open something; that of the agent's maker is none."""
    return set(signed_in().filter(revoked_at=None).values_list("hint", flat=True))


def signed_in():
    return Token.objects.exclude(audience="")


def is_about(moment, span):
    return abs(moment - timezone.now() - span) < timedelta(minutes=1)


def test_a_promise_keeps_what_was_agreed_to_and_not_the_code(promise, agent, reviewer):
    kept = keep_promise(promise, "a-code")
    assert (kept.agent, kept.workspace, kept.person) == (agent, agent.workspace, reviewer)
    assert (kept.client_name, kept.host, kept.audience) == ("Scout", "scout.example", ADDRESS)
    assert kept.code_digest == digest_of("a-code")
    assert kept.token is None
    assert not signed_in().exists()


def test_a_code_is_claimed_once(promise, agent):
    keep_promise(promise, "another")
    keep_promise(promise, "a-code")
    token = claim("a-code", "chy_text-of-it", ["inbox:read", "comms:send"]).token
    assert (token.agent, token.workspace, token.audience) == (agent, agent.workspace, ADDRESS)
    assert (token.digest, token.hint) == (digest_of("chy_text-of-it"), "chy_text-o")
    assert token.scopes == ["comms:send", "inbox:read"]
    assert is_about(token.renew_at, OPENS)
    assert is_about(token.expires_at, LASTS)
    assert Connection.objects.get(code_digest=digest_of("a-code")).token == token
    for code in ("a-code", "a-code-that-is-none"):
        with pytest.raises(DomainError, match="used already") as caught:
            claim(code, "chy_second", ["inbox:read"])
        assert (caught.value.code, caught.value.field) == ("conflict", "code")
    assert signed_in().count() == 1


def test_a_scope_that_is_none_is_not_given(promise):
    keep_promise(promise, "a-code")
    with pytest.raises(DomainError, match="not a scope"):
        claim("a-code", "chy_text", ["inbox:everything"])
    assert Connection.objects.get().token is None


def test_renewing_changes_the_text_of_one_token(connected):
    ours, other = connected
    Token.objects.update(renew_at=timezone.now(), expires_at=timezone.now() + timedelta(days=1))
    renew(ours.family, "chy_new-text", ["inbox:read"])
    token = Token.objects.get(pk=ours.token_id)
    assert (token.digest, token.hint) == (digest_of("chy_new-text"), "chy_new-te")
    assert token.scopes == ["inbox:read"]
    assert is_about(token.renew_at, OPENS)
    assert is_about(token.expires_at, LASTS)
    beside = Token.objects.get(pk=other.token_id)
    assert (beside.digest, beside.scopes) == (digest_of("chy_other"), ["comms:send", "inbox:read"])
    assert not is_about(beside.renew_at, OPENS)


@pytest.mark.parametrize("field", ["revoked_at", "expires_at"])
def test_what_is_over_is_renewed_no_more(connected, field):
    ours, other = connected
    Token.objects.filter(pk=ours.token_id).update(**{field: timezone.now()})
    assert not is_renewable(ours.family)
    assert is_renewable(other.family)
    with pytest.raises(DomainError, match="revoked") as caught:
        renew(ours.family, "chy_new", ["inbox:read"])
    assert (caught.value.code, caught.value.field) == ("conflict", "refresh_token")
    assert Token.objects.get(pk=ours.token_id).digest == digest_of("chy_ours")


def test_no_family_is_one_of_nobody(promise, connected):
    keep_promise(promise, "a-code")
    claim("a-code", "chy_unnamed", ["inbox:read"])
    assert not is_renewable(None)
    with pytest.raises(DomainError):
        renew(None, "chy_new", ["inbox:read"])
    end_by_family(None, "client_left")
    assert len(live()) == 3


def test_one_ends_by_its_family_with_one_receipt(connected, agent):
    _ours, other = connected
    for _ in range(2):
        end_by_family(other.family, "client_left")
    assert live() == {"chy_ours"}
    receipt = Receipt.objects.get()
    assert (receipt.tool, receipt.workspace) == ("revoke_token", agent.workspace)
    assert receipt.actor_name == "connections"
    assert receipt.arguments == {"agent_id": agent.public_id, "token_id": other.token_id}
    assert receipt.reason == "Scout signed out of Clerk"


def test_one_ends_by_its_code_and_a_program_without_a_name_is_told_by_its_host(connected):
    ours, _other = connected
    Connection.objects.update(client_name="")
    end_by_code("ours", "client_used_twice")
    end_by_code("a-code-that-is-none", "client_used_twice")
    assert live() == {"chy_other"}
    assert "scout.example" in Receipt.objects.get().reason
    assert Token.objects.get(pk=ours.token_id).revoked_at is not None


def test_a_promise_that_nobody_claimed_ends_nothing_and_goes(promise, connected):
    keep_promise(promise, "old")
    end_by_code("old", "client_used_twice")
    assert not Receipt.objects.exists()
    Connection.objects.update(created_at=timezone.now() - timedelta(hours=2))
    keep_promise(promise, "new")
    forget_unclaimed()
    left = set(Connection.objects.values_list("code_digest", flat=True))
    assert left == {digest_of(code) for code in ("ours", "other", "new")}


def test_a_connection_is_seen_in_its_own_workspace_alone(connected, workspace):
    other = factories.make_person_user(factories.make_workspace("walnut"), name="cora")
    seen = Connection.objects.visible_to(factories.person_actor(other))
    assert not seen.exists()
