"""Every package that is imported is declared, and none comes only because another brings it."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

from project.settings import BASE_DIR
from tests.cases import in_one_test

SERVED = ("project", "agents", "calendar_app", "inbox")
BESIDE = ("tests", "bench", "docs")


# Wherever a statement may begin, of what it may be from or all that it may import: prose, too.
IMPORTS = re.compile(
    r"(?:^|[;:])\s*(?:from[\s\\]+(\w+)|import\b((?:[\w.,\s]|\\\n)*?)(?=$|[;#]))", re.MULTILINE
)


def imported(room: str, asked: Callable[[str], bool]) -> Iterator[tuple[str, str]]:
    """Yield the packages that a room imports from outside and that are asked for, with the file."""
    # The last one is a client that a generator makes for a test.
    ours = {*SERVED, *BESIDE, "examples", "chancery_client", "generated"}
    known = {*sys.stdlib_module_names, *ours}
    for path in (BASE_DIR / room).rglob("*.py"):
        text = path.read_text()
        # To read a file as Python does takes thirty times as long.
        if any(asked(name) for name in named_in(text) - known):
            for name in packages_in(text) - known:
                if asked(name):
                    yield name, str(path.relative_to(BASE_DIR))


def named_in(text: str) -> set[str]:
    """Return every word that may be a package which the text imports."""
    return set(re.findall(r"\w+", " ".join(map(" ".join, IMPORTS.findall(text)))))


def packages_in(text: str) -> set[str]:
    return {name.partition(".")[0] for node in ast.walk(ast.parse(text)) for name in names_in(node)}


def names_in(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []


def declared(name: str) -> set[str]:
    lines = (BASE_DIR / "requirements" / f"{name}.in").read_text().splitlines()
    return {plain(re.split(r"[\[~=<>; ]", line)[0]) for line in lines if line[:1] not in "#-"}


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@cache
def brought(package: str) -> set[str]:
    """Return which of what is installed brings a package."""
    return {plain(each) for each in installed().get(package, [package])}


@cache
def installed() -> Mapping[str, list[str]]:
    return packages_distributions()


def undeclared(rooms: tuple[str, ...], names: set[str]) -> list[str]:
    return [
        f"{package} in {path}"
        for room in rooms
        for package, path in imported(room, lambda package: not names & brought(package))
    ]


def test_what_serves_imports_only_what_run_in_declares():
    assert (
        undeclared(
            SERVED, declared("run") | declared("otel") | declared("model") | declared("semantic")
        )
        == []
    )


def loaded_from(extra: set[str]) -> set[str]:
    """The modules that import what an extra brings."""
    return {
        path
        for room in SERVED
        for _, path in imported(room, lambda package: bool(extra & brought(package)))
    }


def test_what_an_extra_brings_is_imported_where_it_is_loaded_and_nowhere_else():
    spans = {name for name in declared("otel") if name.startswith("opentelemetry")}
    assert loaded_from(spans) == {"project/monitoring/tracing.py"}
    assert loaded_from(declared("model")) == {"inbox/language_model/speaking.py"}
    assert loaded_from(declared("semantic")) == {
        "inbox/semantic/encoder.py",
        "inbox/semantic/matrix.py",
    }


def test_what_tests_imports_only_what_is_declared():
    assert (
        undeclared(
            BESIDE, declared("run") | declared("dev") | declared("model") | declared("semantic")
        )
        == []
    )


def test_an_import_that_nobody_declared_is_found(monkeypatch, tmp_path):
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "one.py").write_text("import sqlparse\nfrom django import db\n")
    monkeypatch.setattr(sys.modules[__name__], "BASE_DIR", Path(tmp_path))
    assert undeclared(("room",), {"django"}) == ["sqlparse in room/one.py"]


@in_one_test(
    "text",
    ["import os, sqlparse.sql as sql", "if os: import sqlparse", "os.name; import sqlparse; os",
     "import\\\n  os, \\\n  sqlparse # it", "from\\\n\tsqlparse \\\n import sql",
     "def one():\n    if os:\n        import sqlparse\n", "try:\f\timport sqlparse\nfinally: pass",
     "from sqlparse import(sql)", "from sqlparse.sql import *"],
)  # fmt: skip
def test_an_import_is_found_wherever_it_stands(text):
    assert packages_in(text) - {"os"} == {"sqlparse"}
    assert "sqlparse" in named_in(text)


def test_what_builds_the_wheel_is_locked_as_it_is_declared():
    project = tomllib.loads((BASE_DIR / "pyproject.toml").read_text())
    locked = (BASE_DIR / "requirements" / "build.in").read_text().splitlines()
    assert sorted(project["build-system"]["requires"]) == [
        line for line in locked if line[0] != "#"
    ]


def test_no_lock_names_an_index():
    for path in (BASE_DIR / "requirements").iterdir():
        assert not re.search(r"https?://|--(?:extra-)?index-url", path.read_text()), path.name


def test_what_is_locked_is_all_that_it_needs():
    # `make` installs what the locks name, and looks for nothing that these may need besides.
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "check"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
