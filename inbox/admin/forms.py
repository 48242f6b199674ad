"""Forms whose saving is an operation: what the operation refuses stands at the field."""

import json
from typing import Any

from django import forms
from django.db import transaction
from django.db.models import Model
from django.utils.translation import gettext as _

from inbox.admin.generic import AnyModelForm
from inbox.admin.refusals import words_of
from inbox.errors import DomainError
from inbox.formats.refusals import of_json
from inbox.models import ExtractionSchema, ReplyPolicy, Taxonomy, Workspace
from inbox.operations.activities.understanding import TAUGHT, save_version
from inbox.reasons.words import worded


class OperationForm(AnyModelForm):
    """A form that hands its values to an operation once they are clean.

    The admin holds a transaction around its form views, so that nothing is half done.
    """

    # Who acts, for the receipt; the admin sets it.
    by: Any = None

    def perform(self) -> Model:
        """Run the operation and return the row it made or changed."""
        raise NotImplementedError

    def _post_clean(self) -> None:
        super()._post_clean()  # type: ignore[misc]
        if self.errors:
            return
        try:
            with transaction.atomic():
                self.instance = self.perform()
        except DomainError as error:
            field = error.field.split("/")[0]
            self.add_error(field if field in self.fields else None, words_of(error))

    @property
    def workspace(self) -> Workspace:
        """The workspace chosen, or that of the row, which never moves."""
        chosen: Workspace = self.cleaned_data.get("workspace") or self.instance.workspace
        return chosen

    @property
    def changed_row(self) -> Any:
        """The stored row that is changed; None for a new one."""
        return self.instance if self.instance.pk else None


class VersionedForm(OperationForm):
    """What is taught, saved as its next version."""

    def perform(self) -> Model:
        """Save it."""
        model, given = self._meta.model, self.cleaned_data
        saved: Model = save_version(
            model, workspace=self.workspace, name=given["name"],
            content=given[TAUGHT[model].field], stored=self.changed_row, by=self.by,
        )  # fmt: skip
        return saved


class YamlField(forms.CharField):
    """YAML as it was written, with the line ends of a file."""

    def __init__(self) -> None:
        super().__init__(strip=False, max_length=100_000, widget=code_widget())

    def to_python(self, value: Any) -> str:
        """Return the text; browsers send CR LF."""
        return (super().to_python(value) or "").replace("\r\n", "\n")


def code_widget() -> forms.Textarea:
    """Return a wide field for YAML or JSON."""
    return forms.Textarea(attrs={"class": "code", "rows": 28, "spellcheck": "false"})


class PolicyForm(VersionedForm):
    """A reply policy in YAML."""

    source = YamlField()

    class Meta:
        model = ReplyPolicy
        fields = ("workspace", "name", "source")


class TaxonomyForm(VersionedForm):
    """A taxonomy in YAML."""

    source = YamlField()

    class Meta:
        model = Taxonomy
        fields = ("workspace", "name", "source")


class SchemaField(forms.JSONField):
    """JSON as people write it; an error names its line."""

    def to_python(self, value: Any) -> Any:
        """Return the value."""
        try:
            return super().to_python(value)
        except forms.ValidationError as error:
            raise forms.ValidationError(_where_json_ends(str(value))) from error


def _where_json_ends(text: str) -> str:
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        said = {"line": error.lineno, "words": worded(of_json(error))}
        return _("line %(line)s: this is not JSON (%(words)s).") % said
    except RecursionError:
        pass
    return _("This is not JSON.")


class SchemaForm(VersionedForm):
    """A JSON Schema to fill in."""

    class Meta:
        model = ExtractionSchema
        fields = ("workspace", "name", "schema")
        field_classes = {"schema": SchemaField}
        widgets = {"schema": code_widget()}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if isinstance(field := self.fields.get("schema"), forms.JSONField):
            field.encoder = IndentedEncoder

    def clean_schema(self) -> dict[str, Any]:
        """Take objects only."""
        schema = self.cleaned_data["schema"]
        if not isinstance(schema, dict):
            raise forms.ValidationError(_("A schema must be a JSON object."))
        return schema


class IndentedEncoder(json.JSONEncoder):
    """Writes JSON for people."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{**options, "indent": 2, "ensure_ascii": False})
