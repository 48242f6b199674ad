"""What a row keeps of an earlier wording is said in the reader's language all the same."""

import ast
from collections.abc import Iterator

from django.utils.translation import gettext, override

from inbox.reasons import own, phrase
from inbox.reasons.reworded import reworded
from inbox.reasons.text import loads, names_in
from inbox.reasons.words import worded
from project.settings import BASE_DIR

# As version 0.2.0 had it, and rows keep it as their code.
KEPT = (
    '[{"code": "%(words)s %(answer)s", "params": {"words": [{"code": "The server refused '
    '%(names)s, and so nobody was sent anything:", "params": {"names": "ada@customer.example"}}],'
    ' "answer": "550 no"}}]'
)
SINGLE = '[{"code": "%(host)s cannot prove who it is", "params": {"host": "mx.example"}}]'


def said_by_the_project() -> Iterator[str]:
    """Yield the sentences of all phrases in the code."""
    for app in ("inbox", "calendar_app", "agents", "project"):
        for path in (BASE_DIR / app).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            for node in ast.walk(ast.parse(text)) if "_(" in text or "phrase(" in text else ():
                if not isinstance(node, ast.Call) or not node.args:
                    continue
                name, first = getattr(node.func, "id", ""), node.args[0]
                if name in {"_", "phrase"} and isinstance(first, ast.Constant):
                    yield str(first.value)


def test_a_sentence_of_an_earlier_version_is_said_in_german():
    with override("de"):
        assert worded(loads(SINGLE)) == gettext("%(host)s cannot prove its identity") % {
            "host": "mx.example"
        }
        assert "mx.example cannot" not in worded(loads(SINGLE))
        assert worded(loads(KEPT)).startswith("Der Server hat ada@customer.example abgelehnt")
        assert worded(loads(KEPT)).endswith(" 550 no")


def test_agents_are_told_what_was_stored_and_people_what_it_is_now():
    assert str(loads(SINGLE)) == "mx.example cannot prove who it is"
    assert worded(loads(SINGLE)) == "mx.example cannot prove its identity"


def test_what_somebody_wrote_is_never_taken_for_an_earlier_wording():
    written = own("It names no file.")
    assert "It names no file." in reworded()
    with override("de"):
        assert worded(written) == "It names no file."


def test_a_sentence_that_no_table_has_stays_as_it_is():
    with override("de"):
        assert worded(phrase("Nobody ever said this to %(name)s.", name="Ada")) == (
            "Nobody ever said this to Ada."
        )


def test_each_earlier_sentence_leads_to_one_of_today_with_the_same_parameters():
    """Who rewords a sentence that stands on the right changes it there too, or this fails."""
    today = set(said_by_the_project())
    wrong = [
        (earlier, now)
        for earlier, now in reworded().items()
        if now not in today or earlier in today or names_in(earlier) != names_in(now)
    ]
    assert wrong == []


def test_each_is_translated():
    with override("de"):
        assert [now for now in reworded().values() if gettext(now) == now] == []
