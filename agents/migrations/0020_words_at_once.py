"""PostgreSQL's full-text indexes take every word at once: a list of new ones slows each search."""

import inbox.database_rules
from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('agents', '0019_meanings_of_memories'),
    ]

    operations = [
        inbox.database_rules.DatabaseRules(
            sqlite=[],
            postgresql=[
                'ALTER INDEX agents_memory_search SET (fastupdate = off)',
                "SELECT gin_clean_pending_list('agents_memory_search')",
            ],
        ),
    ]
