"""The client's source: fresh, whole, and strict for whoever uses it."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

import chancery_client
from agents.contracts import REGISTRY
from agents.management.client.modules import FOLDER, find_stale, modules, write
from agents.management.client.shapes import Shapes, class_name, docstring
from project.settings import BASE_DIR
from tests.cases import in_one_test
from tests.test_architecture import long_functions

PACKAGE = Path(chancery_client.__file__).parent
USER = """
from chancery_client import AsyncChancery, Chancery, Held

def work(chancery: Chancery) -> str:
    page = chancery.mail.list_threads(inbox_id="inb_1", status="open")
    first: str = page["threads"][0]["id"]
    sent = chancery.mail.send_reply(thread_id=first, body_or_draft_id="Thanks.")
    if isinstance(sent, Held):
        return chancery.wait_for_decision(sent)["state"]
    return sent["message_id"]

async def awaited(chancery: AsyncChancery) -> str:
    return (await chancery.house.get_current_time())["utc"]
"""
WRONG = """
from chancery_client import Chancery

def work(chancery: Chancery) -> None:
    chancery.mail.list_threads(inbox_id=7)
    chancery.mail.list_threads(inbox_id="inb_1", status="shut")
    chancery.mail.list_threads(inbox_id="inb_1")["thread"]
    chancery.mail.list_threads()
    chancery.mail.send_reply(thread_id="t", body_or_draft_id="b")["message_id"]
"""


def test_the_client_is_as_the_declarations_have_it():
    assert find_stale(Path(BASE_DIR)) == []


def test_what_is_stale_is_named_and_written_and_what_is_gone_is_removed(tmp_path, settings):
    settings.BASE_DIR = tmp_path
    with pytest.raises(CommandError, match=r"sync/mail\.py"):
        call_command("reference", "--check")
    write(tmp_path)
    assert find_stale(tmp_path) == []
    (tmp_path / FOLDER / "sync" / "old.py").write_text("")
    (tmp_path / FOLDER / "sync" / "mail.py").write_text("changed")
    assert write(tmp_path) == ["sync/mail.py", "sync/old.py"]
    assert find_stale(tmp_path) == []


def test_each_tool_is_a_method_of_both_clients():
    for way, kind in (("sync", ast.FunctionDef), ("asynchronous", ast.AsyncFunctionDef)):
        trees = [ast.parse(text) for name, text in modules().items() if name.startswith(f"{way}/")]
        found = {node.name for tree in trees for node in ast.walk(tree) if type(node) is kind}
        assert found - {"__init__"} == {tool.name.replace(".", "_") for tool in REGISTRY.tools}


def test_the_files_keep_to_their_limits():
    for path in PACKAGE.rglob("*.py"):
        assert len(path.read_text().splitlines()) < 400, path
        if "generated" not in path.parts:
            assert long_functions(path) == [], path


@in_one_test(
    ("schema", "kind"),
    [
        ({"type": "string"}, "str"),
        ({}, "Any"),
        ({"const": True}, "Literal[True]"),
        ({"enum": ["a", None, 1]}, 'Literal["a", None, 1]'),
        ({"type": ["string", "null"]}, "str | None"),
        ({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}, "str | list[str]"),
        ({"anyOf": [{"type": "string"}, {}]}, "Any"),
        ({"type": "array", "items": {"type": "array", "items": {}}}, "list[list[Any]]"),
        ({"type": "object"}, "dict[str, Any]"),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "dict[str, int]"),
        ({"type": "object", "properties": {"a": {"type": "null"}}}, "Name"),
    ],
)  # fmt: skip
def test_a_schema_has_its_type_in_python(schema, kind):
    assert Shapes().type_of(schema, "Name", {}) == kind


def test_the_same_object_has_one_name_and_another_has_another():
    shapes = Shapes()
    one, other = ({"type": "object", "properties": {name: {}}} for name in "ab")
    assert shapes.type_of(one, "Name", {}) == "Name"
    assert shapes.type_of(other, "Name", {}) == "Name2"
    assert shapes.type_of(one, "Other", {}) == "Name"


def test_a_field_that_is_no_name_is_a_key():
    shapes = Shapes()
    shapes.type_of({"type": "object", "properties": {"from": {"type": "string"}}}, "Mail", {})
    made = {}
    exec(f"from typing import NotRequired, TypedDict\n{shapes.blocks['Mail']}", made)
    assert made["Mail"].__optional_keys__ == {"from"}


@in_one_test("words", ['Say """this"""', "a \\ b", 'It is "quoted"', "x" * 200, "y " * 100, ""])
def test_whatever_is_said_of_a_field_is_a_docstring(words):
    source = "\n".join(docstring(words.strip(), "    ")) or "    pass"
    tree = ast.parse(f"class A:\n    a: int\n{source}\n")
    assert len(tree.body) == 1


def test_names_of_classes():
    assert class_name("google_tasks_service.create", "answer") == "GoogleTasksServiceCreateAnswer"


def test_it_is_strict_for_whoever_uses_it(tmp_path):
    (tmp_path / "user.py").write_text(USER)
    (tmp_path / "wrong.py").write_text(WRONG)
    # What was checked before and is the same is read from there: the standard library, and the client.
    kept = BASE_DIR / ".pytest_cache" / "mypy"
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", f"--cache-dir={kept}"]
    done = subprocess.run(
        [*command, "user.py", "wrong.py"], cwd=tmp_path, env={"MYPYPATH": str(PACKAGE.parent)},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    lines = [line for line in done.stdout.splitlines() if "error:" in line]
    assert [line for line in lines if not line.startswith("wrong.py")] == []
    assert sorted({int(line.split(":")[1]) for line in lines}) == [5, 6, 7, 8, 9]
