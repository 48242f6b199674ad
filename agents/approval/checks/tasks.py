"""Whom people of ours named when they told an agent what to do."""

import re
from collections.abc import Collection, Sequence

from agents.approval.checks.shown import Shown
from inbox.actor import Actor
from inbox.extract.readers.calendar_words import months, weekdays
from inbox.models import PersonEmail
from inbox.rfc5322.addresses.parsing import stands_in

_SHORTEST_NAME = 3


def named_in_tasks(
    actor: Actor, workspace_id: int, recipients: Sequence[str], shown: Shown
) -> frozenset[str]:
    """Return, in lower case, the recipients whom what people told the agent names.

    By the address or, of those whom we know, by the name; in one query, where there is a task.
    """
    told = "\n".join(shown.tasks)
    if not told:
        return frozenset()
    by_address = {email.lower() for email in recipients if stands_in(email, told)}
    rest = {email.lower() for email in recipients} - by_address
    return frozenset(by_address | _by_name(actor, workspace_id, rest, shown.known, told))


def _by_name(
    actor: Actor, workspace_id: int, emails: set[str], known: Collection[str], told: str
) -> set[str]:
    asked = [email for email in emails if email in known]
    rows = PersonEmail.objects.visible_to(actor.within(workspace_id)).filter(email__in=asked)
    names = rows.values_list("email", "person__fn")
    return {email for email, name in names if any(_stands(it, told) for it in _forms(name))}


def _forms(name: str) -> set[str]:
    """Return how somebody may be called: by the whole name, the first, or the last.

    A name that is that of a month or a day says nobody.
    """
    parts = name.split()
    forms = {name, *parts[:1], *parts[-1:]}
    idle = {*months(), *weekdays()}
    return {it for it in forms if len(it) >= _SHORTEST_NAME and it.lower() not in idle}


def _stands(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None
