"""`manage.py celery`: Celery's own program for the queues, with its subcommands and options."""

from celery.bin.celery import celery

from project.management.programs import Program


class Command(Program):
    help = "Run a subcommand of Celery (worker, beat, inspect …) for the queues of Chancery."

    def run_program(self, arguments: list[str]) -> None:
        celery.main(["--app", "project", *arguments], prog_name="celery")
