"""The key by which the same call is known again."""

from pydantic import BaseModel

from agents.contracts import Effect, Tool
from agents.errors import invalid

_LONGEST_KEY = 255


def agree_on_key(tool: Tool, header: str | None, args: BaseModel) -> str | None:
    """Return the idempotency key: the argument and the header are the same thing.

    Of a reading tool such an argument is a filter, as receipts have one. Raises ToolError.
    """
    reads = tool.effect is Effect.READ
    argument = None if reads else getattr(args, "idempotency_key", None)
    if header is not None and argument is not None and header != argument:
        raise invalid("/idempotency_key", "is not the key of the Idempotency-Key header", "one key")
    key: str | None = argument if argument is not None else header
    if key is not None and not (1 <= len(key) <= _LONGEST_KEY and key.isprintable()):
        accepted = f"1 to {_LONGEST_KEY} printable characters"
        raise invalid("/idempotency_key", "is no idempotency key", accepted)
    return key
