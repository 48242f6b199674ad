"""Forms whose saving is an operation: what the operation refuses stands at the field."""

import json
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Model

from inbox.admin.generic import AnyModelForm
from inbox.errors import DomainError, invalid
from inbox.models import ExtractionSchema, Membership, ReplyPolicy, Taxonomy, Workspace
from inbox.operations.understanding import save_policy, save_schema, save_taxonomy


class OperationForm(AnyModelForm):
    """A form that hands its values to an operation once they are clean.

    The admin holds a transaction around its form views, so that nothing is half done.
    """

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
            accepted = f" Accepted: {error.accepted}." if error.accepted else ""
            words = f"{error.message.rstrip('.')}.{accepted}"
            self.add_error(field if field in self.fields else None, words)

    @property
    def workspace(self) -> Workspace:
        """The workspace chosen, or that of the row, which never moves."""
        chosen: Workspace = self.cleaned_data.get("workspace") or self.instance.workspace
        return chosen

    @property
    def changed_row(self) -> Any:
        """The stored row that is changed; None for a new one."""
        return self.instance if self.instance.pk else None


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


class PolicyForm(OperationForm):
    """A reply policy in YAML."""

    source = YamlField()

    class Meta:
        model = ReplyPolicy
        fields = ("workspace", "name", "source")

    def perform(self) -> Model:
        """Save it as its next version."""
        return save_policy(
            workspace=self.workspace, name=self.cleaned_data["name"],
            source=self.cleaned_data["source"], policy=self.changed_row,
        )  # fmt: skip


class TaxonomyForm(OperationForm):
    """A taxonomy in YAML."""

    source = YamlField()

    class Meta:
        model = Taxonomy
        fields = ("workspace", "name", "source")

    def perform(self) -> Model:
        """Save it as its next version."""
        return save_taxonomy(
            workspace=self.workspace, name=self.cleaned_data["name"],
            source=self.cleaned_data["source"], taxonomy=self.changed_row,
        )  # fmt: skip


class SchemaForm(OperationForm):
    """A JSON Schema to fill in."""

    class Meta:
        model = ExtractionSchema
        fields = ("workspace", "name", "schema")
        widgets = {"schema": code_widget()}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if isinstance(field := self.fields.get("schema"), forms.JSONField):
            field.encoder = IndentedEncoder

    def clean_schema(self) -> dict[str, Any]:
        """Take objects only."""
        schema = self.cleaned_data["schema"]
        if not isinstance(schema, dict):
            raise forms.ValidationError("A schema is a JSON object.")
        return schema

    def perform(self) -> Model:
        """Save it as its next version."""
        return save_schema(
            workspace=self.workspace, name=self.cleaned_data["name"],
            schema=self.cleaned_data["schema"], stored=self.changed_row,
        )  # fmt: skip


class IndentedEncoder(json.JSONEncoder):
    """Writes JSON for people."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{**options, "indent": 2, "ensure_ascii": False})


class MembershipForm(OperationForm):
    """Who belongs to a workspace; people are named, so that no list of everybody is shown."""

    username = forms.CharField(max_length=150, help_text="Of somebody who can sign in.")

    class Meta:
        model = Membership
        fields = ("workspace", "username", "role")

    def perform(self) -> Model:
        """Add the person, or change what they may do."""
        if self.changed_row is not None:
            self.instance.save(update_fields=["role"])
            return self.instance  # type: ignore[no-any-return]
        name = self.cleaned_data["username"]
        person = User.objects.filter(username=name, is_active=True).first()
        if person is None:
            raise invalid("username", f"Nobody signs in as {name!r}.")
        membership, is_new = Membership.objects.get_or_create(
            user=person, workspace=self.workspace, defaults={"role": self.cleaned_data["role"]}
        )
        if not is_new:
            raise DomainError("conflict", f"{name} is there already.", field="username")
        return membership
