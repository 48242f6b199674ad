import pytest

from inbox.errors import DomainError
from inbox.models import Account, Identity, Inbox
from inbox.operations.accounts.accounts import MAILBOX_ROLES, create_account, identities_of
from tests import factories

pytestmark = pytest.mark.django_db


def test_an_account_comes_with_identity_inbox_and_mailboxes(workspace):
    account = create_account(
        workspace=workspace, address=" Office@Lantern.example ", name="Lantern"
    )
    assert account.address == "office@lantern.example"
    identity = account.identities.get()
    assert (identity.email, identity.name, identity.is_default) == (
        account.address,
        "Lantern",
        True,
    )
    inbox = account.inboxes.get()
    assert sorted(inbox.mailboxes.values_list("role", flat=True)) == sorted(MAILBOX_ROLES)


def test_an_address_is_connected_once_in_a_workspace(workspace):
    create_account(workspace=workspace, address="office@lantern.example")
    with pytest.raises(DomainError) as caught:
        create_account(workspace=workspace, address="OFFICE@lantern.example")
    assert caught.value.code == "conflict"
    assert Account.objects.count() == Inbox.objects.count() == 1


def test_two_workspaces_may_serve_one_address(workspace):
    create_account(workspace=workspace, address="office@lantern.example")
    create_account(workspace=factories.make_workspace(), address="office@lantern.example")
    assert Account.objects.count() == 2


@pytest.mark.parametrize(
    "address",
    ["", "office", "a b@x.example", "a@x.example\r\nBcc: b@x.example", f"{'a' * 250}@x.example"],
)
def test_what_is_no_address_is_refused(workspace, address):
    with pytest.raises(DomainError) as caught:
        create_account(workspace=workspace, address=address)
    assert caught.value.details["field"] == "address"
    assert not Account.objects.exists()


def test_an_account_sends_as_its_default_identity_before_others(inbox):
    Identity.objects.create(
        workspace=inbox.workspace, account=inbox.account, email="first@x.example"
    )  # fmt: skip
    Identity.objects.filter(account=inbox.account, is_default=True).delete()
    Identity.objects.create(
        workspace=inbox.workspace, account=inbox.account, email="chosen@x.example", is_default=True
    )
    found = [one.email for one in identities_of(inbox.account)]
    assert found == ["chosen@x.example", "first@x.example"]


def test_an_account_without_an_identity_names_what_the_caller_gave(inbox):
    Identity.objects.filter(account=inbox.account).delete()
    with pytest.raises(DomainError) as caught:
        identities_of(inbox.account, field="email_id")
    assert (caught.value.code, caught.value.field) == ("conflict", "email_id")
