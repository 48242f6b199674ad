"""What is told of rows: each field says where its value comes from."""

from types import SimpleNamespace
from typing import Annotated

from agents.contracts.fields import Closed, OrAbsent
from agents.models import Agent
from agents.resources.shapes import From, IdOf, Made, Together, shape_of, shapes_of
from inbox import ids


class Told(Closed):
    """A row."""

    id: str
    subject: str
    note: OrAbsent[str] = None
    agent_id: Annotated[OrAbsent[str], IdOf(Agent)] = None
    author: Annotated[OrAbsent[str], From("person.name", str.upper)] = None
    length: Annotated[int, Made(lambda row: len(row.subject))]


def row(**values) -> SimpleNamespace:
    given = {"pk": 1, "public_id": "row_1", "subject": "Hi", "note": "", "agent_id": None}
    return SimpleNamespace(**{**given, "person": SimpleNamespace(name="Rhea"), **values})


def test_a_field_has_the_attribute_of_its_name_or_what_it_says():
    told = shape_of(Told, row(note="mind this", agent_id=7))
    assert told.model_dump() == {
        "id": "row_1", "subject": "Hi", "note": "mind this", "author": "RHEA", "length": 2,
        "agent_id": ids.encode(Agent.ID_PREFIX, 7),
    }  # fmt: skip


def test_an_empty_text_is_left_out_only_where_the_field_may_be():
    told = shape_of(Told, row(subject="", note=""))
    assert (told.subject, told.note, told.agent_id) == ("", None, None)


def test_where_the_way_to_a_value_ends_early_there_is_none():
    class Short(Closed):
        """A row."""

        author: Annotated[OrAbsent[str], From("person.name")] = None

    assert shape_of(Short, row(person=None)).author is None


def test_what_is_read_together_is_read_once_for_all_rows():
    asked = []

    def read(keys):
        asked.append(list(keys))
        return {2: "second"}

    class Noted(Closed):
        """A row."""

        id: str
        remark: Annotated[OrAbsent[str], Together(read)] = None

    told = shapes_of(Noted, [row(pk=1), row(pk=2)])
    assert [one.remark for one in told] == [None, "second"]
    assert asked == [[1, 2]]
