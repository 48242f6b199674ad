"""The shape that the code keeps: what a linter does not say."""

import ast
import graphlib
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tests.fork_server import run
from tests.releases.migrations import rule_changes

ROOT = Path(__file__).resolve().parent.parent
APPS = ("project", "inbox", "calendar_app", "agents")
LONGEST_FUNCTION, LONGEST_FILE = 40, 400
WIDEST_ROW, INDENT = 120, 2
LONGEST_CHAIN, FULLEST_ROOM = 20, 17
FORBIDDEN_NAMES = {"utils", "helpers", "common", "manager", "types", "services"}

FILES = sorted(
    path for app in APPS for path in (ROOT / app).rglob("*.py") if "migrations" not in path.parts
)
TEMPLATES = sorted(path for room in ("templates", *APPS) for path in (ROOT / room).rglob("*.html"))


@dataclass(frozen=True)
class Outline:
    """What the rules ask about a file. Its tree is let go: garbage is sought among all that is kept."""

    imports: tuple[ast.Import | ast.ImportFrom, ...]
    # The name, the first and the last line of each.
    functions: tuple[tuple[str, int, int], ...]
    has_docstring: bool
    is_empty: bool


@cache
def outline(path: Path) -> Outline:
    tree = ast.parse(path.read_text())
    found = list(statements(tree))
    return Outline(
        imports=tuple(it for it in found if isinstance(it, ast.Import | ast.ImportFrom)),
        functions=tuple(
            (it.name, it.lineno, it.end_lineno or 0)
            for it in found if isinstance(it, ast.FunctionDef | ast.AsyncFunctionDef)
        ),
        has_docstring=bool(ast.get_docstring(tree)),
        is_empty=len(tree.body) < 2,
    )  # fmt: skip


def statements(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield all that is no expression: what is imported or defined never stands in one."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = getattr(node, part, None)
            # The body of a lambda is an expression.
            waiting += inner if isinstance(inner, list) else ()


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def where(
    breaks: Callable[[Path], object], files: Iterable[Path] | None = None
) -> dict[str, object]:
    """Return what breaks a rule, by file; of the modules where no files are given."""
    files = FILES if files is None else files
    found = ((str(path.relative_to(ROOT)), breaks(path)) for path in files)
    return {name: what for name, what in found if what}


def test_a_file_has_fewer_than_400_lines():
    assert where(lambda path: len(path.read_text().splitlines()) >= LONGEST_FILE) == {}


def test_a_function_has_fewer_than_40_lines():
    assert where(long_functions) == {}


def long_functions(path: Path) -> list[str]:
    return [
        f"{name} ({lines} lines)"
        for name, first, last in outline(path).functions
        if (lines := last - first + 1) >= LONGEST_FUNCTION
    ]


def test_the_rows_of_a_template_can_be_read():
    assert where(unreadable_rows, TEMPLATES) == {}


def unreadable_rows(path: Path) -> list[str]:
    """Return the rows that are too wide, end in white space or are indented by another measure."""
    rows = enumerate(path.read_text().splitlines(), start=1)
    return [f"line {number}, {len(row)} columns" for number, row in rows if is_unreadable(row)]


def is_unreadable(row: str) -> bool:
    indent = len(row) - len(row.lstrip(" "))
    return len(row) > WIDEST_ROW or "\t" in row or row != row.rstrip() or indent % INDENT != 0


def test_nothing_is_imported_inside_a_function():
    assert where(inner_imports) == {}


def inner_imports(path: Path) -> list[str]:
    return [
        f"{name}, line {node.lineno}"
        for name, first, last in outline(path).functions
        for node in outline(path).imports
        if first <= node.lineno <= last
    ]


def test_a_module_says_in_its_first_line_what_it_is():
    assert where(lambda path: not (is_plain_package(path) or outline(path).has_docstring)) == {}


def is_plain_package(path: Path) -> bool:
    return path.name == "__init__.py" and not path.read_text().strip()


def test_a_module_has_a_name_that_says_something():
    assert where(lambda path: path.stem in FORBIDDEN_NAMES) == {}


def test_no_module_is_empty():
    """An __init__ or a package's face may hold nothing; every other file has a definition."""
    assert where(lambda path: path.name != "__init__.py" and outline(path).is_empty) == {}


def test_the_rules_see_what_breaks_them(tmp_path, monkeypatch):
    room = tmp_path / "room"
    room.mkdir()
    body = "\n".join(f"    x = {number}" for number in range(400))
    (room / "utils.py").write_text(f"def long():\n    import os\n{body}\n")
    (room / "empty.py").write_text('"""Nothing."""\n')
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)
    monkeypatch.setattr(sys.modules[__name__], "FILES", sorted(room.glob("*.py")))
    for rule in (
        test_a_file_has_fewer_than_400_lines, test_a_function_has_fewer_than_40_lines,
        test_nothing_is_imported_inside_a_function, test_no_module_is_empty,
        test_a_module_says_in_its_first_line_what_it_is,
        test_a_module_has_a_name_that_says_something,
    ):  # fmt: skip
        with pytest.raises(AssertionError):
            rule()


@pytest.mark.parametrize("row", ["<p>" + "x" * 118, "\t<p>", " <p>", "<p> "])
def test_the_rule_for_templates_sees_what_breaks_it(tmp_path, row):
    (tmp_path / "page.html").write_text(f"<main>\n{row}\n</main>\n")
    assert unreadable_rows(tmp_path / "page.html") == [f"line 2, {len(row)} columns"]


@cache
def imports_of_modules() -> dict[str, set[str]]:
    """Return what of our own each module imports, besides itself."""
    names = {module_name(path) for path in FILES}
    return {
        name: {one for one in imported_names(path) if one in names} - {name}
        for path in FILES
        for name in [module_name(path)]
    }


def test_no_modules_import_each_other_in_a_circle():
    list(graphlib.TopologicalSorter(imports_of_modules()).static_order())


def test_a_chain_of_imports_is_short():
    """Whoever reads a module has so many below it at most, one under the other."""
    graph, longest = imports_of_modules(), dict[str, tuple[str, ...]]()
    for name in graphlib.TopologicalSorter(graph).static_order():
        below = max((longest[one] for one in graph[name]), key=len, default=())
        longest[name] = (name, *below)
    chain = max(longest.values(), key=len)
    assert len(chain) <= LONGEST_CHAIN, " > ".join(chain)


def test_a_room_is_not_crowded():
    rooms = Counter(path.parent for path in FILES if path.name != "__init__.py")
    full = {str(room.relative_to(ROOT)): much for room, much in rooms.items()}
    # Each command of Django's is a module of its name there.
    crowded = {room: much for room, much in full.items() if much > FULLEST_ROOM}
    assert {room for room in crowded if not room.endswith("/commands")} == set()


def test_a_docstring_says_what_is_returned():
    assert where(lambda path: path.read_text().count('"""Tell whether ')) == {}


def imported_names(path: Path) -> Iterator[str]:
    """Every module that a file names in an import, for `from a import b` both a.b and a."""
    for node in outline(path).imports:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if is_module(inner) else node.module


@cache
def is_module(name: str) -> bool:
    place = ROOT.joinpath(*name.split("."))
    return place.with_suffix(".py").exists() or (place / "__init__.py").exists()


def test_imports_run_only_down_the_line():
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


@pytest.mark.django_db
def test_the_migrations_say_what_the_models_say():
    done = run(["manage.py", "makemigrations", "--check", "--dry-run"], env=os.environ)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("app", ["inbox", "calendar_app", "agents"])
def test_the_migrations_make_the_rules_that_are_declared(app):
    lacking = rule_changes(app)
    assert lacking is None, f"run `make migration NAME=…`: {lacking.deconstruct()}"
