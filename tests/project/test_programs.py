"""`manage.py web` and `manage.py celery`: programs of others, with all of their own options."""

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from tests.fork_server import run
from tests.processes import process_environment


def test_celery_knows_the_queues_that_work_waits_in():
    told = run(["manage.py", "celery", "report"], env=process_environment())
    assert told.returncode == 0
    assert "chancery.urgent" in told.stdout


def test_a_mistake_in_the_options_is_told_by_the_program():
    for program in ("web", "celery"):
        refused = run(["manage.py", program, "--prot", "8000"], env=process_environment())
        assert refused.returncode == 2
        assert "--prot" in refused.stderr


@pytest.mark.parametrize("program", ["web", "celery"])
def test_a_program_is_not_run_within_a_process_of_ours(program):
    with pytest.raises(CommandError, match="from a shell"):
        call_command(program)
