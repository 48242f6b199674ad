"""The owner's switch: what the language model may be used for in a workspace."""

from collections.abc import Collection

from django.contrib.auth.models import User
from django.db import transaction

from agents import receipts
from agents.approval.status import role_in
from agents.receipts import ReceiptEntry
from inbox.actor import Actor
from inbox.errors import DomainError, invalid
from inbox.models import ModelSetting, ModelTask, Role, Workspace
from inbox.reasons import phrase as _
from inbox.reasons import say


def switch_model(*, workspace: Workspace, by: User, tasks: Collection[str]) -> ModelSetting:
    """Set what the model may be used for, with a receipt; only an owner may. Raises DomainError."""
    if role_in(workspace.pk, by) != Role.OWNER:
        raise DomainError("permission_denied", _("Only an owner of the workspace may change this."))
    unknown = sorted(set(tasks) - set(ModelTask.values))
    if unknown:
        words = _("%(value)s is not possible.", value=unknown[0])
        raise invalid("tasks", words, _("any of %(names)s", names=", ".join(ModelTask.values)))
    wanted = [task for task in ModelTask.values if task in tasks]
    person = by.get_username()
    words = (
        say("uses_model_for", person=person, tasks=", ".join(wanted))
        if wanted else say("uses_no_model", person=person)
    )  # fmt: skip
    with transaction.atomic():
        setting, _made = ModelSetting.objects.update_or_create(
            workspace=workspace, defaults={"tasks": wanted, "changed_by": by}
        )
        entry = ReceiptEntry(tool="switch_model", arguments={"tasks": wanted}, reason=words)
        receipts.record(Actor("person", by.pk, person, (workspace.pk,)), entry)
    return setting
