"""Reading what people write in YAML into closed fields, with errors that name line and field."""

from typing import TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from inbox.formats.refusals import of_pydantic, of_yaml
from inbox.reasons import ReasonText
from inbox.reasons import phrase as _

FieldsT = TypeVar("FieldsT", bound=BaseModel)

LARGEST_SOURCE = 200_000
DEEPEST = 12


class SourceError(ValueError):
    """A source that cannot be read; `line` counts from 1, `field` is a JSON pointer without `/`.

    The error says both before `message`.
    """

    def __init__(self, message: ReasonText, *, line: int, field: str = "") -> None:
        if field:
            whole = _(
                "line %(line)s, %(field)s: %(message)s", line=line, field=field, message=message
            )
        else:
            whole = _("line %(line)s: %(message)s", line=line, message=message)
        super().__init__(whole)
        self.message = message
        self.line = line
        self.field = field


def read_source(source: str, fields: type[FieldsT], what: ReasonText) -> FieldsT:
    """Return the fields that a source gives; `what` names it in errors. Raises SourceError."""
    if len(source) > LARGEST_SOURCE:
        too_long = _(
            "%(what)s can have at most %(most)s characters", what=what, most=LARGEST_SOURCE
        )
        raise SourceError(too_long, line=1)
    no_mapping = _("%(what)s must be a mapping of fields", what=what)
    node = _compose(source) or _compose("{}")
    if node is None:
        raise SourceError(no_mapping, line=1)
    _refuse_repeated_keys(node, "")
    try:
        value = yaml.SafeLoader("").construct_document(node)
    except (yaml.YAMLError, ValueError) as error:
        message = _("a value cannot be read: %(why)s", why=of_yaml(error))
        raise SourceError(message, line=1) from error
    if not isinstance(value, dict):
        raise SourceError(no_mapping, line=1)
    try:
        return fields.model_validate(value)
    except ValidationError as error:
        raise _located(error, node, fields) from error


def _compose(source: str) -> yaml.Node | None:
    """Return the tree of nodes; refuses what could grow (aliases) or nest without end."""
    depth = 0
    try:
        for event in yaml.parse(source, yaml.SafeLoader):
            line = event.start_mark.line + 1 if event.start_mark else 1
            if isinstance(event, yaml.AliasEvent):
                raise SourceError(_("aliases (*name) are not allowed"), line=line)
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
            if depth > DEEPEST:
                raise SourceError(_("nested deeper than %(most)s", most=DEEPEST), line=line)
        node: yaml.Node | None = yaml.compose(source, yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else source.count("\n", 0, getattr(error, "position", 0)) + 1
        raise SourceError(_("not YAML: %(why)s", why=of_yaml(error)), line=line) from error
    return node


def _refuse_repeated_keys(node: yaml.Node, path: str) -> None:
    if isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            _refuse_repeated_keys(item, f"{path}{index}/")
    if not isinstance(node, yaml.MappingNode):
        return
    seen: set[str] = set()
    for key, value in node.value:
        name = str(key.value)
        if name in seen:
            line = key.start_mark.line + 1
            raise SourceError(_("the field appears twice"), line=line, field=f"{path}{name}")
        seen.add(name)
        _refuse_repeated_keys(value, f"{path}{name}/")


def _located(error: ValidationError, root: yaml.Node, model: type[BaseModel]) -> SourceError:
    """Return what is wrong deepest in the source: of several readings, the one meant."""
    problems = error.errors()
    places = [_follow(root, problem["loc"]) for problem in problems]
    deepest = max(range(len(places)), key=lambda index: len(places[index][1]))
    (node, path), problem = places[deepest], problems[deepest]
    message = of_pydantic(problem)
    if problem["type"] == "extra_forbidden":
        message = _unknown(problem["loc"], model)
    return SourceError(message, line=node.start_mark.line + 1, field="/".join(path))


def _follow(node: yaml.Node, loc: tuple[int | str, ...]) -> tuple[yaml.Node, list[str]]:
    """Return the node at the end of the path, and the steps of it that the source has."""
    path = []
    for step in loc:
        found = _child(node, step)
        if found is not None:
            node = found
            path.append(str(step))
    return node, path


def _child(node: yaml.Node, step: int | str) -> yaml.Node | None:
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int):
        item: yaml.Node = node.value[step]
        return item
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if str(key.value) == str(step):
                child: yaml.Node = value
                return child
    return None


def _unknown(loc: tuple[int | str, ...], model: type[BaseModel]) -> ReasonText:
    """Return that nothing knows a field, and which are known beside it."""
    fields = dict(model.model_fields)
    for step in loc[:-1]:
        inner = fields[str(step)].annotation if str(step) in fields else None
        fields = dict(getattr(inner, "model_fields", {}))
    return (
        _("unknown field; use one of %(names)s", names=list(fields))
        if fields
        else _("unknown field")
    )
