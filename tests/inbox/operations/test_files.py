"""Files in the database: paths, versions, deleting, restoring, purging, and who may."""

import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from inbox.errors import DomainError
from inbox.models import Blob, FileNode, FileVersion
from inbox.operations import files
from inbox.operations.files import (
    create_file,
    create_folder,
    delete_file,
    purge_deleted_files,
    restore_file,
    write_file,
)
from inbox.search.files import find_files
from tests import factories

LATER = timedelta(days=31)
db = pytest.mark.django_db


@pytest.fixture
def put(actor, inbox):
    def put(path="/a/b/c.txt", content=b"text"):
        return create_file(actor=actor, account=inbox.account, path=path, content=content)

    return put


@db
def test_folders_on_the_way_are_made_once_whatever_their_case(put):
    put()
    put("/A/B/d.txt")
    assert list(FileNode.objects.order_by("path").values_list("path", flat=True)) == [
        "/a", "/a/b", "/a/b/c.txt", "/a/b/d.txt",
    ]  # fmt: skip


@db
def test_a_folder_is_made_and_never_twice(actor, inbox):
    create_folder(actor=actor, account=inbox.account, path="/a/b")
    with pytest.raises(DomainError, match="already exists"):
        create_folder(actor=actor, account=inbox.account, path="/A/B")
    with pytest.raises(DomainError, match="No folder is named"):
        create_folder(actor=actor, account=inbox.account, path="/")


@db
def test_a_folder_has_no_content(put, actor):
    with pytest.raises(DomainError, match="no content"):
        write_file(actor=actor, file=put().parent, content=b"x")


@db
def test_versions_have_an_end(put, actor, monkeypatch):
    monkeypatch.setattr(files, "MOST_VERSIONS", 2)
    made = write_file(actor=actor, file=put(), content=b"2")
    with pytest.raises(DomainError, match="versions"):
        write_file(actor=actor, file=made, content=b"3")


@db
def test_what_was_deleted_before_its_folder_stays_deleted(put, actor):
    first, second = put("/a/1"), put("/a/2")
    delete_file(actor=actor, file=first)
    delete_file(actor=actor, file=second.parent)
    with pytest.raises(DomainError, match="Restore the folder first"):
        restore_file(actor=actor, file=second)
    restore_file(actor=actor, file=second.parent)
    assert {node.path for node in FileNode.objects.kept()} == {"/a", "/a/2"}


@db
def test_nothing_is_restored_onto_what_stands_there_by_now(put, actor):
    old = put("/a")
    delete_file(actor=actor, file=old)
    put("/A")
    with pytest.raises(DomainError, match="already exists"):
        restore_file(actor=actor, file=old)


@db
def test_a_folder_whose_name_begins_like_anothers_is_left_alone(put, actor):
    put("/ab/1")
    put("/a_/1")
    folder = put("/a/1").parent
    delete_file(actor=actor, file=folder)
    assert FileNode.objects.kept().count() == 4


@db
def test_what_was_deleted_is_purged_after_30_days_and_shared_bytes_stay(put, actor):
    gone, kept = put("/gone"), put("/kept")
    delete_file(actor=actor, file=gone)
    assert purge_deleted_files(timezone.now() + timedelta(days=29)) == 0
    assert purge_deleted_files(timezone.now() + LATER) == 1
    assert list(FileNode.objects.all()) == [kept]
    assert kept.blob.read() == b"text"
    assert FileVersion.objects.count() == Blob.objects.count() == 1


@db
def test_a_purged_folder_takes_nothing_along_that_is_not_due(put, actor):
    file = put()
    delete_file(actor=actor, file=file.parent.parent)
    assert purge_deleted_files(timezone.now() + LATER) == 3
    assert purge_deleted_files(timezone.now() + LATER) == 0


@db
def test_who_was_not_granted_the_account_changes_nothing(put, workspace):
    made = put()
    other = factories.make_inbox(workspace)
    stranger = factories.agent_actor(factories.make_agent(workspace, inboxes=(other,)))
    for action in (delete_file, restore_file):
        with pytest.raises(DomainError):
            action(actor=stranger, file=made)
    with pytest.raises(DomainError):
        write_file(actor=stranger, file=made, content=b"x")
    assert find_files(actor=stranger, accounts=[made.account], query="text") == []


@db
def test_the_index_follows_every_change(put, actor, inbox):
    made = put("/a.txt", b"alpha")

    def found(query):
        return [
            hit.file.pk for hit in find_files(actor=actor, accounts=[inbox.account], query=query)
        ]

    assert found("alpha") == [made.pk]
    write_file(actor=actor, file=made, content=b"beta")
    assert (found("alpha"), found("beta")) == ([], [made.pk])
    delete_file(actor=actor, file=made)
    assert found("beta") == []
    restore_file(actor=actor, file=made)
    assert found("beta") == [made.pk]
    delete_file(actor=actor, file=made)
    purge_deleted_files(timezone.now() + LATER)
    assert found("beta") == []


@db
def test_more_and_rarer_words_rank_higher_where_nothing_has_them_all(put, actor, inbox):
    put("/1.txt", b"loom")
    best = put("/2.txt", b"loom shuttle")
    hits = find_files(actor=actor, accounts=[inbox.account], query="loom shuttle nothing")
    assert hits[0].file == best
    assert all(hit.score > 0 for hit in hits)


@db
def test_what_has_some_of_many_words_is_found_behind_what_has_them_all(put, actor, inbox):
    put("/1.txt", b"loom shuttle")
    put("/2.txt", b"loom loom loom")
    asked = {"actor": actor, "accounts": [inbox.account], "query": "loom shuttle"}
    assert [hit.file.name for hit in find_files(**asked)] == ["1.txt", "2.txt"]
    assert len(find_files(**asked, is_text=True)) == 2


@pytest.mark.django_db(transaction=True)
def test_of_many_writers_of_one_path_one_has_it(actor, inbox):
    outcomes = []

    def write(number):
        try:
            create_file(
                actor=actor, account=inbox.account, path="/a/one.txt", content=b"%d" % number
            )
            outcomes.append("made")
        except DomainError as error:
            outcomes.append(error.code)
        except Exception as error:  # noqa: BLE001
            outcomes.append(repr(error))
        finally:
            connection.close()

    writers = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert sorted(outcomes) == ["conflict"] * 7 + ["made"]
