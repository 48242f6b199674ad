"""The jobs in which a model is asked have names that a person reads."""

from agents.approval.due import READ
from agents.consulting.remembering import ASK
from inbox.admin.job_titles import JOBS


def test_the_jobs_in_which_a_model_is_asked_have_names():
    assert {READ, ASK} <= JOBS.keys()
