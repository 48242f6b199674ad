"""Addresses that several cards name: once nobody else's any more, they are whose card is left."""

from django.db import transaction
from django.db.models import Exists, OuterRef

from inbox.background.jobs import Payload, publish, subscribe
from inbox.bulk_insert import insert
from inbox.models import Person, PersonEmail, SharedAddress
from inbox.operations.contacts.search_words import keep_searched

_AT_ONCE = 500


@subscribe("person.deleted", "contacts.share_out_deleted")
def share_out_of_deleted(payload: Payload) -> None:
    """Have those whose cards share an address with somebody deleted hold it."""
    share_out_addresses(person_ids=payload["person_ids"])


@subscribe("person.changed", "contacts.share_out_changed")
def share_out_of_changed(payload: Payload) -> None:
    """Have those whose cards share an address that was taken off another hold it."""
    share_out_addresses(person_ids=payload["person_ids"])


def share_out_addresses(*, person_ids: list[int]) -> None:
    """Give addresses that nobody holds to whose card names them; publishes `person.changed`.

    Of the workspaces of these people; some at a time, and each that is given has the next looked
    for.
    """
    workspaces = set(Person.objects.filter(pk__in=person_ids).values_list("workspace", flat=True))
    for workspace_id in workspaces:
        with transaction.atomic():
            _share_out(workspace_id)


def _share_out(workspace_id: int) -> None:
    held = PersonEmail.objects.kept().filter(
        workspace=OuterRef("workspace"), email=OuterRef("email"), person__deleted_at=None
    )
    rows = SharedAddress.objects.filter(workspace=workspace_id, person__deleted_at=None)
    free = list(rows.exclude(Exists(held)).order_by("pk")[:_AT_ONCE])
    # Of several who share it, the first.
    first = {row.email: row for row in reversed(free)}
    keys = sorted({row.person_id for row in first.values()})
    people = {
        one.pk: one for one in Person.objects.filter(pk__in=keys).select_for_update().order_by("pk")
    }
    if not people:
        return
    Person.objects.filter(workspace=workspace_id, email__in=first).update(email="")
    insert(
        [
            PersonEmail(
                workspace_id=workspace_id, person_id=row.person_id, email=row.email, kind=row.kind,
                position=row.position, by_person=row.by_person,
            )
            for row in first.values()
        ],
        unique_fields=["workspace", "email"],
        update_fields=["person", "kind", "position", "by_person", "removed_at"],
    )  # fmt: skip
    SharedAddress.objects.filter(pk__in=[row.pk for row in first.values()]).delete()
    _name_first(people)
    keep_searched(keys)
    publish("person.changed", {"person_ids": keys}, workspace_id=workspace_id)


def _name_first(people: dict[int, Person]) -> None:
    """Have people be found by the first of their addresses."""
    rows = PersonEmail.objects.kept().filter(person__in=people).order_by("-position", "-pk")
    for row in rows:
        people[row.person_id].email = row.email
    insert(list(people.values()), unique_fields=["id"], update_fields=["email"])
