"""How many values of letters and documents are found, in a process of its own."""

import subprocess
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str]) -> int:
    """Count, print, and return 1 where that fails; see `bench.understanding.extraction`."""
    command = [sys.executable, "-m", "bench.understanding.extraction", *arguments]
    return subprocess.run(command, check=False).returncode
