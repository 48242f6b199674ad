"""Where an installed Chancery keeps its data, on each platform."""

from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from project.data_folders import data_folder, folder_of_user
from project.settings import COMMAND, IS_INSTALLED


@pytest.fixture(autouse=True)
def home(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.mark.parametrize(
    ("platform", "inside"),
    [
        ("linux", ".local/share/chancery"),
        ("freebsd14", ".local/share/chancery"),
        ("darwin", "Library/Application Support/chancery"),
        ("win32", "AppData/Local/chancery"),
    ],
)
def test_it_is_where_programs_of_the_platform_keep_theirs(home, platform, inside):
    assert folder_of_user(platform) == home / inside


def test_what_the_platform_lets_a_user_choose_counts(monkeypatch, home):
    monkeypatch.setenv("XDG_DATA_HOME", "/srv/data")
    monkeypatch.setenv("LOCALAPPDATA", "/mnt/profile")
    assert folder_of_user("linux") == Path("/srv/data/chancery")
    assert folder_of_user("win32") == Path("/mnt/profile/chancery")
    assert folder_of_user("darwin") == home / "Library" / "Application Support" / "chancery"


def test_a_relative_choice_is_ignored_as_the_specification_says(monkeypatch, home):
    monkeypatch.setenv("XDG_DATA_HOME", "data")
    assert folder_of_user("linux") == home / ".local" / "share" / "chancery"


def test_the_source_tree_keeps_its_data_beside_the_code_and_an_installation_does_not(home):
    assert data_folder(Path("/srv/tree"), is_installed=False) == Path("/srv/tree/var")
    installed = data_folder(Path("/opt/lib/chancery"), is_installed=True)
    assert installed.is_relative_to(home)


def test_the_source_tree_is_not_taken_for_an_installation():
    assert not IS_INSTALLED  # else `make run` would leave ./var
    assert COMMAND == "manage.py"


def test_the_pages_of_the_reference_are_not_written_into_an_installation(settings, tmp_path):
    settings.IS_INSTALLED, settings.BASE_DIR = True, tmp_path
    with pytest.raises(CommandError, match="source tree"):
        call_command("reference")
    assert list(tmp_path.iterdir()) == []
