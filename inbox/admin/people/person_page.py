"""A person's page: who they are, how we know each address, and what there was with them."""

from dataclasses import dataclass
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from inbox.actor import Actor, system_actor
from inbox.admin.finding import first_or_404, let_manage
from inbox.admin.messages.downloads import as_download
from inbox.admin.refusals import words_of
from inbox.errors import DomainError
from inbox.models import (
    Activity,
    Correction,
    CorrectionScope,
    Direction,
    Inbox,
    Message,
    Person,
    PersonEmail,
    Thread,
)
from inbox.operations.contacts.contacts import merge_people
from inbox.operations.contacts.vcards import export_cards, with_card_rows
from inbox.viewer import Viewer, viewer_of

NEWEST = 10
# Messages that are looked at for the newest threads.
_LOOKED_AT = 100
# Our messages that are looked at for the newest letters to somebody.
_OURS_LOOKED_AT = 500
_MOST_ADDRESSES = 50
_MOST_NAMESAKES = 5


@dataclass(frozen=True, slots=True)
class KnownAddress:
    """An address, and where it came from, in words."""

    row: PersonEmail
    origin: str


@require_safe
def person(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show somebody we write with."""
    viewer = viewer_of(request)
    found = _person(viewer, public_id)
    emails = found.emails.filter(workspace_id=found.workspace_id)
    rows = emails.order_by("position", "pk")[:_MOST_ADDRESSES]
    context = {
        **admin.site.each_context(request),
        "title": str(found),
        "person": found,
        "addresses": [KnownAddress(row, _origin(row)) for row in rows],
        "phones": found.phones.order_by("position", "pk")[:_MOST_ADDRESSES],
        "accounts": found.correspondences.select_related("account").order_by("-contact_count"),
        "threads": _threads(viewer.actor, found, [row.email for row in rows]),
        "letters": _letters_to(viewer.actor, found, [row.email for row in rows]),
        "activities": _activities(viewer.actor, found),
        "corrections": _corrections(viewer.actor, found, [row.email for row in rows]),
        "namesakes": _namesakes(viewer, found),
        "may_manage": viewer.may_manage(found.workspace_id) and found.deleted_at is None,
        "workspace_name": viewer.names[found.workspace_id] if viewer.has_several else "",
    }
    return TemplateResponse(request, "chancery/people/person.html", context)


@require_safe
def person_card(request: HttpRequest, public_id: str) -> HttpResponse:
    """Hand out somebody's vCard."""
    viewer = viewer_of(request)
    found = _person(viewer, public_id)
    rows = Person.objects.visible_to(viewer.actor).filter(pk=found.pk)
    cards: Any = with_card_rows(viewer.actor, rows)
    return as_download(export_cards(cards), f"{found}.vcf", "text/vcard; charset=utf-8")


@require_POST
def merge_person(request: HttpRequest, public_id: str) -> HttpResponse:
    """Make one person of two, who go by the name of the one whose page it is."""
    viewer = viewer_of(request)
    found = _person(viewer, public_id)
    other = _person(viewer, request.POST.get("other", ""))
    let_manage(request, found.workspace_id)
    actor = system_actor(found.workspace_id, "Cards")
    try:
        into = merge_people(actor=actor, into=found, other=other)
    except DomainError as error:
        messages.error(request, words_of(error))
        return HttpResponseRedirect(reverse("person", args=[public_id]))
    messages.success(request, _("Two contacts were merged: %(name)s.") % {"name": into})
    return HttpResponseRedirect(reverse("person", args=[into.public_id]))


def _person(viewer: Viewer, public_id: str) -> Person:
    rows = Person.objects.visible_to(viewer.actor).with_public_id(public_id)
    return first_or_404(rows, "person")


def _origin(row: PersonEmail) -> str:
    if row.received_count:
        return _("Mail has come from it.")
    if row.sent_count:
        return _("We wrote to it but got no mail from it.")
    if not row.by_person:
        return _("An agent added it to the contact card; no mail has come from it.")
    return _("It is on the contact card; no mail has come from it.")


def _as_written(actor: Actor, found: Person, emails: list[str]) -> set[str]:
    """Return the addresses as their mail writes them too: `Ada@` is another to an index."""
    rows = Activity.objects.visible_to(actor).filter(person=found)
    senders = rows.order_by("-created_at", "-id").values_list("sender", flat=True)[:_LOOKED_AT]
    return {*emails, *(sender for sender in senders if sender.lower() in emails)}


def _threads(actor: Actor, found: Person, emails: list[str]) -> list[Thread]:
    """Return the threads of the newest messages that came from them, newest first."""
    inboxes = Inbox.objects.visible_to(actor.within(found.workspace_id))
    rows = Message.objects.visible_to(actor).kept()
    senders = _as_written(actor, found, emails)
    rows = rows.filter(inbox__in=list(inboxes), from_email__in=senders)
    newest = rows.order_by("-received_at", "-id").values_list("thread_id", flat=True)
    keys = list(dict.fromkeys(newest[:_LOOKED_AT]))[:NEWEST]
    threads = Thread.objects.visible_to(actor).select_related("merged_into").in_bulk(keys)
    return [threads[key] for key in keys if key in threads]


def _letters_to(actor: Actor, found: Person, emails: list[str]) -> list[Message]:
    """Return the newest of our messages to them, of those that stand in their threads or ours."""
    inboxes = Inbox.objects.visible_to(actor.within(found.workspace_id))
    rows = Message.objects.visible_to(actor).kept()
    rows = rows.filter(inbox__in=list(inboxes), direction=Direction.OUTBOUND)
    newest = rows.select_related("thread").order_by("-received_at", "-id")
    wanted = set(emails)
    kept = newest.only(
        "workspace", "thread__id", "subject", "received_at", "to", "cc", "bcc"
    )[:_OURS_LOOKED_AT]  # fmt: skip
    return [
        one for one in kept
        if wanted & {each.get("email", "").lower() for each in [*one.to, *one.cc, *one.bcc]}
    ][:NEWEST]  # fmt: skip


def _activities(actor: Actor, found: Person) -> QuerySet[Activity]:
    rows = Activity.objects.visible_to(actor).filter(person=found)
    return rows.order_by("-created_at", "-id")[:NEWEST]


def _corrections(actor: Actor, found: Person, emails: list[str]) -> QuerySet[Correction]:
    """Return what persons taught the rules about their addresses and domains."""
    names = {
        CorrectionScope.SENDER.value: emails,
        CorrectionScope.DOMAIN.value: {email.rpartition("@")[2] for email in emails},
    }
    rows = Correction.objects.visible_to(actor).in_force_for([found.workspace_id], names)
    return rows.order_by("-id")[:NEWEST]


def _namesakes(viewer: Viewer, found: Person) -> list[Person]:
    """Return others of the same name, who may be the same person."""
    if not found.fn:
        return []
    rows = Person.objects.visible_to(viewer.actor.within(found.workspace_id)).kept()
    rows = rows.filter(fn=found.fn).exclude(pk=found.pk)
    return list(rows.order_by("-contact_count", "pk")[:_MOST_NAMESAKES])
