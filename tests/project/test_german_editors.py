"""What the editors of policies, taxonomies and schemas refuse is said in the reader's language."""

import json
from html import unescape

import pytest
from django.test import Client

from inbox.formats.refusals import of_yaml
from inbox.models import ReplyPolicy, Taxonomy
from inbox.operations.activities.understanding import TAUGHT, save_version
from tests import factories
from tests.cases import in_one_test
from tests.project.english_words import english_in

pytestmark = pytest.mark.django_db
INTENT = "intents:\n- name: a\n  route: b\n"
DEFAULT = "default: {intent: x, route: y}\n"

# The source, its line and field, and how the German sentence goes on or ends.
POLICIES = (
    ("tone: rude", 1, "tone", "muss eines davon sein: 'friendly', 'formal', 'brief'"),
    ("tone: formal\nmax_lenght: 3", 2, "max_lenght", "unbekanntes Feld; möglich sind tone, tones"),
    ("max_length: '3'", 1, "max_length", "muss eine ganze Zahl sein"),
    ("max_length: 0", 1, "max_length", "muss mindestens 1 sein"),
    ("max_length: 9000000", 1, "max_length", "darf höchstens 1000000 sein"),
    ("greeting: 3", 1, "greeting", "muss eine Zuordnung von Feldern sein"),
    ("recipients: [x]", 1, "recipients", "muss eine Zuordnung von Feldern sein"),
    ("allowed_links: x", 1, "allowed_links", "muss eine Liste sein"),
    ("allowed_links: ['']", 1, "allowed_links/0", "muss mindestens 1 Zeichen haben"),
    ("allowed_links: [3]", 1, "allowed_links/0", "muss ein Text sein"),
    ("tones: []", 1, "tones", "muss mindestens 1 Einträge haben"),
    ("tones: [brief, brief, brief, brief]", 1, "tones", "darf höchstens 3 Einträge haben"),
    (f"signature: {'x' * 4001}", 1, "signature", "darf höchstens 4000 Zeichen haben"),
    ("forbidden_phrases: [{block: true}]", 1, "forbidden_phrases/0", "das Feld phrase ist nötig"),
    (
        "forbidden_phrases: [{phrase: x, block: 3}]", 1, "forbidden_phrases/0/block",
        "muss true oder false sein",
    ),
    ("forbidden_phrases: ['/(/']", 1, "forbidden_phrases/0", "kein regulärer Ausdruck: „missing )"),
    ("forbidden_phrases: [/a*/]", 1, "forbidden_phrases/0", "das Muster passt auf einen leeren Text"),
    ("forbidden_phrases: ['/a{1,900}/']", 1, "forbidden_phrases/0", "darf höchstens bis 200 zählen"),
    ("redactions: [shoe]", 1, "redactions/0", "unbekannte Art; möglich sind card"),
    (
        "approval: {required_when: [often]}", 1, "approval/required_when/0",
        "unbekannte Bedingung; möglich sind",
    ),
    (
        "approval: {required_when: [{amount_over: 1, currency: x}]}", 1,
        "approval/required_when/0/currency", "muss zu ^[A-Z]{3}$ passen",
    ),
    ("tone: formal\ntone: brief", 2, "tone", "das Feld kommt zweimal vor"),
    ("tone: [", 1, "", "kein YAML: ein Wert fehlt"),
    ("tone: a: b", 1, "", "kein YAML: ein Doppelpunkt mit Leerzeichen"),
    ("tone: 'x", 1, "", "kein YAML: ein Text in Anführungszeichen endet nicht"),
    ("a:\n\tb: 1", 2, "", "kein YAML: ein Tabulator"),
    ("tone: @x", 1, "", "kein YAML: mit diesem Zeichen beginnt kein Wert"),
    ("a: [1", 1, "", "kein YAML: einer Liste in eckigen Klammern fehlt"),
    ("a: {b: 1", 1, "", "kein YAML: einer Zuordnung in geschweiften Klammern fehlt"),
    ("- a\nb: c", 2, "", "kein YAML: diese Zeile ist nicht eingerückt"),
    ("a: 1\nb", 2, "", "kein YAML: einem Feld fehlt der Doppelpunkt"),
    ('tone: "\\q"', 1, "", "kein YAML: ein Rückstrich in doppelten Anführungszeichen"),
    ("{a: b}}", 1, "", "kein YAML: nach dem Ende folgt noch Text"),
    ("--- 1\n--- 2", 2, "", "kein YAML: es enthält mehr als ein Dokument"),
    ("tone: \x01", 1, "", "kein YAML: ein Zeichen ist nicht erlaubt"),
    ("a: &x 1\nb: *x", 2, "", "Aliasse (*name) sind nicht erlaubt"),
    ("tone: !x y", 1, "", "ein Wert lässt sich nicht lesen: Tags (!name) sind nicht erlaubt"),
    ("{[a]: 1}", 1, "", "ein Wert lässt sich nicht lesen: der Name eines Feldes muss ein Text sein"),
    ("- tone", 1, "", "eine Richtlinie muss eine Zuordnung von Feldern sein"),
    ("[" * 20, 1, "", "tiefer als 12 verschachtelt"),
)  # fmt: skip
TAXONOMIES = (
    (INTENT + DEFAULT, 2, "intents/0", "eine Absicht braucht mindestens eines von description, signals, phrases und patterns"),
    (f"{INTENT}  signals: [nope]\n{DEFAULT}", 4, "intents/0/signals/0", "kein Signal heißt so"),
    (f"{INTENT}  phrases: [(a]\n{DEFAULT}", 4, "intents/0/phrases/0", "der Wendung '(a' fehlt"),
    (
        f"{INTENT}  phrases: [x]\n  weight: 0\n{DEFAULT}", 5, "intents/0/weight",
        "muss größer als 0 sein",
    ),
    ("[]", 1, "", "eine Taxonomie muss eine Zuordnung von Feldern sein"),
)  # fmt: skip
SCHEMAS = (
    ('{"type": "object",\n}', 2, "", "kein JSON: "),
    ('{"type" 3}', 1, "", "kein JSON: einem Feld fehlt der Doppelpunkt nach dem Namen"),
    ("{} {}", 1, "", "kein JSON: nach dem Ende folgt noch Text"),
    ('{"a": "b', 1, "", "kein JSON: ein Text in Anführungszeichen endet nicht"),
    ("[" * 100_000, 0, "", "zu tief verschachtelt"),
    ("[]", 0, "", "ein Schema muss ein Objekt sein"),
    ('{"properties":\n{"a": {"type": "x"}}}', 2, "properties/a/type", "'x' ist kein Typ; möglich"),
    ('{"properties": []}', 1, "properties", "[] ist nicht vom Typ object"),
    ('{"properties": {"a": 5}}', 1, "properties/a", "5 ist nicht vom Typ object, boolean"),
    ('{"minLength": -1}', 1, "minLength", "muss mindestens 0 sein"),
    ('{"multipleOf": 0}', 1, "multipleOf", "muss größer als 0 sein"),
    ('{"allOf": []}', 1, "allOf", "muss mindestens 1 Einträge haben"),
    ('{"required": ["a", "a"]}', 1, "required", "['a', 'a'] enthält einen Eintrag zweimal"),
    ('{"$anchor": "1 2"}', 1, "$anchor", "muss zu ^[A-Za-z_]"),
    ('{"pattern": "("}', 1, "pattern", "'(' hat nicht das Format regex"),
    ('{"$ref": "#/no", "properties": {}}', 1, "$ref", "'#/no' gibt es im Schema nicht"),
    ('{"type": "object"}', 0, "properties", "ein Schema, das ausgefüllt wird, braucht properties"),
)


def person(workspace, language: str) -> Client:
    client = Client(headers={"accept-language": language})
    client.force_login(factories.make_person_user(workspace, "owner", f"olga-{language}"))
    return client


def check_each(workspace, kind: str, field: str, cases) -> None:
    """Let the editor check each source, for a German reader and for an English one."""
    german, english = person(workspace, "de"), person(workspace, "en")
    wrong = []
    for source, line, place, words in cases:
        where, given = f"/admin/inbox/{kind}/check/", {field: source}
        said, beside = german.post(where, given).json(), english.post(where, given).json()
        if (said["line"], said["field"]) != (line, place) or words not in said["message"]:
            wrong.append((source[:40], said))
        if {**beside, "message": ""} != {**said, "message": ""} or english_in(said["message"]):
            wrong.append((source[:40], beside, said))
    assert not wrong, "\n".join(map(repr, wrong))


def test_what_a_policy_s_editor_refuses_is_german(workspace):
    check_each(workspace, "replypolicy", "source", POLICIES)


def test_what_a_taxonomy_s_editor_refuses_is_german(workspace):
    check_each(workspace, "taxonomy", "source", TAXONOMIES)


def test_what_a_schema_s_editor_refuses_is_german(workspace):
    check_each(workspace, "extractionschema", "schema", SCHEMAS)


def test_what_has_no_sentence_is_quoted_as_the_library_s_own_words(workspace):
    cases = [
        ("a: 2020-13-45", 1, "", "in den Worten der Bibliothek: „month must be in 1..12“"),
        ("!<", 1, "", "in den Worten der Bibliothek: „expected URI"),
    ]
    check_each(workspace, "replypolicy", "source", cases)
    assert of_yaml(ValueError("It is <b>so</b>.")).endswith("“It is <b>so</b>.”")


def test_forms_and_trials_say_it_in_german_too(workspace):
    german, own = person(workspace, "de"), {"workspace": workspace.pk, "name": "Own"}
    for kind, given, words in (
        ("replypolicy", {"source": "a: 1\n"}, "Zeile 1, a: unbekanntes Feld"),
        ("taxonomy", {"source": "- a"}, "Zeile 1: eine Taxonomie muss eine Zuordnung"),
        ("extractionschema", {"schema": json.dumps({"type": "x"})}, "/type: 'x' ist kein Typ"),
        ("extractionschema", {"schema": "{]"}, "Zeile 1: Das ist kein JSON (der Name eines Feldes"),
    ):
        page = unescape(german.post(f"/admin/inbox/{kind}/add/", {**own, **given}).content.decode())
        assert words in page
        assert english_in(page) == set()
    tried = german.post("/admin/inbox/replypolicy/try/", {**own, "source": "tone: rude"})
    page = unescape(tried.content.decode())
    assert "muss eines davon sein: 'friendly'" in page
    assert english_in(page.replace("bdi>", "span>"), given={"Own"}) == set()


def test_a_version_that_can_no_longer_be_read_is_not_restored_in_german(workspace):
    row = save_version(ReplyPolicy, workspace=workspace, name="Own", content="tone: brief")
    row.versions.update(source="tone: rude")
    place = f"/admin/inbox/replypolicy/{row.pk}/versions/1/restore/"
    page = person(workspace, "de").post(place, follow=True).content.decode()
    assert "Muss eines davon sein: " in page
    assert ReplyPolicy.objects.get(pk=row.pk).source == "tone: brief"


@in_one_test("model", [ReplyPolicy, Taxonomy])
def test_agents_and_logs_are_told_in_english(model):
    with pytest.raises(ValueError, match=r"^line 1: a \w+ must be a mapping of fields$"):
        TAUGHT[model].read("- a")
