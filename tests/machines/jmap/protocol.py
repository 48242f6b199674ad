"""What is common to all types of JMAP (RFC 8620 3 and 5): references, states, patches."""

import json
from copy import deepcopy
from typing import Any


class MethodRefusedError(Exception):
    """A method is not run (RFC 8620 3.6.2)."""

    def __init__(self, kind: str, **said: Any) -> None:
        super().__init__(kind)
        self.answer = {"type": kind, **said}


class SetRefusedError(Exception):
    """One object is not made or changed (RFC 8620 5.3)."""

    def __init__(self, kind: str, **said: Any) -> None:
        super().__init__(kind)
        self.answer = {"type": kind, **said}


def resolved(arguments: dict[str, Any], before: list[list[Any]]) -> dict[str, Any]:
    """Return arguments with what they refer to in their place (RFC 8620 3.7)."""
    found: dict[str, Any] = {}
    for name, value in arguments.items():
        if not name.startswith("#"):
            found[name] = value
            continue
        if name[1:] in arguments or set(value) != {"resultOf", "name", "path"}:
            raise MethodRefusedError("invalidArguments", arguments=[name])
        answer = next((it for it in before if it[2] == value["resultOf"]), None)
        if answer is None or answer[0] != value["name"]:
            raise MethodRefusedError("invalidResultReference")
        at: Any = answer[1]
        for part in value["path"].removeprefix("/").split("/"):
            if not isinstance(at, dict) or part not in at:
                raise MethodRefusedError("invalidResultReference")
            at = at[part]
        found[name[1:]] = at
    return found


def patched(before: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
    """Return an object with a patch; each path has to lead to what is there (RFC 8620 5.3)."""
    after = deepcopy(before)
    for path in patch:
        if any(other != path and other.startswith(f"{path}/") for other in patch):
            raise SetRefusedError("invalidPatch", description=f"{path} is within another")
    for path, value in patch.items():
        parts = [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")]
        at: Any = after
        for part in parts[:-1]:
            if not isinstance(at, dict) or part not in at:
                raise SetRefusedError("invalidPatch", description=f"{path} leads nowhere")
            at = at[part]
        if not isinstance(at, dict):
            raise SetRefusedError("invalidPatch", description=f"{path} leads into no object")
        if value is None:
            at.pop(parts[-1], None)
        else:
            at[parts[-1]] = value
    return after


def same(one: Any, other: Any) -> bool:
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
