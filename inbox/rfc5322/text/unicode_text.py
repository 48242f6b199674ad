"""Text that shows all it says: NFC, without control, invisible or direction-changing characters."""

import re
import unicodedata

import regex

# What C0 leaves: tab and newline. Form feeds and their like become newlines (_NEWLINES).
_ASCII_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f]")
_NEWLINES = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_ODD_ASCII = bytes({*range(9), *range(0x0B, 0x20), 0x7F})

# Letters of scripts that join or stack, in which ZWNJ and ZWJ change what is read.
_JOINING = "\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\ufb50-\ufdff\ufe70-\ufefc"
_EMOJI = "\u203c-\u3299\ufe0f\U0001f000-\U0001faff\U000e0067-\U000e007f"
_IDEOGRAPHS = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_FLAG_OF = "\U0001f3f4\U000e0067\U000e0062"  # then eng, sct or wls, then the cancel tag
_TAG_FLAGS = "|".join(
    "".join(chr(0xE0000 + ord(letter)) for letter in name) for name in ("eng", "sct", "wls")
)

# Kept where a script or a picture needs them, removed anywhere else.
_NEEDED = (
    f"(?:(?<=[{_JOINING}])\u200c(?=[{_JOINING}])"
    f"|(?<=[{_JOINING}])\u200d"
    f"|(?<=[{_EMOJI}])\u200d(?=[{_EMOJI}])"
    f"|(?<=[0-9#*\u00a9\u00ae\u2000-\u200a\u2010-\u2027\u2030-\u205e\u2070-\u3299"
    "\U0001f000-\U0001faff])[\ufe0e\ufe0f]"
    f"|(?<=[{_IDEOGRAPHS}])[\ufe00-\ufe0d\U000e0100-\U000e01ef]"
    f"|{_FLAG_OF}(?:{_TAG_FLAGS})\U000e007f)"
)
_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_UNSEEN = (
    "\x80-\x84\x86-\x9f\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065"
    "\u206a-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_REMOVABLE = re.compile(f"[{_BIDI}{_UNSEEN}]")
_KEEP_OR_REMOVE = re.compile(f"({_NEEDED})|[{_BIDI}{_UNSEEN}]")
# All that is not as it stays: one look says so of most texts.
_ODD = re.compile(f"[\x00-\x08\x0b-\x1f\x7f\x85\u2028\u2029\ud800-\udfff{_BIDI}{_UNSEEN}]")
_BIDI_CONTROL = re.compile(f"[{_BIDI}]")
_SURROGATE = re.compile("[\ud800-\udfff]")
# UAX 15's stream-safe limit: longer runs make normalising quadratic and drown the page.
_MARK_RUN = regex.compile(r"(\p{M}{30})\p{M}+")


def has_bidi_controls(text: str) -> bool:
    """Return True if `text` holds characters that change its direction (UAX 9)."""
    return not text.isascii() and _BIDI_CONTROL.search(text) is not None


def unseen_characters(text: str) -> list[str]:
    """Return the characters that `clean` would take away, in order; newlines are not among them."""
    found = _ASCII_CONTROLS.findall(text)
    if not text.isascii() and _REMOVABLE.search(text) is not None:
        found += [hit[0] for hit in _KEEP_OR_REMOVE.finditer(text) if hit[1] is None]
    return found


def clean(text: str) -> tuple[str, bool]:
    r"""Return `text` in NFC with newlines as `\\n`; True with it when unseen characters went.

    ZWJ, ZWNJ and variation selectors stay where the script or an emoji needs them. A byte order
    mark at the very start goes without mention.
    """
    if text.isascii():
        raw = text.encode("ascii")
        if len(raw.translate(None, _ODD_ASCII)) == len(raw):
            return text, False
        return _ASCII_CONTROLS.sub("", _NEWLINES.sub("\n", text)), False
    removed = False
    if _ODD.search(text) is not None:
        text, removed = _without_unseen(text)
    if _MARK_RUN.search(text) is not None:
        text = _MARK_RUN.sub(r"\1", text)
    return unicodedata.normalize("NFC", text), removed


def _without_unseen(text: str) -> tuple[str, bool]:
    text = _NEWLINES.sub("\n", text.removeprefix("\ufeff"))
    text = _ASCII_CONTROLS.sub("", _SURROGATE.sub("\ufffd", text))
    kept = _KEEP_OR_REMOVE.sub(r"\1", text)
    return kept, kept != text


def clean_line(text: str) -> tuple[str, bool]:
    """Return `text` as `clean` does, as one line with single spaces."""
    if text.isascii() and text.isprintable():
        return " ".join(text.split()), False
    text, removed = clean(text)
    return " ".join(text.split()), removed
