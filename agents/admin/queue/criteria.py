"""Which part of the queue one looks at: a tab and filters, as they stand in its address."""

from collections.abc import Container, Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any, Self
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from inbox.templatetags.page_addresses import address_of

TABS: dict[str, Any] = {
    "needs-you": _("Needs you"),
    "waiting": _("Needs approval"),
    "surfaced": _("Surfaced"),
    "quarantine": _("Quarantine"),
    "noted": _("Noted"),
    "done": _("Done"),
}
FIRST = "needs-you"
# The newest come first here; in the others what presses most.
NEWEST_FIRST = frozenset({"noted", "done"})
# The state of the rows of a tab, where it is called otherwise.
_STATES = {"noted": "processed", "quarantine": "quarantined"}
KINDS: dict[str, Any] = {"approval": _("Approvals"), "activity": _("Incoming")}
URGENCIES: dict[str, Any] = {"high": _("High"), "normal": _("Normal"), "low": _("Low")}
# `any`: flagged in any way; `none`: not at all.
ANY, NONE = "any", "none"
LONGEST = 200
# What these can be; the other filters can be any words.
_ALLOWED: dict[str, Container[str]] = {
    "tab": TABS, "kind": KINDS, "urgency": URGENCIES, "snoozed": {"yes"},
    "held": {"yes"},
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class QueueCriteria:
    """A tab and filters; an empty one filters nothing.

    `q` are words to search for; `agent` and `inbox` are public ids, `flag` is a flag's code, `any`
    or `none`; `sender` is a part of the address that something came from, or would go to;
    `snoozed` is `yes` for what was put off, and `held` for what a quota holds, instead of the rest.
    """

    tab: str = FIRST
    q: str = ""
    agent: str = ""
    inbox: str = ""
    flag: str = ""
    urgency: str = ""
    kind: str = ""
    sender: str = ""
    snoozed: str = ""
    held: str = ""

    @classmethod
    def from_query(cls, query: str | Mapping[str, Any]) -> Self:
        """Return what an address asks for; what is nothing that can be asked for is left out."""
        given = QueryDict(query[:4000]) if isinstance(query, str) else query
        read = {field.name: _clean(given.get(field.name, "")) for field in fields(cls)}
        for name in find_unknown(given):
            read[name] = ""
        return cls(**{**read, "tab": read["tab"] or FIRST})

    def to_query(self) -> str:
        """Return the criteria as the query of the queue's address, the usual ones left out."""
        return _query_of(self)

    @property
    def tab_name(self) -> Any:
        """What its tab is called."""
        return TABS[self.tab]

    @property
    def is_filtered(self) -> bool:
        """Whether anything besides the tab chooses the rows."""
        return bool(self._said().keys() - {"tab"})

    @property
    def newest_first(self) -> bool:
        """Whether its tab goes from the newest to the oldest."""
        return self.tab in NEWEST_FIRST

    @property
    def states_of_tab(self) -> tuple[str, str]:
        """The states that its tab says already of a row."""
        return self.tab, _STATES.get(self.tab, self.tab)

    def url(self) -> str:
        """Return the address of the queue as it is wanted."""
        query = self.to_query()
        return f"{address_of('queue')}?{query}" if query else address_of("queue")

    def item_url(self, url: str) -> str:
        """Return the address of an item that is opened from here, and so leads back here."""
        query = self.to_query()
        return f"{url}?{urlencode({'in': query})}" if query else url

    def without(self, *names: str) -> "QueueCriteria":
        """Return the same without these filters."""
        return replace(self, **dict.fromkeys(names, ""))

    def unfiltered(self) -> "QueueCriteria":
        """Return the criteria with nothing but their tab."""
        return QueueCriteria(tab=self.tab)

    def _said(self) -> dict[str, str]:
        said = {field.name: getattr(self, field.name) for field in fields(self)}
        return {
            name: value for name, value in said.items() if value and (name, value) != ("tab", FIRST)
        }


@lru_cache(maxsize=200)
def _query_of(wanted: QueueCriteria) -> str:
    return urlencode(wanted._said())


def find_unknown(given: Mapping[str, Any]) -> list[str]:
    """Return the names of the filters whose value is nothing that can be asked for."""
    return [
        name for name, values in _ALLOWED.items()
        if (value := _clean(given.get(name, ""))) and value not in values
    ]  # fmt: skip


def _clean(value: object) -> str:
    """Return a value as one line; NUL goes into no query."""
    return " ".join(str(value).replace("\0", " ").split())[:LONGEST]
