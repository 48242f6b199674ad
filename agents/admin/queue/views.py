"""The first page: the queue."""

from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from agents.admin.evidence.claims import DIFFERS
from agents.admin.evidence.words import flag_in_words
from agents.admin.queue.counts import count_tabs
from agents.admin.queue.criteria import KINDS, TABS, URGENCIES, QueueCriteria, find_unknown
from agents.admin.queue.filtering import Choices, read_choices
from agents.admin.queue.held import read_held
from agents.admin.queue.place import read_place
from agents.admin.queue.positions import LOOKED_AT, WITH_APPROVALS
from agents.admin.queue.queries import Page, read_queue
from agents.admin.queue.saved import saved_filters
from inbox.flags import FILTERS
from inbox.viewer import viewer_of

# What an empty tab says.
REST: dict[str, tuple[Any, Any]] = {
    "needs-you": (_("All quiet."), _("Nothing needs you right now. New items will appear here.")),
    "waiting": (
        _("Nothing needs approval."),
        _("Messages that agents propose to send appear here."),
    ),
    "surfaced": (
        _("Nothing needs attention."),
        _("Urgent and important items and requests appear here."),
    ),
    "quarantine": (_("Quarantine is empty."), _("Items that could not be classified appear here.")),
    "noted": (
        _("Nothing noted."),
        _("Items that are good to know but need no action appear here."),
    ),
    "done": (
        _("Nothing done yet."),
        _("Items that were decided or handled silently appear here."),
    ),
}
_NAMES: dict[str, Any] = {
    "q": _("Search"), "kind": _("Kind"), "agent": _("Agent"), "inbox": _("Account"),
    "flag": _("Flag"), "urgency": _("Urgency"), "sender": _("Address"), "snoozed": _("Snoozed"),
    "held": _("Held by a quota"),
}  # fmt: skip
# What else the address can hold.
_OTHER_NAMES: dict[str, Any] = {"tab": _("Tab"), "after": _("Page")}


@require_safe
def queue(request: HttpRequest) -> HttpResponse:
    """Show what its address asks for: `?tab=`, filters, `?after=`."""
    viewer, wanted = viewer_of(request), QueueCriteria.from_query(request.GET)
    after = read_place(request.GET.get("after", ""))
    _tell_left_out(request, is_place=after is not None)
    if "" in request.GET.values():
        # A form sends its empty fields too; the address is for keeping.
        return HttpResponseRedirect(wanted.url())
    page = read_queue(viewer, wanted, after)
    choices = read_choices(viewer.actor)
    counts = count_tabs(viewer, page.asof)
    shows_held = wanted.tab in WITH_APPROVALS and not wanted.newest_first
    context = {
        **admin.site.each_context(request),
        "title": TABS[wanted.tab],
        "wanted": wanted,
        "tabs": [
            _tab(wanted, key, counts.get(key, ""), number) for number, key in enumerate(TABS, 1)
        ],
        "page": page,
        "is_first": after is None,
        "after": str(after) if after else "",
        "next_url": _next_url(wanted, page),
        "rest": REST[wanted.tab],
        # Nothing can come here before there is an agent, or mail.
        "may_write": viewer.may_decide(),
        "is_being_set_up": viewer.may_manage() and not choices.agents,
        # Asked for where the page does not have them written already.
        "selects": partial(_selects, wanted, choices),
        "choices": choices,
        "active": _active(wanted, choices),
        "held": read_held(viewer, wanted) if shows_held else [],
        "saved": saved_filters(request.user, wanted),
        "shows_account": len(choices.inboxes) > 1,
        "looked_at": LOOKED_AT if wanted.is_filtered and wanted.newest_first else 0,
    }
    return TemplateResponse(request, "chancery/queue/queue.html", context)


def _tell_left_out(request: HttpRequest, *, is_place: bool) -> None:
    """Say what of the address means nothing; the page shows the rest of what was asked for."""
    names = find_unknown(request.GET)
    if request.GET.get("after") and not is_place:
        names.append("after")
    if names:
        listed = ", ".join(str({**_NAMES, **_OTHER_NAMES}[name]) for name in names)
        words = gettext("Part of the address was not understood and was ignored: %(names)s.")
        messages.warning(request, words % {"names": listed})


def _tab(wanted: QueueCriteria, key: str, count: str, number: int) -> dict[str, Any]:
    return {
        "key": key, "name": TABS[key], "count": count, "number": number,
        "current": key == wanted.tab, "url": replace(wanted, tab=key).url(),
    }  # fmt: skip


def _next_url(wanted: QueueCriteria, page: Page) -> str:
    joint = "&" if wanted.to_query() else "?"
    return f"{wanted.url()}{joint}{urlencode({'after': page.after})}"


def _options(choices: Choices) -> dict[str, list[tuple[str, Any]]]:
    """Return what each filter can be, with its words."""
    flags = [("any", _("any flag")), ("none", _("no flag"))]
    return {
        "kind": list(KINDS.items()),
        "agent": list(choices.agents),
        "inbox": list(choices.inboxes) if len(choices.inboxes) > 1 else [],
        "flag": [*flags, *((flag, flag_in_words(flag)) for flag in (*FILTERS, DIFFERS))],
        "urgency": list(URGENCIES.items()),
    }


def _selects(wanted: QueueCriteria, choices: Choices) -> list[dict[str, Any]]:
    return [
        {"name": name, "label": _NAMES[name], "value": getattr(wanted, name), "options": options}
        for name, options in _options(choices).items()
        if options or getattr(wanted, name)
    ]


def _active(wanted: QueueCriteria, choices: Choices) -> list[dict[str, Any]]:
    """Return the filters in force, each with the way to be rid of it."""
    if not wanted.is_filtered:
        return []
    options = {name: dict(some) for name, some in _options(choices).items()}
    return [
        {
            "label": label,
            "value": options.get(name, {}).get(value, value)
            if name not in {"snoozed", "held"}
            else "",
            "url": wanted.without(name).url(),
        }
        for name, label in _NAMES.items()
        if (value := getattr(wanted, name))
    ]
