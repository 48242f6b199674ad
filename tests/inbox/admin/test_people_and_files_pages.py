"""The pages of people and files: cards written, merged, restored, read and downloaded."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

from inbox.formats.vcard import read_cards
from inbox.models import FileNode, Person, RemoteItem, Role
from inbox.operations.contacts.cards import CardChanges, CardEmail
from inbox.operations.contacts.contacts import create_contact, delete_contact
from inbox.operations.files import create_file, delete_file, write_file
from tests import factories
from tests.inbox.syncing.collections.mirrored import make_collection

pytestmark = pytest.mark.django_db
PEOPLE, FILES = "/admin/inbox/person/", "/admin/inbox/filenode/"
CARDS = (
    b"BEGIN:VCARD\nVERSION:3.0\nFN:Ada Byron\nN:Byron;Ada;;;\nEMAIL:ada@customer.example\nBDAY:1815-12-10\nEND:VCARD\n"
    b"BEGIN:VCARD\nVERSION:3.0\nFN:Ben\nTEL;TYPE=CELL:1\nEMAIL:no address\nEND:VCARD\n"
)


def sign_in(workspace, role):
    client = Client()
    client.force_login(factories.make_person_user(workspace, role))
    return client


@pytest.fixture
def owner(workspace):
    return sign_in(workspace, Role.OWNER)


@pytest.fixture
def ada(actor, inbox):
    changes = CardChanges(
        given_name="Ada",
        family_name="Byron",
        emails=[CardEmail("ada@customer.example")],
        phones={"mobile": ["1"]},
    )
    return create_contact(actor=actor, account=inbox.account, changes=changes)


@pytest.fixture
def file(actor, inbox):
    made = create_file(
        actor=actor, account=inbox.account, path="/a/June.html", content=b"<script>1</script>"
    )
    return write_file(actor=actor, file=made, content=b"<p>second</p>")


def choose(client, page, action, *rows):
    return client.post(
        page, {"action": action, "_selected_action": [row.pk for row in rows]}, follow=True
    )


def card(**changes):
    texts = (
        "fn",
        "given_name",
        "family_name",
        "org",
        "department",
        "title",
        "name_prefix",
        "additional_names",
        "name_suffix",
        "note",
    )
    inlines = {
        f"{name}-{count}": "0"
        for name in ("emails", "correspondences") for count in ("TOTAL_FORMS", "INITIAL_FORMS")
    }  # fmt: skip
    return {**dict.fromkeys(texts, ""), "addresses": "", "numbers": "", **inlines, **changes}


def test_an_owner_writes_a_card_whole(owner, ada):
    new = {
        "fn": "Ada King", "given_name": "Ada", "org": "Customer", "note": "Two\nlines",
        "addresses": "ada@home.example\r\nADA@customer.example", "numbers": "home 2\n+49 3",
    }  # fmt: skip
    assert owner.post(f"{PEOPLE}{ada.pk}/change/", card(**new)).status_code == 302
    ada.refresh_from_db()
    assert (ada.fn, ada.family_name, ada.email, ada.note) == (
        "Ada King",
        "",
        "ada@home.example",
        "Two\nlines",
    )
    assert list(ada.phones.order_by("kind").values_list("kind", "number")) == [
        ("home", "2"),
        ("other", "+49 3"),
    ]


@pytest.mark.parametrize(
    ("field", "value"),
    [("addresses", "nobody"), ("fn", "a\u202eb"), ("numbers", "home " + "1" * 61)],
)
def test_what_no_card_can_say_stands_at_its_field(owner, ada, field, value):
    response = owner.post(f"{PEOPLE}{ada.pk}/change/", card(**{field: value}))
    assert list(response.context["adminform"].form.errors) == [field]


def test_chosen_people_become_one_and_foreign_ones_do_not(owner, ada, workspace):
    other = factories.make_person(
        workspace, "a.byron@customer.example", received_count=2, contact_count=2
    )
    foreign = factories.make_person(factories.make_workspace(), "eve@x.example")
    choose(owner, PEOPLE, "merge_chosen", ada, other, foreign)
    merged = Person.objects.get(workspace=workspace)
    assert (merged.pk, merged.fn, merged.contact_count) == (other.pk, "Ada Byron", 2)
    assert merged.emails.count() == 2
    assert Person.objects.filter(pk=foreign.pk).exists()


def test_it_is_said_where_chosen_people_lie_in_a_book_that_can_only_be_read(owner, ada, inbox):
    other = factories.make_person(inbox.workspace, "a.byron@customer.example")
    book = make_collection(inbox.account, "contacts", is_writable=False, name="Directory")
    RemoteItem.objects.create(collection=book, key=str(ada.pk), href="/ada.vcf", raw=b"x")
    shown = choose(owner, PEOPLE, "merge_chosen", ada, other).content.decode()
    assert "The address book Directory is read-only here. Change it at its source." in shown
    assert Person.objects.kept().count() == 2


def test_a_viewer_merges_and_restores_nobody(workspace, ada, actor):
    viewer = sign_in(workspace, Role.VIEWER)
    other = factories.make_person(workspace, "b@x.example")
    choose(viewer, PEOPLE, "merge_chosen", ada, other)
    delete_contact(actor=actor, person=ada)
    choose(viewer, f"{PEOPLE}?deleted=yes", "restore_chosen", ada)
    assert Person.objects.kept().count() == 1
    assert viewer.get(f"{PEOPLE}import/").status_code == 403


def test_a_deleted_contact_stands_in_a_list_of_its_own_and_comes_back(owner, ada, actor):
    delete_contact(actor=actor, person=ada)
    assert "Ada Byron" not in owner.get(PEOPLE).content.decode()
    assert "Ada Byron" in owner.get(f"{PEOPLE}?deleted=yes").content.decode()
    choose(owner, f"{PEOPLE}?deleted=yes", "restore_chosen", ada)
    ada.refresh_from_db()
    assert (ada.deleted_at, ada.given_name) == (None, "Ada")


def test_chosen_people_are_downloaded_as_cards(owner, ada):
    response = choose(owner, PEOPLE, "export_chosen", ada)
    assert response["Content-Type"] == "text/vcard; charset=utf-8"
    assert [card.fn for card in read_cards(response.content)] == ["Ada Byron"]


def test_a_file_of_cards_is_read_twice_with_one_outcome(owner, inbox):
    for _ in range(2):
        upload = {"account": inbox.account_id, "file": SimpleUploadedFile("a.vcf", CARDS)}
        assert owner.post(f"{PEOPLE}import/", upload).status_code == 302
    people = Person.objects.order_by("fn")
    assert [(person.fn, person.email, person.tel) for person in people] == [
        ("Ada Byron", "ada@customer.example", ""), ("Ben", "", "1"),
    ]  # fmt: skip
    assert [each["name"] for each in people[0].vcard_properties] == ["BDAY"]


def test_a_file_that_is_none_or_for_another_workspace_is_refused(owner, inbox):
    bad = owner.post(
        f"{PEOPLE}import/", {"account": inbox.account_id, "file": SimpleUploadedFile("a", b"x")}
    )
    assert "contains no vCard" in bad.content.decode()
    foreign = factories.make_inbox(factories.make_workspace()).account_id
    owner.post(f"{PEOPLE}import/", {"account": foreign, "file": SimpleUploadedFile("a", CARDS)})
    assert not Person.objects.exists()


def test_the_command_reads_a_file_into_the_account(inbox, tmp_path, capsys):
    (tmp_path / "a.vcf").write_bytes(CARDS)
    call_command("import_contacts", str(tmp_path / "a.vcf"), account="OFFICE@lantern.example")
    assert capsys.readouterr().out == "2 new, 0 completed, 0 left out.\n"
    for path, address in (
        (tmp_path / "none", "office@lantern.example"),
        (tmp_path / "a.vcf", "x@y.example"),
    ):
        with pytest.raises(CommandError):
            call_command("import_contacts", str(path), account=address)


def test_every_version_of_a_file_is_a_download_that_runs_nothing(owner, file):
    for number, content in ((1, b"<script>1</script>"), (2, b"<p>second</p>")):
        response = owner.get(f"/admin/files/{file.public_id}/{number}/")
        assert response.content == content
        assert response["Content-Type"] == "application/octet-stream"
        assert response["Content-Disposition"] == 'attachment; filename="June.html"'
        assert response["Content-Security-Policy"].startswith("sandbox")
    assert owner.get(f"/admin/files/{file.public_id}/3/").status_code == 404
    assert (
        sign_in(factories.make_workspace(), Role.OWNER)
        .get(f"/admin/files/{file.public_id}/1/")
        .status_code
        == 404
    )


def test_a_deleted_folder_comes_back_with_what_went_with_it(owner, file, actor):
    folder = file.parent
    delete_file(actor=actor, file=folder)
    assert 'name="_selected_action"' not in owner.get(FILES).content.decode()
    assert 'name="_selected_action"' in owner.get(f"{FILES}?deleted=yes").content.decode()
    choose(owner, f"{FILES}?deleted=yes", "restore_chosen", folder)
    assert FileNode.objects.kept().count() == 2


def test_the_page_of_a_file_shows_its_versions(owner, file):
    text = owner.get(f"{FILES}{file.pk}/change/", follow=True).content.decode()
    assert f"/admin/files/{file.public_id}/1/" in text
    assert "second" in text
