"""The examples of the page on adding a tool, done as the page says."""

import re
import shutil
import subprocess
import sys
from contextlib import suppress

from project.settings import BASE_DIR
from tests.sqlite3.base import kept_database
from tests.up import clean_environment

PAGE = BASE_DIR / "docs/how-to/add-a-tool.md"
COPIED = ("agents", "calendar_app", "inbox", "project", "templates", "tests", "docs")
# Where a printed line goes, by how far it is indented: into which file, and before which line.
LINES = {
    "    ": ("inbox/reasons/sentences.py", '    "leaves":'),
    "        ": ("tests/agents/furnishing/a_mail.py", '        "list_threads":'),
}

CHOSEN = "newest or paus or a_tool_says or every_tool_runs or ids_answer_alike or opens_with"

# Two commands and then tests, in a process that has loaded it all once.
COMMANDS = """
import django, pytest, sys
from django.core.management import call_command
django.setup()
call_command("reference", verbosity=0)
call_command("tools", "--profile", "house")
print("---", flush=True)
sys.exit(pytest.main(sys.argv[1:]))
"""


def test_the_examples_work_as_printed(tmp_path):
    # What was compiled stays valid where a module is not changed, as does a database made before.
    for name in COPIED:
        shutil.copytree(BASE_DIR / name, tmp_path / name)
    with suppress(FileNotFoundError):
        shutil.copytree(kept_database().parent, tmp_path / ".pytest_cache" / "databases")
    (tmp_path / "requirements").mkdir()
    for name in ("manage.py", "pyproject.toml", "requirements/run.txt"):
        shutil.copy(BASE_DIR / name, tmp_path / name)
    for block in re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL):
        if named := re.match(r"# (\S+)\n", block):
            (tmp_path / named[1]).write_text(block)
            continue
        name, before = LINES[re.match(" *", block)[0]]
        text = (tmp_path / name).read_text()
        (tmp_path / name).write_text(text.replace(before, block + before, 1))

    # Their own tests, and those that walk over every tool, of which these alone are cases.
    paths = (
        "tools/test_newest.py",
        "tools/test_pausing.py",
        "test_isolation.py",
        "contracts/test_contracts.py",
    )
    tests = [f"tests/agents/{path}" for path in paths]
    told = run(tmp_path, "-c", COMMANDS, "-p", "no:xdist", "-k", CHOSEN, *tests)
    reference = (tmp_path / "docs/reference/tools.md").read_text()
    listed, _, tested = told.partition("---")
    for name in ("newest_message", "pause_inbox"):
        assert name in reference
        assert f'"{name}"' in listed
    assert re.search(r"\b8 passed, \d+ deselected", tested), tested


def run(place, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], cwd=place, capture_output=True, text=True, check=False,
        env={
            **clean_environment(), "CHANCERY_VAR": str(place / "var"),
            "DJANGO_SETTINGS_MODULE": "tests.settings", "CASES": "newest_message,pause_inbox",
        },
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
