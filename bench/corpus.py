"""The mail that is measured with: a Maildir, given by MAIL_CORPUS or unpacked from the archive."""

import os
import subprocess
from pathlib import Path

from bench.results import ROOT

ARCHIVE = ROOT.parent / "shared" / "mail" / "linux-raid.tar.zst"


def find_corpus(folder: Path) -> Path | None:
    """Return the Maildir to measure with, unpacked below `folder` if need be; None without one."""
    named = os.environ.get("MAIL_CORPUS")
    if named:
        return Path(named).resolve()
    if not ARCHIVE.exists():
        return None
    subprocess.run(["tar", "--zstd", "-xf", str(ARCHIVE), "-C", str(folder)], check=True)
    return next(path.parent for path in folder.rglob("cur") if path.is_dir())


def count_files(maildir: Path) -> int:
    """Return how many messages a Maildir holds."""
    return sum(1 for part in ("cur", "new", "tmp") for _ in (maildir / part).glob("[!.]*"))
