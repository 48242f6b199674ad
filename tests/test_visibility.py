"""Every read of a user's data starts with who reads; every id says of what it is."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from django.apps import apps

from inbox.models.base import PublicModel
from tests.cases import in_one_test
from tests.test_architecture import FILES, ROOT, tree

PUBLIC = [model for model in apps.get_models() if issubclass(model, PublicModel)]
# Where agents' calls are read and answered.
EDGE = ("agents/tools/", "agents/resources/", "agents/surfaces/")
# The first step of a read: `counted_for` starts with `visible_to` itself.
STARTS = {"visible_to", "counted_for"}
# What belongs to rows that were read with `visible_to` before, or to the caller alone.
REST_ON_SUCH_ROWS = {
    "agents/resources/control/decisions.py: User.objects.get",  # the person who is signed in
    "agents/resources/mail/submissions.py: DeliveryReport.objects.filter",  # of such submissions
    "agents/surfaces/mcp/asking.py: Receipt.objects.filter",  # of the caller's own key
    "agents/tools/cache.py: MirrorEntry.objects.filter",  # of keys that were found so
    "agents/tools/contacts.py: PersonEmail.objects.kept",  # prefetched for such people
    "agents/tools/contacts.py: PersonPhone.objects.order_by",
    "agents/tools/mail/email_rows.py: Mailbox.objects.filter",  # of such mailboxes
    "agents/tools/mail/email_rows.py: MessageMailbox.objects.filter",
    "agents/tools/mail/emails.py: DraftAttachment.objects.filter",  # of such drafts
    "agents/tools/mail/contract.py: Mailbox.objects.filter",  # within such threads
    "agents/tools/mail/replies.py: Draft.objects.filter",  # the draft that was just written
    "agents/tools/mail/threads.py: Activity.objects.filter",  # whoever may see what waits in such a thread
    "agents/tools/mail/threads.py: Approval.objects.filter",
    "agents/tools/mail/threads.py: Submission.objects.filter",
    "agents/tools/shapes.py: Thread.mailboxes.through.objects.filter",  # of such threads
}


def reads(path: Path) -> Iterator[str]:
    """Every use of a manager in a file, as `path: Model.objects.first_step`."""
    for node in ast.walk(tree(path)):
        match node:
            case ast.Attribute(attr=step, value=ast.Attribute(attr="objects")):
                if step not in STARTS:
                    yield f"{path.relative_to(ROOT)}: {ast.unparse(node)}"


def test_what_agents_read_starts_with_who_reads():
    at_the_edge = [path for path in FILES if str(path.relative_to(ROOT)).startswith(EDGE)]
    found = {read for path in at_the_edge for read in reads(path)}
    assert found - REST_ON_SUCH_ROWS == set()


@in_one_test("model", PUBLIC)
def test_a_model_with_a_public_id_can_be_kept_to_who_reads(model):
    assert hasattr(model._default_manager.all(), "visible_to")


def test_an_id_begins_with_three_letters_that_no_other_kind_has():
    prefixes = Counter(model.ID_PREFIX for model in PUBLIC)
    assert {prefix for prefix, models in prefixes.items() if models > 1} == set()
    assert {prefix for prefix in prefixes if not (len(prefix) == 3 and prefix.isalpha())} == set()


def test_no_module_reaches_into_the_private_names_of_another():
    reached = [
        f"{path.relative_to(ROOT)}: {alias.name}"
        for path in FILES
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ImportFrom) and node.module != "__future__"
        for alias in node.names
        if alias.name.startswith("_") and not alias.name.startswith("__")
    ]
    assert reached == []
