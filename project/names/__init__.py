"""What rows, their fields and choices are called, in the reader's language."""

from collections.abc import Iterable
from typing import Any

from django.apps import apps
from django.db.models import Field, Model

from project.names.choices import CHOICES
from project.names.fields import FIELDS
from project.names.models import MODELS

APPS = ("inbox", "calendar_app", "agents")


def name_models() -> None:
    """Give the models their names for readers; what is stored, and migrations, stay as they are."""
    for label in APPS:
        config = apps.get_app_config(label)
        config.verbose_name = MODELS.get(str(config.verbose_name), config.verbose_name)
        for model in config.get_models():
            _name(model)


def _name(model: type[Model]) -> None:
    options = model._meta
    options.verbose_name = MODELS.get(str(options.verbose_name), options.verbose_name)
    plural = options.verbose_name_plural
    options.verbose_name_plural = MODELS.get(str(plural), plural)
    for field in options.local_fields + options.local_many_to_many:
        field.verbose_name = FIELDS.get(str(field.verbose_name), field.verbose_name)
        if field.choices:
            field.choices = list(_named(field))


def _named(field: "Field[Any, Any]") -> Iterable[tuple[Any, Any]]:
    for code, label in field.flatchoices:
        yield code, CHOICES.get(str(label), label)
