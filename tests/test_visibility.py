"""Every read of a user's data starts with who reads; every id says of what it is."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from django.apps import apps
from django.db.models import QuerySet

from inbox.models.base import PublicModel, VisibleQuerySet
from tests.cases import in_one_test
from tests.test_architecture import FILES, ROOT, outline

PUBLIC = [model for model in apps.get_models() if issubclass(model, PublicModel)]
OWNED = [it for it in apps.get_models() if isinstance(it._default_manager.all(), VisibleQuerySet)]
# Where rows are read for agents, and for people.
SHOWN = (
    "agents/admin/", "agents/directory/", "agents/evidence/", "agents/recall/", "agents/resources/",
    "agents/surfaces/", "agents/templatetags/", "agents/tools/", "calendar_app/admin.py",
    "calendar_app/browsing/", "inbox/admin/", "inbox/extract/", "inbox/search/",
    "inbox/templatetags/", "inbox/trials/",
)  # fmt: skip
# A step that asks who reads: `counted_for` starts with `visible_to` itself.
STARTS = {"visible_to", "counted_for"}
STEPS = {name for name in dir(QuerySet) if not name.startswith("_")} | {"kept", "earliest"}
MAKES = {"create", "bulk_create", "get_or_create", "bulk_update", "none"}
WORKSPACE = re.compile(r"(\w+__)?workspace(_id)?(__in)?|pk|pk__in")
# What need not be asked, or was.
ASKED_BEFORE = {
    "agents/admin/activities/corrections.py: row.activities.order_by",  # counted, up to a bound
    "agents/admin/activities/queries.py: Approval.objects.filter",  # keys for a read that is asked
    "agents/admin/mesh.py: entry.subscribers.all",  # prefetched; they are named to each other
    "agents/admin/receipt_queries.py: Receipt.objects.aggregate",  # the newest key, which is no secret
    # Parts of a draft that was asked for.
    "agents/admin/writing/choices.py: draft.attachments.select_related",
    "agents/admin/writing/saving.py: draft.attachments.values_list",
    "agents/tools/mail/written.py: draft.attachments.values_list",
    "agents/admin/writing/views.py: draft.attachments.all",
    "agents/recall/embedding.py: Memory.objects.filter",  # a job, which shows nothing
    "agents/resources/people.py: row.emails.all",  # prefetched from those of the workspace
    "inbox/search/finding.py: Mailbox.objects.filter",  # of inboxes that were asked for
    "inbox/search/people.py: PersonEmail.objects.kept",  # of people who are asked for
    "inbox/search/people.py: SharedAddress.objects.filter",  # of people who are asked for
    "agents/surfaces/mcp/asking.py: Receipt.objects.filter",  # of the caller's own key
    "agents/tools/contacts.py: person.emails.all",
    "agents/tools/mail/emails.py: draft.attachments.select_related",  # parts of such a draft
    "agents/tools/mail/emails_sending.py: draft.attachments.select_related",
    "agents/tools/mail/plans.py: draft.attachments.select_related",
    "agents/tools/shapes.py: inbox.mailboxes.all",
    "inbox/admin/accounts/forms.py: Account.objects.filter",  # whether an address is taken there
}


def leading() -> set[str]:
    """Return the names by which a row leads to others that say themselves whose they are."""
    ends = [end for model in apps.get_models() for end in model._meta.get_fields()]
    several = [
        end for end in ends if (end.one_to_many or end.many_to_many) and end.related_model in OWNED
    ]
    return {
        end.get_accessor_name() if end.auto_created else end.name for end in several
    } - {None}  # fmt: skip


def reads(path: Path) -> Iterator[str]:
    """Every read of such rows in a file that says nowhere whose they are, as `path: …step`."""
    nodes = list(ast.walk(ast.parse(path.read_text())))
    above = {inner: node for node in nodes for inner in ast.iter_child_nodes(node)}
    for node in nodes:
        match node:
            case ast.Attribute(attr=step, value=ast.Attribute(value=owner, attr=name)):
                is_manager = name == "objects" and ast.unparse(owner) in NAMES
                is_read = step in STEPS - MAKES and (is_manager or name in LEADS)
                if is_read and not says_whose(node, above):
                    yield f"{path.relative_to(ROOT)}: {ast.unparse(node)}"


def says_whose(node: ast.AST, above: dict[ast.AST, ast.AST]) -> bool:
    """Return True if a step from here on names who reads, or the workspace, or rows by their keys."""
    while isinstance(node, ast.Attribute | ast.Call):
        if isinstance(node, ast.Attribute) and node.attr in STARTS:
            return True
        if isinstance(node, ast.Call) and any(
            WORKSPACE.fullmatch(it.arg or "") for it in node.keywords
        ):
            return True
        outer = above[node]
        if isinstance(outer, ast.Call) and outer.func is not node:
            return False
        node = outer
    return False


NAMES, LEADS = {model.__name__ for model in OWNED} - {"Workspace"}, leading()


def test_what_is_shown_is_asked_for_whose_it_is():
    shown = [path for path in FILES if str(path.relative_to(ROOT)).startswith(SHOWN)]
    found = {read for path in shown for read in reads(path)}
    assert found == ASKED_BEFORE


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
        for node in outline(path).imports
        if isinstance(node, ast.ImportFrom) and node.module != "__future__"
        for alias in node.names
        if alias.name.startswith("_") and not alias.name.startswith("__")
    ]
    assert reached == []
