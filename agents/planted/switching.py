"""The owner's switch: whether planted items are mixed into a workspace's queue, and how many."""

from django.contrib.auth.models import User
from django.db import transaction

from agents import receipts
from agents.approval.status import role_in
from agents.models import PlantingSetting
from agents.models.oversight import MOST_A_DAY, MOST_PERCENT
from agents.receipts import ReceiptEntry
from inbox.actor import Actor
from inbox.errors import DomainError, invalid
from inbox.models import Role, Workspace
from inbox.reasons import phrase as _
from inbox.reasons import say


def switch_planting(
    *, workspace: Workspace, by: User, is_on: bool, most_a_day: int, percent: int
) -> PlantingSetting:
    """Set whether and how many are planted, with a receipt; only an owner may.

    `percent` is of the decisions of the last thirty days. What is open already stays. Raises
    DomainError.
    """
    if role_in(workspace.pk, by) != Role.OWNER:
        raise DomainError("permission_denied", _("Only an owner of the workspace may change this."))
    for field, value, most in (
        ("most_a_day", most_a_day, MOST_A_DAY), ("percent", percent, MOST_PERCENT),
    ):  # fmt: skip
        if not 1 <= value <= most:
            words = _("%(value)s is not possible.", value=value)
            raise invalid(field, words, _("1 to %(most)s", most=most))
    person = by.get_username()
    words = (
        say("planting_on", person=person, count=most_a_day, percent=percent)
        if is_on else say("planting_off", person=person)
    )  # fmt: skip
    with transaction.atomic():
        setting, _made = PlantingSetting.objects.update_or_create(
            workspace=workspace,
            defaults={
                "is_on": is_on, "most_a_day": most_a_day, "percent": percent, "changed_by": by,
            },
        )  # fmt: skip
        entry = ReceiptEntry(
            tool="switch_planting", reason=words,
            arguments={"is_on": is_on, "most_a_day": most_a_day, "percent": percent},
        )  # fmt: skip
        receipts.record(Actor("person", by.pk, person, (workspace.pk,)), entry)
    return setting
