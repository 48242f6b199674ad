"""Finding in a message what a JSON Schema asks for; by rules, with nothing made up."""

from inbox.extract.extraction import extract, extract_from, read_document
from inbox.extract.found import Extraction
from inbox.extract.schemas import SchemaError, check_schema

__all__ = ["Extraction", "SchemaError", "check_schema", "extract", "extract_from", "read_document"]
