"""Chancery, installed: the folder that its packages are imported from, with what they read.

A wheel puts this file above them, as that of a package `chancery`. They are imported by their own
names, such as `agents`, and only in processes that import this: elsewhere in the environment these
names are free for others.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
