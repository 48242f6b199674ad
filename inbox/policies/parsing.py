"""Reading a policy from YAML, with errors that name the line and the field."""

from inbox.formats.yaml_source import SourceError as PolicyError
from inbox.formats.yaml_source import read_source
from inbox.policies.fields import PolicyFields
from inbox.reasons import phrase as _

__all__ = ["PolicyError", "read_fields"]


def read_fields(source: str) -> PolicyFields:
    """Return the fields of a policy; raises PolicyError."""
    return read_source(source, PolicyFields, _("a policy"))
