"""PostgreSQL, but a test's rows are removed from the tables that have any.

Django truncates all tables after a test that commits, which gives each of them, and of their
indexes, a new file on the disk: most tests take less time than that.
"""

from django.db.backends.postgresql import base, creation, operations

from tests.filled_tables import filled

# As in truncating, neither the triggers that keep rows nor those of references are asked.
_UNASKED = "SET LOCAL session_replication_role = replica"
_ASKED = "SET LOCAL session_replication_role = DEFAULT"


class DatabaseOperations(operations.DatabaseOperations):
    def sql_flush(self, style, tables, *, reset_sequences=False, allow_cascade=False):
        if reset_sequences or not self._may_leave_triggers_unasked():
            return super().sql_flush(
                style, tables, reset_sequences=reset_sequences, allow_cascade=allow_cascade
            )
        removals = [
            f"DELETE FROM {self.quote_name(table)}" for table in filled(self.connection, tables)
        ]
        return [_UNASKED, *removals, _ASKED] if removals else []

    def _may_leave_triggers_unasked(self):
        with self.connection.cursor() as cursor:
            cursor.execute("SELECT rolsuper FROM pg_roles WHERE rolname = current_user")
            return cursor.fetchone()[0]


class DatabaseCreation(creation.DatabaseCreation):
    def _destroy_test_db(self, test_database_name, verbosity):
        """Remove it though a thread or a process of the run is still connected."""
        name = self.connection.ops.quote_name(test_database_name)
        with self._nodb_cursor() as cursor:
            cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")


class DatabaseWrapper(base.DatabaseWrapper):
    ops_class = DatabaseOperations
    creation_class = DatabaseCreation
