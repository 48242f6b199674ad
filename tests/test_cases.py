"""Cases in one test are all tried, and each that fails is named."""

import pytest
from django.contrib.auth.models import Group

from tests.cases import by_turns, every, in_one_test, made_up, taken_back


@pytest.fixture
def lamp():
    return 2


def test_every_case_is_tried_and_each_that_fails_is_named(lamp):
    tried = []

    @in_one_test(("one", "other"), [(1, 2), (2, 2), (3, "x")])
    def check(lamp, one, other):
        tried.append(one)
        assert one == other == lamp

    with pytest.raises(ExceptionGroup, match="2 of 3 cases fail") as caught:
        check(lamp=lamp)
    assert tried == [1, 2, 3]
    notes = [error.__notes__ for error in caught.value.exceptions]
    assert notes == [["one, other: 1, 2"], ["one, other: 3, 'x'"]]


def test_cases_are_chosen_by_a_word_and_a_test_without_such_a_case_is_skipped(monkeypatch):
    tried = []

    @in_one_test("name", ["send_reply", "newest", "look_around"])
    def check(name):
        tried.append(name)

    monkeypatch.setenv("CASES", "reply,newest")
    check()
    assert tried == ["send_reply", "newest"]
    monkeypatch.setenv("CASES", "lamp")
    with pytest.raises(pytest.skip.Exception, match="no case has any of lamp"):
        check()


def test_a_list_without_a_case_is_refused():
    with pytest.raises(ValueError, match="no case of one"):
        in_one_test("one", [])


@in_one_test("one", [1, 3])
@in_one_test("other", [5, 7])
def test_lists_go_with_each_other_and_with_fixtures(lamp, one, other):
    assert (one * other + 1) % lamp == 0


@pytest.mark.django_db
def test_what_a_case_writes_is_taken_back_before_the_next():
    @in_one_test("name", ["Clerks", "Scouts"])
    @taken_back
    def check(name):
        Group.objects.create(name=name)
        assert Group.objects.get().name == name

    check()
    assert not Group.objects.exists()


def test_of_the_cases_made_up_at_random_all_are_tried_where_they_are_asked_for(monkeypatch):
    monkeypatch.delenv("RANDOM_CASES", raising=False)
    assert (made_up(300), every(2)) == (75, 8)
    assert [by_turns("abcd", turn) for turn in range(3)] == ["ac", "bd", "ac"]
    monkeypatch.setenv("RANDOM_CASES", "all")
    assert (made_up(300), every(2), by_turns("abcd", 1)) == (300, 2, "abcd")
