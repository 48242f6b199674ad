"""`manage.py create_workspace`: what it makes, and what it refuses by name."""

import io

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from inbox.models import Membership, Role, Taxonomy, Workspace
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> User:
    return User.objects.create_superuser("ada", password="wax, ribbon and a ring")


def create(*arguments) -> str:
    out = io.StringIO()
    call_command("create_workspace", *arguments, stdout=out)
    return out.getvalue()


def test_a_workspace_is_made_with_its_owner_and_its_defaults(ada):
    assert create("Lantern & Sons", "--owner", "ada") == (
        "Lantern & Sons (lantern-sons) is ada's to set up.\n"
    )
    workspace = Workspace.objects.get()
    assert workspace.name == "Lantern & Sons"
    membership = Membership.objects.get()
    assert (membership.user, membership.workspace, membership.role) == (
        ada, workspace, Role.OWNER
    )  # fmt: skip
    assert Taxonomy.objects.filter(workspace=workspace).exists()


def test_its_owner_connects_accounts_in_the_admin(ada, client):
    client.force_login(ada)
    assert client.get("/admin/inbox/account/add/")["Location"] == "/admin/start/workspace/"
    create("Lantern", "--owner", "ada")
    assert b"Lantern" in client.get("/admin/inbox/workspace/").content
    assert client.get("/admin/inbox/account/add/").status_code == 200


def test_a_name_without_latin_letters_needs_a_slug(ada):
    with pytest.raises(CommandError, match="say one with --slug"):
        create("灯", "--owner", "ada")
    create("灯", "--owner", "ada", "--slug", "lantern")
    assert Workspace.objects.get().slug == "lantern"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("Lantern", "--owner", "eve"), "--owner: nobody signs in as 'eve'."),
        (("Lantern", "--owner", "guest"), "--owner: guest may not sign in to the admin."),
        ((" ", "--owner", "ada"), "name: A workspace needs a name."),
        (("x" * 201, "--owner", "ada"), "name: A workspace needs a name."),
        (("Lantern", "--owner", "ada", "--slug", ""), "slug: '' is not a valid short name."),
        (("Lantern", "--owner", "ada", "--slug", "a b"), "slug: 'a b' is not a valid short name."),
        (("Lantern", "--owner", "ada", "--slug", "taken"), "slug: A workspace 'taken'"),
    ],
)
def test_what_it_cannot_make_it_refuses_and_makes_nothing(ada, arguments, words):
    factories.make_workspace(slug="taken")
    User.objects.create_user("guest")
    with pytest.raises(CommandError) as refused:
        create(*arguments)
    assert str(refused.value).startswith(words)
    assert list(Workspace.objects.values_list("slug", flat=True)) == ["taken"]
    assert not Membership.objects.exists()
