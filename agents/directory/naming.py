"""Names and addresses in the place of ids: which row one means, and what there is to mean.

What is found is only ever what the caller may see. A name that two rows have is refused with both,
never decided between: one of them may be there to be taken for the other.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

from django.db.models import Q, QuerySet
from pydantic import BaseModel

from agents.directory.kinds import KINDS, Kind, NamedField, named_fields
from agents.errors import ToolError, not_found
from inbox import ids
from inbox.actor import Actor
from inbox.files.file_names import LONGEST_PATH, fold_path
from inbox.models import Account
from inbox.models.base import VisibleQuerySet

# So many rows an error lists: of what there is, or of what has the name.
_MOST_LISTED = 20
# No name, address or path is longer.
_LONGEST = LONGEST_PATH
_ACCOUNT = "account_id"


def gives_a_name(args: BaseModel) -> bool:
    """Return True if an argument that takes an id or a name was given a name."""
    return any(
        _is_name(field.kind, text) for field in _replaced(args) for text, _ in _texts(field, args)
    )


def with_ids(actor: Actor, args: BaseModel) -> BaseModel:
    """Return the arguments with the ids of what they name.

    Names and addresses count without regard to case and to blanks around them; those of a mailbox
    or calendar within the account that is given beside it. Raises ToolError `not_found` with what
    there is, and `invalid_input` with the candidates where several have the name.
    """
    for field in _replaced(args):
        texts = list(_texts(field, args))
        if any(_is_name(field.kind, text) for text, _ in texts):
            found = [_id_of(actor, args, field, text, pointer) for text, pointer in texts]
            args = args.model_copy(update={field.name: found if field.is_list else found[0]})
    return args


def say_what_there_is(actor: Actor, args: BaseModel, error: ToolError) -> ToolError:
    """Return the error; where it says that such a row is not there, with the rows that are."""
    if error.code != "not_found" or "available" in error.details:
        return error
    pointed = str(error.details.get("pointer", "")).split("/")[1:2]
    field = next((one for one in named_fields(type(args)) if [one.name] == pointed), None)
    return error if field is None else _with_available(actor, args, field.kind, error)


def _replaced(args: BaseModel) -> list[NamedField]:
    return [field for field in named_fields(type(args)) if not field.by_tool]


def _is_name(kind: Kind, text: str) -> bool:
    numbers = ids.decode(kind.prefix, text)
    return numbers is None or len(numbers) != 1


def _texts(field: NamedField, args: BaseModel) -> Iterator[tuple[str, str]]:
    """Yield what stands in an argument, each text with its JSON pointer."""
    value = getattr(args, field.name)
    if field.is_list:
        yield from ((text, f"/{field.name}/{place}") for place, text in enumerate(value or ()))
    elif value is not None:
        yield value, f"/{field.name}"


def _id_of(actor: Actor, args: BaseModel, field: NamedField, text: str, pointer: str) -> str:
    """Return the public id of the one row that has this name."""
    kind = field.kind
    if not _is_name(kind, text):
        return text
    found = _named(kind, kind.shown(_rows(actor, args, kind), actor), text)
    if len(found) == 1:
        public_id: str = found[0].public_id
        return public_id
    if found:
        raise _ambiguous(kind, found, pointer)
    if field.filters:
        return text
    account = _account_key(args) if kind.account else None
    if account is not None and not Account.objects.visible_to(actor).filter(pk=account).exists():
        kind, pointer = KINDS["accounts"], f"/{_ACCOUNT}"
    raise _with_available(actor, args, kind, not_found(kind.one, pointer))


def _rows(actor: Actor, args: BaseModel, kind: Kind) -> VisibleQuerySet[Any]:
    """Return the rows among which a name is looked for."""
    account = _account_key(args) if kind.account else None
    rows = kind.rows(actor)
    return rows if account is None else rows.filter(**{kind.account: account})


def _account_key(args: BaseModel) -> int | None:
    """Return the key of the account that is given beside the name, if one is."""
    given = getattr(args, _ACCOUNT, None)
    return (ids.decode(Account.ID_PREFIX, given) or (None,))[0] if given else None


def _named(kind: Kind, rows: QuerySet[Any], text: str) -> list[Any]:
    """Return the rows that have the name, whatever its case."""
    wanted = _folded(text)
    if not wanted or len(wanted) > _LONGEST:
        return []
    if kind.path_key:
        return list(rows.filter(**{kind.path_key: fold_path(text.strip())}))
    if wanted.isascii():
        # The databases fold these letters alike; others they do not.
        alike = Q()
        for name in kind.names:
            alike |= Q(**{f"{name}__iexact": wanted})
        rows = rows.filter(alike)
    return [
        row for row in rows.order_by("pk")
        if wanted in (_folded(getattr(row, name)) for name in kind.names)
    ]  # fmt: skip


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip().casefold()


def _ambiguous(kind: Kind, found: Sequence[Any], pointer: str) -> ToolError:
    words = f"is the name of {len(found)} {kind.plural}"
    problem = {"pointer": pointer, "message": words, "accepted": "the id of one of the candidates"}
    candidates = [kind.describe(row) for row in found[:_MOST_LISTED]]
    return ToolError(
        "invalid_input", f"{pointer} {words}", {"errors": [problem], "candidates": candidates}
    )


def _with_available(actor: Actor, args: BaseModel, kind: Kind, error: ToolError) -> ToolError:
    """Return the error with the first rows of the kind that the caller may see."""
    rows = kind.shown(_rows(actor, args, kind), actor)
    first = list(rows.order_by("pk")[: _MOST_LISTED + 1])
    available = [kind.describe(row) for row in first[:_MOST_LISTED]]
    details = {**error.details, "available": available}
    if len(first) > _MOST_LISTED:
        details["more"] = f"look_around with kind {kind.plural}, and perhaps search, has the rest"
    return ToolError(error.code, error.message, details, error.mesh_code)
