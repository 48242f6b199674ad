"""Making agents and tokens, by operation and from the command line."""

import io
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from agents.models import Agent, Token
from agents.operations.agents import authenticate, create_agent, create_token, known_scopes
from inbox.errors import DomainError
from tests import factories

pytestmark = pytest.mark.django_db


def run(*arguments):
    out = io.StringIO()
    call_command("create_agent", *arguments, stdout=out, stderr=io.StringIO())
    return out.getvalue().strip()


def test_the_token_is_shown_once_and_only_its_hash_is_kept(workspace, inbox):
    agent, text = create_agent(
        workspace=workspace, name="Scribe", scopes=["inbox:read"], inboxes=[inbox]
    )
    token = Token.objects.get(agent=agent)
    assert text.startswith("chy_")
    assert text not in (token.digest, token.hint)
    actor = authenticate(text)
    assert (actor.key, actor.name, actor.scopes) == (f"agent:{agent.pk}", "Scribe", {"inbox:read"})
    assert actor.account_ids == {inbox.account_id}
    assert actor.workspace_ids == (workspace.pk,)


def test_an_agent_without_grants_sees_no_account(workspace):
    _, text = create_agent(workspace=workspace, name="Scribe", scopes=[], inboxes=[])
    assert authenticate(text).account_ids == frozenset()


def test_two_tokens_of_one_agent_differ(agent):
    assert create_token(agent=agent, scopes=[])[1] != create_token(agent=agent, scopes=[])[1]


@pytest.mark.parametrize("name", ["", "  ", "x" * 101, "a\nb", "a\u202eb"])
def test_a_name_that_is_none_is_refused(workspace, name):
    with pytest.raises(DomainError):
        create_agent(workspace=workspace, name=name, scopes=[], inboxes=[])


def test_a_foreign_inbox_is_refused(workspace):
    foreign = factories.make_inbox(factories.make_workspace())
    with pytest.raises(DomainError):
        create_agent(workspace=workspace, name="Scribe", scopes=[], inboxes=[foreign])
    assert not Agent.objects.exists()


def test_the_command_prints_the_token_and_nothing_else(inbox):
    actor = authenticate(run("Scribe"))
    assert actor.scopes == set(known_scopes())
    assert actor.account_ids == {inbox.account_id}


def test_the_command_takes_scopes_inbox_and_days(workspace, inbox):
    factories.make_inbox(workspace, "second@lantern.example")
    text = run("Scribe", "--workspace", "lantern", "--scope", "inbox:read", "--scope", "comms:send",
               "--inbox", "OFFICE@lantern.example", "--days", "2")  # fmt: skip
    actor = authenticate(text)
    assert actor.scopes == {"inbox:read", "comms:send"}
    assert actor.account_ids == {inbox.account_id}
    left = Token.objects.get(agent__name="Scribe").expires_at - timezone.now()
    assert timedelta(days=1) < left <= timedelta(days=2)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["Clerk"], "already"),
        (["S", "--scope", "inbox:fly"], "inbox:read"),
        (["S", "--inbox", "nobody@lantern.example"], "office@lantern.example"),
        (["S", "--workspace", "moon"], "lantern"),
        (["S", "--days", "0"], "1 to"),
        ([""], "name"),
    ],
)
def test_the_command_says_in_words_what_it_would_take(agent, arguments, words):
    with pytest.raises(CommandError, match=words):
        run(*arguments)
    assert Agent.objects.count() == 1


def test_the_command_asks_which_where_there_are_several(workspace, inbox):
    factories.make_inbox(workspace, "second@lantern.example")
    with pytest.raises(CommandError, match="--inbox"):
        run("Scribe")
    factories.make_workspace("other")
    with pytest.raises(CommandError, match="--workspace"):
        run("Scribe")
