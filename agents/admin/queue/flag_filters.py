"""The filters by flags, as conditions for a database: what it does not keep, they are told."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Q, QuerySet, TextField, Value
from django.db.models.functions import Cast, Coalesce, Replace

from agents.admin.evidence.claims import DIFFERS
from agents.admin.queue.criteria import ANY, NONE
from inbox.admin.messages.anomalies import QUIET

FAILED = "authentication_failed"
# The mail that an approval's message answers.
ANSWERED = "submission__draft__in_reply_to__"


def flagged_approvals(
    rows: QuerySet[Any], flag: str, marked: Mapping[int, Sequence[str]]
) -> QuerySet[Any]:
    """Keep the approvals with a flag, with any, or with none; `marked` is what is not stored."""
    rows = rows.annotate(
        flags=Cast("risk_flags", TextField()), claims=Cast("marks", TextField()),
        odd_mail=_codes(f"{ANSWERED}anomalies"),
        proven=Coalesce(f"{ANSWERED}authentication", Value("")),
    )  # fmt: skip
    differs, failed = Q(claims__contains=f'"state": "{DIFFERS}"'), Q(proven="fail")
    if flag in {ANY, NONE}:
        odd = ~Q(flags="[]") | differs | failed | ~Q(odd_mail="[]") | Q(pk__in=list(marked))
        return rows.filter(odd) if flag == ANY else rows.exclude(odd)
    if flag == DIFFERS:
        return rows.filter(differs)
    if flag == FAILED:
        return rows.filter(failed)
    now = [key for key, codes in marked.items() if flag in codes]
    return rows.filter(with_flag(flag) | Q(odd_mail__contains=_quoted(flag)) | Q(pk__in=now))


def with_flag(flag: str) -> Q:
    """Return which approvals keep a flag, among rows that have their flags as a text, `flags`."""
    # Both databases write their JSON so.
    return Q(flags__contains=f'"flag": {_quoted(flag)}')


def flagged_activities(rows: QuerySet[Any], flag: str) -> QuerySet[Any]:
    """Keep the activities whose mail has a flag, any, or none."""
    rows = rows.annotate(
        odd=_codes("message__anomalies"), proven=Coalesce("message__authentication", Value(""))
    )
    odd, failed = ~Q(odd="[]"), Q(proven="fail")
    if flag in {ANY, NONE}:
        return rows.filter(odd | failed) if flag == ANY else rows.exclude(odd | failed)
    return rows.filter(failed if flag == FAILED else Q(odd__contains=_quoted(flag)))


def _codes(column: str) -> Any:
    """Return a list of codes as its JSON text, without those that nobody is warned of."""
    kind = TextField()
    text: Any = Coalesce(Cast(column, kind), Value("[]", kind))
    for code in (*sorted(f'"{code}"' for code in QUIET), ", "):
        text = Replace(text, Value(code, kind), Value("", kind))
    return text


def _quoted(flag: str) -> str:
    """Return a code as it stands within JSON: no code has a quote in it."""
    return '"' + flag.replace('"', "").replace("\\", "") + '"'
