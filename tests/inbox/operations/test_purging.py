"""What was deleted ends after 30 days, the oldest first and so many at a time."""

from datetime import timedelta

import pytest
from django.utils import timezone

from inbox.models import FileNode
from inbox.operations.files import create_file
from inbox.operations.purging import KEPT_FOR, purge

pytestmark = pytest.mark.django_db


@pytest.fixture
def deleted(actor, inbox):
    """Make a file that was deleted so many days more than the 30 ago."""

    def deleted(path, days):
        file = create_file(actor=actor, account=inbox.account, path=path, content=b"text")
        moment = timezone.now() - KEPT_FOR - timedelta(days=days)
        FileNode.objects.filter(pk=file.pk).update(deleted_at=moment)

    return deleted


def test_the_oldest_are_purged_first_and_so_many_at_a_time(deleted):
    for days in (1, 3, 2):
        deleted(f"/{days}", days)
    assert purge(FileNode.objects.all(), most=2) == 2
    assert list(FileNode.objects.values_list("path", flat=True)) == ["/1"]


def test_what_is_restorable_still_and_what_was_never_deleted_stays(deleted, actor, inbox):
    deleted("/restorable", -1)
    create_file(actor=actor, account=inbox.account, path="/kept", content=b"text")
    assert purge(FileNode.objects.all()) == 0
    assert purge(FileNode.objects.all(), timezone.now() + timedelta(days=2)) == 1


def test_only_the_rows_that_were_given_are_purged(deleted):
    deleted("/a", 1)
    deleted("/b", 1)
    assert purge(FileNode.objects.filter(path="/a")) == 1
    assert FileNode.objects.get().path == "/b"
