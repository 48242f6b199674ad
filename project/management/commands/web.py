"""`manage.py web`: serve the pages and the API, and carry no jobs; the options are uvicorn's."""

import uvicorn

from project.management.programs import Program

_OURS = [
    "project.asgi:application",
    "--loop", "uvloop",
    "--ws", "none",
    "--no-server-header",
    "--timeout-graceful-shutdown", "5",
]  # fmt: skip


class Command(Program):
    help = "Serve the pages and the API, and carry no jobs; takes the options of uvicorn."

    def run_program(self, arguments: list[str]) -> None:
        uvicorn.main([*_OURS, *arguments], prog_name="web")
