"""After a test that commits, no row is left; on PostgreSQL only tables that have some are emptied."""

import pytest
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction

from agents.models import Receipt
from inbox.models import Workspace
from tests import factories


@pytest.mark.django_db(transaction=True)
def test_what_triggers_keep_and_others_refer_to_is_removed_too(actor):
    Receipt.objects.create(
        workspace_id=actor.workspace_id, actor=actor.key, tool="t", decision="allow",
        opened_at=factories.NOON,
    )  # fmt: skip
    call_command("flush", interactive=False, verbosity=0)
    assert not Receipt.objects.exists()
    assert not Workspace.objects.exists()
    # And from now on they are asked again.
    kept = Receipt.objects.create(
        workspace=factories.make_workspace(), actor=actor.key, tool="t", decision="allow",
        opened_at=factories.NOON,
    )  # fmt: skip
    with pytest.raises(DatabaseError), transaction.atomic():
        Receipt.objects.filter(pk=kept.pk)._raw_delete(connection.alias)
    assert Receipt.objects.exists()
