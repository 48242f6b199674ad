"""A short run of `python -m tests.faults planted`: what is planted leaves in no way."""

import os

import pytest

from tests.faults.planted_items import NAME
from tests.faults.test_short_run import POSTGRESQL, run_faults


def test_none_of_a_few_leaves():
    said = run_faults("planted", 12, FAULTS_SEED=os.urandom(4).hex())
    assert f"{NAME}: 12 runs" in said
    assert "0 of 12 left" in said


@pytest.mark.services
def test_nor_on_postgresql():
    said = run_faults("planted", 20, DATABASE_URL=POSTGRESQL, FAULTS_SEED=os.urandom(4).hex())
    assert "0 of 20 left" in said
