"""Each kind of work in the background has a name that a person reads."""

from inbox.admin.job_titles import JOBS
from inbox.background import jobs


def test_every_kind_of_work_has_a_name():
    assert jobs.kinds() == JOBS.keys()
