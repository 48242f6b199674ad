"""The mutants that change nothing that can be seen, each with its reason, in `equivalent.txt`.

A line that begins with `#` is the reason of the lines after it, up to the next reason.
"""

from pathlib import Path

LIST = Path(__file__).with_name("equivalent.txt")


def equivalents() -> dict[str, str]:
    """Return the lines of the mutants that are not tried, each with its reason."""
    found, reason = {}, ""
    for line in LIST.read_text().splitlines():
        if line.startswith("#"):
            reason = line.removeprefix("#").strip()
        elif line.strip():
            found[line.strip()] = reason
    return found
