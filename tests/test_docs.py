"""What the pages say is true: links lead somewhere, examples run, the reference is fresh."""

import ast
import json
import re
import shlex
import shutil
import subprocess

import pytest
import yaml
from django.core.management import call_command, get_commands
from django.core.management.base import CommandError

from agents.management.client import modules
from agents.management.reference import find_stale, pages, settings_source, write
from inbox.submission_states import SUBMISSION_MOVES
from project.settings import BASE_DIR
from tests.cases import in_one_test
from tests.fork_server import python
from tests.up import DemoUp, clean_environment

PAGES = [
    BASE_DIR / "README.md",
    *(BASE_DIR / f"{name}.md" for name in ("CHANGELOG", "CONTRIBUTING", "SECURITY")),
    *sorted((BASE_DIR / "docs").rglob("*.md")),
]
SETTINGS = settings_source(BASE_DIR)


def names(path) -> str:
    return str(path.relative_to(BASE_DIR))


def blocks(text: str, language: str) -> list[str]:
    """Return the fenced blocks of a language."""
    return re.findall(rf"^ *```{language}\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL)


@in_one_test("page", PAGES)
def test_links_lead_to_files_that_are_there(page):
    text = page.read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r' src(?:set)?="([^"]+)"', text)
    for link in links:
        if not link.startswith(("http://", "https://", "#")):
            assert (page.parent / link.partition("#")[0]).exists(), link


@in_one_test("page", PAGES)
def test_files_that_are_named_are_there(page):
    named = re.findall(
        r"`((?:agents|inbox|calendar_app|project|examples|docs)/[\w./-]*)`",
        page.read_text(encoding="utf-8"),
    )
    for path in named:
        assert (BASE_DIR / path).exists(), path


@in_one_test("page", PAGES)
def test_commands_that_are_named_exist(page):
    text = page.read_text(encoding="utf-8")
    installed = {
        *re.findall(r"`chancery (\w+)", text),
        *re.findall(r"(?<![=\w])chancery ([a-z_]+)", "".join(blocks(text, "sh"))),
    }
    ran = {*re.findall(r"manage\.py (\w+)", text), *installed}
    assert ran <= {*get_commands(), "help"}
    targets = set(re.findall(r"^([a-z-]+):", (BASE_DIR / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"`make ([a-z-]+)", text)) <= targets


@in_one_test("page", PAGES)
def test_variables_that_are_named_are_read(page):
    known = {*re.findall(r'"((?:CHANCERY|CELERY)_[A-Z0-9_]+)"', SETTINGS), "CHANCERY_TOKEN"}
    assert set(re.findall(r"\b((?:CHANCERY|CELERY)_[A-Z0-9_]+)", page.read_text("utf-8"))) <= known


def test_every_page_of_docs_can_be_found_from_the_index():
    index = (BASE_DIR / "docs" / "index.md").read_text(encoding="utf-8")
    for page in (BASE_DIR / "docs").rglob("*.md"):
        inside = str(page.relative_to(BASE_DIR / "docs"))
        assert inside == "index.md" or inside in index or inside.startswith("decisions/")


def test_the_reference_is_fresh():
    stale = find_stale(BASE_DIR / "docs" / "reference", SETTINGS)
    assert [*stale, *modules.find_stale(BASE_DIR)] == [], "run manage.py reference"


def test_a_stale_page_is_found_and_written_anew(tmp_path):
    assert write(tmp_path, SETTINGS) == list(pages(SETTINGS))
    (tmp_path / "tools.md").write_text("old")
    assert find_stale(tmp_path, SETTINGS) == ["tools.md"]
    assert write(tmp_path, SETTINGS) == ["tools.md"]
    assert find_stale(tmp_path, SETTINGS) == []


def test_the_check_fails_for_a_stale_page(settings, tmp_path):
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "settings.py").write_text(SETTINGS)
    settings.BASE_DIR = tmp_path
    with pytest.raises(CommandError, match=r"tools\.md"):
        call_command("reference", "--check")
    call_command("reference", verbosity=0)
    call_command("reference", "--check")


def test_a_setting_without_a_word_about_it_is_refused():
    with pytest.raises(ValueError, match="does not say what for"):
        pages('import os\nNEW = os.environ.get("CHANCERY_NEW")\n')


def test_the_changelog_keeps_its_form():
    text = (BASE_DIR / "CHANGELOG.md").read_text(encoding="utf-8")
    assert text.startswith("# Changelog\n")
    assert "## [Unreleased]" in text
    kinds = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert set(re.findall(r"^### (.+)$", text, re.MULTILINE)) <= kinds


def test_examples_in_json_and_yaml_can_be_read():
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for block in blocks(text, "json"):
            json.loads(block)
        for block in blocks(text, "ya?ml"):
            yaml.safe_load(block)


def test_the_states_that_pages_name_are_those_of_the_table():
    text = (BASE_DIR / "docs" / "life-of-a-tool-call.md").read_text(encoding="utf-8")
    for state in re.findall(r"moves from `(\w+)` to `(\w+)`", text):
        assert state[1] in SUBMISSION_MOVES[state[0]]


@pytest.mark.skipif(shutil.which("curl") is None, reason="the tour uses curl")
def test_the_tour_of_the_readme_runs_as_printed(demo_folder, tmp_path):
    readme = (BASE_DIR / "README.md").read_text(encoding="utf-8")
    tour = "".join(blocks(readme.partition("## Five minutes")[2].partition("## What")[0], "sh"))
    up = DemoUp(demo_folder, tmp_path)
    url = up.wait_until_ready()
    tour = tour.replace("http://127.0.0.1:8000", url).replace("chy_…", up.secret("token"))
    tour = tour.replace(".venv/bin/python", shlex.join(python()))
    try:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", tour],
            cwd=BASE_DIR,
            env={**clean_environment(), "CHANCERY_VAR": str(tmp_path)},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    finally:
        up.stop()
    assert done.returncode == 0, done.stdout + done.stderr
    assert '"status": "queued"' in done.stdout.replace('":"', '": "')
    assert "KW-10412" in done.stdout
    assert "receipts hold" in done.stdout


def rooms() -> dict[str, str]:
    """Return what the packages of each app say of themselves, two deep where they are operations."""
    found = {}
    for app in ("project", "agents", "calendar_app", "inbox"):
        for depth in ("*", "operations/*"):
            for init in (BASE_DIR / app).glob(f"{depth}/__init__.py"):
                if init.parent.name != "migrations":
                    words = ast.get_docstring(ast.parse(init.read_text("utf-8"))) or ""
                    found[names(init.parent)] = " ".join(words.split("\n\n")[0].split())
    return found


def test_the_map_names_every_room_and_says_what_the_room_says():
    page = (BASE_DIR / "docs" / "architecture.md").read_text("utf-8")
    assert (
        dict(re.findall(r"^\| `([a-z_/]+/[a-z_/0-9]+)` \| (.*) \|$", page, re.MULTILINE)) == rooms()
    )
