"""Without pgvector nothing is indexed, nothing is asked of it, and the doctor says what works."""

import pytest
from django.db import connection

from inbox.background.jobs import run_now
from inbox.models import Job
from inbox.semantic import indexing
from inbox.semantic.finding import MESSAGES
from inbox.semantic.indexing import INDEX, Extension, ask_for_indexes, find_extension
from inbox.semantic.vector_index import Indexes, find_indexes
from project.doctor.nearness import look_at_nearness
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def without(settings, monkeypatch):
    """Search by meaning is on, and every inbox large enough for an index."""
    if find_extension() is not None:
        pytest.skip("this database has pgvector")
    settings.SEMANTIC_SEARCH = True
    monkeypatch.setattr(indexing, "LEAST_INDEXED", 0)


def test_without_pgvector_nothing_is_indexed(inbox, without, django_assert_max_num_queries):
    factories.make_message(inbox)
    assert ask_for_indexes() is False
    run_now(INDEX, {})
    assert not Job.objects.exists()
    with django_assert_max_num_queries(int(connection.vendor == "postgresql")):
        assert find_indexes(MESSAGES) == Indexes()


def test_the_doctor_says_that_all_are_compared_and_why(without, settings):
    [said] = look_at_nearness()
    assert said.kind == "good"
    assert "comparing all in memory" in said.words
    assert "no extension vector (pgvector)" in said.words
    settings.SEMANTIC_SEARCH = False
    assert list(look_at_nearness()) == []


@pytest.mark.parametrize(
    ("offered", "version", "is_new_enough"),
    [("0.8.5", "", True), ("0.8.5", "0.7.4", False), ("0.7.0", "", False), ("1.0", "1.0", True),
     ("0.8.5", "0.8.0", True), ("0.10.0", "0.10.0", True), ("unreleased", "", False)],
)  # fmt: skip
def test_what_cannot_go_on_looking_is_too_old(offered, version, is_new_enough):
    assert Extension(offered, version, "public").is_new_enough == is_new_enough
