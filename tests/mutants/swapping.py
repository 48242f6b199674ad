"""Putting changed code into the functions that are there: whoever holds them, decorated or not, has it."""

import ast
import copy
import gc
import types
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from typing import Protocol

from tests.mutants.guards import ROOT, Function, Place, functions
from tests.quick import module_of

_CACHED = type(cache(len))
Marked = tuple[types.FunctionType, types.CodeType]


@cache
def source(path: str) -> ast.Module:
    """Return the tree of a file, which is not to be changed."""
    return ast.parse((ROOT / path).read_bytes())


@cache
def places(path: str) -> dict[str, tuple[Place, Function]]:
    """Return the functions of a file by their keys."""
    return {place.key: (place, node) for place, node in functions(source(path), path)}


Live = dict[tuple[str, int], list[types.FunctionType]]


def live_functions() -> Live:
    """Return every function of the project that there is, by its file's path and its first line."""
    # What somebody froze for the speed of it is among none of the objects.
    gc.unfreeze()
    found: Live = {}
    root = f"{ROOT}/"
    for one in gc.get_objects():
        # By its type: what is lazy would be made for being asked.
        if type(one) is types.FunctionType and one.__code__.co_filename.startswith(root):
            path = one.__code__.co_filename.removeprefix(root)
            found.setdefault((path, one.__code__.co_firstlineno), []).append(one)
    return found


class Cached(Protocol):
    """A function that keeps what it returned."""

    def cache_clear(self) -> None:
        """Forget all of it."""


def caches() -> dict[str, list[Cached]]:
    """Return the functions of the project that keep what they returned, by their file's path."""
    gc.unfreeze()
    found: dict[str, list[Cached]] = {}
    for one in gc.get_objects():
        if type(one) is _CACHED and type(one.__wrapped__) is types.FunctionType:
            path = one.__wrapped__.__code__.co_filename.removeprefix(f"{ROOT}/")
            found.setdefault(path, []).append(one)
    return found


def marked_codes(wanted: Iterable[Place], mark: str, live: Live) -> Iterator[Marked]:
    """Yield each live function with a code that calls `mark` with its place's key, and goes on."""
    files: dict[str, list[Place]] = {}
    for place in wanted:
        files.setdefault(place.path, []).append(place)
    for path, inside in files.items():
        tree = copy.deepcopy(source(path))
        keys = {place.key for place in inside}
        for place, node in functions(tree, path):
            if place.key in keys:
                called = ast.parse(f"{mark}({place.key!r})").body[0]
                node.body.insert(
                    0, ast.fix_missing_locations(ast.copy_location(called, node.body[0]))
                )
        codes = {
            (it.co_qualname, it.co_firstlineno): it
            for it in _codes(compile(tree, str(ROOT / path), "exec"))
        }
        for place in inside:
            code = codes[place.name, place.line]
            for one in live.get((path, place.line), []):
                if one.__code__.co_freevars == code.co_freevars:
                    yield one, code


def compiled(place: Place, changed: Function, free: tuple[str, ...]) -> types.CodeType:
    """Return the code of a function as changed, compiled as part of its module."""
    changed.body.append(_mention(free, changed.body[-1]))
    tree = _with(source(place.path), place, changed)
    module = compile(tree, str(ROOT / place.path), "exec")
    (code,) = [
        it for it in _codes(module)
        if it.co_qualname == place.name and it.co_firstlineno == place.line
    ]  # fmt: skip
    return code


def _mention(names: tuple[str, ...], after: ast.AST) -> ast.stmt:
    """Return a statement that does nothing, and keeps the function's closure as it was."""
    loaded: list[ast.expr] = [ast.Name(name, ast.Load()) for name in names]
    never = ast.If(ast.Constant(False), [ast.Expr(ast.Tuple(loaded, ast.Load()))], [])
    return ast.fix_missing_locations(ast.copy_location(never, after))


def _with(module: ast.Module, place: Place, changed: Function) -> ast.Module:
    def replaced(body: list[ast.stmt], prefix: str) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for node in body:
            if isinstance(node, ast.ClassDef) and place.name.startswith(f"{prefix}{node.name}."):
                inner = replaced(node.body, f"{prefix}{node.name}.")
                fields = {**dict(ast.iter_fields(node)), "body": inner}
                made.append(ast.copy_location(ast.ClassDef(**fields), node))
            elif (
                isinstance(node, Function)
                and prefix + node.name == place.name
                and (node.lineno == changed.lineno)
            ):
                made.append(changed)
            else:
                made.append(node)
        return made

    return ast.Module(replaced(module.body, ""), module.type_ignores)


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield inner
            yield from _codes(inner)


def swap(place: Place, changed: Function, live: Live) -> None:
    """Give each of the live functions of a place the changed code; raises KeyError for none."""
    if (place.path, place.line) not in live:
        # Only a command imports it, when it is called.
        import_module(module_of(place.path))
        live = live_functions()
    for one in live[place.path, place.line]:
        one.__code__ = compiled(place, changed, one.__code__.co_freevars)
