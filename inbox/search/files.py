"""Searching files and folders: their names and what the files say."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Q, QuerySet

from inbox.actor import Actor
from inbox.files.file_names import fold_path
from inbox.models import Account, FileNode
from inbox.models.files import NodeKind
from inbox.rfc5322.text.language import detect_language
from inbox.search.operators import Value, read_moment, read_text, refuse
from inbox.search.rows.finding import Wanted, find_rows, keep_rows, terms_of
from inbox.search.rows.folding import contains
from inbox.search.rows.kinds import Kind, Operator
from inbox.search.snippets import snippet
from inbox.search.words import Term

_SHOWN = 20_000
_SUFFIX = re.compile(r"\.?([a-z0-9]{1,8})")
_MEDIA = ("image", "video", "audio", "text")
# What people call a type, by the endings of names.
_ENDINGS = {
    "document": "doc docx docm dot dotx odt ott rtf pages wpd pdf txt md tex",
    "spreadsheet": "xls xlsx xlsm xlsb ods csv tsv numbers",
    "presentation": "ppt pptx pptm pps ppsx odp key",
    "archive": "zip tar gz tgz bz2 xz zst 7z rar",
    "mail": "eml msg mbox",
    "calendar": "ics ical",
    "contact": "vcf vcard",
}
_TYPES = ("file", "folder", *_MEDIA, *_ENDINGS)


@dataclass(frozen=True, slots=True)
class FileHit:
    """A file or folder that was found, how well (above zero, comparable within one search)."""

    file: FileNode
    score: float
    snippet: str


def find_files(
    *,
    actor: Actor,
    accounts: Sequence[Account],
    query: str,
    limit: int = 50,
    is_text: bool = False,
    elsewhere: Collection[str] = (),
) -> list[FileHit]:
    """Return the best hits in names and texts, best first; of equals the newest.

    As `find_rows` has it; seven queries at most. DomainError names an operator that has a bad
    value. `elsewhere`, `is_text`: as with `Wanted`.
    """
    owners = [account.pk for account in accounts]
    wanted = Wanted(FILES, actor, owners, query, elsewhere, is_text)
    mine = FileNode.objects.visible_to(actor).kept()
    found = find_rows(wanted, mine, limit)
    terms = terms_of(wanted)
    hits = [
        FileHit(row, found[row.pk], _snippet(terms, row.name, row.text[:_SHOWN]))
        for row in mine.filter(pk__in=found).defer("search_extra")
    ]
    return sorted(
        hits, key=lambda hit: (hit.score, hit.file.modified_at, hit.file.pk), reverse=True
    )


def _snippet(terms: Sequence[Term], name: str, text: str) -> str:
    return snippet(terms, text, [("Name", name)], detect_language(f"{name}\n{text}"))


def find_file_keys(
    *, actor: Actor, accounts: Sequence[Account], query: str, limit: int
) -> dict[int, float]:
    """Return the keys of the same hits with their scores, best first."""
    wanted = Wanted(FILES, actor, [account.pk for account in accounts], query)
    return find_rows(wanted, FileNode.objects.visible_to(actor).kept(), limit)


def keep_files(actor: Actor, rows: QuerySet[Any], query: str) -> QuerySet[Any]:
    """Keep the files that have every word of a query; DomainError as with `keep_rows`."""
    return keep_rows(Wanted(FILES, actor, (), query), rows)


def _type(name: str, text: str) -> Value:
    word = text.lower().strip()
    if word.removesuffix("s") in _TYPES:
        return word.removesuffix("s")
    found = _SUFFIX.fullmatch(word)
    if found is None:
        named = ", ".join(f"{name}:{one}" for one in _TYPES)
        raise refuse(name, text, f"{named}, {name}:docx")
    return f".{found[1]}"


def _of_type(value: str, _: Actor) -> Q:
    if value in {"file", "folder"}:
        return Q(kind=NodeKind.FILE if value == "file" else NodeKind.FOLDER)
    if value in _MEDIA:
        return Q(kind=NodeKind.FILE, content_type__startswith=f"{value}/")
    endings = [f".{one}" for one in _ENDINGS[value].split()] if value in _ENDINGS else [value]
    named = reduce(or_, (Q(name__iendswith=ending) for ending in endings))
    return Q(kind=NodeKind.FILE) & named


def _in_folder(value: str, _: Actor) -> Q:
    """Rows below a folder of this name or path, at any depth."""
    return contains("path_key", f"/{fold_path(value.strip('/'))}/")


_NAMED = Operator(read_text, lambda value, _: contains("name", value))
_FOLDER = Operator(read_text, _in_folder)

FILES = Kind(
    model=FileNode,
    index="inbox_file_search",
    weights={"name": 8.0, "search_extra": 4.0, "text": 1.0},
    owner="account_id",
    # Nothing, text, words of the name, the name.
    ts_rank="'{0, 0.125, 0.45, 1}'",
    operators={
        "filename": _NAMED,
        "name": _NAMED,
        "type": Operator(_type, _of_type),
        "in": _FOLDER,
        "folder": _FOLDER,
        "label": _FOLDER,
        "after": Operator(read_moment, lambda value, _: Q(modified_at__gte=value)),
        "before": Operator(read_moment, lambda value, _: Q(modified_at__lt=value)),
    },
    newest=("-modified_at", "-pk"),
    has_part=lambda text: contains("name", text),
)
