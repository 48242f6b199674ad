"""What a form refuses, a German page says in German; nothing that reaches a form is bare English."""

import ast
import re
from collections.abc import Iterator
from html import unescape

import pytest
from django.test import Client

from inbox.models import Account
from project.settings import BASE_DIR
from tests import factories
from tests.project.english_words import english_in

# What raises it, and at which places its words stand among the arguments.
RAISED = {
    "DomainError": (1,), "invalid": (1, 2), "ValidationError": (0,), "CodeError": (0,),
    "SourceError": (0,), "SchemaError": (0,), "_Stop": (0, 1), "NotReached": (0,),
    "NotAllowed": (0,), "NotDelivered": (0,), "ChannelError": (0,),
}  # fmt: skip
ADDED = {"add_error": (1,)}
NO_MORE: dict[str, tuple[int, ...]] = {}
# What editors read raises ValueError, which others raise for what only programs do.
READ_BY_EDITORS = ("inbox/policies/", "inbox/formats/yaml_source.py", "inbox/extract/schemas.py",
                   "inbox/classify/triage.py", "inbox/classify/phrases.py")  # fmt: skip
# Tools answer agents, in English; the errors of JSON Schema are those of the contracts.
APART = ("agents/tools/", "agents/surfaces/", "agents/contracts/", "agents/resources/",
         "agents/approval/interrupts.py", "agents/dispatching/", "agents/exchange/",
         "agents/lists/", "inbox/extract/validation.py")  # fmt: skip


def bare_english() -> Iterator[str]:
    """Yield where a refusal is given a text that no catalogue has."""
    for app in ("inbox", "calendar_app", "agents", "project"):
        for path in sorted((BASE_DIR / app).rglob("*.py")):
            name = str(path.relative_to(BASE_DIR))
            if "migrations" in path.parts or name.startswith(APART):
                continue
            more = {"ValueError": (0,)} if name.startswith(READ_BY_EDITORS) else {}
            code = path.read_text(encoding="utf-8")
            if not any(word in code for word in {**RAISED, **ADDED, **more}):
                continue
            tree = ast.parse(code)
            # `agents.errors` is about calls of tools: their shape is that of the contracts.
            if any(getattr(one, "module", "") == "agents.errors" for one in tree.body):
                continue
            yield from (f"{name}:{line}" for line in bare_in(tree, more))


def bare_in(tree: ast.Module, more: dict[str, tuple[int, ...]] = NO_MORE) -> Iterator[int]:
    for node in ast.walk(tree):
        name = getattr(getattr(node, "func", None), "id", "") or getattr(
            getattr(node, "func", None), "attr", ""
        )
        places = {**RAISED, **ADDED, **more}.get(name)
        if not isinstance(node, ast.Call) or places is None:
            continue
        given = [node.args[at] for at in places if at < len(node.args)]
        given += [one.value for one in node.keywords if one.arg in {"message", "accepted"}]
        yield from (one.lineno for one in given if is_bare(one))


def is_bare(node: ast.expr) -> bool:
    if isinstance(node, ast.JoinedStr):
        return any(isinstance(one, ast.Constant) and one.value.strip() for one in node.values)
    if isinstance(node, ast.IfExp):
        return is_bare(node.body) or is_bare(node.orelse)
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value


def test_no_refusal_that_reaches_a_form_is_bare_english():
    assert list(bare_english()) == []


@pytest.mark.parametrize(
    "raised",
    [
        'raise DomainError("conflict", "It is so.")', 'raise invalid("x", f"It is {it}.")',
        'raise invalid("x", _("It is so."), "a text")', 'form.add_error("x", "It is so.")',
        'raise ValidationError("It is so." if it else "")',
    ],
)  # fmt: skip
def test_bare_english_would_be_found(raised):
    assert list(bare_in(ast.parse(raised)))


# -- forms that are refused ----------------------------------------------------------------------


@pytest.fixture
def owner(workspace, inbox) -> Client:
    client = Client(headers={"accept-language": "de"})
    client.force_login(factories.make_person_user(workspace, "owner", "olga"))
    return client


def refused(workspace) -> dict[str, tuple[str, dict[str, object]]]:
    """Return forms that an owner posts and that are refused, and what German they say."""
    account = Account.objects.get()
    own = {"workspace": workspace.pk}
    member = f"/admin/members/{workspace.pk}/"
    mail = {"address": "sales@lantern.example", "name": "S", "auth": "password", "username": "s"}
    return {
        "So heißen nur Personen": (
            "/admin/agents/agent/add/",
            {**own, "name": "person:x", "scopes": "inbox:read", "expires_at": "2099-07-01T09:00"},
        ),
        "Es muss mit https:// beginnen": (
            "/admin/agents/webhookendpoint/add/", {**own, "url": "http://hooks.example.com/"},
        ),
        "Keine Anfrage hat diesen Code": ("/admin/device/look/", {"code": "BCDF-GHJK"}),
        "ist verbunden|schon verbunden": (
            "/admin/inbox/account/add/",
            {**own, **mail, "address": account.address, "preset": "", "action": "find"},
        ),
        "keine E-Mail-Adresse|gültige E-Mail": (
            "/admin/inbox/account/add/", {**own, **mail, "address": "nobody", "action": "find"},
        ),
        "Es gibt keinen Benutzer": (f"{member}add/", {"username": "nobody", "role": "viewer"}),
    }  # fmt: skip


def test_what_forms_refuse_is_german(owner, workspace):
    english, missing = {}, []
    for german, (place, given) in refused(workspace).items():
        answer = owner.post(place, given)
        page = unescape(answer.content.decode())
        if answer.status_code not in {200, 400, 409} or not re.search(german, page):
            missing.append((german, answer.status_code))
        english[german] = english_in(page)
    assert not missing, missing
    assert {german: said for german, said in english.items() if said} == {}
