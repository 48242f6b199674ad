"""The methods of the client: one for each tool, that waits for its answer or is awaited."""

import re
from typing import NamedTuple

from agents.contracts import REGISTRY, Effect, Tool
from agents.management.client.shapes import WIDTH, Shapes, class_name, docstring, words_of, wrapped

KEY = "idempotency_key"


class Parameter(NamedTuple):
    """A field of a tool as a parameter of its method."""

    name: str
    kind: str
    words: str
    required: bool


class Method(NamedTuple):
    """A tool as a method of the client."""

    tool: Tool
    parameters: list[Parameter]
    answer: str


def read_method(tool: Tool, shapes: Shapes) -> Method:
    """Return a tool as a method; its types go to the shapes of its module."""
    takes, gives = REGISTRY.schemas_of(tool.name)
    required = set(takes.get("required", ()))
    parameters = [
        Parameter(
            field, shapes.type_of(one, class_name(tool.name, field), takes),
            words_of(one, takes), required=field in required,
        )
        for field, one in takes.get("properties", {}).items()
    ]  # fmt: skip
    answer = shapes.type_of(gives, class_name(tool.name, "answer"), gives)
    return Method(tool, sorted(parameters, key=lambda one: not one.required), answer)


def written(method: Method, *, waits: bool) -> str:
    """Return the source of a method that waits for its answer, or is awaited."""
    named = f"{'' if waits else 'async '}def {method.tool.name.replace('.', '_')}("
    returned = _answer_of(method)
    lines = [f"    {named}", "        self,"]
    parameters = _parameters(method)
    lines += ["        *,"] if parameters else []
    lines += [f"        {one}," for one in parameters]
    return "\n".join(
        [*lines, f"    ) -> {returned}:", *_told(method), *_body(method, returned, waits=waits)]
    )


def _answer_of(method: Method) -> str:
    return (
        f"{method.answer} | Held[{method.answer}]" if method.tool.asks_a_person else method.answer
    )


def _parameters(method: Method) -> list[str]:
    """Return the parameters as they are declared; the key of a call need not be given."""
    found = [
        f"{one.name}: {one.kind}" if one.required else f"{one.name}: {one.kind} | Omitted = OMITTED"
        for one in method.parameters
        if one.name != KEY
    ]
    return found if method.tool.effect is Effect.READ else [*found, f"{KEY}: str | None = None"]


def _told(method: Method) -> list[str]:
    """Return the docstring: the tool's, and what each argument means."""
    indent = " " * 8
    paragraphs = re.split(r"\n\s*\n", method.tool.description)
    arguments = [one for one in method.parameters if one.name != KEY and one.words]
    if len(paragraphs) == 1 and not arguments:
        return docstring(" ".join(paragraphs[0].split()), indent)
    first, *rest = wrapped(" ".join(paragraphs[0].split()), indent, 97)
    lines = [f'{indent}"""{first.strip()}', *rest]
    for one in paragraphs[1:]:
        lines += ["", *wrapped(" ".join(one.split()), indent)]
    lines += [""] if arguments else []
    for argument in arguments:
        head, *more = wrapped(f"{argument.name}: {argument.words}", indent, 96)
        lines += [head, *(f"    {line}" for line in more)]
    return [line.replace("\\", "\\\\") for line in [*lines, f'{indent}"""']]


def _body(method: Method, returned: str, *, waits: bool) -> list[str]:
    tool, wait = method.tool, "" if waits else "await "
    names = [one.name for one in method.parameters]
    fields = [
        f'            "{name}": {name},' if name != KEY else f'            "{KEY}": key,'
        for name in names
    ]
    lines = [f"        key = {KEY} or make_key()"] if KEY in names else []
    lines += ["        given: dict[str, Any] = {", *fields, "        }"] if fields else []
    given = "given" if fields else "{}"
    key = "key" if KEY in names else KEY
    how = _how(tool)
    more = "" if how == "read" else f", {key}"
    call = f'{wait}self._carrier.{how}("{tool.name}", {given}{more})'
    whole = [f"        answer: {returned} = {call}"]
    if len(whole[0]) > WIDTH:
        whole = [f"        answer: {returned}", f"        answer = {call}"]
    return [*lines, *whole, "        return answer"]


def _how(tool: Tool) -> str:
    if tool.effect is Effect.READ:
        return "read"
    return "propose" if tool.asks_a_person else "change"
