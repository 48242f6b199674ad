"""Whom we invited: the guests of meetings that we organise."""

from collections.abc import Iterable

from django.db.models import QuerySet

from calendar_app.models import Attendee, Event
from inbox.actor import Actor


def guests_of_ours(
    *, actor: Actor, workspace_id: int, own: Iterable[str]
) -> QuerySet[Attendee, Attendee]:
    """Return the guests of meetings that one of the addresses `own` organises.

    Only those count that a person brought in or whose invitation a person approved: what came by
    mail may name us as its organizer too.
    """
    meetings = Event.objects.visible_to(actor.within(workspace_id)).kept()
    ours = meetings.filter(by_person=True, organizer__in=own)
    return Attendee.objects.filter(event__in=ours)
