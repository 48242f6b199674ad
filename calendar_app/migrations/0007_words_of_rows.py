"""Have events indexed by their words, and those that are here by further ones in the background."""

import inbox.database_rules
from django.db import migrations, models
from django.utils import timezone


def begin(apps, schema_editor):
    """Enqueue the first of the jobs, where there are events; each enqueues the next."""
    if apps.get_model("calendar_app", "Event").objects.exists():
        apps.get_model("inbox", "Job").objects.get_or_create(
            key="search.events:0",
            defaults={
                "kind": "search.events", "payload": {"after": 0}, "priority": 9,
                "run_at": timezone.now(),
            },
        )  # fmt: skip


class Migration(migrations.Migration):

    dependencies = [
        ('calendar_app', '0006_highest_sequences'),
        ('inbox', '0023_words_of_rows'),
    ]

    operations = [
        migrations.AddField(
            model_name='event',
            name='search_extra',
            field=models.TextField(blank=True, default='', editable=False),
        ),
        inbox.database_rules.DatabaseRules(
            sqlite=[
                "CREATE VIRTUAL TABLE calendar_event_search USING fts5(calendar_id, summary, location, organizer_name, organizer, search_extra, description, content='calendar_app_event', content_rowid='id', tokenize='porter unicode61 remove_diacritics 2')",
                "INSERT INTO calendar_event_search (calendar_event_search) VALUES ('rebuild')",
                'CREATE TRIGGER calendar_app_event_indexed AFTER INSERT ON calendar_app_event BEGIN INSERT INTO calendar_event_search (rowid, calendar_id, summary, location, organizer_name, organizer, search_extra, description) VALUES (NEW.id, NEW.calendar_id, NEW.summary, NEW.location, NEW.organizer_name, NEW.organizer, NEW.search_extra, NEW.description); END',
                "CREATE TRIGGER calendar_app_event_unindexed AFTER DELETE ON calendar_app_event BEGIN INSERT INTO calendar_event_search (calendar_event_search, rowid, calendar_id, summary, location, organizer_name, organizer, search_extra, description) VALUES ('delete', OLD.id, OLD.calendar_id, OLD.summary, OLD.location, OLD.organizer_name, OLD.organizer, OLD.search_extra, OLD.description); END",
                "CREATE TRIGGER calendar_app_event_reindexed AFTER UPDATE OF calendar_id, summary, location, organizer_name, organizer, search_extra, description ON calendar_app_event WHEN OLD.calendar_id IS NOT NEW.calendar_id OR OLD.summary IS NOT NEW.summary OR OLD.location IS NOT NEW.location OR OLD.organizer_name IS NOT NEW.organizer_name OR OLD.organizer IS NOT NEW.organizer OR OLD.search_extra IS NOT NEW.search_extra OR OLD.description IS NOT NEW.description BEGIN INSERT INTO calendar_event_search (calendar_event_search, rowid, calendar_id, summary, location, organizer_name, organizer, search_extra, description) VALUES ('delete', OLD.id, OLD.calendar_id, OLD.summary, OLD.location, OLD.organizer_name, OLD.organizer, OLD.search_extra, OLD.description); INSERT INTO calendar_event_search (rowid, calendar_id, summary, location, organizer_name, organizer, search_extra, description) VALUES (NEW.id, NEW.calendar_id, NEW.summary, NEW.location, NEW.organizer_name, NEW.organizer, NEW.search_extra, NEW.description); END",
            ],
            postgresql=[
                "ALTER TABLE calendar_app_event ADD COLUMN search tsvector GENERATED ALWAYS AS (setweight(to_tsvector('english', translate(left(summary, 20000), '-./:@_+&<>', '          ')), 'A') || setweight(to_tsvector('english', translate(left(location, 20000), '-./:@_+&<>', '          ')), 'B') || setweight(to_tsvector('english', translate(left(organizer_name, 20000), '-./:@_+&<>', '          ')), 'B') || setweight(to_tsvector('english', translate(left(organizer, 20000), '-./:@_+&<>', '          ')), 'B') || setweight(to_tsvector('english', translate(left(search_extra, 20000), '-./:@_+&<>', '          ')), 'C') || setweight(to_tsvector('english', translate(left(description, 20000), '-./:@_+&<>', '          ')), 'D') || setweight(to_tsvector('simple', translate(left(summary, 20000), '-./:@_+&<>', '          ')), 'A') || setweight(to_tsvector('simple', translate(left(location, 20000), '-./:@_+&<>', '          ')), 'B') || setweight(to_tsvector('simple', translate(left(organizer_name, 20000), '-./:@_+&<>', '          ')), 'B') || setweight(to_tsvector('simple', translate(left(organizer, 20000), '-./:@_+&<>', '          ')), 'B') || setweight(to_tsvector('simple', translate(left(search_extra, 20000), '-./:@_+&<>', '          ')), 'C') || setweight(to_tsvector('simple', translate(left(description, 20000), '-./:@_+&<>', '          ')), 'D')) STORED",
                'CREATE INDEX calendar_event_search ON calendar_app_event USING gin (search)',
            ],
        ),
        migrations.RunPython(begin, migrations.RunPython.noop, elidable=True),
    ]
