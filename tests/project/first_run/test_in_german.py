"""Each step, what it refuses too, for somebody whose browser asks for German."""

import pytest
from django.test import Client

from agents.dispatching.dispatch import call
from agents.operations.agents import authenticate
from agents.operations.setup.codes import make_code
from inbox.background.jobs import run_due
from tests.project.english_words import english_in

pytestmark = pytest.mark.django_db
START = "/admin/start/"


def test_no_step_says_a_sentence_of_ours_in_english():
    client, troubles, seen = Client(headers={"accept-language": "de"}), [], 0

    def look(answer):
        nonlocal seen
        seen += 1
        troubles.extend(sorted(english_in(answer.content.decode(), given={"Order", "Calendar"})))
        return answer

    def get(step, **query):
        return look(client.get(f"{START}{step}", query, follow=True))

    def post(step, **given):
        return look(client.post(f"{START}{step}", given, follow=True))

    code = make_code()
    get("")
    get("", code="wrong")
    get("", code=code)
    post("", code=code, username="", password1="x", password2="y")
    chosen = {"username": "ada", "password1": "wax and a ring", "password2": "wax and a ring"}
    post("", code=code, **chosen)
    post("workspace/", name="")
    post("workspace/", demo="1")
    run_due()
    get("mail/")
    post("agent/", preset="", name="")
    token = post("agent/", preset="office", name="Clerk").context["token_text"]
    post("agent/", preset="office", name="Clerk")
    get("call/")
    actor = authenticate(token)
    get("call/")
    call("look_around", {}, actor)
    post("call/", work="1")
    run_due()
    get("call/")
    post("call/")
    get("notices/")
    post("notices/", by_mail="on")
    post("notices/", by_browser="on")
    get("second-step/")
    get("")
    post("workspace/", name="Laterne")
    get("mail/")
    look(client.get("/admin/agents/agent/add/"))
    assert not troubles, "\n".join(troubles)
    assert seen >= 24
