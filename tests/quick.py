"""`python -m tests.quick [SECONDS]`: the tests that a change touches, as many as fit into the time.

A change is what differs from where this branch left `main`, with what was not committed and what git
does not know yet. Its tests, the nearest first: those that were changed; those named after a module
that was changed; those that import it; those of the same room, as `inbox/operations/` has
`tests/inbox/operations/`; those that read such files, or walk over all of them; the rules of the
code's shape. A template is near to what the modules that fill it are. This says nothing of what a
change does elsewhere: `make test` does.
"""

import ast
import functools
import shutil
import subprocess
import sys
from collections.abc import Iterable
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
APPS = ("inbox", "calendar_app", "agents", "project")
ALWAYS = ("tests/test_architecture.py",)
# The tests that read files of a kind without importing them.
READERS = {
    "*.md": ("tests/test_docs.py",),
    "*.html": ("tests/project/test_pages.py", "tests/project/test_content_security_policy.py"),
    "*.po": ("tests/project/test_languages.py",),
    "*.txt": ("tests/test_requirements.py",),
    "agents/tools/*.py": (
        "tests/agents/contracts/test_contracts.py", "tests/agents/test_parity.py",
        "tests/agents/test_isolation.py", "tests/test_docs.py",
    ),
}  # fmt: skip


def git(root: Path, *arguments: str) -> list[str]:
    """Return what git answers, or nothing where there is no such thing."""
    done = subprocess.run(
        ["git", *arguments], cwd=root, check=False, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    return [one for one in done.stdout.split("\0") if one]


def changed_files(root: Path = ROOT) -> list[str]:
    """Return the paths that differ from where this branch left main, new ones among them."""
    bases = git(root, "merge-base", "HEAD", "main") or git(
        root, "merge-base", "HEAD", "origin/main"
    )
    base = bases[0].strip() if bases else "HEAD"
    named = git(root, "diff", "--name-only", "-z", base)
    return sorted({*named, *git(root, "ls-files", "--others", "--exclude-standard", "-z")})


def module_of(path: str) -> str:
    """Return the name by which a file is imported: `inbox.background.jobs` of `inbox/background/jobs.py`."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@functools.cache
def source_of(test: Path) -> bytes:
    """Return what stands in a file."""
    return test.read_bytes()


def imports(test: Path, modules: set[str]) -> bool:
    """Return True if a file imports one of them; to read it whole takes long where none is named."""
    named = (one.rpartition(".")[2].encode() in source_of(test) for one in modules)
    return any(named) and not modules.isdisjoint(imported_by(test))


@functools.cache
def imported_by(test: Path) -> frozenset[str]:
    """Return every name that a file may import from, those of single functions among them."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source_of(test))):
        if isinstance(node, ast.Import):
            found |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{one.name}" for one in node.names)}
    return frozenset(found)


def room_of(path: str) -> list[str]:
    """Return the tests of a file's room: of its folder, but not of the folders below."""
    parts = Path(path).parent.parts
    if not parts or parts[0] not in APPS:
        return []
    room = ROOT / "tests" / Path(*parts)
    while not room.is_dir():
        room = room.parent
    # A whole application is no room: of those, what is named after the file.
    pattern = "test_*.py" if room.parent != ROOT / "tests" else f"test_{Path(path).stem}*.py"
    return sorted(str(it.relative_to(ROOT)) for it in room.glob(pattern))


@functools.cache
def texts(kind: str) -> dict[str, str]:
    """Return what stands in each file of the applications and templates, by its path."""
    found = (path for folder in (*APPS, "templates") for path in (ROOT / folder).rglob(kind))
    return {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in found}


def fillers_of(template: str) -> list[str]:
    """Return the modules that name a template, or one that includes or extends it."""
    reached = [template]
    for one in reached:
        name = f'"{one.partition("templates/")[2]}"'
        reached += [
            page for page, text in texts("*.html").items() if name in text and page not in reached
        ]
    names = [f'"{one.partition("templates/")[2]}"' for one in reached]
    return [path for name in names for path, text in texts("*.py").items() if name in text]


def tests_of(changed: Iterable[str]) -> list[str]:
    """Return the test files that these files touch, the nearest first."""
    changed = list(changed)
    changed += [it for one in changed if one.endswith(".html") for it in fillers_of(one)]
    tests = sorted(ROOT.glob("tests/**/test_*.py"))
    modules = {module_of(one) for one in changed if one.endswith(".py")}
    direct = [one for one in changed if one.startswith("tests/") and Path(one).match("test_*.py")]
    importers = [str(it.relative_to(ROOT)) for it in tests if imports(it, modules)]
    rooms = [test for one in changed for test in room_of(one)]
    named = {f"test_{Path(one).stem}.py" for one in changed}
    namesakes = [one for one in (*importers, *rooms) if Path(one).name in named]
    readers = [
        test for one in changed for kind, them in READERS.items() if fnmatch(one, kind) for test in them
    ]  # fmt: skip
    wanted = dict.fromkeys([*direct, *namesakes, *importers, *rooms, *readers, *ALWAYS])
    return [one for one in wanted if (ROOT / one).exists()]


def main(seconds: float = 80) -> int:
    """Say which tests are run, and run them; the last ones to begin take some seconds more."""
    if shutil.which("git") is None:
        sys.exit("git says what was changed, and is not installed; `make test` needs none.")
    changed = changed_files()
    chosen = tests_of(changed)
    lines = [
        f"{len(changed)} files were changed; {len(chosen)} files of tests are near to them:",
        *(f"  {one}" for one in chosen),
        f"After {seconds:g} seconds no further test begins; such are told as skipped. Not run: the",
        "other tests, and what needs a service. The whole is `make test` and `make test-services`.",
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()
    run = [sys.executable, "-m", "pytest", "-n", "2", "-m", "not services", "-rs"]
    command = [*run, f"--seconds={seconds}", *chosen]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*map(float, sys.argv[1:])))
