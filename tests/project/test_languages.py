"""Pages speak English and German, whole; what agents read, and receipts, stay English."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import polib
import pytest
from django.apps import apps
from django.contrib import admin
from django.core.management import call_command
from django.http import HttpResponse
from django.test import Client
from django.utils import translation
from django.utils.functional import Promise
from django.utils.html import strip_tags
from django.utils.translation.template import templatize

from agents.contracts import Effect, Registry, tool
from agents.contracts.fields import Closed
from agents.dispatching import dispatch
from agents.models import Receipt
from calendar_app.models import Todo
from inbox.actor import Actor
from inbox.models import Activity, ActivityStatus, Person
from inbox.operations.drafts.writing import revise_draft
from project.schema.shape import APPS
from tests import factories
from tests.agents.admin.desk import BODY, make_desk

ROOT = Path(__file__).resolve().parent.parent.parent
LOCALE = ROOT / "project" / "locale" / "de" / "LC_MESSAGES"
CATALOGUE = polib.pofile(str(LOCALE / "django.po"))
ENGLISH_LABELS = polib.pofile(str(LOCALE.parents[1] / "en" / "LC_MESSAGES" / "django.po"))
COMPILED = polib.mofile(str(LOCALE / "django.mo"))
SOURCES = sorted(
    path
    for folder in ("inbox", "calendar_app", "agents", "project")
    for path in (ROOT / folder).rglob("*.py")
    if "migrations" not in path.parts
)
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
# Of each function: where its context, its words and its plural stand among the arguments.
_PLAIN = dict.fromkeys(("_", "gettext", "gettext_lazy", "gettext_noop"), (None, 0, None))
_MANY = dict.fromkeys(("ngettext", "ngettext_lazy"), (None, 0, 1))
_PLACED = dict.fromkeys(("pgettext", "pgettext_lazy"), (0, 1, None))
_PLACED_MANY = dict.fromkeys(("npgettext", "npgettext_lazy"), (0, 1, 2))
CALLS = {**_PLAIN, **_MANY, **_PLACED, **_PLACED_MANY}
_CALL = re.compile(r"(?:\b(?:np|n|p)?gettext|\b_)\((?:.|\n)*?\)(?=\s|$)")
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|\{\w*\}|</?\w+")
# What messages and agents say at the desk of these tests, and the name of a header field.
GIVEN = (
    "Could you send me the offer by Friday?", "12Could you 3send me the offer 4by Friday5?",
    "Reply with the offer", "im Feld From",
    "You could send the offer today, or say when it will come.",
)  # fmt: skip
# Words that every English page has somewhere, and no German one.
ENGLISH = re.compile(
    r"\b(the|and|with|which|nothing|waiting|approve|reject|reads?|your|their|from|search|filter|"
    r"settings|until|since|ago|waits|never|agents and|change|changed|saved|show|shown|keys? of|"
    r"day of|sent back|put off|expires|leaves?|draft|letter|unread|people|threads|everything)\b",
    re.IGNORECASE,
)


def called(source: str) -> Iterator[tuple[str | None, str, str | None]]:
    """Yield the context, words and plural of each call of gettext in a module."""
    # Each is called by a name that ends so.
    for node in ast.walk(ast.parse(source if re.search(r"gettext|_\(", source) else "")):
        name = getattr(node, "func", None)
        kind = CALLS.get(getattr(name, "id", getattr(name, "attr", "")))
        if not isinstance(node, ast.Call) or kind is None:
            continue
        said = [arg.value if isinstance(arg, ast.Constant) else None for arg in node.args]
        context, words, plural = (None if at is None else said[at] for at in kind)
        if isinstance(words, str):
            yield context, words, plural


def in_template(path: Path) -> Iterator[tuple[str | None, str, str | None]]:
    """Yield what a template says through gettext, as makemessages reads it."""
    # What is no call stands as rows of X in between, in lines of their own.
    code = templatize(path.read_text(), origin=str(path))
    for found in _CALL.finditer(code):
        yield from called(re.sub(r"\bu'", "'", found.group()))


@pytest.mark.parametrize("paths", [SOURCES, TEMPLATES], ids=["modules", "templates"])
def test_the_catalogue_has_all_that_is_said(paths):
    known = {(entry.msgctxt, entry.msgid) for entry in CATALOGUE}
    said = [
        (path.name, *one)
        for path in paths
        for one in (called(path.read_text()) if path.suffix == ".py" else in_template(path))
    ]
    assert len(said) > 300
    assert [one for one in said if one[1:3] not in known] == []


def test_the_catalogue_is_as_make_messages_writes_it():
    """In one order and a line for each text, so that one changed word is a small difference."""
    texts = [(entry.msgid, entry.msgctxt or "") for entry in CATALOGUE]
    assert texts == sorted(texts)
    written = (LOCALE / "django.po").read_text(encoding="utf-8")
    assert "POT-Creation-Date" not in written
    broken = re.findall(r'^(?:msgid|msgstr) ""\n"(?:[^"\\]|\\.)*"\n"', written, re.MULTILINE)
    assert all("\\n" in text for text in broken)


def test_every_entry_is_translated():
    assert [entry.msgid for entry in CATALOGUE if not entry.translated()] == []
    assert [entry.msgid for entry in CATALOGUE if entry.fuzzy or entry.obsolete] == []


def test_what_is_compiled_is_what_is_written():
    def said(entries: list[polib.POEntry] | polib.MOFile) -> dict[object, object]:
        return {
            (one.msgctxt, one.msgid): (one.msgstr, sorted(one.msgstr_plural.items()))
            for one in entries
        }

    assert said(COMPILED) == said(CATALOGUE)


def test_english_names_only_rows_fields_and_choices_that_there_are():
    """The names that stand in migrations are worded anew without one: in an English catalogue."""
    known = {(entry.msgctxt, entry.msgid) for entry in CATALOGUE}
    labels = [(entry.msgctxt, entry.msgid) for entry in ENGLISH_LABELS]
    assert labels
    assert {context for context, _ in labels} <= {"choice", "field", "rows"}
    assert [one for one in labels if one not in known] == []
    assert len(labels) == len(set(labels))
    assert [one.msgid for one in ENGLISH_LABELS if one.fuzzy or one.msgid == one.msgstr] == []
    compiled = polib.mofile(str(LOCALE.parents[1] / "en" / "LC_MESSAGES" / "django.mo"))
    assert {(it.msgctxt, it.msgid, it.msgstr) for it in compiled} == {
        (it.msgctxt, it.msgid, it.msgstr) for it in ENGLISH_LABELS
    }


def test_labels_are_said_as_a_person_would_and_stored_as_they_were(db):
    with translation.override("en"):
        assert str(Todo._meta.verbose_name_plural) == "to-dos"
        assert ActivityStatus.NEEDS_REVIEW.label == "Needs review"
        assert Person._meta.get_field("fn").verbose_name == "full name"
        assert Activity._meta.verbose_name == "item"
        wrong = [
            label for label in labels_of_choices() if len(label.split()) > 1 and label.istitle()
        ]
        assert wrong == []
    with translation.override(None):
        assert Person._meta.get_field("fn").verbose_name == "fn"


def test_a_translation_has_the_same_placeholders():
    wrong = []
    for entry in CATALOGUE:
        wanted = set(PLACEHOLDER.findall(entry.msgid_plural or entry.msgid))
        said = [set(PLACEHOLDER.findall(one)) for one in entry.msgstr_plural.values()]
        *fewer, all_of = said or [set(PLACEHOLDER.findall(entry.msgstr))]
        if all_of != wanted or any(one - wanted for one in fewer):
            wrong.append(entry.msgid)
    assert wrong == []


def labels_of_choices() -> set[str]:
    """Return what all choices of our models are called, in the active language."""
    models = (model for model in apps.get_models() if model._meta.app_label in APPS)
    fields = (field for model in models for field in model._meta.fields)
    return {
        str(label)
        for field in fields
        for _code, label in field.flatchoices or ()
        if isinstance(label, Promise)
    }


def test_migrations_are_in_english_whatever_the_language(db, settings):
    settings.LANGUAGE_CODE = "de"
    with translation.override("de"):
        call_command("makemigrations", check_changes=True, dry_run=True, verbosity=0)


def test_every_list_of_the_admin_and_every_choice_has_a_name_to_translate(db):
    ours = {"inbox", "calendar_app", "agents"}
    lists = {m: shown for m, shown in admin.site._registry.items() if m._meta.app_label in ours}
    assert len(lists) > 20
    for model, shown in lists.items():
        fields = {field.name: field for field in model._meta.fields}
        columns = [fields[name].verbose_name for name in shown.list_display if name in fields]
        labels = [label for one in fields.values() for _code, label in one.flatchoices or ()]
        names = [model._meta.verbose_name, model._meta.verbose_name_plural, *columns, *labels]
        assert [name for name in names if not isinstance(name, Promise)] == [], model


@pytest.fixture
def german(reviewer, inbox, actor) -> Client:
    client = Client(headers={"accept-language": "de-AT,de;q=0.9,en;q=0.5"})
    client.force_login(reviewer)
    return client


@pytest.fixture(scope="module")
def made_once(make_once):
    return make_once(make_rows)


def make_rows():
    lantern = factories.make_lantern()
    return {**lantern, "desk": make_desk(lantern["inbox"], lantern["actor"])}


@pytest.fixture
def desk(own_rows, db):
    return own_rows["desk"]


def words_of(response: HttpResponse) -> str:
    """What a page says, without what came with mail or from agents."""
    assert response.status_code == 200
    page = response.content.decode()
    assert '<html lang="de"' in page
    body = page.partition("<body")[2].partition(">")[2]
    # A sign that points at words of a message stands within them.
    body = re.sub(r'<a class="ref\b.*?</a>', "", body, flags=re.DOTALL)
    for name in ("bdi", "script", "svg", "code", "textarea"):
        body = re.sub(rf"<{name}\b.*?</{name}>", " ", body, flags=re.DOTALL)
    labels = re.findall(r'(?:aria-label|title|placeholder|data-key-label)="([^"]*)"', body)
    said = " ".join(" ".join([strip_tags(body), *labels]).split())
    for data in (*GIVEN, *(line for line in BODY.splitlines() if line)):
        said = said.replace(data, " ")
    return said


PLACES = (
    "/admin/", "/admin/?tab=quarantine", "/admin/?tab=done", "/admin/oversight/", "/admin/me/",
    "/admin/inbox/thread/", "/admin/inbox/person/", "/admin/calendar/", "/admin/agents/agent/",
    "/admin/agents/receipt/", "/admin/inbox/account/", "/admin/inbox/replypolicy/", "/admin/all/",
)  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
def test_a_german_page_holds_no_english(german, desk, place):
    assert ENGLISH.findall(words_of(german.get(place))) == []


def test_what_bars_a_decision_is_german(german, desk, actor):
    approval = desk["approval"]
    revise_draft(
        draft=approval.submission.draft, author_key=actor.key, author_name=actor.name,
        subject="Another", body="Other words.",
    )  # fmt: skip
    place = f"/admin/review/{approval.public_id}/"
    assert "im Entwurf geändert: Betreff, Text" in german.get(place).content.decode()
    german.post(f"{place}approve/", {"sha256": approval.sha256})
    refused = german.post(f"{place}approve/", {"sha256": approval.sha256}).content.decode()
    assert "Es ist schon hinfällig" in refused


def test_what_is_opened_from_the_queue_is_german(german, desk):
    review = words_of(german.get(f"/admin/review/{desk['approval'].public_id}/"))
    opened = german.get(f"/admin/activities/{desk['surfaced'].public_id}/")
    activity = words_of(opened)
    assert "Eine Bitte mit Frist." in activity
    assert "fragt, ob Sie können („Could you" in opened.content.decode()
    assert (
        "Alles, was gesendet wird, muss freigegeben werden."
        in german.get(f"/admin/review/{desk['approval'].public_id}/").content.decode()
    )
    assert ENGLISH.findall(review) == []
    assert ENGLISH.findall(activity) == []


def test_the_language_is_said_to_caches(german, desk):
    response = german.get("/admin/")
    assert response["Content-Language"] == "de"
    assert "Accept-Language" in response["Vary"]


@pytest.mark.parametrize(
    "place", ["/api/approvals/apr_nothing/", "/api/threads/?page=x", "/api/no/"]
)
def test_the_api_is_english_for_a_german_browser(german, desk, place):
    """With the session of a person too, and in a thread that served them a page just before."""
    german.get("/admin/")
    answer = german.get(place)
    english = german.get(place, headers={"accept-language": "en"})
    assert answer.content == english.content
    assert answer.headers.get("Content-Language", "en") == "en"


def test_a_call_is_made_in_english_whatever_language_the_page_is_in(actor):
    registry = Registry()

    class Nothing(Closed):
        pass

    class Spoken(Closed):
        language: str

    @tool(family="house", domain="inbox", effect=Effect.READ, registry=registry)
    def language_now(actor: Actor, args: Nothing) -> Spoken:
        """Tell which language is spoken."""
        return Spoken(language=str(translation.get_language()))

    registry.freeze()
    with translation.override("de"):
        answer = dispatch.call("language_now", {}, actor, None, registry)
        assert translation.get_language() == "de"
    assert answer.result == {"language": "en"}


def test_an_action_on_a_german_page_leaves_an_english_receipt(german, desk, inbox, actor):
    before = set(Receipt.objects.values_list("pk", flat=True))
    activity = desk[ActivityStatus.SURFACED]
    german.post(f"/admin/activities/{activity.public_id}/move/", {"status": "archived"})
    made = Receipt.objects.exclude(pk__in=before)
    assert made.exists()
    with translation.override("de"):
        german_words = {label for label in labels_of_choices() if len(label) > 4}
    with translation.override("en"):
        german_words -= labels_of_choices()
    for receipt in made:
        said = f"{receipt.reason} {receipt.arguments} {receipt.result}"
        assert not [word for word in german_words if re.search(rf"\b{word}\b", said)]
