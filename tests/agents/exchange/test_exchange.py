"""The exchange folder: what is refused, what stays inside, and how much there may be."""

import os
import shutil
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from agents.errors import ToolError
from agents.exchange import folders
from inbox.actor import Actor

CLERK = Actor(kind="agent", id=7, name="Clerk", workspace_ids=(1,))
OTHER = Actor(kind="agent", id=8, name="Scout", workspace_ids=(1,))

BAD_PATHS = [
    "", ".", "..", "/etc/passwd", "../secret.key", "a/../../b", "a//b", "a/", "a/.", "./a", "a\\b",
    "..\\b", "C:\\b", "C:b", "a\x00b", "a\nb", "a\x1bb", "a\x7fb", "a\u202egpj.exe", "a\u200bb", "a\u2028b",
    "\ud800", "CON", "con.txt", "nul", "NUL .txt", "com1", "LPT9.log", "aux/x", "a.", "a ", " a", "a /b",
    "a?b", "a*b", "a|b", 'a"b', "a<b", "cafe\u0301.txt", "a\uff0fb", "\uff0e\uff0e/b", "\u2025", "a\u2100b",
    "x" * 256, "é" * 128, "/".join("abcdefghijklmnopq"), "/".join(["x" * 200] * 6),
]  # fmt: skip


@pytest.fixture
def folder(settings):
    """Clerk's own folder, as it lies on the disk."""
    folders.list_files(CLERK)
    return Path(settings.EXCHANGE_DIR) / "agent-7" / "files"


@pytest.mark.parametrize("path", BAD_PATHS, ids=ascii)
@pytest.mark.parametrize("action", ["read", "write", "remove"])
def test_a_path_that_is_none_is_refused_by_its_field(path, action, settings):
    actions = {
        "read": lambda: folders.read_file(CLERK, path, "/local_file_path"),
        "write": lambda: folders.write_file(CLERK, path, b"x", "/local_file_path"),
        "remove": lambda: folders.remove_file(CLERK, path, "/local_file_path"),
    }
    with pytest.raises(ToolError) as refused:
        actions[action]()
    assert refused.value.code == "invalid_input"
    assert refused.value.details["errors"][0]["pointer"] == "/local_file_path"
    assert not Path(settings.EXCHANGE_DIR).exists()


def test_what_was_written_is_read_and_listed_again():
    path = folders.write_file(CLERK, "reports/2026/Übersicht März.csv", b"a,b\n")
    assert folders.read_file(CLERK, path) == b"a,b\n"
    [listed] = folders.list_files(CLERK)
    assert (listed.path, listed.size) == ("reports/2026/Übersicht März.csv", 4)


def test_a_path_that_is_taken_stays_as_it_is():
    folders.write_file(CLERK, "a.txt", b"first")
    with pytest.raises(ToolError) as refused:
        folders.write_file(CLERK, "a.txt", b"second", "/save_path")
    assert (refused.value.code, refused.value.details["pointer"]) == ("conflict", "/save_path")
    assert folders.read_file(CLERK, "a.txt") == b"first"


def test_a_file_is_no_folder_and_a_folder_no_file():
    folders.write_file(CLERK, "a/b", b"x")
    for path in ("a/b/c", "a"):
        with pytest.raises(ToolError) as refused:
            folders.write_file(CLERK, path, b"x")
        assert refused.value.code == "conflict"
    for path in ("a", "a/b/c", "none"):
        with pytest.raises(ToolError) as refused:
            folders.read_file(CLERK, path)
        assert refused.value.code == "not_found"


def test_an_agent_has_no_way_to_the_folder_of_another():
    folders.write_file(CLERK, "a.txt", b"mine")
    assert folders.list_files(OTHER) == []
    with pytest.raises(ToolError, match="no such file"):
        folders.read_file(OTHER, "a.txt")


def test_links_and_pipes_are_neither_followed_nor_listed(folder, tmp_path):
    secret = tmp_path / "secret"
    secret.write_bytes(b"secret")
    (folder / "soft").symlink_to(secret)
    (folder / "hard").hardlink_to(secret)
    (folder / "away").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe")
    for path in ("soft", "hard", "away/secret", "pipe"):
        for action in (folders.read_file, folders.find_file, folders.remove_file):
            with pytest.raises(ToolError) as refused:
                action(CLERK, path)
            assert refused.value.code == "not_found"
    assert folders.list_files(CLERK) == []


def test_nothing_is_written_through_a_link(folder, tmp_path):
    (tmp_path / "outside").mkdir()
    (folder / "away").symlink_to(tmp_path / "outside")
    (folder / "dangling").symlink_to(tmp_path / "made.txt")
    for path in ("away/x.txt", "dangling"):
        with pytest.raises(ToolError) as refused:
            folders.write_file(CLERK, path, b"x")
        assert refused.value.code == "conflict"
    assert not list((tmp_path / "outside").iterdir())
    assert not (tmp_path / "made.txt").exists()


def test_a_folder_that_turns_into_a_link_meanwhile_leads_nowhere(folder, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x").write_bytes(b"secret")
    (folder / "a").mkdir()
    (folder / "a" / "x").write_bytes(b"plain")
    stop = threading.Event()

    def swap():
        while not stop.is_set():
            (folder / "a").rename(folder / "b")
            with suppress(OSError):
                (folder / "a").symlink_to(outside)
                (folder / "a").unlink()
            while (folder / "b").exists():
                # A writer may have made a new folder of the name meanwhile.
                shutil.rmtree(folder / "a", ignore_errors=True)
                with suppress(OSError):
                    (folder / "b").rename(folder / "a")

    swapper = threading.Thread(target=swap)
    swapper.start()
    seen = set()
    try:
        for number in range(400):
            for action in (
                lambda: folders.read_file(CLERK, "a/x"),
                lambda n=number: folders.write_file(CLERK, f"a/{n}", b"n"),
            ):
                with suppress(ToolError, FileNotFoundError):
                    seen.add(action())
    finally:
        stop.set()
        swapper.join()
    assert b"secret" not in seen
    assert [path.name for path in outside.iterdir()] == ["x"]


def test_a_removed_file_takes_the_folders_that_it_leaves_empty_with_it(folder):
    folders.write_file(CLERK, "a/b/c.txt", b"x")
    folders.write_file(CLERK, "a/d.txt", b"x")
    folders.remove_file(CLERK, "a/b/c.txt")
    assert [path.name for path in (folder / "a").iterdir()] == ["d.txt"]
    with pytest.raises(ToolError, match="no such file"):
        folders.remove_file(CLERK, "a/b/c.txt")


@pytest.mark.parametrize(
    ("name", "limit", "accepted"),
    [
        ("EXCHANGE_FILE_BYTES", 5, "at most 5 bytes"),
        ("EXCHANGE_BYTES", 8, "at most 8 bytes in all"),
        ("EXCHANGE_FILES", 1, "at most 1 files"),
    ],
)
def test_what_is_too_much_is_refused_whole(name, limit, accepted, settings, folder):
    folders.write_file(CLERK, "a", b"1234")
    setattr(settings, name, limit)
    with pytest.raises(ToolError) as refused:
        folders.write_chunks(CLERK, "b/c", [b"12", b"34", b"56"])
    assert (refused.value.code, refused.value.details["accepted"]) == ("too_large", accepted)
    assert [file.path for file in folders.list_files(CLERK)] == ["a"]
    assert not list((folder.parent / "incoming").iterdir())


def test_of_fifty_writers_of_one_path_one_has_it(settings):
    won, lost = [], []

    def write(number):
        try:
            folders.write_file(CLERK, "one.txt", b"%d" % number * 1000)
            won.append(number)
        except ToolError as error:
            lost.append(error.code)

    writers = [threading.Thread(target=write, args=(number,)) for number in range(50)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert (len(won), lost) == (1, ["conflict"] * 49)
    assert folders.read_file(CLERK, "one.txt") == b"%d" % won[0] * 1000


def test_what_a_killed_process_left_half_way_is_cleared_by_the_next_write(folder):
    folders.write_file(CLERK, "a", b"x")
    (folder.parent / "incoming" / "0123").write_bytes(b"half")
    folders.write_file(CLERK, "b", b"x")
    assert not list((folder.parent / "incoming").iterdir())
