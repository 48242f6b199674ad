"""The making of an app's tables in one step; part of the migrations."""

from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import CreateModel
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState


class CreateTables(Operation):
    """Creates the tables as they are once all of its operations are done.

    One by one, Django works out anew what all tables are that refer to each other, after every
    operation: nine tenths of the time in which a database is made.
    """

    serialization_expand_args = ["operations"]

    def __init__(self, operations: list[Operation]) -> None:
        self.operations = operations

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        """Return what the operation is written down as."""
        return type(self).__name__, [], {"operations": self.operations}

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Change what the models are, without working any of them out."""
        state.__dict__.pop("apps", None)
        for each in self.operations:
            each.state_forwards(app_label, state)

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,  # noqa: ARG002
        to_state: ProjectState,
    ) -> None:
        """Create the tables, in the order of the operations."""
        for model in self._models(app_label, schema_editor, to_state):
            schema_editor.create_model(model)

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,  # noqa: ARG002
    ) -> None:
        """Remove the tables, the last one first."""
        for model in reversed(self._models(app_label, schema_editor, from_state)):
            schema_editor.delete_model(model)

    def describe(self) -> str:
        """Return what `migrate --plan` says of it."""
        return "Create the tables"

    def _models(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, state: ProjectState
    ) -> list[Any]:
        made = [each.name for each in self.operations if isinstance(each, CreateModel)]
        models = [state.apps.get_model(app_label, name) for name in made]
        alias = schema_editor.connection.alias
        return [model for model in models if self.allow_migrate_model(alias, model)]
