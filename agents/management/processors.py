"""How many processors this process may use."""

import math
import os
from contextlib import suppress
from pathlib import Path

# Where a container's share is said (cgroup v2): microseconds of processors, and in how many.
CGROUP_SHARE = Path("/sys/fs/cgroup/cpu.max")


def usable_processors(share: Path = CGROUP_SHARE) -> int:
    """Return how many processors we may run on, by affinity and the container's share; 1 or more.

    A share of one and a half counts as two.
    """
    found = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    with suppress(OSError, ValueError, ZeroDivisionError):
        quota, period = share.read_text().split()
        found = min(found or 1, math.ceil(int(quota) / int(period)))
    return max(1, found or 1)
