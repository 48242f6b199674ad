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
import pypdf._cmap as cmap

# Some are imported where a file first needs them, when nothing can be opened any longer.
import pypdf._text_extraction._layout_mode as layout
import pypdf.filters
from pypdf.errors import DependencyError, LimitReachedError, PyPdfError
from pypdf.generic import ContentStream, DictionaryObject, NameObject, PdfObject, StreamObject

ENCRYPTED, DAMAGED, TOO_LARGE = 3, 4, 5
# What pypdf reads strings and names with, whatever the fonts; what these may name (ISO 32000-1,
# 9.7.5.2) is added to it.
_ENCODINGS = ("utf-16", "utf-16-be", "utf-16-le", "utf-8", "latin-1", "cp1252", "unicode_escape",
              "mac-roman", "charmap", "gbk")  # fmt: skip
# A page with more drawing than this says nothing that could be read.
_LARGEST_PAGE = 4 * 2**20
# What is free between two words, of a letter's height.
_A_SPACE = 0.12
# Of forms within forms so many at each level, and so deep.
_MOST_FORMS, _DEEPEST = 20, 3


def main(mode: str, memory: int, seconds: int, most_pages: int, most: int) -> int:
    """Read, write page after page, and return the exit code."""
    logging.disable()
    content = sys.stdin.buffer.read()
    # The codecs of texts are modules, too.
    for encoding in {*_ENCODINGS, *cmap._predefined_cmap.values()}:
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
            if rows := list(_rows(page)):
                return "\n".join(rows)
        except (ValueError, TypeError, KeyError, IndexError, ZeroDivisionError, AttributeError):
            # Fonts that say nothing of their widths.
            pass
    return page.extract_text()


def _rows(page: pypdf.PageObject) -> Iterator[str]:
    """Yield each line as `columns.in_cells` takes it: its cells with where each begins and ends.

    What is drawn as a form of its own (ISO 32000-1, 8.10) comes behind what the page draws itself.
    """
    contents = page["/Contents"].get_object()
    yield from _drawn(contents, page)
    for form in _forms(page, _DEEPEST):
        # Fonts are looked up in a page; this one has the resources of the form.
        own = pypdf.PageObject(page.pdf)
        own[NameObject("/Resources")] = form.get("/Resources", page.get("/Resources"))
        if len(form.get_data()) <= _LARGEST_PAGE:
            yield from _drawn(form, own)


def _forms(holder: DictionaryObject, depth: int) -> Iterator[StreamObject]:
    """Yield the forms that a page or a form may draw, and those in them."""
    resources = holder.get("/Resources", DictionaryObject()).get_object()
    found = resources.get("/XObject", DictionaryObject()).get_object() if depth else {}
    for _, reference in zip(range(_MOST_FORMS), found, strict=False):
        form = found[reference].get_object()
        if isinstance(form, StreamObject) and form.get("/Subtype") == "/Form":
            yield form
            yield from _forms(form, depth - 1)


def _drawn(contents: PdfObject | None, page: pypdf.PageObject) -> Iterator[str]:
    """Yield the lines of a stream; a cell ends where more than a letter's height is free."""
    operations = iter(ContentStream(contents, page.pdf, "bytes").operations)
    shown = layout.text_show_operations(operations, page._layout_mode_fonts(), strip_rotated=True)
    if not shown:
        return
    for line in layout.y_coordinate_groups(shown).values():
        cells: list[tuple[float, float, str]] = []
        for one in line:
            if not one["text"].strip():
                continue
            start, end, text = one["tx"], one["displaced_tx"], one["text"]
            gap = start - cells[-1][1] if cells else 0.0
            # What begins far within the text before it fills a gap that blanks have left there.
            if cells and -one["font_height"] <= gap <= one["font_height"]:
                space = " " if gap > one["font_height"] * _A_SPACE else ""
                cells[-1] = cells[-1][0], end, cells[-1][2] + space + text
            else:
                cells.append((start, end, text))
        yield "\x1f".join(f"{left:.1f},{right:.1f},{text}" for left, right, text in cells)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *(int(one) for one in sys.argv[2:6])))
