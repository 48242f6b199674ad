"""The examples of frameworks are all tried, pinned, and on the page; `make clients` runs them."""

import re

from tests.clients.environments import ROOT, WANTED
from tests.clients.frameworks import EXAMPLES, FRAMEWORKS, names_in

PAGE = (ROOT / "docs" / "how-to" / "frameworks.md").read_text()


def test_every_example_of_a_framework_is_tried():
    files = {path.name for path in EXAMPLES.glob("*.py")} - {"setting.py"}
    assert {one.example for one in FRAMEWORKS if not one.is_node} == files


def test_every_environment_is_pinned_and_used():
    files = {path.stem for path in WANTED.glob("*.txt")}
    assert {one.environment for one in FRAMEWORKS if not one.is_node} <= files
    for path in WANTED.glob("*.txt"):
        for line in path.read_text().splitlines():
            assert re.fullmatch(r"[\w.-]+(\[[\w,-]+\])?==[\w.]+", line), (path.name, line)


def test_the_page_names_each_with_its_example_and_the_version_that_was_tried():
    for one in FRAMEWORKS:
        assert f"({one.version})" in PAGE, one.name
        assert f"../../examples/frameworks/{one.example})" in PAGE, one.name


def test_the_names_of_a_schema_are_found_wherever_they_stand():
    schema = {
        "properties": {"a": {"$ref": "#/$defs/x"}, "b": {"items": {"anyOf": [{"properties": {"d": {}}}]}}},
        "$defs": {"x": {"properties": {"c": {}}}},
    }  # fmt: skip
    assert names_in(schema) == {"a", "a/c", "b", "b/d"}
