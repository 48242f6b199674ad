"""PostgreSQL's full-text indexes take every word at once: a list of new ones slows each search."""

import inbox.database_rules
from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('inbox', '0023_words_of_rows'),
    ]

    operations = [
        inbox.database_rules.DatabaseRules(
            sqlite=[],
            postgresql=[
                'ALTER INDEX inbox_message_search SET (fastupdate = off)',
                "SELECT gin_clean_pending_list('inbox_message_search')",
                'ALTER INDEX inbox_filenode_search SET (fastupdate = off)',
                "SELECT gin_clean_pending_list('inbox_filenode_search')",
                'ALTER INDEX inbox_attachmenttext_search SET (fastupdate = off)',
                "SELECT gin_clean_pending_list('inbox_attachmenttext_search')",
                'ALTER INDEX inbox_person_search SET (fastupdate = off)',
                "SELECT gin_clean_pending_list('inbox_person_search')",
            ],
        ),
    ]
