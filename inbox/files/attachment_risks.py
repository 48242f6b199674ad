"""What is risky about an attachment, by its name and the type it says to be. No Django here."""

import unicodedata

_PROGRAMS = {
    "ade", "adp", "apk", "app", "appimage", "appx", "bat", "bin", "chm", "cmd", "com",
    "command", "cpl", "deb", "dll", "dmg", "elf", "exe", "gadget", "hta", "inf", "ins", "iso",
    "img", "isp", "jar", "js", "jse", "ksh", "lib", "lnk", "mde", "msc", "msi", "msix", "msp",
    "mst", "msu", "nsh", "one", "onepkg", "pif", "pkg", "ps1", "ps1xml", "ps2", "psc1",
    "psd1", "psm1", "py", "pyc", "reg", "rpm", "scf", "scr", "sct", "settingcontent-ms", "sh",
    "shb", "shs", "sys", "udl", "url", "vb", "vbe", "vbs", "vhd", "vhdx", "vxd", "website",
    "ws", "wsc", "wsf", "wsh", "xbap", "xll",
}  # fmt: skip
_MACROS = {
    "docm", "dotm", "xlsm", "xltm", "xlam", "xlsb", "pptm", "potm", "ppam", "ppsm", "sldm",
}  # fmt: skip
_PAGES = {
    "htm", "html", "shtml", "xht", "xhtml", "mht", "mhtml", "svg", "svgz", "xml",
}  # fmt: skip
_ARCHIVES = {
    "7z", "ace", "arj", "bz2", "cab", "gz", "lzh", "rar", "tar", "tgz", "xz", "z", "zip",
}  # fmt: skip
# What a file claims to be in the middle of its name, to be taken for it.
_CLAIMED = {
    "pdf", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods", "rtf", "txt", "csv",
    "jpg", "jpeg", "png", "gif", "mp3", "mp4", "zip",
}  # fmt: skip
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_MANY_SPACES = 8
# Worth a word, and no reason to fear.
MILD = frozenset({"archive"})
_TYPES = {
    "pdf": ("application/pdf",), "png": ("image/png",), "gif": ("image/gif",),
    "jpg": ("image/jpeg", "image/jpg", "image/pjpeg"), "jpeg": ("image/jpeg", "image/jpg"),
}  # fmt: skip
_SILENT_TYPES = ("application/octet-stream", "application/download", "application/x-download", "")


def risks_of(filename: str, content_type: str) -> tuple[str, ...]:
    """Return codes of what to look out for; empty for most files.

    `program`, `macros`, `page`, `archive`: what the ending opens as. `two_endings`, `turned_name`,
    `unseen_in_name`, `padded_name`, `other_type`: ways in which the name deceives.
    """
    name = filename.rstrip(" .\u00a0").lower()
    ending = _ending(name)
    return (*_by_ending(ending), *_by_name(filename, name, ending), *_by_type(ending, content_type))


def _ending(name: str) -> str:
    shown = "".join(one for one in name if unicodedata.category(one) not in ("Cf", "Cc"))
    stem, dot, ending = shown.rpartition(".")
    return ending.strip() if dot and stem else ""


def _by_ending(ending: str) -> tuple[str, ...]:
    kinds = (
        ("program", _PROGRAMS),
        ("macros", _MACROS),
        ("page", _PAGES),
        ("archive", _ARCHIVES),
    )
    return tuple(code for code, endings in kinds if ending in endings)


def _by_name(filename: str, name: str, ending: str) -> tuple[str, ...]:
    found = []
    before = _ending(name.rpartition(".")[0])
    if before in _CLAIMED and ending not in _CLAIMED | _ARCHIVES and ending:
        found.append("two_endings")
    if any(letter in _BIDI for letter in filename):
        found.append("turned_name")
    elif any(unicodedata.category(letter) in ("Cf", "Cc") for letter in filename):
        found.append("unseen_in_name")
    if " " * _MANY_SPACES in filename or "\u00a0" * _MANY_SPACES in filename:
        found.append("padded_name")
    return tuple(found)


def _by_type(ending: str, content_type: str) -> tuple[str, ...]:
    said = content_type.partition(";")[0].strip().lower()
    expected = _TYPES.get(ending)
    if expected and said not in (*expected, *_SILENT_TYPES):
        return ("other_type",)
    return ()
