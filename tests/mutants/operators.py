"""What a mutant is: one function with one thing changed.

Words for people are left as they are (a text with a space in it, what is logged, an f-string), and so
are the steps of a query that only say how rows are fetched.
"""

import ast
import copy
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from tests.mutants.guards import Function

Path = tuple[str | int, ...]
Change = tuple[Path, ast.AST | list[ast.AST]]

_COMPARED = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE,
    ast.GtE: ast.Gt, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_COUNTED = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult,
    ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr, ast.Mod: ast.Mult, ast.Pow: ast.Mult,
}  # fmt: skip
_SAID = {"exception", "warning", "info", "error", "debug"}
_KEEPING = {"filter", "exclude", "kept", "visible_to", "order_by", "distinct", "get"}
_OWNER = re.compile(r"(\w+__)?workspace(_id)?(__in)?")


@dataclass(frozen=True)
class Mutant:
    """A function to be changed in one place, and what the change is in words."""

    original: Function
    path: Path
    changed: ast.AST
    was: str
    now: str
    nth: int = 0

    @property
    def function(self) -> Function:
        """A copy of the function, changed."""
        whole = copy.deepcopy(self.original)
        _put(whole, self.path, self.changed)
        return ast.fix_missing_locations(whole)

    @property
    def words(self) -> str:
        """The change as it stands in lists: `was → now`, with its number where there are several."""
        again = f" #{self.nth + 1}" if self.nth else ""
        return f"{self.was} → {self.now}{again}"


# -- what may become of a node -----------------------------------------------------------------------
def _of_compare(node: ast.Compare) -> Iterator[ast.AST]:
    for index, operator in enumerate(node.ops):
        changed = copy.deepcopy(node)
        changed.ops[index] = _COMPARED[type(operator)]()
        yield changed


def _of_boolop(node: ast.BoolOp) -> Iterator[ast.AST]:
    yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    for index in range(len(node.values)):
        left = [it for number, it in enumerate(node.values) if number != index]
        yield left[0] if len(left) == 1 else ast.BoolOp(node.op, left)


def _of_binop(node: ast.BinOp) -> Iterator[ast.AST]:
    of_text = any(isinstance(it, ast.Constant | ast.JoinedStr) and not _is_number(it)
                  for it in (node.left, node.right))  # fmt: skip
    if type(node.op) in _COUNTED and not of_text:
        yield ast.BinOp(node.left, _COUNTED[type(node.op)](), node.right)


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)


def _of_constant(node: ast.Constant) -> Iterator[ast.AST]:
    match node.value:
        case bool(value):
            yield ast.Constant(not value)
        case int(value) | float(value):
            yield ast.Constant(value + 1)
        case str(value) if " " not in value:
            yield ast.Constant(f"{value}XX")


def _of_condition(node: ast.If | ast.While | ast.IfExp) -> Iterator[ast.AST]:
    if isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not):
        return
    changed = copy.copy(node)
    changed.test = ast.UnaryOp(ast.Not(), node.test)
    yield changed


def _of_comprehension(node: ast.comprehension) -> Iterator[ast.AST]:
    for index in range(len(node.ifs)):
        changed = copy.copy(node)
        changed.ifs = [it for number, it in enumerate(node.ifs) if number != index]
        yield changed


def _of_several(node: ast.List | ast.Tuple | ast.Set) -> Iterator[ast.AST]:
    if isinstance(getattr(node, "ctx", None), ast.Store) or len(node.elts) < 2:
        return
    for index in range(len(node.elts)):
        changed = copy.copy(node)
        changed.elts = [it for number, it in enumerate(node.elts) if number != index]
        yield changed


def _of_call(node: ast.Call) -> Iterator[ast.AST]:
    for index in range(len(node.keywords)):
        changed = copy.copy(node)
        changed.keywords = [it for number, it in enumerate(node.keywords) if number != index]
        yield changed
    match node.func:
        case ast.Name("min" | "max" as name):
            changed = copy.copy(node)
            changed.func = ast.Name("max" if name == "min" else "min", ast.Load())
            yield changed
        case ast.Attribute(value=before, attr=step) if step in _KEEPING and step != "get":
            yield _all_of(before)


def _all_of(rows: ast.expr) -> ast.expr:
    return ast.Call(ast.Attribute(rows, "all", ast.Load()), [], [])


def _of_return(node: ast.Return) -> Iterator[ast.AST]:
    if node.value is not None and not isinstance(node.value, ast.Constant):
        yield ast.Return(ast.Constant(None))
    elif isinstance(node.value, ast.Constant) and node.value.value is None:
        yield ast.Return(ast.Constant(True))


def _left_out(node: ast.stmt) -> Iterator[ast.AST]:
    if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
        yield ast.Pass()


def _of_assignment(node: ast.Assign) -> Iterator[ast.AST]:
    if not isinstance(node.value, ast.Constant) and not isinstance(node.targets[0], ast.Tuple):
        yield ast.Assign(node.targets, ast.Constant(None))


_OPERATORS: dict[type[ast.AST], Callable[..., Iterator[ast.AST]]] = {
    ast.Compare: _of_compare, ast.BoolOp: _of_boolop, ast.BinOp: _of_binop,
    ast.Constant: _of_constant, ast.If: _of_condition, ast.While: _of_condition,
    ast.IfExp: _of_condition, ast.comprehension: _of_comprehension, ast.List: _of_several,
    ast.Tuple: _of_several, ast.Set: _of_several, ast.Call: _of_call, ast.Return: _of_return,
    ast.Expr: _left_out, ast.Raise: _left_out, ast.AugAssign: _left_out, ast.Continue: _left_out,
    ast.Assign: _of_assignment,
    ast.UnaryOp: lambda node: iter([node.operand] if isinstance(node.op, ast.Not) else []),
}  # fmt: skip


def mutations(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what may become of a node."""
    yield from _OPERATORS.get(type(node), lambda _: iter(()))(node)


def without_owner(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a query without the step, or the condition, that keeps the rows to their owner."""
    match node:
        case ast.Call(func=ast.Attribute(value=before, attr="visible_to")):
            yield _all_of(before)
        case ast.Call(func=ast.Attribute(attr="filter" | "get")):
            rest = [it for it in node.keywords if not _OWNER.fullmatch(it.arg or "")]
            if len(rest) < len(node.keywords):
                yield ast.Call(node.func, node.args, rest)


# -- a function with one of its nodes changed ----------------------------------------------------------
def mutants(
    function: Function, change: Callable[[ast.AST], Iterator[ast.AST]] = mutations
) -> Iterator[Mutant]:
    """Yield the function with each change made, one at a time; annotations and defaults stay."""
    seen: dict[tuple[str, str], int] = {}
    for path, node in _nodes(function.body, ("body",)):
        for changed in change(node):
            ast.fix_missing_locations(ast.copy_location(changed, node))
            words = _words(node, changed)
            seen[words] = seen.get(words, -1) + 1
            yield Mutant(function, path, changed, *words, seen[words])


def _nodes(value: object, path: Path) -> Iterator[tuple[Path, ast.AST]]:
    if isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _nodes(inner, (*path, index))
    elif isinstance(value, ast.AST) and not _is_said(value):
        yield path, value
        for name in _parts(value):
            yield from _nodes(getattr(value, name), (*path, name))


def _parts(node: ast.AST) -> Iterable[str]:
    # A docstring, an annotation and a key of a pattern are no behaviour.
    skipped = {"annotation", "returns", "decorator_list", "ctx", "args" if _takes(node) else ""}
    return [name for name in node._fields if name not in skipped]


def _takes(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)


def _is_said(node: ast.AST) -> bool:
    """Return True for what is only words: a docstring, a line of the log, a text that is put together."""
    match node:
        case ast.Expr(value=ast.Constant()) | ast.JoinedStr():
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name("log"), attr=attr))):
            return attr in _SAID
    return False


def _put(whole: ast.AST, path: Path, changed: ast.AST) -> None:
    owner: object = whole
    for step in path[:-1]:
        owner = owner[step] if isinstance(step, int) else getattr(owner, step)  # type: ignore[index]
    last = path[-1]
    if isinstance(last, int):
        owner[last] = changed  # type: ignore[index]
    else:
        setattr(owner, last, changed)


def _words(node: ast.AST, changed: ast.AST) -> tuple[str, str]:
    """Return both in a line, shortened to where they differ."""
    was, now = (_line(it) for it in (node, changed))
    if isinstance(node, ast.If | ast.While):
        return f"if {_line(node.test)}", f"if not ({_line(node.test)})"
    same = 0
    while same < min(len(was), len(now)) and was[same] == now[same]:
        same += 1
    begin = max(0, same - 40)
    return (("…" if begin else "") + was[begin:][:110], ("…" if begin else "") + now[begin:][:110])


def _line(node: ast.AST) -> str:
    if isinstance(node, ast.comprehension):
        node = ast.GeneratorExp(ast.Name("…"), [node])
    return " ".join(ast.unparse(node).split())
