"""`python -m tests.releases VERSION [FOLDER]`: cut a release, from a tree without changes.

Sets the version, cuts the changelog, and keeps what later versions are tried on. With a FOLDER that
alone is made, there: a rehearsal. Nothing is committed; what is to be done then is said.
"""

import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from project.settings import BASE_DIR
from tests.releases.archive import FOLDER, parse_version, releases
from tests.releases.making import make_release

ROOT = Path(BASE_DIR)
VERSION_FILE = "project/__init__.py"
CHANGELOG = "CHANGELOG.md"
_HEADING = "## [Unreleased]\n"
_VERSION = re.compile(r'^__version__ = "(.*)"$', re.MULTILINE)
_NEXT = """
tests/releases/{version} is made, and the version and the changelog say {version}. Now:
  {python} -m pytest -n 0 tests/releases
  git add -A && git commit -m "Release {version}" && git tag -a v{version} -m "Chancery {version}"
"""


def check(version: str, root: Path = ROOT) -> None:
    """Raise ValueError where this version cannot be cut from the tree as it is."""
    numbers = parse_version(version)
    former = releases(root / FOLDER.relative_to(ROOT))
    if former and parse_version(former[-1].name) >= numbers:
        raise ValueError(f"{version} is not after {former[-1].name}, the last release")
    changed = subprocess.run(
        ["git", "status", "--porcelain"], cwd=root, check=True, capture_output=True, text=True
    ).stdout
    if changed:
        raise ValueError(f"the tree has changes that are not committed:\n{changed}")
    unreleased = (root / CHANGELOG).read_text().partition(_HEADING)[2].partition("\n## [")[0]
    if not unreleased.strip():
        raise ValueError(f"{CHANGELOG} has nothing under Unreleased")


def set_version(version: str, root: Path = ROOT) -> None:
    """Write the version where it stands, and what was unreleased under it, with today's date."""
    path = root / VERSION_FILE
    path.write_text(_VERSION.sub(f'__version__ = "{version}"', path.read_text(), count=1))
    path = root / CHANGELOG
    cut = f"{_HEADING}\n## [{version}] - {datetime.now(UTC).date()}\n"
    path.write_text(path.read_text().replace(_HEADING, cut, 1))


def main(version: str = "", folder: str = "") -> None:
    """Cut the release, or rehearse it."""
    try:
        if folder:
            parse_version(version)
            make_release(Path(folder) / version)
            return
        check(version)
    except ValueError as error:
        sys.exit(f"No release: {error}")
    make_release(FOLDER / version)
    set_version(version)
    sys.stdout.write(_NEXT.format(version=version, python=sys.executable))


if __name__ == "__main__":
    main(*sys.argv[1:])
