"""Programs of others that run as commands of ours: these hand all their arguments on."""

from abc import abstractmethod
from typing import Any, NoReturn

from django.core.management.base import BaseCommand, CommandError


class Program(BaseCommand):
    """A command whose options, `--help` among them, are those of the program behind it."""

    def run_from_argv(self, argv: list[str]) -> None:
        """Run the program in place of parsing its options; Django calls it with all arguments."""
        self.run_program(argv[2:])

    @abstractmethod
    def run_program(self, arguments: list[str]) -> None:
        """Run it with what stands after the command's name; it may end the process itself."""

    def handle(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse a call from within a process: the program would take its signals and its end."""
        raise CommandError("It is a process of its own: start it from a shell.")
