"""Environments of their own for what others wrote, made once and kept in `.venv-clients/`."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / ".venv-clients"
WANTED = Path(__file__).parent / "pinned"


def make_python(name: str) -> Path:
    """Return the Python of an environment with what `pinned/NAME.txt` pins."""
    wanted, folder = WANTED / f"{name}.txt", KEPT / name
    python = folder / "bin" / "python"
    if _is_made(folder, wanted.read_text()):
        return python
    _say(f"Making the environment {name} …")
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    pip = [python, "-m", "pip", "--disable-pip-version-check", "-q", "install"]
    subprocess.run([*pip, "-r", wanted], check=True)
    (folder / "made").write_text(wanted.read_text())
    return python


def make_node(source: Path, name: str) -> Path:
    """Return a copy of a folder with what its `package.json` pins, and compiled if it says how."""
    folder = KEPT / name
    files = sorted(path for path in source.iterdir() if path.suffix in {".json", ".ts"})
    content = "".join(path.read_text() for path in files)
    if _is_made(folder, content):
        return folder
    _say(f"Making the environment {name} …")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for path in files:
        shutil.copy(path, folder)
    npm = ["npm", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel", "error"]
    subprocess.run([*npm, "install"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    subprocess.run([*npm, "run", "build", "--if-present"], cwd=folder, check=True)
    (folder / "made").write_text(content)
    return folder


def quiet_environment(home: Path) -> dict[str, str]:
    """Return an environment in which nothing of ours is set, and nobody is told of a run."""
    names = ("PATH", "LANG", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "TMPDIR")
    kept = {name: os.environ[name] for name in names if name in os.environ}
    return {
        **kept, "HOME": str(home), "CREWAI_DISABLE_TELEMETRY": "true",
        "CREWAI_TRACING_ENABLED": "false", "OTEL_SDK_DISABLED": "true", "PYTHONIOENCODING": "utf-8",
    }  # fmt: skip


def pinned(name: str) -> str:
    """Return the version of the first package that `pinned/NAME.txt` pins."""
    found = re.search(r"==(\S+)", (WANTED / f"{name}.txt").read_text())
    assert found, f"{name}.txt pins nothing"
    return found[1]


def _is_made(folder: Path, wanted: str) -> bool:
    made = folder / "made"
    return made.exists() and made.read_text() == wanted


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
