"""Which tests a change is near to."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from project.settings import BASE_DIR
from tests import conftest, quick, selection
from tests.own_folders import is_roomy, prefer_memory
from tests.selection import (
    begin_with_long,
    lack_of_room,
    serves_in_threads,
    starts_processes,
    uses_database,
)


@pytest.mark.parametrize(
    ("changed", "test"),
    [
        ("inbox/intake/threading.py", "tests/inbox/intake/test_threading.py"),
        ("inbox/operations/sending/delivery.py", "tests/inbox/operations/sending/test_delivery.py"),
        ("inbox/operations/sending/delivery.py", "tests/machines/test_full_disk.py"),
        ("agents/contracts/nulls.py", "tests/agents/surfaces/mcp/test_nulls.py"),
        ("agents/tools/mail/threads.py", "tests/agents/test_parity.py"),
        ("templates/chancery/agents/receipt.html", "tests/agents/admin/test_receipts_pages.py"),
        (
            "templates/chancery/agents/receipt_line.html",
            "tests/agents/admin/test_receipts_pages.py",
        ),
        ("tests/factories.py", "tests/agents/test_isolation.py"),
        ("tests/test_docs.py", "tests/test_docs.py"),
        ("README.md", "tests/test_docs.py"),
        ("templates/admin/base.html", "tests/project/test_content_security_policy.py"),
        ("project/locale/de/LC_MESSAGES/django.po", "tests/project/test_languages.py"),
        ("nothing.xyz", "tests/test_architecture.py"),
    ],
)
def test_a_change_is_near_to_what_imports_it_reads_it_or_stands_beside_it(changed, test):
    assert test in quick.tests_of([changed])


def test_what_is_nearest_comes_first():
    chosen = quick.tests_of(["inbox/intake/threading.py", "tests/inbox/formats/test_vcard.py"])
    assert chosen[0] == "tests/inbox/formats/test_vcard.py"
    assert chosen[1] == "tests/inbox/intake/test_threading.py"
    assert chosen[-1] == "tests/test_architecture.py"


def test_a_test_that_was_removed_is_not_asked_for():
    assert "tests/test_gone.py" not in quick.tests_of(["tests/test_gone.py"])


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_change_is_what_left_main_what_is_not_committed_and_what_is_new(tmp_path):
    def git(*arguments):
        who = ("-c", "user.name=Ada", "-c", "user.email=ada@x.example")
        subprocess.run(["git", *who, *arguments], cwd=tmp_path, check=True, stdout=subprocess.PIPE)

    def write(name, text):
        (tmp_path / name).write_text(text)

    git("init", "-q", "-b", "main")
    for name in ("kept.py", "committed.py", "edited.py", "ignored.py"):
        write(name, "1")
    write(".gitignore", "*.log")
    git("add", ".")
    git("commit", "-qm", "all")
    git("checkout", "-qb", "mine")
    write("committed.py", "2")
    git("commit", "-qam", "one")
    write("edited.py", "2")
    write("new one.py", "2")
    write("run.log", "2")
    assert quick.changed_files(tmp_path) == ["committed.py", "edited.py", "new one.py"]


def test_no_test_begins_when_the_time_is_up(tmp_path):
    (tmp_path / "test_any.py").write_text("def test_any(): pass")
    alone = ["-c", "/dev/null", "-p", "no:cacheprovider"]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tests.selection", *alone, "-rs", "--seconds=0.001", tmp_path],
        cwd=BASE_DIR, check=False, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )  # fmt: skip
    assert (run.returncode, "no time was left for it" in run.stdout) == (0, True)
    assert "passed" not in run.stdout


def test_whatever_chooses_tests_does_so_for_all_of_them():
    hooks = {name: each for name, each in vars(selection).items() if name.startswith("pytest_")}
    assert hooks
    assert {name: vars(conftest).get(name) for name in hooks} == hooks


def test_a_temporary_folder_without_room_is_named_with_what_is_lacking(tmp_path):
    assert lack_of_room() == ""
    told = lack_of_room(str(tmp_path), 2**40)
    assert str(tmp_path) in told
    assert f"tests need up to {2**40}" in told


def test_temporary_folders_lie_in_memory_where_there_is_room(tmp_path, monkeypatch):
    assert is_roomy(tmp_path, 1)
    assert not is_roomy(tmp_path, 2**40)
    assert not is_roomy(tmp_path / "none", 1)
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    prefer_memory()
    memory = Path("/dev/shm")
    assert tempfile.gettempdir() == str(memory if is_roomy(memory) else tmp_path)


# -- the order ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("workers", [1, 2, 3])
def test_every_worker_begins_with_what_takes_longest_and_nothing_is_lost(request, workers):
    items = request.session.items
    ordered = begin_with_long(items, workers)
    assert sorted(item.nodeid for item in ordered) == sorted(item.nodeid for item in items)
    serving = {item.path for item in items if serves_in_threads(item)}
    places = [place_of(item, serving) for item in ordered]
    # Of a few files alone those with a place of their own may be more than a worker's share.
    has_room = (len(items) - places.count(1)) * workers <= len(items)
    for number in range(workers if has_room else 0):
        share = places[len(items) * number // workers : len(items) * (number + 1) // workers]
        assert share == sorted(share)


def place_of(item, serving):
    """Where an item stands: with what starts processes, with the others, or with what serves."""
    return 2 if item.path in serving else int(not starts_processes(item))


# -- those that use a database ---------------------------------------------------------------------
def test_one_that_asks_for_none_uses_no_database(request, tmp_path):
    assert not uses_database(request.node)


@pytest.mark.django_db
def test_one_that_is_marked_uses_a_database(request):
    assert uses_database(request.node)


def test_one_with_a_fixture_of_a_fixture_that_asks_for_it_uses_a_database(request, actor):
    assert uses_database(request.node)
