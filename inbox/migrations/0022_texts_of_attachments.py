"""What attachments say is searched; those that are here are read in the background."""

import django.db.models.deletion
import inbox.database_rules
from django.db import migrations, models
from django.utils import timezone


def begin(apps, schema_editor):
    """Enqueue the first of the jobs that read what is attached, where anything is."""
    if apps.get_model("inbox", "Attachment").objects.exists():
        apps.get_model("inbox", "Job").objects.get_or_create(
            key="search.earlier_attachments:0",
            defaults={
                "kind": "search.earlier_attachments", "payload": {"after": 0}, "priority": 9,
                "pace": 2, "run_at": timezone.now(),
            },
        )  # fmt: skip


class Migration(migrations.Migration):

    dependencies = [
        ('inbox', '0021_words_beside_files'),
    ]

    operations = [
        migrations.CreateModel(
            name='AttachmentText',
            fields=[
                ('attachment', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='said', serialize=False, to='inbox.attachment')),
                ('search_extra', models.TextField(blank=True)),
                ('text', models.TextField(blank=True)),
                ('inbox', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='inbox.inbox')),
                ('message', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='inbox.message')),
            ],
            options={
                'indexes': [models.Index(fields=['inbox', '-attachment'], name='attachment_text_newest')],
            },
        ),
        inbox.database_rules.DatabaseRules(
            sqlite=[
                "CREATE VIRTUAL TABLE inbox_attachment_search USING fts5(inbox_id, search_extra, text, content='inbox_attachmenttext', content_rowid='attachment_id', tokenize='porter unicode61 remove_diacritics 2')",
                "INSERT INTO inbox_attachment_search (inbox_attachment_search) VALUES ('rebuild')",
                'CREATE TRIGGER inbox_attachmenttext_indexed AFTER INSERT ON inbox_attachmenttext WHEN chancery_indexed_at_once() BEGIN INSERT INTO inbox_attachment_search (rowid, inbox_id, search_extra, text) VALUES (NEW.attachment_id, NEW.inbox_id, NEW.search_extra, NEW.text); END',
                "CREATE TRIGGER inbox_attachmenttext_unindexed AFTER DELETE ON inbox_attachmenttext BEGIN INSERT INTO inbox_attachment_search (inbox_attachment_search, rowid, inbox_id, search_extra, text) VALUES ('delete', OLD.attachment_id, OLD.inbox_id, OLD.search_extra, OLD.text); END",
                "CREATE TRIGGER inbox_attachmenttext_reindexed AFTER UPDATE OF inbox_id, search_extra, text ON inbox_attachmenttext BEGIN INSERT INTO inbox_attachment_search (inbox_attachment_search, rowid, inbox_id, search_extra, text) VALUES ('delete', OLD.attachment_id, OLD.inbox_id, OLD.search_extra, OLD.text); INSERT INTO inbox_attachment_search (rowid, inbox_id, search_extra, text) VALUES (NEW.attachment_id, NEW.inbox_id, NEW.search_extra, NEW.text); END",
            ],
            postgresql=[
                "ALTER TABLE inbox_attachmenttext ADD COLUMN search tsvector GENERATED ALWAYS AS (setweight(to_tsvector('english', translate(left(search_extra, 50000), '-./:@_+&<>', '          ')), 'B') || setweight(to_tsvector('english', translate(left(text, 200000), '-./:@_+&<>', '          ')), 'C')) STORED",
                'CREATE INDEX inbox_attachmenttext_search ON inbox_attachmenttext USING gin (search)',
            ],
        ),
        migrations.RunPython(begin, migrations.RunPython.noop, elidable=True),
    ]
