"""The versions of a policy, a taxonomy or a schema: which there were, and what changed."""

from typing import Any

from django.http import HttpRequest

from inbox.admin.understanding.lines import compare_lines

SHOWN = 50


def read_versions(request: HttpRequest, row: Any) -> dict[str, Any]:
    """Return the newest versions, and two of them compared: by `?from=` and `?to=`, or the last."""
    kept = list(row.versions.order_by("-version")[:SHOWN])
    numbers = [version.version for version in kept]
    to = _chosen(request.GET.get("to", ""), numbers, 0)
    before = min(numbers.index(to) + 1, len(numbers) - 1) if numbers else 0
    start = _chosen(request.GET.get("from", ""), numbers, before)
    texts = {version.version: version for version in kept}
    old, new = texts.get(start), texts.get(to)
    return {
        "kept": kept,
        "old": old,
        "new": new,
        "lines": compare_lines(old.source, new.source) if old and new else [],
    }


def _chosen(asked: str, numbers: list[int], default: int) -> int:
    """Return the version asked for where it is there, else that at the default place."""
    named = [number for number in numbers if str(number) == asked]
    return named[0] if named else numbers[default] if numbers else 0
