"""Files and folders as a caller meets them, and sharing one."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agents.approval import lifecycle
from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.exchange import folders
from agents.models import Approval
from inbox.background.jobs import run_due
from inbox.models import Account, Blob, FileNode, FileVersion
from inbox.operations.files import create_file
from inbox.rfc5322.parse import parse_message
from tests import factories
from tests.sending_tools import check_proposed

pytestmark = pytest.mark.django_db


@pytest.fixture
def ask(actor, inbox):
    """Call a tool about the account's files."""

    def ask(name, who=actor, key=None, **arguments):
        return call(name, {"account_id": inbox.account.public_id, **arguments}, who, key).result

    return ask


@pytest.fixture
def refuse(ask):
    """Call a tool that refuses; return its code and the field that it names."""

    def refuse(name, **arguments):
        with pytest.raises(ToolError) as refused:
            ask(name, **arguments)
        details = refused.value.details
        errors = details.get("errors", [{"pointer": details.get("pointer")}])
        return refused.value.code, errors[0]["pointer"]

    return refuse


@pytest.fixture
def put(ask, actor):
    """Put bytes at a path of the account, by way of the exchange folder."""
    numbers = iter(range(1000))

    def put(path, content=b"a,b\n"):
        local = folders.write_file(actor, f"out/{next(numbers)}", content)
        return ask("file_create", onedrive_path=path, local_file_path=local)

    return put


def names(listed):
    return [one["name"] for one in listed]


def test_a_file_comes_from_the_exchange_folder_and_goes_there(ask, put, actor):
    made = put("/Offers/June.csv")
    assert set(made) == {"id", "name", "type", "size", "modified", "download_url"}
    assert (made["name"], made["type"], made["size"]) == ("June.csv", "file", 4)
    assert made["download_url"].endswith(f"/api/v1/files/{made['id']}/content")
    got = ask("file_get", file_id=made["id"], download_path="in/june.csv")
    assert (got["saved_to"], got["_cache_status"]) == ("in/june.csv", "miss")
    assert folders.read_file(actor, "in/june.csv") == b"a,b\n"


def test_nothing_is_overwritten_on_either_side(ask, put, refuse, actor):
    made = put("/June.csv")
    assert refuse("file_get", file_id=made["id"], download_path="out/0") == (
        "conflict",
        "/download_path",
    )
    arguments = {"onedrive_path": "/JUNE.csv", "local_file_path": "out/0"}
    assert refuse("file_create", **arguments) == ("conflict", "/onedrive_path")
    arguments = {"onedrive_path": "/june.CSV/below", "local_file_path": "out/0"}
    assert refuse("file_create", **arguments) == ("conflict", "/onedrive_path")
    assert FileNode.objects.count() == 1


def test_folders_are_listed_with_what_stands_in_them_newest_first(ask, put):
    put("/a/1.txt")
    put("/A/2.txt")
    put("/b.txt")
    assert sorted(names(ask("file_list"))) == ["a", "b.txt"]
    assert (
        names(ask("file_list", path="/a"))
        == names(ask("file_list", path="/A/"))
        == ["2.txt", "1.txt"]
    )
    assert names(ask("file_list", type_filter="folders")) == ["a"]
    assert names(ask("file_list", type_filter="files")) == ["b.txt"]
    assert names(ask("file_list", path="/a", limit=1)) == ["2.txt"]
    [folder] = ask("file_list", type_filter="folders")
    assert "download_url" not in folder
    assert names(ask("file_list", folder_id=folder["id"])) == ["2.txt", "1.txt"]


def test_a_new_version_is_seen_at_once_and_the_old_one_kept(ask, put, actor):
    made = put("/June.csv")
    ask("file_list")
    folders.write_file(actor, "new", b"c\n")
    changed = ask("file_update", file_id=made["id"], local_file_path="new")
    assert (changed["id"], changed["size"]) == (made["id"], 2)
    [listed] = ask("file_list")
    assert (listed["size"], listed["_cache_status"]) == (2, "miss")
    assert [one.blob.read() for one in FileVersion.objects.order_by("number")] == [b"a,b\n", b"c\n"]
    ask("file_update", file_id=made["id"], local_file_path="new")
    assert FileVersion.objects.count() == 2


def test_the_same_bytes_are_stored_once(put):
    for number in range(3):
        put(f"/{number}.csv")
    assert Blob.objects.count() == 1


def test_a_deleted_folder_takes_what_stands_in_it_along(ask, put, refuse):
    inner = put("/a/b/c.txt")
    [folder] = ask("file_list")
    assert ask("file_delete", file_id=folder["id"], confirm=True) == {"status": "deleted"}
    assert ask("file_list") == ask("search_files", query="c.txt") == []
    assert refuse("file_get", file_id=inner["id"], download_path="x") == ("not_found", "/file_id")
    assert refuse("file_list", path="/a") == ("not_found", "/path")
    assert put("/a/b/c.txt")["id"] != inner["id"]


@pytest.mark.parametrize(
    "path",
    ["/../x", "/a/../b", "//a", "/a//b", "/a/./b", "/a\\b", "/a\x00b", "/a\u202eb", "/CON", "/nul.txt", "/a.", "/a ",
     "/e\u0301", "/a\uff0fb", "/" + "x" * 256, "/" + "/".join("abcdefghijklmnopq"), "/a:b", "/", "/a/"],
    ids=ascii,
)  # fmt: skip
def test_a_path_that_names_no_file_is_refused_by_its_field(refuse, actor, path):
    folders.write_file(actor, "x", b"x")
    arguments = {"onedrive_path": path, "local_file_path": "x"}
    assert refuse("file_create", **arguments) == ("invalid_input", "/onedrive_path")
    assert not FileNode.objects.exists()


def test_a_file_that_is_not_in_the_exchange_folder_is_not_found(refuse):
    for path, code in (("none", "not_found"), ("../../secret.key", "invalid_input")):
        arguments = {"onedrive_path": "/a", "local_file_path": path}
        assert refuse("file_create", **arguments) == (code, "/local_file_path")


@pytest.mark.parametrize("file_id", ["fil_nothing", "../x", "a b", "x" * 513, "fil_" + "0" * 60])
def test_an_id_that_is_none_is_refused(refuse, file_id):
    code, pointer = refuse("file_get", file_id=file_id, download_path="x")
    assert (code in {"not_found", "invalid_input"}, pointer) == (True, "/file_id")


def test_another_accounts_file_answers_like_one_that_does_not_exist(refuse, workspace, ask):
    other = factories.make_inbox(workspace)
    owner = factories.agent_actor(factories.make_agent(workspace, inboxes=(other,)))
    hidden = create_file(actor=owner, account=other.account, path="/canary.txt", content=b"canary")
    for name in ("file_get", "file_update", "file_delete"):
        extra = {"file_get": {"download_path": "x"}, "file_update": {"local_file_path": "x"}}.get(
            name, {"confirm": True}
        )
        assert refuse(name, file_id=hidden.public_id, **extra) == ("not_found", "/file_id")
    assert ask("search_files", query="canary") == ask("file_list") == []


def test_a_search_finds_names_and_texts_ranked_and_by_beginnings(ask, put):
    put("/notes.txt", b"The loom needs a new shuttle.\n")
    put("/Shuttle plan.txt", b"Nothing here.\n")
    put("/Gewerbe/Rechnung_2026.html", b"<p>Summe f&uuml;r den <b>Webstuhl</b></p>")
    put("/letter.eml", b"Subject: Loom\r\n\r\nThe weaver asks.\r\n")
    assert names(ask("search_files", query="shuttle")) == ["Shuttle plan.txt", "notes.txt"]
    assert names(ask("search_files", query="webst")) == ["Rechnung_2026.html"]
    assert names(ask("search_files", query="2026")) == ["Rechnung_2026.html"]
    assert names(ask("search_files", query="Gewerbe")) == ["Gewerbe"]
    assert names(ask("search_files", query="weaver asks")) == ["letter.eml"]
    assert len(ask("search_files", query="shuttle", limit=1)) == 1


@pytest.mark.parametrize(
    "query", ['"', "a AND (", "name : x", "*", "NEAR(a b)", "'; DROP TABLE x; --", "%"]
)
def test_no_character_of_a_query_has_a_meaning(ask, put, query):
    put("/notes.txt", b"plain")
    assert ask("search_files", query=query) == []


def test_words_without_spaces_are_found_by_pairs(ask, put):
    put("/見積書.txt", "機織りの見積書です。".encode())
    assert names(ask("search_files", query="見積")) == ["見積書.txt"]


def test_the_queries_of_a_list_and_a_search_do_not_grow(ask, put):
    counts = {"file_list": set(), "search_files": set()}
    for number in range(1, 25):
        put(f"/{number} loom.txt", b"loom")
        if number in {2, 10, 24}:
            for name, arguments in (("file_list", {}), ("search_files", {"query": "loom"})):
                ask(name, **arguments)
                with CaptureQueriesContext(connection) as queries:
                    ask(name, **arguments)
                counts[name].add(len(queries))
    assert [len(found) for found in counts.values()] == [1, 1]


# -- sharing ---------------------------------------------------------------------------------------
SHARE = {"to": ["ada@customer.example"], "message": "Here is June."}


def test_a_share_waits_for_a_person_and_leaves_as_a_mail_with_the_file(ask, put, reviewer):
    made = put("/Offers/June.csv")
    queued = ask("file_share", file_id=made["id"], key="k", **SHARE)
    assert queued["status"] == "queued"
    approval = Approval.objects.get()
    assert queued["approval_id"] == approval.public_id
    letter = parse_message(approval.submission.mime_bytes)
    [enclosed] = letter.attachments
    assert (enclosed.filename, enclosed.content, letter.text.strip()) == (
        "June.csv",
        b"a,b\n",
        "Here is June.",
    )
    lifecycle.approve(approval=approval, by=reviewer, sha256=approval.sha256)
    assert (
        ask("file_share", file_id=made["id"], key="k", **SHARE)["message_id"]
        == queued["message_id"]
    )


def test_a_file_is_shared_by_its_path_and_the_call_keeps_its_id(ask, put):
    made = put("/Offers/June offer.csv")
    ask("file_share", file_id="/offers/JUNE offer.csv", **SHARE)
    assert Approval.objects.get().arguments["file_id"] == made["id"]


def test_a_path_where_nothing_stands_is_answered_with_what_there_is_to_share(ask, put):
    made = put("/Offers/June.csv")
    with pytest.raises(ToolError) as refused:
        ask("file_share", file_id="/Offers", **SHARE)
    assert (refused.value.code, refused.value.details["pointer"]) == ("not_found", "/file_id")
    assert [one["id"] for one in refused.value.details["available"]] == [made["id"]]


def test_what_is_shared_is_what_was_sealed_whatever_the_file_becomes(ask, put, actor, approve):
    made = put("/June.csv")
    ask("file_share", file_id=made["id"], **SHARE)
    folders.write_file(actor, "new", b"other")
    with pytest.raises(ToolError, match="waits for a person"):
        ask("file_update", file_id=made["id"], local_file_path="new")
    proposed, overwriting = Approval.objects.order_by("pk")
    approve(overwriting)
    [enclosed] = parse_message(proposed.submission.mime_bytes).attachments
    assert enclosed.content == b"a,b\n"


def test_a_folder_is_not_shared_and_a_stranger_is_flagged(ask, put, refuse):
    made = put("/a/June.csv")
    [folder] = ask("file_list")
    assert refuse("file_share", file_id=folder["id"], **SHARE) == ("conflict", "/file_id")
    ask("file_share", file_id=made["id"], **SHARE)
    check_proposed()
    assert "new_recipient" in {risk["flag"] for risk in Approval.objects.get().risk_flags}


def test_a_file_says_with_whom_it_was_shared_once_that_has_left(ask, put, inbox, approve):
    Account.objects.filter(pk=inbox.account_id).update(undo_seconds=0)
    made = put("/offer.csv")
    put("/other.csv", b"c,d\n")
    ask("file_share", file_id=made["id"], **SHARE)
    listed = {one["name"]: one for one in ask("file_list")}
    assert "shared_with" not in listed["offer.csv"]
    approve(Approval.objects.get())
    run_due()
    listed = {one["name"]: one for one in ask("file_list")}
    assert listed["offer.csv"]["shared_with"] == SHARE["to"]
    assert "shared_with" not in listed["other.csv"]
    assert ask("search_files", query="offer")[0]["shared_with"] == SHARE["to"]
    got = ask("file_get", file_id=made["id"], download_path="in/offer.csv")
    assert got["shared_with"] == SHARE["to"]
