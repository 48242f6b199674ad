"""Parts of pages that are kept: written once for the same, and anew for anything else."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.template import Context, Template
from django.utils import timezone, translation

from inbox.templatetags import kept

PART = Template(
    '{% load kept i18n %}{% kept "row" name %}{{ count }} {% translate "Close" %}{% endkept %}'
)


@pytest.fixture(autouse=True)
def _nothing_kept():
    kept.forget_all()
    yield
    kept.forget_all()


def write(name, count):
    return PART.render(Context({"name": name, "count": count}))


def test_a_part_is_written_once_for_what_it_is_about():
    assert write("Ada", 1) == "1 Close"
    assert write("Ada", 2) == "1 Close"
    assert write("Bo", 3) == "3 Close"


def test_each_language_has_its_own():
    assert write("Ada", 1) == "1 Close"
    with translation.override("de"):
        assert write("Ada", 2) == "2 Schließen"
    assert write("Ada", 3) == "1 Close"


def test_what_is_kept_is_escaped_once():
    part = Template('{% load kept %}{% kept "who" name %}{{ name }}{% endkept %}')
    for _ in range(2):
        assert part.render(Context({"name": "<b>"})) == "&lt;b&gt;"


def test_the_longest_unseen_is_let_go(monkeypatch):
    monkeypatch.setattr(kept, "MOST_KEPT", 2)
    write("Ada", 1), write("Bo", 1), write("Ada", 2), write("Cy", 1)
    assert write("Ada", 3) == "1 Close"
    assert write("Bo", 4) == "4 Close"


def test_no_more_characters_are_kept_than_there_is_room_for(monkeypatch):
    monkeypatch.setattr(kept, "MOST_CHARACTERS", len("1 Close") * 2)
    write("Ada", 1), write("Bo", 1), write("Cy", 1)
    assert write("Cy", 2) == "1 Close"
    assert write("Ada", 3) == "3 Close"
    assert write("Cy", 4) == "1 Close"
    assert write("Bo", 5) == "5 Close"
    assert kept._sizes["all"] == sum(part.size for part in kept._kept.values())


@pytest.mark.django_db
def test_each_page_marks_its_own_place_whatever_it_calls_its_own(client, reviewer):
    """What is kept of the header once went by a name that pages used for something else."""
    client.force_login(reviewer)
    for place, current in (
        ("/admin/todos/", "Calendar"),
        ("/admin/me/sessions/", None),
        ("/admin/oversight/", "Oversight"),
        ("/admin/todos/?after=1.2", "Calendar"),
        ("/admin/", "Queue"),
    ):
        page = client.get(place).content.decode()
        found = re.findall(r'aria-current="page">\s*(\w+)', page.partition("</nav>")[0])
        assert found == ([current] if current else []), place


TOLD = Template(
    '{% load kept chancery %}{% kept "told" at %}{% for one in times %}{% since one|age %};'
    "{% endfor %}{% since at|age as words %}<{{ words }}>{% fresh token %}{% endkept %}"
)


def tell(at, token):
    written = TOLD.render(
        Context({"at": at, "times": [at, at - timedelta(days=2)], "token": token})
    )
    return re.sub(r"</?time[^>]*>", "", written)


def test_ages_and_tokens_in_a_kept_part_are_those_of_the_look(monkeypatch):
    start = datetime(2026, 5, 1, 12, tzinfo=UTC)
    at = start - timedelta(hours=3)
    monkeypatch.setattr(timezone, "now", lambda: start)
    assert tell(at, "<one>") == "3 h ago;51 h ago;<3 h ago>&lt;one&gt;"
    monkeypatch.setattr(timezone, "now", lambda: start + timedelta(hours=2))
    assert tell(at, "two") == "5 h ago;53 h ago;<5 h ago>two"
    assert len(kept._kept) == 1
    with translation.override("de"):
        assert tell(at, "zwei") == "vor 5 h;vor 53 h;<vor 5 h>zwei"


def test_what_is_left_open_stays_open_in_a_part_within_a_part():
    part = Template(
        '{% load kept %}{% kept "outer" name %}{{ name }}'
        '{% kept "inner" name %}[{% fresh token %}]{% endkept %}{% endkept %}'
    )
    for token in ("one", "two"):
        written = part.render(Context({"name": "Ada", "token": token}))
        assert written == f"Ada[{token}]"
    assert len(kept._kept) == 2


def test_the_words_of_a_letter_open_nothing():
    part = Template('{% load kept %}{% kept "who" name %}{{ name }}{% fresh token %}{% endkept %}')
    for name in ("0;", "\0000;", "{% fresh token %}", "{{ token }}"):
        written = part.render(Context({"name": name, "token": "secret"}))
        assert written == f"{name}secret"
