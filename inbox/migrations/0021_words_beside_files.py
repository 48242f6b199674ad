"""Have the files that are here searched by other forms of their words too, in the background."""

from django.db import migrations
from django.utils import timezone


def begin(apps, schema_editor):
    """Enqueue the first of the jobs, where there are files; each enqueues the next."""
    if apps.get_model("inbox", "FileNode").objects.exists():
        apps.get_model("inbox", "Job").objects.get_or_create(
            key="search.files:0",
            defaults={
                "kind": "search.files", "payload": {"after": 0}, "priority": 9,
                "run_at": timezone.now(),
            },
        )  # fmt: skip


class Migration(migrations.Migration):

    dependencies = [("inbox", "0020_meanings_of_messages")]

    operations = [migrations.RunPython(begin, migrations.RunPython.noop, elidable=True)]
