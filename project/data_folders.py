"""The folder for Chancery's data: in the source tree, or by the customs of the platform."""

import os
import sys
from pathlib import Path


def data_folder(base: Path, *, is_installed: bool) -> Path:
    """Return the folder that holds, unless told otherwise, what the packages in `base` keep."""
    return folder_of_user() if is_installed else base / "var"


def folder_of_user(platform: str = sys.platform) -> Path:
    """Return the folder for Chancery's data, of the user who runs it.

    On Linux and its like it is that of the XDG Base Directory Specification, which ignores a
    relative XDG_DATA_HOME; on macOS that of the File System Programming Guide.
    """
    home = Path.home()
    if platform == "darwin":
        return home / "Library" / "Application Support" / "chancery"
    if platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "chancery"
    given = Path(os.environ.get("XDG_DATA_HOME", ""))
    return (given if given.is_absolute() else home / ".local" / "share") / "chancery"
