"""The shape that the code keeps: what a linter does not say."""

import ast
import graphlib
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
APPS = ("project", "inbox", "calendar_app", "agents")
LONGEST_FUNCTION, LONGEST_FILE = 40, 400
FORBIDDEN_NAMES = {"utils", "helpers", "common", "manager", "types", "services"}

FILES = sorted(
    path for app in APPS for path in (ROOT / app).rglob("*.py") if "migrations" not in path.parts
)
each_file = pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@each_file
def test_a_file_has_fewer_than_400_lines(path):
    assert len(path.read_text().splitlines()) < LONGEST_FILE


@each_file
def test_a_function_has_fewer_than_40_lines(path):
    long = [
        f"{node.name} ({lines} lines)"
        for node in functions(path)
        if (lines := (node.end_lineno or 0) - node.lineno + 1) >= LONGEST_FUNCTION
    ]
    assert not long


@each_file
def test_nothing_is_imported_inside_a_function(path):
    inner = [
        f"{function.name}, line {node.lineno}"
        for function in functions(path)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    assert not inner


@each_file
def test_a_module_says_in_its_first_line_what_it_is(path):
    is_plain_package = path.name == "__init__.py" and not path.read_text().strip()
    assert is_plain_package or ast.get_docstring(tree(path))


@each_file
def test_a_module_has_a_name_that_says_something(path):
    assert path.stem not in FORBIDDEN_NAMES


@each_file
def test_no_module_is_empty(path):
    """An __init__ or a package's face may hold nothing; every other file has a definition."""
    assert path.name == "__init__.py" or len(tree(path).body) > 1


def test_no_modules_import_each_other_in_a_circle():
    names = {module_name(path) for path in FILES}
    graph = {
        module_name(path): {name for name in imported_names(path) if name in names}
        for path in FILES
    }
    for name, imports in graph.items():
        imports.discard(name)
    list(graphlib.TopologicalSorter(graph).static_order())


def imported_names(path: Path) -> Iterator[str]:
    """Every module that a file names in an import, for `from a import b` both a.b and a."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if is_module(inner) else node.module


def is_module(name: str) -> bool:
    place = ROOT.joinpath(*name.split("."))
    return place.with_suffix(".py").exists() or (place / "__init__.py").exists()


def test_imports_run_only_down_the_line():
    run = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout


@pytest.mark.django_db
def test_the_migrations_say_what_the_models_say():
    run = subprocess.run(
        [sys.executable, "manage.py", "makemigrations", "--check", "--dry-run"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize("app", ["inbox", "calendar_app", "agents"])
def test_each_app_has_one_migration(app):
    assert [path.name for path in (ROOT / app / "migrations").glob("0*.py")] == ["0001_initial.py"]
