"""Every package that is imported is declared, and none comes only because another brings it."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

from project.settings import BASE_DIR
from tests.test_architecture import nodes

SERVED = ("project", "agents", "calendar_app", "inbox")
BESIDE = ("tests", "bench", "docs")


def imported(room: str) -> dict[str, str]:
    """The packages that a room imports from outside, each with a file that does."""
    found = {}
    for path in (BASE_DIR / room).rglob("*.py"):
        for node in nodes(path):
            for name in names_in(node):
                found[name.partition(".")[0]] = str(path.relative_to(BASE_DIR))
    # The last one is a client that a generator makes for a test.
    ours = {*SERVED, *BESIDE, "examples", "chancery_client", "generated"}
    known = {*sys.stdlib_module_names, *ours}
    return {name: path for name, path in found.items() if name not in known}


def names_in(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []


def declared(name: str) -> set[str]:
    lines = (BASE_DIR / "requirements" / f"{name}.in").read_text().splitlines()
    return {plain(re.split(r"[\[~=<>; ]", line)[0]) for line in lines if line[:1] not in "#-"}


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def undeclared(rooms: tuple[str, ...], names: set[str]) -> list[str]:
    brought = packages_distributions()
    return [
        f"{package} in {path}"
        for room in rooms
        for package, path in imported(room).items()
        if not names & {plain(each) for each in brought.get(package, [package])}
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
    brought = packages_distributions()
    return {
        str(path.relative_to(BASE_DIR))
        for room in SERVED
        for path in (BASE_DIR / room).rglob("*.py")
        for node in nodes(path)
        for name in names_in(node)
        if extra & {plain(each) for each in brought.get(name.partition(".")[0], [])}
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


def test_what_builds_the_wheel_is_locked_as_it_is_declared():
    project = tomllib.loads((BASE_DIR / "pyproject.toml").read_text())
    locked = (BASE_DIR / "requirements" / "build.in").read_text().splitlines()
    assert sorted(project["build-system"]["requires"]) == [
        line for line in locked if line[0] != "#"
    ]


def test_no_lock_names_an_index():
    for path in (BASE_DIR / "requirements").iterdir():
        assert not re.search(r"https?://|--(?:extra-)?index-url", path.read_text()), path.name
