"""Names of files and folders that are the same on every file system, and show all they say."""

import re
import unicodedata

from inbox.reasons import phrase as _

MOST_STEPS, LONGEST_NAME, LONGEST_PATH = 16, 255, 1024
_REFUSED = re.compile(r'[<>:"|?*\\]')
# Names that Windows keeps for devices, with any ending.
_DEVICE = re.compile(
    r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\s*\..*)?", re.IGNORECASE
)
_HIDING = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def split_path(path: str) -> tuple[str, ...]:
    """Return the names of a relative path `a/b/c`; raises ValueError saying what is wrong with it.

    Nothing is mended: a path that would need it is refused, so that the name asked for and the name
    stored are one. At most 16 names, 255 bytes a name and 1024 in all.
    """
    if not path:
        raise ValueError(_("is empty"))
    _check_letters(path)
    if path.startswith("/"):
        raise ValueError(_("is absolute"))
    names = tuple(path.split("/"))
    if len(names) > MOST_STEPS or len(path.encode()) > LONGEST_PATH:
        raise ValueError(
            _(
                "has more than %(steps)s steps or %(most)s bytes",
                steps=MOST_STEPS,
                most=LONGEST_PATH,
            )
        )
    for name in names:
        problem = _find_problem(name)
        if problem:
            raise ValueError(problem)
    return names


def fold_path(path: str) -> str:
    """Return a path such that two which differ in case only are one."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKC", path).casefold())


def _check_letters(path: str) -> None:
    if any(unicodedata.category(letter) in _HIDING for letter in path):
        raise ValueError(_("contains a control or hidden character"))
    if unicodedata.normalize("NFC", path) != path:
        raise ValueError(_("is not in Unicode's normal form C"))
    # A full-width slash or a one-dot leader is a slash or a dot to whoever folds letters later.
    folded = unicodedata.normalize("NFKC", path)
    if folded.count("/") != path.count("/") or folded.count(".") != path.count("."):
        raise ValueError(_("contains a letter that looks like a slash or a dot"))


def _find_problem(name: str) -> str:
    if name in {"", ".", ".."}:
        return "has an empty step, `.` or `..`"
    if _REFUSED.search(name):
        return 'holds one of \\ < > : " | ? *'
    if name != name.strip() or name.endswith("."):
        return "has a step that begins or ends with a blank, or ends with a dot"
    if len(name.encode()) > LONGEST_NAME:
        return f"has a step of more than {LONGEST_NAME} bytes"
    if _DEVICE.fullmatch(name):
        return f"has the reserved name {name[:20]}"
    return ""
