"""The mail that is measured with: a Maildir, given by MAIL_CORPUS or unpacked from the archive."""

import os
import re
import subprocess
from pathlib import Path

from bench.results import ROOT

ARCHIVE = ROOT.parent / "shared" / "mail" / "linux-raid.tar.zst"
_FOLDED = rb":[^\n]*(?:\n[ \t][^\n]*)*"
_IDS = re.compile(
    rb"^(?:message-id|in-reply-to|references)" + _FOLDED, re.IGNORECASE | re.MULTILINE
)
_SUBJECT = re.compile(rb"^subject:[^\r\n]*", re.IGNORECASE | re.MULTILINE)


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


def multiply(maildir: Path, target: Path, numbers: range) -> Path:
    """Write as many messages as there are numbers into a new Maildir, copies of those of another.

    Those with numbers of one round are threads among themselves, strangers to those of another.
    """
    originals = sorted(path for path in maildir.rglob("*") if path.is_file())
    (target / "cur").mkdir(parents=True)
    for number in numbers:
        turn, place = divmod(number, len(originals))
        content = originals[place].read_bytes()
        path = target / "cur" / f"{number}.copy:2,S"
        path.write_bytes(_renamed(content, turn) if turn else content)
    return target


def _renamed(content: bytes, turn: int) -> bytes:
    """Give a message, and those it names, ids and a subject of its round's own."""
    head, separator, body = content.partition(b"\n\n")
    head = _IDS.sub(lambda found: found[0].replace(b">", b".%d>" % turn), head)
    head = _SUBJECT.sub(lambda found: found[0] + b" (%d)" % turn, head, count=1)
    return head + separator + body
