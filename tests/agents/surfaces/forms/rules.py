"""What vendors of models take as tools, as rules that a test can check.

Each names where it is from. Vendors refuse the whole list for one tool that breaks one.
"""

import re
from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator

# openai-python, types/shared_params/function_definition.py: `name`.
OPENAI_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
# Answer of the API: "schema must have type 'object' and not have
# 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level" (langchain-ai/langchainjs#9804).
OPENAI_NOT_AT_ROOT = {"oneOf", "anyOf", "allOf", "enum", "not"}
# Answer of the API: "'allOf' is not permitted" within a field (makenotion/notion-mcp-server#102).
OPENAI_NOWHERE = {"allOf", "oneOf", "not", "if", "then", "else", "dependentRequired"}
# Answer of the API: "Expected a string with maximum length 1024" (getsentry/sentry-mcp#106).
OPENAI_DESCRIPTION = 1024
# Answer of the API: "Expected an array with maximum length 128" (zed-industries/zed#32946).
OPENAI_TOOLS = 128
# Structured Outputs, "Supported schemas": what stands beside these is refused in strict mode.
OPENAI_STRICT = {
    "type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf",
    "description", "title", "pattern", "format", "multipleOf", "minimum", "maximum",
    "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems",
}  # fmt: skip
OPENAI_FORMATS = {
    "date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid",
}  # fmt: skip
# The same: up to 5,000 properties, 10 levels, 120,000 characters of names and values, 1,000 values.
OPENAI_MOST = {"properties": 5000, "depth": 10, "characters": 120_000, "values": 1000}
# platform.claude.com, "Define tools": the names of tools.
ANTHROPIC_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
# platform.claude.com, "Self-hosted sandboxes": names of properties; no reference anywhere.
ANTHROPIC_PROPERTY = re.compile(r"[A-Za-z0-9_.-]{1,64}")
# Answer of the API: "input_schema does not support oneOf, allOf, or anyOf at the top level"
# (anthropics/claude-code#5319).
ANTHROPIC_NOT_AT_ROOT = {"oneOf", "allOf", "anyOf"}
# platform.claude.com, "Structured outputs": so many strict tools a request.
ANTHROPIC_STRICT_TOOLS = 20
# google-genai, types.py: `FunctionDeclaration.name`, and the names of parameters; shorter of the two
# lengths that its documentation has had.
GEMINI_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}")
GEMINI_PROPERTY = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]{0,63}")
# google-genai, types.py: `Schema`, without what the Gemini API does not know ("Unknown name
# \"additionalProperties\"", nanbingxyz/5ire#42) and what an older one did not (`default`, `title`).
GEMINI_SCHEMA = {
    "anyOf", "description", "enum", "format", "items", "maxItems", "maxLength", "maximum", "minItems",
    "minLength", "minimum", "nullable", "pattern", "properties", "required", "type",
}  # fmt: skip
GEMINI_TYPES = {"STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT"}
# Answer of the API: "only 'enum' and 'date-time' are supported for STRING type"
# (google-gemini/gemini-cli#3178).
GEMINI_FORMATS = {"enum", "date-time"}
# botocore, bedrock-runtime: `ToolName`, which botocore itself does not check.
BEDROCK_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
# Amazon Nova, "Defining a tool": what the schema may have at its root.
BEDROCK_AT_ROOT = {"type", "properties", "required"}


def parts(schema: Any, depth: int = 1) -> Iterator[tuple[dict[str, Any], int]]:
    """Yield every schema within a schema, with how deep it stands."""
    yield schema, depth
    for inner in schema.get("properties", {}).values():
        yield from parts(inner, depth + 1)
    for name in ("items", "not", "additionalProperties"):
        if isinstance(schema.get(name), dict):
            yield from parts(schema[name], depth + 1)
    for name in ("anyOf", "oneOf", "allOf", "prefixItems"):
        for inner in schema.get(name, []):
            yield from parts(inner, depth)


def breaks_openai(function: dict[str, Any]) -> Iterator[str]:
    """Yield what is wrong with a function (name, description, parameters, strict)."""
    schema = function["parameters"]
    if not OPENAI_NAME.fullmatch(function["name"]):
        yield "name"
    if not 0 < len(function["description"]) <= OPENAI_DESCRIPTION:
        yield "description"
    if schema.get("type") != "object" or "properties" not in schema:
        yield "no object at the root"
    if OPENAI_NOT_AT_ROOT & schema.keys():
        yield "composed at the root"
    for inner, depth in parts(schema):
        yield from _breaks_openai_anywhere(inner)
        if function.get("strict"):
            yield from _breaks_openai_strict(inner, depth)
    if function.get("strict"):
        yield from _breaks_sizes(schema)


def _breaks_openai_anywhere(schema: dict[str, Any]) -> Iterator[str]:
    if OPENAI_NOWHERE & schema.keys():
        yield f"{OPENAI_NOWHERE & schema.keys()}"
    if schema.get("type") == "array" and "items" not in schema:
        yield "a list without items"
    if "$ref" in schema:
        yield "a reference"


def _breaks_openai_strict(schema: dict[str, Any], depth: int) -> Iterator[str]:
    if schema.keys() - OPENAI_STRICT:
        yield f"{schema.keys() - OPENAI_STRICT}"
    if not {"type", "enum", "const", "anyOf"} & schema.keys():
        yield "no type"
    if schema.get("type") == "object":
        if schema.get("additionalProperties") is not False:
            yield "an open object"
        if set(schema.get("required", [])) != set(schema["properties"]):
            yield "an optional field"
    if schema.get("format", "date") not in OPENAI_FORMATS:
        yield "format"
    if depth > OPENAI_MOST["depth"]:
        yield "depth"


def _breaks_sizes(schema: dict[str, Any]) -> Iterator[str]:
    names = [name for inner, _ in parts(schema) for name in inner.get("properties", {})]
    values = [str(value) for inner, _ in parts(schema) for value in inner.get("enum", [])]
    found = {
        "properties": len(names), "values": len(values),
        "characters": sum(len(text) for text in [*names, *values]),
    }  # fmt: skip
    yield from (name for name, number in found.items() if number > OPENAI_MOST[name])


def breaks_anthropic(tool: dict[str, Any]) -> Iterator[str]:
    """Yield what is wrong with a tool (name, description, input_schema)."""
    schema = tool["input_schema"]
    Draft202012Validator.check_schema(schema)
    if not ANTHROPIC_NAME.fullmatch(tool["name"]):
        yield "name"
    if schema.get("type") != "object":
        yield "no object at the root"
    if ANTHROPIC_NOT_AT_ROOT & schema.keys():
        yield "composed at the root"
    for inner, _ in parts(schema):
        if {"$ref", "$defs"} & inner.keys():
            yield "a reference"
        for name in inner.get("properties", {}):
            if not ANTHROPIC_PROPERTY.fullmatch(name):
                yield f"the property {name}"


def breaks_gemini(function: dict[str, Any]) -> Iterator[str]:
    """Yield what is wrong with a function declaration."""
    if not GEMINI_NAME.fullmatch(function["name"]):
        yield "name"
    if {"parameters", "parametersJsonSchema"} <= function.keys():
        yield "two schemas"
    if "parametersJsonSchema" in function:
        Draft202012Validator.check_schema(function["parametersJsonSchema"])
    if "parameters" not in function:
        return
    if function["parameters"].get("type") != "OBJECT":
        yield "no object at the root"
    for inner, _ in parts(function["parameters"]):
        yield from _breaks_gemini_anywhere(inner)


def _breaks_gemini_anywhere(schema: dict[str, Any]) -> Iterator[str]:
    if "anyOf" in schema:
        # Answer of Vertex AI: "When using any_of, it must be the only field set."
        yield from (f"{name} beside anyOf" for name in schema.keys() - {"anyOf"})
        return
    yield from schema.keys() - GEMINI_SCHEMA
    if schema.get("type") not in GEMINI_TYPES:
        yield "type"
    # Answer of the API: "should be non-empty for OBJECT type" (agno-agi/agno#2112).
    if schema.get("type") == "OBJECT" and not schema.get("properties"):
        yield "an object without fields"
    # Answer of the API: "items: missing field" (kkrishnan90/gemini-desktop#7).
    if schema.get("type") == "ARRAY" and "items" not in schema:
        yield "a list without items"
    if "format" in schema and (
        schema["type"] != "STRING" or schema["format"] not in GEMINI_FORMATS
    ):
        yield "format"
    yield from _breaks_gemini_values(schema)


def _breaks_gemini_values(schema: dict[str, Any]) -> Iterator[str]:
    # Answer of the API: "enum only allowed for STRING type" (decolua/9router#380).
    if "enum" in schema and schema["type"] != "STRING":
        yield "enum"
    if not all(isinstance(one, str) for one in schema.get("enum", [])):
        yield "enum"
    yield from set(schema.get("required", [])) - set(schema.get("properties", {}))
    for name in schema.get("properties", {}):
        if not GEMINI_PROPERTY.fullmatch(name):
            yield f"the property {name}"


def breaks_bedrock(tool: dict[str, Any]) -> Iterator[str]:
    """Yield what is wrong with a tool of Converse's, beyond what botocore checks."""
    spec = tool["toolSpec"]
    schema = spec["inputSchema"]["json"]
    Draft202012Validator.check_schema(schema)
    if not BEDROCK_NAME.fullmatch(spec["name"]):
        yield "name"
    if schema.get("type") != "object":
        yield "no object at the root"
    yield from schema.keys() - BEDROCK_AT_ROOT
    if any("$ref" in inner for inner, _ in parts(schema)):
        yield "a reference"
