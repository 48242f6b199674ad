"""Every reason that the product gives is in the registry, with all that stands in its sentence."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import get_args

from inbox.classify.rules import load_rules
from inbox.formats.message_differences import Difference
from inbox.language_model.errors import CODES
from inbox.models import CorrectionRoute
from inbox.reasons.rules import ACTIONS, KINDS, OPTIONS, SIGNS
from inbox.reasons.text import SENTENCES, names_in
from project.settings import BASE_DIR

# What makes its code of a name: the test after the next knows all of their names.
PREFIXES = ("kind.", "sign.", "options.", "action.", "route_", "say_", "copy_", "model_")
# Where the code is looked up among those that stand in the module.
LOOKED_UP = {"whose[correction.scope]", "_OVER[quota.per]", "_UNITS[span[-1]]", "_BECAUSE[label]"}


@cache
def modules() -> dict[Path, str]:
    """Return every module of the product."""
    return {
        path: path.read_text(encoding="utf-8")
        for app in ("inbox", "calendar_app", "agents", "project")
        for path in sorted((BASE_DIR / app).rglob("*.py"))
    }


def gives_reasons(tree: ast.Module) -> bool:
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    return any(
        one.module == "inbox.reasons" and "say" in {name.name for name in one.names}
        for one in imports
    )


def strings_in(code: str, among: set[str]) -> set[str]:
    """Return which of these are strings of a module; most modules have none, and are not parsed."""
    if not any(f'"{name}"' in code for name in among):
        return set()
    constants = (node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Constant))
    return {node.value for node in constants if isinstance(node.value, str)} & among


def given() -> Iterator[tuple[str, ast.expr, set[str]]]:
    """Yield where a reason is given, its code, and the names of its parameters."""
    for path, code in modules().items():
        tree = ast.parse(code if "inbox.reasons" in code else "")
        for node in ast.walk(tree) if gives_reasons(tree) else ():
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "say":
                names = {str(word.arg) for word in node.keywords}
                yield f"{path.relative_to(BASE_DIR)}:{node.lineno}", node.args[0], names


def test_a_reason_is_in_the_registry_with_all_that_stands_in_it():
    places = list(given())
    assert len(places) > 140
    for where, code, names in places:
        if isinstance(code, ast.Constant):
            assert names == names_in(SENTENCES[code.value]), where
        elif isinstance(code, ast.JoinedStr):
            assert code.values[0].value in PREFIXES, where
        else:
            assert ast.unparse(code) in {*LOOKED_UP, "code"}, where


def test_all_that_is_in_the_registry_is_given_somewhere():
    unseen = {code for code in SENTENCES if not code.startswith(PREFIXES)}
    for path, code in modules().items():
        if path.name != "sentences.py" and BASE_DIR / "project" not in path.parents:
            unseen -= strings_in(code, unseen)
    assert unseen == set()


def test_what_the_rules_name_has_words_and_nothing_else_has():
    rules = load_rules()
    assert {kind.name for kind in rules.kinds} == set(KINDS)
    assert {kind.name for kind in rules.kinds if kind.tier > 2} == set(OPTIONS)
    assert {*rules.signals, "none"} == set(SIGNS)
    assert {name for kind in rules.kinds for name in kind.actions} == set(ACTIONS)
    assert {f"route_{route}" for route in CorrectionRoute.values} == {
        code for code in SENTENCES if code.startswith("route_")
    }


def test_each_way_in_which_a_copy_differs_has_words_and_nothing_else_has():
    assert {f"copy_{kind}" for kind in get_args(Difference)} == {
        code for code in SENTENCES if code.startswith("copy_")
    }


def test_each_way_in_which_a_model_says_nothing_has_words_and_nothing_else_has():
    assert {f"model_{code}" for code in CODES} == {
        code for code in SENTENCES if code.startswith("model_")
    }


def test_a_sign_names_what_was_found_or_nothing():
    for sentence in SIGNS.values():
        assert names_in(sentence) <= {"it"}, sentence


def test_what_could_be_done_names_what_is_known_of_every_message():
    for sentence in [*OPTIONS.values(), *ACTIONS.values()]:
        assert names_in(sentence) <= {"sender", "what", "when"}, sentence
