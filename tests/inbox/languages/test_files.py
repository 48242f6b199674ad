"""The files of the languages: what is in them is used, and what is wrong in one is told."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
import regex
import yaml

from inbox.languages import ENGLISH, LanguageError, any_of, language, languages, lazy, read_language
from inbox.languages.loading import FOLDER
from inbox.languages.model import Language
from inbox.languages.section import Section
from inbox.rfc5322.text.language import detect_language
from project.settings import BASE_DIR
from tests.cases import in_one_test


def test_each_language_is_one_file():
    assert {it.code for it in languages()} == {path.stem for path in FOLDER.glob("*.yaml")}
    assert [it.code for it in languages()][:6] == ["en", "de", "fr", "es", "ja", "ar"]


def test_no_section_of_a_language_stands_twice():
    # The later one would take the place of the earlier.
    twice = [
        f"{path.name}: {'.'.join(names)}"
        for path in FOLDER.glob("*.yaml")
        for names in _keys(yaml.compose(path.read_text("utf-8"), _COMPOSER), ())
    ]
    assert [name for name, times in Counter(twice).items() if times > 1] == []


_COMPOSER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _keys(node, above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if not isinstance(node, yaml.MappingNode):
        return
    for key, value in node.value:
        yield (*above, key.value)
        yield from _keys(value, (*above, key.value))


def test_a_language_is_found_by_its_code_whatever_its_country():
    assert language("de-AT") == language("DE") == language("de")
    assert language("xx") is None
    assert language("") is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("place: 1\n", "xx.yaml: code: Field required"),
        ("code: yy\n", "xx.yaml: code: it is the name of the file, 'xx'"),
        ("code: xx\ndetecton: {words: a}\n", "xx.yaml: detecton: Extra inputs"),
        ("code: xx\nletters: {greetngs: hi}\n", "xx.yaml: letters.greetngs: Extra inputs"),
        (
            "code: xx\nclassify: {signals: {please: hi}}\n",
            "xx.yaml: classify.signals.please: Input",
        ),
        ("code: [\n", "xx.yaml: while parsing"),
    ],
)
def test_what_is_wrong_in_a_file_is_told_with_file_and_field(tmp_path, text, told):
    path = tmp_path / "xx.yaml"
    path.write_text(text)
    with pytest.raises(LanguageError) as error:
        read_language(path)
    assert str(error.value).startswith(told)


def test_a_name_that_the_program_does_not_know_is_told(tmp_path, monkeypatch):
    (tmp_path / "en.yaml").write_text("code: en\nroles: {dates: {due: due}}\n")
    (tmp_path / "xx.yaml").write_text("code: xx\nroles: {dates: {dew: due}}\n")
    monkeypatch.setattr("inbox.languages.loading.FOLDER", tmp_path)
    with pytest.raises(LanguageError, match=r"xx\.yaml: roles\.dates\.dew: .*en\.yaml has due"):
        languages.__wrapped__()


@in_one_test("it", languages())
def test_every_field_of_a_file_is_a_pattern_where_it_is_one(it):
    for words in every_pattern(it):
        regex.compile(words)


def every_pattern(part) -> Iterator[str]:
    for name, field in type(part).model_fields.items():
        value = getattr(part, name)
        if isinstance(value, Section):
            yield from every_pattern(value)
        elif field.metadata and isinstance(value, str):
            yield value
        elif isinstance(value, dict) and "Words" in str(type(part).__annotations__[name]):
            yield from value.values()


def test_words_of_all_languages_make_one_pattern():
    greeting = any_of(lambda it: it.letters.greetings)
    assert greeting.startswith("(?:hi|hello|")
    assert "|hallo|" in greeting
    assert any_of(lambda it: "") == "(?!)"


def test_a_pattern_is_compiled_when_it_is_first_used():
    asked = []
    pattern = lazy(lambda: asked.append("built") or "a+")
    assert asked == []
    assert pattern.search("baa")[0] == "aa"
    assert pattern.fullmatch("aa")
    assert asked == ["built"]


def test_nothing_is_read_or_compiled_when_the_program_starts(at_start):
    rooms = tuple(f"inbox.{room}" for room in (*ROOMS, "languages"))
    assert {"inbox.classify.triage", "inbox.extract", "inbox.compose"}.issubset(at_start.modules)
    # Others do, at once.
    assert at_start.compiling
    assert [name for name in at_start.compiling if name.startswith(rooms)] == []
    assert at_start.languages == 0


def test_no_language_is_named_outside_of_its_file():
    codes = {it.code for it in languages()} - {ENGLISH}
    named = re.compile("|".join(re.split(r"\W+", NAMES)), re.IGNORECASE)
    for path, text in strings_of(*(f"inbox/{room}" for room in ROOMS)):
        assert text not in codes, (path, text)
        assert not named.search(text), (path, text)


def test_no_word_of_another_language_stands_outside_of_its_file():
    for path, text in strings_of("inbox", "agents", "calendar_app", among=BEYOND_ASCII):
        words = [word for word in re.findall(r"[^\W\d_]{3,}", text) if not word.isascii()]
        assert not words or path.name in OF_LETTERS, (path, words)


ROOMS = ("classify", "extract", "compose")
# Whatever a string holds of them, the module has one itself, or an escape of one.
BEYOND_ASCII = re.compile(r"[^\x00-\x7f]|\\[xuUN0-7]")
NAMES = "german|deutsch|french|francais|spanish|espanol|japanese|arabic|dutch|nederlands"
# Letters that look alike or are not seen, signs of units, and names of people in the demo.
OF_LETTERS = {
    "lookalikes.py", "unicode_text.py", "distance.py", "letters.py", "measures.py", "chancery.py",
    "demo_office.py",
}  # fmt: skip


def strings_of(*rooms: str, among: re.Pattern[str] | None = None) -> Iterator[tuple[Path, str]]:
    """Yield each string in these rooms that is no docstring, or of modules that have such text."""
    for room in rooms:
        for path in (BASE_DIR / room).rglob("*.py"):
            code = path.read_text("utf-8")
            if among is not None and not among.search(code):
                continue
            nodes = [*ast.walk(ast.parse(code))]
            docs = {ast.get_docstring(it, clean=False) for it in nodes if has_doc(it)}
            for node in nodes:
                text = node.value if isinstance(node, ast.Constant) else None
                if isinstance(text, str) and text not in docs and text not in PRONOUNS:
                    # Classes of characters are no words.
                    yield path, re.sub(r"\[[^\]]*\]|\\p\{\w+\}", "", text)


# English words that are codes of languages as well.
PRONOUNS = {"he", "hi", "it", "is", "no"}


def has_doc(node: ast.AST) -> bool:
    return isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)


def test_every_field_says_what_it_is():
    for path in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            for field, after in pairwise(node.body) if isinstance(node, ast.ClassDef) else ():
                if isinstance(field, ast.AnnAssign) and not is_section(field):
                    assert isinstance(after, ast.Expr), f"{path.name}: {ast.unparse(field)}"


def is_section(field: ast.AnnAssign) -> bool:
    return isinstance(field.value, ast.Call) and "()" in ast.unparse(field.value)


def test_the_page_names_every_section():
    page = (BASE_DIR / "docs" / "how-to" / "add-a-language-of-mail.md").read_text("utf-8")
    assert set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) == set(Language.model_fields)


def test_the_smallest_file_of_the_page_is_a_language(tmp_path):
    page = (BASE_DIR / "docs" / "how-to" / "add-a-language-of-mail.md").read_text("utf-8")
    path = tmp_path / "fi.yaml"
    path.write_text(re.search(r"```yaml\n(.*?)```", page, re.DOTALL)[1])
    finnish = read_language(path)
    assert finnish.calendar.months[0] == "tammikuu"
    assert finnish.roles.dates["due"].startswith("eräpäivä|")


@in_one_test("it", languages())
def test_a_text_is_told_by_the_words_or_letters_of_its_language(it):
    how = it.detection
    assert not (how.words and how.letters)
    if how.words:
        assert detect_language(" ".join(how.words.split()[:25])) == it.code


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.yaml")), ids=lambda path: path.stem)
def test_a_file_is_read_alike_with_and_without_libyaml(path):
    text = path.read_text("utf-8")
    assert yaml.load(text, yaml.BaseLoader) == yaml.load(text, yaml.CBaseLoader)
