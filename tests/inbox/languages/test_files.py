"""The files of the languages: what is in them is used, and what is wrong in one is told."""

import subprocess
import sys
from collections.abc import Iterator

import pytest
import regex

from inbox.languages import LanguageError, any_of, language, languages, lazy, read_language
from inbox.languages.loading import FOLDER
from inbox.languages.section import Section
from inbox.rfc5322.language import detect_language
from project.settings import BASE_DIR


def test_each_language_is_one_file():
    assert {it.code for it in languages()} == {path.stem for path in FOLDER.glob("*.yaml")}
    assert [it.code for it in languages()][:6] == ["en", "de", "fr", "es", "ja", "ar"]


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


@pytest.mark.parametrize("it", languages(), ids=lambda it: it.code)
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


def test_nothing_is_read_or_compiled_when_the_program_starts():
    code = (
        "import inbox.classify, inbox.languages.loading as it, yaml;"
        "assert it.languages.cache_info().currsize == 0"
    )
    subprocess.run([sys.executable, "-c", code], cwd=BASE_DIR, check=True)


@pytest.mark.parametrize("it", languages(), ids=lambda it: it.code)
def test_a_text_is_told_by_the_words_or_letters_of_its_language(it):
    how = it.detection
    assert not (how.words and how.letters)
    if how.words:
        assert detect_language(" ".join(how.words.split()[:25])) == it.code
