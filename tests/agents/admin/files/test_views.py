"""Looking through files: folders, a file's page, where it went, previews and bringing back."""

import struct

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agents.dispatching import dispatch
from agents.models import Receipt
from inbox.models import FileNode, Role
from inbox.operations.files import create_file, delete_file, write_file
from inbox.submission_states import SubmissionState
from tests import factories

pytestmark = pytest.mark.django_db
FILES = "/admin/files/"
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + struct.pack(">II", 1, 1)


def sign_in(workspace, role) -> Client:
    client = Client()
    client.force_login(factories.make_person_user(workspace, role))
    return client


@pytest.fixture
def viewer(workspace) -> Client:
    return sign_in(workspace, Role.VIEWER)


@pytest.fixture
def file(actor, inbox) -> FileNode:
    made = create_file(
        actor=actor,
        account=inbox.account,
        path="/Offers/June/a.html",
        content=b"<script>1</script>",
    )
    return write_file(actor=actor, file=made, content=b"<p>the second offer</p>")


def place(file, *rest: str) -> str:
    return "/".join((f"{FILES}{file.public_id}", *rest, ""))


def page(client, url) -> str:
    answer = client.get(url)
    assert answer.status_code == 200
    return answer.content.decode()


def share(actor, file) -> None:
    arguments = {
        "account_id": file.account.public_id, "file_id": file.public_id,
        "to": ["ada@customer.example"], "message": "The offer",
    }  # fmt: skip
    dispatch.call("file_share", arguments, actor, "share-1")


def test_folders_lead_to_folders_and_files_and_back(viewer, file):
    folder = file.parent
    assert place(folder.parent) in page(viewer, FILES)
    assert place(file) not in page(viewer, FILES)
    text = page(viewer, place(folder))
    assert place(file) in text
    assert text.index(f"?account={file.account.public_id}") < text.index(place(folder.parent))
    assert place(folder) in page(viewer, place(file))


def test_several_accounts_have_their_own_tops(viewer, inbox, file):
    other = factories.make_inbox(inbox.workspace, "second@lantern.example")
    assert place(file.parent.parent) not in page(viewer, FILES)
    assert place(file.parent.parent) in page(viewer, f"{FILES}?account={inbox.account.public_id}")
    assert "No files yet." in page(viewer, f"{FILES}?account={other.account.public_id}")


def test_a_file_says_its_text_escaped_its_versions_and_who_wrote_them(viewer, actor, inbox, file):
    text = page(viewer, place(file))
    assert "the second offer" in text
    for number in "12":
        assert place(file, number) in text
    assert f"<bdi>{actor.name}</bdi>" in text
    hostile = create_file(
        actor=actor, account=inbox.account, path="/a.txt", content="<b>\u202ex".encode()
    )
    said = page(viewer, place(hostile)).partition('<pre class="source"')[2].partition("</pre>")[0]
    assert '&lt;b&gt;<span class="unseen">U+202E</span>x' in said


def test_a_long_text_is_cut(viewer, actor, inbox):
    made = create_file(actor=actor, account=inbox.account, path="/a.txt", content=b"word " * 9000)
    text = page(viewer, place(made))
    assert "Only the beginning is shown" in text
    assert text.count("word ") < 4100


def test_a_picture_is_shown_by_what_its_bytes_are(viewer, actor, inbox):
    png, false, svg = (
        create_file(actor=actor, account=inbox.account, path=f"/{name}", content=content)
        for name, content in (("a.png", PNG), ("b.png", b"<svg/>"), ("c.svg", PNG))
    )
    assert place(png, "1", "picture") in page(viewer, place(png))
    answer = viewer.get(place(png, "1", "picture"))
    assert (answer["Content-Type"], answer.content) == ("image/png", PNG)
    assert answer["Content-Security-Policy"].startswith("sandbox")
    assert viewer.get(place(false, "1", "picture")).status_code == 404
    assert "<img" not in page(viewer, place(svg))


def test_the_mails_that_carried_it_lead_to_what_waits(viewer, actor, file):
    assert "Not sent with a message yet." in page(viewer, place(file))
    share(actor, file)
    shared = viewer.get(place(file)).context["carried"]
    assert [(one.version, one.submission.envelope_to) for one in shared] == [
        (2, ["ada@customer.example"])
    ]
    assert viewer.get(shared[0].url).status_code == 200


def test_a_row_says_sent_only_where_its_content_left(viewer, actor, file):
    share(actor, file)
    assert "sent by mail" not in page(viewer, place(file.parent))
    sent = viewer.get(place(file)).context["carried"][0].submission
    for state in (SubmissionState.PENDING, SubmissionState.SENDING, SubmissionState.SENT):
        type(sent).objects.filter(pk=sent.pk).update(state=state, approved_sha256=sent.sha256)
    assert "sent by mail" in page(viewer, place(file.parent))


def test_what_was_deleted_comes_back_with_a_receipt(workspace, actor, file):
    delete_file(actor=actor, file=file.parent)
    reviewer = sign_in(workspace, Role.REVIEWER)
    for one in (file.parent, file):
        assert "Restore" in page(reviewer, place(one))
    assert reviewer.post(place(file.parent, "restore")).status_code == 302
    assert FileNode.objects.kept().count() == 3
    receipt = Receipt.objects.get(tool="restore_file")
    assert receipt.arguments == {"file_id": file.parent.public_id}


def test_what_cannot_come_back_says_why(workspace, actor, inbox, file):
    delete_file(actor=actor, file=file)
    create_file(actor=actor, account=inbox.account, path=file.path, content=b"other")
    answer = sign_in(workspace, Role.REVIEWER).post(place(file, "restore"), follow=True)
    assert "already exists" in answer.content.decode()
    assert not Receipt.objects.filter(tool="restore_file").exists()


def test_viewers_and_looking_bring_nothing_back(workspace, viewer, actor, file):
    delete_file(actor=actor, file=file)
    assert "Restore" not in page(viewer, place(file))
    assert viewer.post(place(file, "restore")).status_code == 403
    assert sign_in(workspace, Role.OWNER).get(place(file, "restore")).status_code == 405


def test_files_of_others_are_not_there(file):
    stranger = sign_in(factories.make_workspace(), Role.OWNER)
    for path in (place(file), place(file, "1"), place(file, "1", "picture"),
                 f"{FILES}?account={file.account.public_id}"):  # fmt: skip
        assert stranger.get(path).status_code == 404
    assert stranger.post(place(file, "restore")).status_code == 404


def test_a_folder_costs_the_same_queries_however_full_it_is(
    viewer, actor, inbox, file, django_assert_max_num_queries
):
    viewer.get(place(file.parent))
    with django_assert_max_num_queries(16) as few:
        viewer.get(place(file.parent))
    for number in range(120):
        create_file(
            actor=actor, account=inbox.account, path=f"/Offers/June/{number}.txt", content=b"x"
        )
    with django_assert_max_num_queries(len(few.captured_queries)):
        text = page(viewer, place(file.parent))
    assert "Page 1 of 2" in text
    assert place(file) not in page(viewer, f"{place(file.parent)}?p=1")


def test_the_way_leads_over_the_folders_that_are_there(viewer, actor, file):
    def folder_of(one):
        return FileNode.objects.get(pk=one.pk).parent

    def again():
        made = create_file(
            actor=actor, account=file.account, path="/Offers/June/b.txt", content=b"b"
        )
        return folder_of(made)

    first = folder_of(file)
    delete_file(actor=actor, file=first)
    second = again()
    delete_file(actor=actor, file=second)
    shown = page(viewer, place(file))
    assert place(second) in shown
    assert place(first) not in shown
    third = again()
    assert place(third) in page(viewer, place(file))


def test_a_folder_is_counted_without_looking_for_what_was_sent(viewer, file):
    with CaptureQueriesContext(connection) as queries:
        page(viewer, FILES)
    counts = [one["sql"] for one in queries.captured_queries if "COUNT(" in one["sql"]]
    assert counts
    assert not any("draftattachment" in sql for sql in counts)
