"""Where files stand in a drive, of which each knows only its folder. Pure; what comes is hostile.

In a drive two files of one folder may have one name, and names may hold slashes: here a path is one
file's, and its last part one name.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeAlias

from inbox.providers.change_store import NO_BYTES, Entry
from inbox.providers.http.json_values import text_of
from inbox.reasons import phrase as _

File: TypeAlias = Mapping[str, Any]
FOLDER = "application/vnd.google-apps.folder"
FILES = "/drive/v3/files"
# What is asked of each file.
FIELDS = "id,name,mimeType,parents,md5Checksum,size,modifiedTime,trashed"
# Google's own documents, and shortcuts: they have no bytes.
_WITHOUT_BYTES = "application/vnd.google-apps."
DEEPEST = 40
_ID = re.compile(r"[A-Za-z0-9_-]{1,200}")
_UNFIT = re.compile(r"[/\\\x00-\x1f\x7f]")
_MD5 = re.compile(r"[0-9a-f]{32}")


def key_of(file: File) -> str:
    """Return the id of a file; empty where it is none."""
    key = text_of(file, "id")
    return key if _ID.fullmatch(key) else ""


def is_folder(file: File) -> bool:
    """Return True for a folder."""
    return text_of(file, "mimeType") == FOLDER


def parent_of(file: File) -> str:
    """Return the id of the folder that a file lies in; empty for none that we may see."""
    parents = file.get("parents")
    found = parents[0] if isinstance(parents, list) and parents else ""
    return found if isinstance(found, str) else ""


def etag_of(file: File) -> str:
    """Return what names the content of a file."""
    said = text_of(file, "md5Checksum")
    return said if _MD5.fullmatch(said) else ""


def digest_of(raw: bytes) -> str:
    """Return what names a content."""
    return hashlib.md5(raw, usedforsecurity=False).hexdigest()


def name_in(file: File) -> str:
    """Return the name of a file as a part of a path."""
    name = _UNFIT.sub("_", text_of(file, "name")).strip()
    return name if name not in ("", ".", "..") else "_"


@dataclass(slots=True)
class Tree:
    """The folders of a drive below its root, each with its path."""

    root: str
    folders: dict[str, File] = field(default_factory=dict)
    # Whose a path is, in small letters: of files too, as far as they were named.
    taken: dict[str, str] = field(default_factory=dict)

    def add_folders(self, files: Iterable[File]) -> None:
        """Take in folders."""
        self.folders |= {key_of(one): one for one in files if is_folder(one) and key_of(one)}

    def path_of(self, file: File) -> str | None:
        """Return where a file stands; None where that is not below the root."""
        parts = [name_in(file)]
        above = parent_of(file)
        while above != self.root:
            folder = self.folders.get(above)
            if folder is None or len(parts) > DEEPEST:
                return None
            parts.append(self._own_name(folder))
            above = parent_of(folder)
        parts[0] = self._own_name(file)
        return "/".join(reversed(parts))

    def take_names(self, files: Iterable[File]) -> None:
        """Have the first file of each name in a folder keep it."""
        for one in files:
            self._own_name(one)

    def _own_name(self, file: File) -> str:
        """Return the name of a file, with a part of its id where another has its name."""
        key, name = key_of(file), name_in(file)
        place = f"{parent_of(file)}/{name}"
        if self.taken.setdefault(place, key) == key:
            return name
        stem, dot, ending = name.rpartition(".")
        return f"{stem} ({key[-6:]}){dot}{ending}" if stem else f"{name} ({key[-6:]})"

    def entry(self, file: File) -> Entry | None:
        """Return that a file is there; None for what is in the bin, or not below the root."""
        key = key_of(file)
        path = self.path_of(file) if key and file.get("trashed") is not True else None
        if path is None:
            return None
        modified = _moment(text_of(file, "modifiedTime"))
        if is_folder(file):
            return Entry(key, "", modified, path, is_folder=True)
        if text_of(file, "mimeType").startswith(_WITHOUT_BYTES) or not etag_of(file):
            words = _("It has no bytes of its own, as documents of Google's; it stays there alone.")
            return Entry(key, "none", modified, path, size=NO_BYTES, problem=words)
        return Entry(key, etag_of(file), modified, path, size=_size(file))


def _size(file: File) -> int | None:
    said = text_of(file, "size")
    return int(said) if said.isascii() and said.isdecimal() and len(said) < 18 else None


def _moment(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo is not None else None
