"""What a person does with files: uploaded, put into folders, moved, renamed and deleted."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, override_settings

from agents.evidence.exposures import trace
from agents.evidence.refs import Ref
from agents.models import Approval, Receipt
from inbox.models import FileNode, FileVersion, Role
from inbox.operations.files import create_file, create_folder, delete_file
from tests import factories

pytestmark = pytest.mark.django_db
FILES = "/admin/files/"


@pytest.fixture
def reviewer(workspace) -> Client:
    client = Client()
    client.force_login(factories.make_person_user(workspace, Role.REVIEWER))
    return client


def given(name, content=b"words") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def paths() -> list[str]:
    return sorted(FileNode.objects.kept().values_list("path", flat=True))


def said(client, url, data) -> str:
    """Return what the page says of what was done, else all of it."""
    answer = client.post(url, data, follow=True)
    return " ".join(map(str, answer.context["messages"])) + answer.content.decode()


def test_several_files_are_uploaded_into_a_folder_as_the_persons_own_words(reviewer, actor, inbox):
    folder = create_folder(actor=actor, account=inbox.account, path="/Offers")
    files = [given("a.txt", b"one"), given("b.txt", b"two")]
    text = said(reviewer, f"{FILES}upload/", {"folder": folder.public_id, "file": files})
    assert "2 files uploaded." in text
    assert paths() == ["/Offers", "/Offers/a.txt", "/Offers/b.txt"]
    one = FileNode.objects.get(path="/Offers/a.txt")
    assert (one.text, one.modified_by.partition(":")[0]) == ("one", "person")
    (traced,) = trace(inbox.workspace_id, [Ref("fil", one.pk)])[:1]
    assert traced.origin == "owner"
    receipt = Receipt.objects.filter(tool="upload_file").first()
    assert receipt.arguments["path"] == "/Offers/a.txt"


def test_the_same_name_again_is_a_new_version_and_a_stranger_s_words_become_ours(
    reviewer, actor, inbox
):
    made = create_file(actor=actor, account=inbox.account, path="/a.txt", content=b"one")
    account = inbox.account.public_id
    assert "1 file uploaded." in said(
        reviewer, f"{FILES}upload/", {"account": account, "file": given("a.txt", b"two")}
    )
    text = said(reviewer, f"{FILES}{made.public_id}/version/", {"file": given("x.txt", b"three")})
    assert "Version 3 of a.txt uploaded" in text
    assert FileVersion.objects.filter(file=made).count() == 3
    assert paths() == ["/a.txt"]


def test_what_cannot_be_uploaded_says_which_and_why(reviewer, actor, inbox):
    create_folder(actor=actor, account=inbox.account, path="/a.txt")
    url, account = f"{FILES}upload/", inbox.account.public_id
    with override_settings(EXCHANGE_FILE_BYTES=4):
        assert "b.txt: The file is too large" in said(
            reviewer, url, {"account": account, "file": given("b.txt")}
        )
    assert "a.txt: A folder has no content of its own" in said(
        reviewer, url, {"account": account, "file": given("a.txt")}
    )
    assert "con.txt: It has the reserved name" in said(
        reviewer, url, {"account": account, "file": given("con.txt")}
    )
    assert "Choose a file first." in said(reviewer, url, {"account": account})
    assert paths() == ["/a.txt"]


def test_a_folder_moves_with_all_in_it_and_back_again(reviewer, actor, inbox):
    made = create_file(actor=actor, account=inbox.account, path="/Offers/June/a.txt", content=b"a")
    gone = create_file(actor=actor, account=inbox.account, path="/Offers/June/b.txt", content=b"b")
    delete_file(actor=actor, file=gone)
    folder = FileNode.objects.get(path="/Offers/June")
    url = f"{FILES}{folder.public_id}/move/"
    text = said(reviewer, url, {"path": "/Archive/2026/June old"})
    assert "Moved to /Archive/2026/June old." in text
    assert 'value="/Offers/June"' in text
    assert paths() == [
        "/Archive", "/Archive/2026", "/Archive/2026/June old", "/Archive/2026/June old/a.txt",
        "/Offers",
    ]  # fmt: skip
    made.refresh_from_db()
    gone.refresh_from_db()
    assert gone.path == "/Archive/2026/June old/b.txt"
    receipt = Receipt.objects.get(tool="move_file")
    assert receipt.result == {"before": "/Offers/June"}
    assert said(reviewer, url, {"path": "/Offers/June"})
    assert "/Offers/June/a.txt" in paths()
    assert made.pk == FileNode.objects.get(path="/Offers/June/a.txt").pk


def test_what_cannot_be_moved_says_why_and_stays(reviewer, actor, inbox):
    create_file(actor=actor, account=inbox.account, path="/Offers/a.txt", content=b"a")
    create_file(actor=actor, account=inbox.account, path="/b.txt", content=b"b")
    before = paths()
    folder = FileNode.objects.get(path="/Offers")
    for path, words in (
        ("/Offers/inside", "cannot be moved into itself"),
        ("/B.txt", "/B.txt already exists"),
        ("/b.txt/c", "/b.txt is a file"),
        ("Offers", "It must start with a slash"),
        ("/", "No file is named"),
        ("/a/../b", "empty step"),
    ):
        text = said(reviewer, f"{FILES}{folder.public_id}/move/", {"path": path})
        assert words in text, path
        assert paths() == before, path


def test_only_letters_of_a_name_change_their_case(reviewer, actor, inbox):
    made = create_file(actor=actor, account=inbox.account, path="/a.txt", content=b"a")
    said(reviewer, f"{FILES}{made.public_id}/move/", {"path": "/A.txt"})
    assert paths() == ["/A.txt"]


def test_a_folder_is_made_and_deleted_with_the_way_back(reviewer, actor, inbox):
    account = inbox.account.public_id
    text = said(reviewer, f"{FILES}folder/", {"account": account, "name": "Offers"})
    assert "Folder Offers created." in text
    folder = FileNode.objects.get(path="/Offers")
    text = said(reviewer, f"{FILES}folder/", {"folder": folder.public_id, "name": "a/b"})
    assert "A name cannot contain a slash." in text
    text = said(reviewer, f"{FILES}{folder.public_id}/delete/", {})
    assert "Deleted Offers." in text
    assert f"{FILES}{folder.public_id}/restore/" in text
    assert paths() == []
    assert set(Receipt.objects.values_list("tool", flat=True)) == {"make_folder", "delete_file"}


def test_who_only_reads_or_is_of_another_workspace_changes_nothing(workspace, actor, inbox):
    made = create_file(actor=actor, account=inbox.account, path="/a.txt", content=b"a")
    viewer, foreigner = Client(), Client()
    viewer.force_login(factories.make_person_user(workspace, Role.VIEWER))
    foreigner.force_login(
        factories.make_person_user(factories.make_workspace("harbour"), Role.OWNER)
    )
    place, account = f"{FILES}{made.public_id}/", inbox.account.public_id
    for client, status in ((viewer, 403), (foreigner, 404)):
        for url, data in (
            (f"{place}move/", {"path": "/b.txt"}),
            (f"{place}delete/", {}),
            (f"{place}version/", {"file": given("a.txt")}),
            (f"{FILES}upload/", {"account": account, "file": given("b.txt")}),
            (f"{FILES}folder/", {"account": account, "name": "b"}),
        ):
            assert client.post(url, data).status_code == status, url
            assert client.get(url).status_code == 405, url
    assert "Move or rename" not in viewer.get(place).content.decode()
    assert paths() == ["/a.txt"]


# -- shared ----------------------------------------------------------------------------------------
def test_a_file_is_shared_by_the_seal_and_leaves_when_its_sharer_sends_it(reviewer, actor, inbox):
    made = create_file(actor=actor, account=inbox.account, path="/offer.txt", content=b"one")
    place = f"{FILES}{made.public_id}/share/"
    assert f'href="{place}"' in reviewer.get(f"{FILES}{made.public_id}/").content.decode()
    assert "offer.txt is attached." in reviewer.get(place).content.decode()
    answer = reviewer.post(place, {"to": "Ada <ada@customer.example>", "message": "Here it is."})
    approval = Approval.objects.get()
    assert answer["Location"] == f"/admin/review/{approval.public_id}/"
    assert (approval.state, approval.held_by, approval.tool) == ("waiting", "writer", "file_share")
    assert approval.submission.envelope_to == ["ada@customer.example"]
    page = reviewer.get(answer["Location"]).content.decode()
    assert "offer.txt" in page
    assert "Here it is." in page
    assert Receipt.objects.get(tool="file_share").outcome == "held"
    seen = {"sha256": approval.sha256, "version": approval.submission.draft_version}
    reviewer.post(f"{answer['Location']}approve/", seen)
    approval.refresh_from_db()
    assert approval.state == "approved"
    assert approval.submission.attachments[0][0] == "offer.txt"


@pytest.mark.parametrize(
    ("to", "words"),
    [("", "Give at least one address."), ("nobody", "Separate addresses by commas")],
)
def test_a_share_without_an_address_keeps_what_was_typed(reviewer, actor, inbox, to, words):
    made = create_file(actor=actor, account=inbox.account, path="/offer.txt", content=b"one")
    answer = reviewer.post(
        f"{FILES}{made.public_id}/share/", {"to": to, "message": "Typed already"}
    )
    assert answer.status_code == 400
    assert words in answer.content.decode()
    assert "Typed already" in answer.content.decode()
    assert not Approval.objects.exists()


def test_a_folder_and_what_is_gone_are_not_shared(reviewer, actor, inbox, workspace):
    folder = create_folder(actor=actor, account=inbox.account, path="/Offers")
    gone = create_file(actor=actor, account=inbox.account, path="/gone.txt", content=b"one")
    delete_file(actor=actor, file=gone)
    for one in (folder, gone):
        answer = reviewer.get(f"{FILES}{one.public_id}/share/")
        assert answer["Location"] == f"{FILES}{one.public_id}/"
    made = create_file(actor=actor, account=inbox.account, path="/a.txt", content=b"one")
    viewer, stranger = Client(), Client()
    viewer.force_login(factories.make_person_user(workspace, Role.VIEWER, "vera"))
    stranger.force_login(factories.make_person_user(factories.make_workspace("other"), Role.OWNER))
    assert viewer.get(f"{FILES}{made.public_id}/share/").status_code == 403
    assert stranger.get(f"{FILES}{made.public_id}/share/").status_code == 404
