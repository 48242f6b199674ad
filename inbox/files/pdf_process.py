"""Reads one PDF from its standard input and writes its words to its output; run by `pdf_text`.

It is a program of its own and imports nothing of ours. Before it looks at the file it gives up
what it does not need: from then on it opens no file and no connection, starts no process, and has
so much memory and time. Arguments: `plain` or `layout`, the bytes of memory, the seconds of the
processor, the most pages, the most characters. Exit codes: see `REASONS` of `pdf_text`.
"""

import io
import logging
import resource
import sys
from collections.abc import Iterator

import pypdf

# These are imported where a file first needs them, when nothing can be opened any longer.
import pypdf._text_extraction._layout_mode._fixed_width_page
import pypdf.filters
from pypdf.errors import DependencyError, LimitReachedError, PyPdfError

ENCRYPTED, DAMAGED, TOO_LARGE = 3, 4, 5
# A page with more drawing than this says nothing that could be read.
_LARGEST_PAGE = 4 * 2**20


def main(mode: str, memory: int, seconds: int, most_pages: int, most: int) -> int:
    """Read, write page after page, and return the exit code."""
    logging.disable()
    content = sys.stdin.buffer.read()
    # The codecs of texts are modules, too.
    for encoding in ("utf-16-be", "latin-1", "cp1252", "unicode_escape", "mac-roman", "charmap"):
        "".encode(encoding)
    _give_up(memory, seconds)
    try:
        for text in _pages(content, mode, most_pages):
            written = text[:most].encode("utf-8", "replace")
            sys.stdout.buffer.write(written + b"\n")
            sys.stdout.buffer.flush()
            most -= len(text)
            if most <= 0:
                break
    except (DependencyError, NotImplementedError):
        return ENCRYPTED
    except (MemoryError, LimitReachedError):
        return TOO_LARGE
    except PermissionError:
        return ENCRYPTED
    except Exception:  # noqa: BLE001 (whatever is wrong with it, it cannot be read)
        return DAMAGED
    return 0


def _give_up(memory: int, seconds: int) -> None:
    limits = (
        ("RLIMIT_AS", memory), ("RLIMIT_CPU", seconds), ("RLIMIT_CORE", 0), ("RLIMIT_FSIZE", 0),
        ("RLIMIT_NPROC", 0), ("RLIMIT_NOFILE", 0),
    )  # fmt: skip
    for name, most in limits:
        try:
            resource.setrlimit(getattr(resource, name), (most, most))
        except (AttributeError, OSError, ValueError):
            # Not every system has all of them; the time is bounded from outside as well.
            continue


def _pages(content: bytes, mode: str, most_pages: int) -> Iterator[str]:
    reader = pypdf.PdfReader(io.BytesIO(content), strict=False)
    # Many files may be opened by everybody, and are encrypted all the same.
    if reader.is_encrypted and not reader.decrypt(""):
        raise PermissionError
    for number, page in enumerate(reader.pages):
        if number >= most_pages:
            return
        try:
            drawn = page.get_contents()
            if drawn is not None and len(drawn.get_data()) <= _LARGEST_PAGE:
                yield _text_of(page, mode)
        except (PyPdfError, ValueError, TypeError, KeyError, IndexError, AttributeError):
            # The other pages may be whole.
            continue


def _text_of(page: pypdf.PageObject, mode: str) -> str:
    if mode == "layout":
        try:
            return page.extract_text(
                extraction_mode="layout", layout_mode_space_vertically=False,
                layout_mode_strip_rotated=True,
            )  # fmt: skip
        except (ValueError, TypeError, KeyError, IndexError, ZeroDivisionError, AttributeError):
            # Fonts that say nothing of their widths.
            pass
    return page.extract_text()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *(int(one) for one in sys.argv[2:6])))
