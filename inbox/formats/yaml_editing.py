"""Changing single values of a YAML text: every other line, and every comment, stays as it is."""

import re
from typing import Any, TypeAlias

import yaml

Value: TypeAlias = str | int | list[str]
_PLAIN = re.compile(r"[A-Za-z_][\w.-]*")
_LISTED = re.compile(r"\s*- ")
# Plain words that YAML reads as something else.
_NO_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})


def set_value(source: str, path: tuple[str, ...], value: Value) -> str:
    """Return the text with another value at a path of one or two keys; put there where it is none.

    Raises ValueError where the text is written in a way in which it cannot be changed by itself.
    """
    wanted = _expected(source, path, value)
    root = yaml.compose(source, Loader=yaml.SafeLoader)
    if root is None or _is_null(root):
        changed = _appended(source, path, value)
    elif not isinstance(root, yaml.MappingNode):
        raise ValueError("it is no mapping")
    else:
        changed = _changed(source, root, path, value)
    try:
        read = yaml.safe_load(changed)
    except yaml.YAMLError as error:
        raise ValueError("it cannot be changed by itself") from error
    if read != wanted:
        raise ValueError("it cannot be changed by itself")
    return changed


def _expected(source: str, path: tuple[str, ...], value: Value) -> Any:
    """Return what the changed text has to say."""
    try:
        whole = yaml.safe_load(source) or {}
    except yaml.YAMLError as error:
        raise ValueError("it cannot be read") from error
    if not isinstance(whole, dict):
        raise ValueError("it is no mapping")  # noqa: TRY004 - a person wrote it
    place = whole
    for key in path[:-1]:
        if place.get(key) is None:
            place[key] = {}
        place = place[key]
        if not isinstance(place, dict):
            raise ValueError(f"{key} is no mapping")  # noqa: TRY004 - a person wrote it
    place[path[-1]] = value
    return whole


def _changed(source: str, root: yaml.MappingNode, path: tuple[str, ...], value: Value) -> str:
    found = _find(root, path[0])
    if found is None:
        return _appended(source, path, value)
    key, node = found
    if len(path) == 1:
        return _replaced(source, key, node, value)
    if isinstance(node, yaml.MappingNode):
        inner = _find(node, path[1])
        if inner is not None:
            return _replaced(source, inner[0], inner[1], value)
        if node.flow_style:
            end = node.end_mark.index - 1
            comma = ", " if node.value else ""
            return f"{source[:end]}{comma}{path[1]}: {_written(value)}{source[end:]}"
        first = node.value[0][0].start_mark
        line = f"{path[1]}: {_written(value)}\n{' ' * first.column}"
        return source[: first.index] + line + source[first.index :]
    if not _is_null(node):
        raise ValueError(f"{path[0]} is no mapping")
    indent = " " * (key.start_mark.column + 2)
    return _after_line(source, key.end_mark.index, f"{indent}{path[1]}: {_written(value)}")


def _replaced(source: str, key: yaml.Node, node: yaml.Node, value: Value) -> str:
    if isinstance(node, yaml.SequenceNode) and not node.flow_style and isinstance(value, list):
        return _relisted(source, key, node, value)
    if _is_null(node) and node.start_mark.index == node.end_mark.index:
        at = source.index(":", key.end_mark.index) + 1
        return f"{source[:at]} {_written(value)}{source[at:]}"
    if isinstance(node, yaml.CollectionNode) and not node.flow_style:
        lines = _block(source, node)
        at = source.index(":", key.end_mark.index) + 1
        return f"{source[:at]} {_written(value)}{_rest_of_line(source, at)}{source[lines:]}"
    return source[: node.start_mark.index] + _written(value) + source[node.end_mark.index :]


def _relisted(source: str, key: yaml.Node, node: yaml.SequenceNode, value: list[str]) -> str:
    """Return the text with other words in a list; those that stay keep their lines."""
    if not value:
        at, end = source.index(":", key.end_mark.index) + 1, _block(source, node)
        return f"{source[:at]} []{_rest_of_line(source, at)}{source[end:]}"
    words = [getattr(item, "value", None) for item in node.value]
    missing = [one for one in value if one not in words]
    last = node.value[-1].end_mark.index
    indent = " " * node.start_mark.column
    for one in reversed(missing):
        source = _after_line(source, last, f"{indent}- {_written(one)}")
    for item in reversed(node.value):
        if isinstance(item, yaml.ScalarNode) and item.value not in value:
            start = source.rindex("\n", 0, item.start_mark.index) + 1
            end = source.find("\n", item.end_mark.index)
            if not _LISTED.match(source[start:]):
                raise ValueError("the list is written in one line")
            source = source[:start] + source[end + 1 if end >= 0 else len(source) :]
    return source


def _block(source: str, node: yaml.Node) -> int:
    """Return where the lines of a block end: after its last value, whatever comments follow."""
    while isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        node = last[1] if isinstance(last, tuple) else last
    end = source.find("\n", node.end_mark.index)
    return end if end >= 0 else len(source)


def _rest_of_line(source: str, at: int) -> str:
    """Return a comment that stands behind a key."""
    rest = source[at:].partition("\n")[0]
    return rest if rest.strip().startswith("#") else ""


def _appended(source: str, path: tuple[str, ...], value: Value) -> str:
    end = "" if not source or source.endswith("\n") else "\n"
    if len(path) == 1:
        return f"{source}{end}{path[0]}: {_written(value)}\n"
    return f"{source}{end}{path[0]}:\n  {path[1]}: {_written(value)}\n"


def _after_line(source: str, index: int, line: str) -> str:
    end = source.find("\n", index)
    return f"{source}\n{line}\n" if end < 0 else f"{source[: end + 1]}{line}\n{source[end + 1 :]}"


def _find(node: yaml.MappingNode, name: str) -> tuple[yaml.Node, yaml.Node] | None:
    return next(((key, value) for key, value in node.value if key.value == name), None)


def _is_null(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:null"


def _written(value: Value) -> str:
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list):
        return f"[{', '.join(_written(one) for one in value)}]"
    is_plain = _PLAIN.fullmatch(value) and value.lower() not in _NO_WORDS
    return value if is_plain else "'" + value.replace("'", "''") + "'"
