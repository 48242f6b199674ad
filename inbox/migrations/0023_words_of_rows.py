"""Have people indexed by their words, and those that are here by further ones in the background."""

import inbox.database_rules
from django.db import migrations, models
from django.utils import timezone


def begin(apps, schema_editor):
    """Enqueue the first of the jobs, where there are people; each enqueues the next."""
    if apps.get_model("inbox", "Person").objects.exists():
        apps.get_model("inbox", "Job").objects.get_or_create(
            key="search.people:0",
            defaults={
                "kind": "search.people", "payload": {"after": 0}, "priority": 9,
                "run_at": timezone.now(),
            },
        )  # fmt: skip


class Migration(migrations.Migration):

    dependencies = [
        ('inbox', '0022_texts_of_attachments'),
    ]

    operations = [
        migrations.AddField(
            model_name='person',
            name='search_extra',
            field=models.TextField(blank=True, default='', editable=False),
        ),
        inbox.database_rules.DatabaseRules(
            sqlite=[
                "CREATE VIRTUAL TABLE inbox_person_search USING fts5(workspace_id, fn, email, org, title, search_extra, note, content='inbox_person', content_rowid='id', tokenize='porter unicode61 remove_diacritics 2')",
                "INSERT INTO inbox_person_search (inbox_person_search) VALUES ('rebuild')",
                'CREATE TRIGGER inbox_person_indexed AFTER INSERT ON inbox_person BEGIN INSERT INTO inbox_person_search (rowid, workspace_id, fn, email, org, title, search_extra, note) VALUES (NEW.id, NEW.workspace_id, NEW.fn, NEW.email, NEW.org, NEW.title, NEW.search_extra, NEW.note); END',
                "CREATE TRIGGER inbox_person_unindexed AFTER DELETE ON inbox_person BEGIN INSERT INTO inbox_person_search (inbox_person_search, rowid, workspace_id, fn, email, org, title, search_extra, note) VALUES ('delete', OLD.id, OLD.workspace_id, OLD.fn, OLD.email, OLD.org, OLD.title, OLD.search_extra, OLD.note); END",
                "CREATE TRIGGER inbox_person_reindexed AFTER UPDATE OF workspace_id, fn, email, org, title, search_extra, note ON inbox_person WHEN OLD.workspace_id IS NOT NEW.workspace_id OR OLD.fn IS NOT NEW.fn OR OLD.email IS NOT NEW.email OR OLD.org IS NOT NEW.org OR OLD.title IS NOT NEW.title OR OLD.search_extra IS NOT NEW.search_extra OR OLD.note IS NOT NEW.note BEGIN INSERT INTO inbox_person_search (inbox_person_search, rowid, workspace_id, fn, email, org, title, search_extra, note) VALUES ('delete', OLD.id, OLD.workspace_id, OLD.fn, OLD.email, OLD.org, OLD.title, OLD.search_extra, OLD.note); INSERT INTO inbox_person_search (rowid, workspace_id, fn, email, org, title, search_extra, note) VALUES (NEW.id, NEW.workspace_id, NEW.fn, NEW.email, NEW.org, NEW.title, NEW.search_extra, NEW.note); END",
            ],
            postgresql=[
                "ALTER TABLE inbox_person ADD COLUMN search tsvector GENERATED ALWAYS AS (setweight(to_tsvector('english', translate(left(fn, 20000), '-./:@_+&<>', '          ')), 'A') || setweight(to_tsvector('english', translate(left(email, 20000), '-./:@_+&<>', '          ')), 'B') || setweight(to_tsvector('english', translate(left(org, 20000), '-./:@_+&<>', '          ')), 'B') || setweight(to_tsvector('english', translate(left(title, 20000), '-./:@_+&<>', '          ')), 'C') || setweight(to_tsvector('english', translate(left(search_extra, 20000), '-./:@_+&<>', '          ')), 'C') || setweight(to_tsvector('english', translate(left(note, 20000), '-./:@_+&<>', '          ')), 'D') || setweight(to_tsvector('simple', translate(left(fn, 20000), '-./:@_+&<>', '          ')), 'A') || setweight(to_tsvector('simple', translate(left(email, 20000), '-./:@_+&<>', '          ')), 'B') || setweight(to_tsvector('simple', translate(left(org, 20000), '-./:@_+&<>', '          ')), 'B') || setweight(to_tsvector('simple', translate(left(title, 20000), '-./:@_+&<>', '          ')), 'C') || setweight(to_tsvector('simple', translate(left(search_extra, 20000), '-./:@_+&<>', '          ')), 'C') || setweight(to_tsvector('simple', translate(left(note, 20000), '-./:@_+&<>', '          ')), 'D')) STORED",
                'CREATE INDEX inbox_person_search ON inbox_person USING gin (search)',
            ],
        ),
        migrations.RunPython(begin, migrations.RunPython.noop, elidable=True),
    ]
