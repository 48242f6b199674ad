"""Have the mail that is here searched by other forms of its words too, in the background."""

from django.db import migrations
from django.utils import timezone


def begin(apps, schema_editor):
    """Enqueue the first of the jobs, where there is mail; each enqueues the next."""
    if apps.get_model("inbox", "Message").objects.exists():
        apps.get_model("inbox", "Job").objects.get_or_create(
            key="search.forms:0",
            defaults={
                "kind": "search.forms", "payload": {"after": 0}, "priority": 9,
                "run_at": timezone.now(),
            },
        )  # fmt: skip


class Migration(migrations.Migration):

    dependencies = [("inbox", "0018_learned")]

    operations = [migrations.RunPython(begin, migrations.RunPython.noop, elidable=True)]
