"""`python -m tests.clients [NAME …]`: run what others wrote at our server; exit code 1 on a failure.

That is the frameworks of agents, and the linters and generators of the OpenAPI document.
"""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.clients.frameworks import CASES, FRAMEWORKS, Outcome, try_framework
from tests.clients.openapi.tools import TOOLS, Try, try_tool, version_of
from tests.clients.service import serve_demo
from tests.clients.vendors import GEMINI, gemini_version, take_gemini

# Linters and generators of the OpenAPI document, and a vendor's client.
ALL_TOOLS: dict[str, Callable[[Try], None]] = {**TOOLS, GEMINI: take_gemini}


def main(chosen: list[str]) -> int:
    """Return how it ended: 0 where every case of every framework that is chosen holds."""
    if shutil.which("npm") is None:
        sys.stderr.write("npm is missing: install Node.js with npm.\n")
        return 2
    frameworks = [one for one in FRAMEWORKS if _is_chosen(one.name, chosen)]
    tools = [name for name in ALL_TOOLS if _is_chosen(name, chosen)]
    for one in frameworks:
        one.command()
    is_well = True
    with TemporaryDirectory() as folder, serve_demo(Path(folder) / "var") as service:
        if frameworks:
            _print_row("framework", "version", CASES, "fields that the model is not told of")
        for one in frameworks:
            outcome = try_framework(one, service, Path(folder))
            _print(outcome)
            is_well &= not outcome.troubles
        for number, name in enumerate(tools):
            trouble = try_tool(ALL_TOOLS[name], service, Path(folder) / f"tool-{number}")
            version = gemini_version() if name == GEMINI else version_of(name)
            _print_row(name, version, ["FAILED" if trouble else "passed"], trouble)
            is_well &= not trouble
    return 0 if is_well else 1


def _is_chosen(name: str, chosen: list[str]) -> bool:
    return not chosen or any(part.lower() in name.lower() for part in chosen)


def _print(outcome: Outcome) -> None:
    cells = [case if case in outcome.passed else "FAILED" for case in CASES]
    left_out = f"{outcome.left_out} of {outcome.fields}"
    _print_row(outcome.framework.name, outcome.framework.version, cells, left_out)
    for trouble in outcome.troubles:
        sys.stdout.write(f"    {trouble}\n")


def _print_row(name: str, version: str, cells: list[str] | tuple[str, ...], last: str) -> None:
    told = "".join(f"{cell:<10}" for cell in cells)
    sys.stdout.write(f"{name:<24}{version:<10}{told}{last}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
