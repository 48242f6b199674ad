"""The tool that changes the code and sees that a test notices: what it changes, and how."""

import ast
import copy
import functools
from textwrap import dedent

import pytest

from tests.cases import every
from tests.mutants import guards, swapping
from tests.mutants.operators import mutants, without_owner
from tests.mutants.swapping import compiled, live_functions, places, swap


def mutated(source, change=None):
    (function,) = ast.parse(dedent(source)).body
    found = mutants(function, change) if change else mutants(function)
    return {ast.unparse(it.function.body[-1]) for it in found}


def test_every_condition_of_a_comparison_is_turned():
    made = mutated("def due(a, b): return a < b and not b.gone")
    assert made == {
        "return None",
        "return a < b or not b.gone",
        "return not b.gone",
        "return a < b",
        "return a <= b and (not b.gone)",
        "return a < b and b.gone",
    }


def test_each_condition_of_a_query_is_left_out():
    made = mutated("def rows(self): return Row.objects.filter(pk=self.pk, state=HELD)")
    assert made == {
        "return None",
        "return Row.objects.all()",
        "return Row.objects.filter(state=HELD)",
        "return Row.objects.filter(pk=self.pk)",
    }


def test_words_for_people_and_what_is_logged_are_left():
    assert mutated('def refuse(): "A docstring."; raise ValueError("No such thing.")') == {"pass"}
    assert mutated("def refuse(): log.warning('gone'); return None") == {"return True"}


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ("Row.objects.visible_to(actor).kept()", "Row.objects.all().kept()"),
        ("Row.objects.filter(workspace_id=one, name=name)", "Row.objects.filter(name=name)"),
        ("rows.get(person__workspace__in=several)", "rows.get()"),
    ],
)
def test_a_filter_by_owner_is_found_and_left_out(query, left):
    assert mutated(f"def read(actor): return {query}", without_owner) == {f"return {left}"}


def test_a_query_that_names_no_owner_is_left_as_it_is():
    assert mutated("def read(actor): return Row.objects.filter(pk=1)", without_owner) == set()


def test_two_changes_that_read_alike_have_numbers():
    (function,) = ast.parse("def pair(a): return (a == 1) + (a == 1)").body
    words = [it.words for it in mutants(function)]
    assert len(words) == len(set(words))


def guess(number):
    """Return what is compared."""
    return number > 5


kept_aside = functools.lru_cache(guess)


class Base:
    @property
    def size(self):
        return 1


class Longer(Base):
    @property
    def size(self):
        return super().size + 1


def changed(name, words):
    place, node = places("tests/mutants/test_mutants.py")[f"tests/mutants/test_mutants.py::{name}"]
    (mutant,) = [it for it in mutants(node) if it.words == words]
    return place, mutant.function


@pytest.fixture
def given_back():
    """Give the functions of this module their own code back."""
    mine = [guess, Base.size.fget, Longer.size.fget]
    before = [(it, it.__code__) for it in mine]
    yield
    for one, code in before:
        one.__code__ = code


def test_who_holds_a_function_has_its_mutant_decorated_or_not(given_back):
    swap(*changed("guess", "number > 5 → number >= 5"), live_functions())
    assert kept_aside(5) is True


def test_a_property_that_asks_its_base_can_be_changed(given_back):
    swap(*changed("Longer.size", "return super().size + 1 → return None"), live_functions())
    assert (Longer().size, Base().size) == (None, 1)


def test_of_each_guarded_file_functions_are_known_by_where_they_begin():
    live = live_functions()
    for path in guards.guarded_files():
        # The whole file is compiled for each.
        for place, node in [*swapping.places(path).values()][:: every(1)]:
            assert compiled(place, copy.deepcopy(node), ()).co_qualname == place.name
    place, _ = places("inbox/models/base.py")["inbox/models/base.py::VisibleQuerySet.visible_to"]
    assert live[place.path, place.line]
