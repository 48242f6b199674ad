"""The files that go with a draft: what they say, and what opening them might do."""

from collections.abc import Iterable, Iterator

import regex

from agents.evidence.claims.records import AttachedFile
from inbox.files.file_text import extract_text
from inbox.flags import Finding, found
from inbox.models import Draft, DraftAttachment

# Of an attachment larger than this the text is not looked for while somebody waits.
_LARGEST = 512 * 1024
_BEGINNING = 16
# What systems run when it is opened, and documents that hold macros.
_RUNS = regex.compile(
    r"\.(?:exe|com|scr|pif|cpl|bat|cmd|ps1|psm1|vbs?|vbe|jse?|wsf|wsh|hta|msi|msp|mst|jar|apk|dmg|pkg"
    r"|app|command|sh|reg|inf|lnk|url|desktop|iso|img|vhdx?|chm|gadget|dll|sys|one|xll"
    r"|docm|dotm|xlsm|xltm|xlam|xlsb|pptm|potm|ppsm|ppam|sldm)\Z",
    regex.IGNORECASE,
)
# Pages that run scripts in the browser of whoever opens them.
_SCRIPTED = regex.compile(r"\.(?:s?html?|xhtml|mht|mhtml|svgz?)\Z", regex.IGNORECASE)
_SEEMING = regex.compile(
    r"\.(?:pdf|docx?|xlsx?|pptx?|odt|ods|txt|csv|jpe?g|png|gif|zip)[\s._-]{0,50}\.[a-z\d]{2,5}\Z",
    regex.IGNORECASE,
)
_CONTROL = regex.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_TURNED = regex.compile("[\u202a-\u202e\u2066-\u2069]")
# By what the bytes begin with, whatever the name says (ELF, PE, Mach-O, a script, a shortcut).
_PROGRAMS = (
    b"\x7fELF", b"MZ", b"\xca\xfe\xba\xbe", b"\xcf\xfa\xed\xfe", b"#!", b"L\x00\x00\x00\x01\x14",
)  # fmt: skip


def read_attached(draft: Draft) -> list[AttachedFile]:
    """Return the files that go with a draft, with their texts; in one query, each read once."""
    rows = draft.attachments.select_related("blob") if draft.pk else ()
    return [_read(one) for one in rows]


def _read(one: DraftAttachment) -> AttachedFile:
    """Return what an attachment says; nothing where it says nothing that can be read at once."""
    try:
        content = one.blob.read()
    except (FileNotFoundError, ValueError):
        # Sealing refuses a draft whose bytes are lost.
        return AttachedFile(one.filename)
    return AttachedFile(one.filename, _text_of(one, content), content[:_BEGINNING])


def _text_of(one: DraftAttachment, content: bytes) -> str:
    if len(content) > _LARGEST:
        return ""
    text = extract_text(content, one.filename, one.content_type)
    # What is called something else may be a text all the same.
    return text or (extract_text(content, "", "text/plain") if _reads_as_text(content) else "")


def _reads_as_text(content: bytes) -> bool:
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return False
    return not _CONTROL.search(text)


def find_risky(attached: Iterable[AttachedFile], source: str | None) -> Iterator[Finding]:
    """Yield the files that might do more than show something where they are opened.

    `source` is the id of what they go with.
    """
    for one in attached:
        for reason in _reasons(one.name, one.beginning):
            yield found("risky_attachment", reason, excerpt=one.name, source=source)


def _reasons(name: str, beginning: bytes) -> Iterator[str]:
    if _RUNS.search(name):
        yield "runs"
    elif beginning.startswith(_PROGRAMS):
        yield "program"
    elif _SCRIPTED.search(name):
        yield "scripted"
    if _TURNED.search(name) or _SEEMING.search(name):
        yield "deceptive"
