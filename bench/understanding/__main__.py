"""Run one part: `python -m bench.understanding classifying --phishing DIR …`."""

import sys
from collections.abc import Callable, Sequence

from bench.understanding import classifying, extracting, learned, recall
from bench.understanding.drafts import counting

PARTS: dict[str, Callable[[Sequence[str]], int]] = {
    "classifying": classifying.main,
    "drafts": counting.main,
    "extraction": extracting.main,
    "learned": learned.main,
    "recall": recall.main,
}


def main() -> int:
    """Run the part that is named first, with what is behind it."""
    part = PARTS.get(sys.argv[1]) if len(sys.argv) > 1 else None
    if part is None:
        raise SystemExit(f"Name one of the parts: {', '.join(sorted(PARTS))}.")
    return part(sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())
