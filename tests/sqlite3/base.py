"""SQLite, but a test's rows may be cleared away although triggers keep them.

Django empties the tables after a test that commits; the triggers that refuse every removal are put
aside for that moment. PostgreSQL truncates, which runs no row triggers.
"""

from django.db.backends.sqlite3 import base, operations

_KEPT = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name LIKE '%\\_kept' ESCAPE '\\'"


class DatabaseOperations(operations.DatabaseOperations):
    def execute_sql_flush(self, sql_list):
        with self.connection.cursor() as cursor:
            triggers = cursor.execute(_KEPT).fetchall()
            for name, _ in triggers:
                cursor.execute(f"DROP TRIGGER {name}")
            super().execute_sql_flush(sql_list)
            for _, create in triggers:
                cursor.execute(create)


class DatabaseWrapper(base.DatabaseWrapper):
    ops_class = DatabaseOperations
