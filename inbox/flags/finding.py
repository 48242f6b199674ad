"""What was found, and how it is kept: one flag for each kind, with all that was found of it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from django.utils.translation import gettext

from inbox.flags.registry import FLAGS, title_of
from inbox.flags.terms import SENSITIVE
from inbox.reasons.text import ENGLISH, Voice, fill, names_in

# So many of a kind are kept in full, those beyond are counted. A message has 500 recipients at
# most.
MOST_KEPT = 1_000
_ORDER = {code: place for place, code in enumerate(FLAGS)}
Stored: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is odd: the flag it raises, why, with what, and where.

    `reason` is one of the flag's in the registry, `params` what stands in its sentence. `excerpt`
    stands in the message; `source` is the public id of the message that it comes from.
    """

    flag: str
    reason: str
    params: tuple[tuple[str, str], ...] = ()
    excerpt: str = ""
    source: str | None = None

    @property
    def english(self) -> str:
        """Why it is odd, as agents, receipts and the log are told."""
        return self._told(ENGLISH)

    @property
    def words(self) -> str:
        """Why it is odd, in the reader's language."""
        return self._told(Voice(gettext, str))

    def _told(self, voice: Voice) -> str:
        kind = FLAGS.get(self.flag)
        template = kind.reasons.get(self.reason) if kind else None
        params = dict(self.params)
        if template is None:
            # A row from before reasons had codes has its sentence as it is.
            return params.get("words", "")
        if params.get("what") in SENSITIVE:
            params["what"] = voice.sentence(SENSITIVE[params["what"]])
        return fill(template, params, voice)


def found(
    flag: str, reason: str, *, excerpt: str = "", source: str | None = None, **params: object
) -> Finding:
    """Return a finding; raises KeyError or ValueError where the registry has no such sentence."""
    named = names_in(FLAGS[flag].reasons[reason])
    if named != set(params):
        raise ValueError(f"{flag}/{reason} takes {sorted(named)}, not {sorted(params)}")
    told = tuple((name, str(value)) for name, value in sorted(params.items()))
    return Finding(flag, reason, told, excerpt, source)


@dataclass(frozen=True, slots=True)
class Flag:
    """All that was found of one kind, in the order of the message.

    `count` is how many there are, which may be more than are kept.
    """

    flag: str
    findings: tuple[Finding, ...]
    count: int

    @property
    def title(self) -> str:
        """What it is called, in the reader's language."""
        return title_of(self.flag) or self.flag.replace("_", " ").capitalize()

    @property
    def severity(self) -> str:
        """How grave it is: high, medium or low."""
        kind = FLAGS.get(self.flag)
        return kind.severity if kind else "medium"

    @property
    def more(self) -> int:
        """How many there are beyond those that are kept."""
        return self.count - len(self.findings)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it is raised, each sentence once, in English."""
        return tuple(dict.fromkeys(finding.english for finding in self.findings))


def collect(findings: Iterable[Finding]) -> list[Flag]:
    """Return one flag for each kind, the gravest first, with all that was found of it, once each.

    Of the same found with a source and without, the one with a source stays.
    """
    kept: dict[str, dict[Any, Finding]] = {}
    for one in findings:
        same = (one.reason, one.params, one.excerpt)
        of_kind = kept.setdefault(one.flag, {})
        if same not in of_kind or (one.source and not of_kind[same].source):
            of_kind[same] = one
    return in_order(_flag(code, tuple(of_kind.values())) for code, of_kind in kept.items())


def in_order(flags: Iterable[Flag]) -> list[Flag]:
    """Return flags of different kinds, the gravest first."""
    return sorted(flags, key=lambda flag: _ORDER.get(flag.flag, len(_ORDER)))


def _flag(code: str, findings: tuple[Finding, ...]) -> Flag:
    return Flag(code, findings[:MOST_KEPT], len(findings))


def as_json(flags: Iterable[Flag]) -> list[Stored]:
    """Return flags as drafts and approvals keep them."""
    return [
        {"flag": flag.flag, "count": flag.count, "items": [_item(one) for one in flag.findings]}
        for flag in flags
    ]


def _item(one: Finding) -> Stored:
    item: Stored = {"reason": one.reason}
    if one.params:
        item["params"] = dict(one.params)
    if one.excerpt:
        item["excerpt"] = one.excerpt
    if one.source:
        item["source"] = one.source
    return item


def read_flags(stored: Iterable[Any]) -> list[Flag]:
    """Return flags as they were kept; one that has its sentence in plain words is read too."""
    rows = [row for row in stored if isinstance(row, Mapping)]
    flags = collect(finding for row in rows for finding in _findings(row))
    counts: dict[str, int] = {}
    for row in rows:
        count = row.get("count")
        counts[str(row.get("flag") or "")] = count if isinstance(count, int) else 0
    return [Flag(one.flag, one.findings, max(one.count, counts.get(one.flag, 0))) for one in flags]


def _findings(row: Mapping[str, Any]) -> Iterator[Finding]:
    code, items = str(row.get("flag") or ""), row.get("items")
    if not isinstance(items, list):
        yield _read(code, {**row, "reason": "", "params": {"words": str(row.get("reason") or "")}})
        return
    yield from (_read(code, item) for item in items or [{}] if isinstance(item, Mapping))


def _read(code: str, item: Mapping[str, Any]) -> Finding:
    params = item.get("params")
    told = sorted(params.items()) if isinstance(params, Mapping) else ()
    return Finding(
        code, str(item.get("reason") or ""),
        tuple((str(name), str(value)) for name, value in told),
        str(item.get("excerpt") or ""), str(item["source"]) if item.get("source") else None,
    )  # fmt: skip
