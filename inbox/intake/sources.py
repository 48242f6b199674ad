"""Where mail is brought in from: a Maildir, an mbox, a folder of messages, or one message.

A source is walked twice at most and never held in memory: an item knows where its bytes are, so
that a worker process can read them itself.
"""

import base64
import email.utils
import mmap
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from inbox.errors import DomainError, invalid
from inbox.intake.source_files import modified_at, not_read, shown, why_unreadable
from inbox.languages.patterns import names_of
from inbox.reasons import ReasonText
from inbox.reasons import phrase as _

# Flags at the end of a Maildir name, as JMAP keywords (RFC 8621 4.1.1); T has none, and says trash.
_FLAGS = {"D": "$draft", "F": "$flagged", "P": "$forwarded", "R": "$answered", "S": "$seen"}
_INFO = re.compile(r"[:;!]2,([A-Za-z]*)$")
_MAILDIR_PARTS = ("cur", "new", "tmp")

_HEADER = re.compile(rb"[!-9;-~]{1,200}[ \t]*:")
# A line that starts a message in an mbox (RFC 4155): an address, a time, and then a header. What
# merely looks like it in an unescaped body has no header after it. Content-Length is not believed.
_SEPARATOR = re.compile(
    rb"\n(From [^\r\n]{0,998}?\d:\d\d[^\r\n]{0,60}\r?\n)(?=>?[!-9;-~]{1,200}[ \t]*:|>?From )"
)
_ESCAPED = re.compile(rb"^>(>*From )", re.MULTILINE)
_HEAD_BYTES = 4096
_CHUNK_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class TargetMailbox:
    """The mailbox that a message belongs in, by its role or, where that is "", by its name."""

    role: str = "inbox"
    name: str = ""


_NO_PROBLEM = ReasonText()


@dataclass(frozen=True, slots=True)
class SourceItem:
    """One message of a source; `name` tells a person where it is.

    `certain` is False for a file of a folder that may be something else than mail. `offset` and
    `size` are in bytes; in an mbox they leave out the line that starts the message. With a
    `problem` it is nothing that can be read, and why.
    """

    name: str
    path: Path
    size: int
    offset: int = 0
    in_mbox: bool = False
    certain: bool = True
    keywords: tuple[str, ...] = ()
    place: TargetMailbox | None = None
    received_at: datetime | None = None
    problem: ReasonText = _NO_PROBLEM

    @property
    def raw(self) -> bytes:
        """The message's bytes; raises OSError where they cannot be read."""
        return b"".join(self.chunks())

    def head(self, size: int) -> bytes:
        """Return the first bytes, `size` at most."""
        with self.path.open("rb") as file:
            file.seek(self.offset)
            return file.read(min(size, self.size) if self.in_mbox else size)

    def chunks(self) -> Iterator[bytes]:
        """Yield the message's bytes piece by piece, an mbox's quoting undone."""
        with self.path.open("rb") as file:
            if not self.in_mbox:
                while chunk := file.read(_CHUNK_BYTES):
                    yield chunk
                return
            file.seek(self.offset)
            left = self.size
            while left > 0:
                # To the end of a line, so that no `>From ` is cut in half.
                chunk = file.read(min(left, _CHUNK_BYTES))
                left -= len(chunk)
                if left > 0 and not chunk.endswith(b"\n"):
                    rest = file.readline(left)
                    left -= len(rest)
                    chunk += rest
                if not chunk:
                    return
                yield _ESCAPED.sub(rb"\1", chunk)


@dataclass(frozen=True, slots=True)
class Source:
    """Mail at a path: what it is, in a word or three, and its messages, in a fixed order."""

    path: Path
    kind: str
    items: tuple[SourceItem, ...]

    @property
    def name(self) -> str:
        """The path, as it can be shown and stored."""
        return shown(self.path)

    @property
    def total(self) -> int:
        """How many messages there are, as far as can be said before reading them."""
        return len(self.items)

    def __iter__(self) -> Iterator[SourceItem]:
        return iter(self.items)


def open_source(path: Path) -> Source:
    """Return the mail at a path, whichever of the four kinds it is.

    Raises DomainError, in plain words, where there is none or it cannot be read.
    """
    path = path.expanduser()
    try:
        if not path.exists():
            raise _refused(_("%(path)s does not exist.", path=shown(path)))
        if path.is_dir():
            return _open_folder(path)
        if not path.is_file():
            raise _refused(_("%(path)s is neither a file nor a folder.", path=shown(path)))
        return _open_file(path)
    except OSError as error:
        where = Path(error.filename) if error.filename else path
        raise _refused(
            _(
                "%(where)s cannot be read: %(strerror)s.",
                where=shown(where),
                strerror=error.strerror or error,
            )
        ) from error


def _refused(message: ReasonText) -> DomainError:
    return invalid("path", message, _("a Maildir, an mbox, a folder of .eml files, or one message"))


# -- files -----------------------------------------------------------------------------------------
def _open_file(path: Path) -> Source:
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    if not head.strip():
        raise _refused(_("%(path)s is empty.", path=shown(path)))
    if head.startswith(b"From ") and path.suffix.lower() != ".eml":
        return Source(path, "mbox", tuple(_mbox_items(path)))
    if not looks_like_mail(head):
        raise _refused(
            _("%(path)s is not mail: it does not start with mail headers.", path=shown(path))
        )
    return Source(path, "message", (SourceItem(shown(Path(path.name)), path, path.stat().st_size),))


def looks_like_mail(head: bytes) -> bool:
    """Return whether bytes begin as a message or an mbox does: with header fields."""
    head = head.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n")
    if b"\x00" in head[:512]:
        return False
    if head.startswith((b"From ", b">From ")):
        return True
    return _HEADER.match(head) is not None


def _mbox_items(path: Path) -> Iterator[SourceItem]:
    """Yield the messages of an mbox, whichever of its dialects it is in."""
    number = 1
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        line_end = content.find(b"\n") + 1 or len(content)
        separator, start = content[:line_end], line_end
        for found in _SEPARATOR.finditer(content, line_end - 1):
            end = _without_blank_line(content, start, found.start() + 1)
            yield _mbox_item(path, number, separator, start, end)
            separator, start = found[1], found.end()
            number += 1
        end = _without_blank_line(content, start, len(content))
        yield _mbox_item(path, number, separator, start, end)


def _without_blank_line(content: mmap.mmap, start: int, end: int) -> int:
    """Return where a message ends: the empty line before the next one is none of its own."""
    for blank in (b"\r\n", b"\n"):
        before = end - len(blank)
        if before > start and content[before:end] == blank and content[before - 1] == 0x0A:
            return before
    return end


def _mbox_item(path: Path, number: int, separator: bytes, start: int, end: int) -> SourceItem:
    return SourceItem(
        name=f"{shown(path)}, message {number}",
        path=path,
        size=end - start,
        offset=start,
        in_mbox=True,
        received_at=_separator_time(separator),
    )


def _separator_time(separator: bytes) -> datetime | None:
    """Return the time in a `From ` line, in UTC as RFC 4155 has it; None where there is none."""
    words = separator.decode("ascii", "replace").split()[2:]
    parsed = email.utils.parsedate_tz(" ".join(words))
    if parsed is None:
        return None
    try:
        return datetime.fromtimestamp(email.utils.mktime_tz(parsed), UTC)
    except (ValueError, OverflowError, OSError):
        return None


# -- folders ---------------------------------------------------------------------------------------
def _open_folder(path: Path) -> Source:
    maildirs = sorted(_maildirs(path))
    if maildirs:
        items = tuple(item for maildir in maildirs for item in _maildir_items(path, maildir))
        if all(item.problem for item in items):
            raise _refused(_("The Maildir %(path)s contains no messages.", path=shown(path)))
        return Source(path, "Maildir", items)
    items = tuple(item for file in _files(path) for item in _folder_items(path, file))
    if not items:
        raise _refused(_("The folder %(path)s contains no files.", path=shown(path)))
    if not any(_may_be_mail(item) for item in items):
        raise _refused(
            _(
                "None of the %(count)s files in %(path)s is mail.",
                count=len(items),
                path=shown(path),
            )
        )
    return Source(path, "folder", items)


def _may_be_mail(item: SourceItem) -> bool:
    if item.problem or item.certain:
        return item.certain and not item.problem
    try:
        return looks_like_mail(item.head(_HEAD_BYTES))
    except OSError:
        return False


def _unreadable(root: Path, file: Path, problem: ReasonText) -> SourceItem:
    return SourceItem(shown(file.relative_to(root)), file, 0, certain=False, problem=problem)


def _maildirs(path: Path) -> Iterator[Path]:
    """Yield a folder and those below it that are Maildirs (Maildir++ or plain)."""
    for folder, names, _files_there in os.walk(path, onerror=_fail):
        if "cur" in names or "new" in names:
            yield Path(folder)
        names[:] = [name for name in names if name not in _MAILDIR_PARTS]


def _fail(error: OSError) -> None:
    raise error


def _maildir_items(root: Path, maildir: Path) -> Iterator[SourceItem]:
    place = _place(maildir.relative_to(root).parts)
    for part in _MAILDIR_PARTS:
        folder = maildir / part
        if not folder.is_dir():
            continue
        with os.scandir(folder) as entries:
            names = sorted(e.name for e in entries if e.name[0] != "." and not _is_folder(e))
        for name in names:
            yield _maildir_item(root, folder / name, place)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    return entry.is_dir(follow_symlinks=False)


def _maildir_item(root: Path, file: Path, place: TargetMailbox | None) -> SourceItem:
    if problem := why_unreadable(root, file):
        return _unreadable(root, file, problem)
    try:
        status = file.stat()
    except OSError as error:  # a mail program moved it meanwhile
        return _unreadable(root, file, not_read(error))
    info = _INFO.search(file.name)
    flags = info[1] if info else ""
    return SourceItem(
        name=shown(file.relative_to(root)),
        path=file,
        size=status.st_size,
        keywords=tuple(_FLAGS[flag] for flag in sorted(set(flags) & _FLAGS.keys())),
        place=TargetMailbox(role="trash") if "T" in flags else place,
        received_at=modified_at(status),
    )


def _place(parts: tuple[str, ...]) -> TargetMailbox | None:
    """Return the mailbox of a folder below a Maildir; None for the root, which is the inbox."""
    levels = [level for part in parts for level in _levels(part)]
    if not levels:
        return None
    role = _roles().get(levels[-1].lower(), "")
    if role == "inbox":
        return None
    return TargetMailbox(role=role, name="" if role else "/".join(levels)[:200])


@cache
def _roles() -> dict[str, str]:
    # As Google names its export of everything.
    own = {"inbox": "inbox", "all mail": "archive"}
    return names_of(lambda it: it.mail.mailboxes) | own


def _levels(part: str) -> list[str]:
    """Return the levels that a folder's name holds: `.Lists.raid` is raid in Lists."""
    names = part[1:].split(".") if part.startswith(".") else [part]
    return [_from_utf7(shown(Path(name))) for name in names if name]


def _from_utf7(name: str) -> str:
    """Return a mailbox name that was in IMAP's modified UTF-7 (RFC 3501 5.1.3)."""

    def decode(found: re.Match[str]) -> str:
        if not found[1]:
            return "&"
        text = found[1].replace(",", "/")
        try:
            return base64.b64decode(text + "=" * (-len(text) % 4)).decode("utf-16-be")
        except ValueError:
            return found[0]

    return re.sub(r"&([A-Za-z0-9+,]*)-", decode, name)


def _files(path: Path) -> Iterator[Path]:
    """Yield the files and links below a folder, hidden ones left out.

    A folder below that cannot be looked into is yielded itself.
    """
    closed: list[Path] = []

    def note(error: OSError) -> None:
        if Path(error.filename) == path:
            raise error
        closed.append(Path(error.filename))

    for folder, names, files in os.walk(path, onerror=note):
        names.sort()
        names[:] = [name for name in names if not name.startswith(".")]
        # A link to a folder is not gone into, so it is told of.
        links = [name for name in names if Path(folder, name).is_symlink()]
        yield from (Path(folder, name) for name in sorted([*files, *links]) if name[0] != ".")
    yield from closed


def _folder_items(root: Path, file: Path) -> Iterator[SourceItem]:
    problem = why_unreadable(root, file)
    try:
        if problem:
            yield _unreadable(root, file, problem)
        elif _is_mbox(file):
            yield from _mbox_items(file)
        else:
            yield _folder_item(root, file)
    except OSError as error:
        yield _unreadable(root, file, not_read(error))


def _is_mbox(file: Path) -> bool:
    if file.suffix.lower() not in {".mbox", ".mbx"} and file.name.lower() != "mbox":
        return False
    with file.open("rb") as opened:
        return opened.read(5) == b"From "


def _folder_item(root: Path, file: Path) -> SourceItem:
    status = file.stat()
    return SourceItem(
        name=shown(file.relative_to(root)),
        path=file,
        size=status.st_size,
        certain=file.suffix.lower() == ".eml",
        received_at=modified_at(status),
    )
