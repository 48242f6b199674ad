"""What the stand-in knows of Graph's types is what Microsoft says of them.

`GRAPH_METADATA` names their description (CSDL) as https://graph.microsoft.com/v1.0/$metadata has it.
"""

import os
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.machines.graph.declared import ACTIONS, BASES, ENUMS, OWN, READ_ONLY, properties

_EDM = "{http://docs.oasis-open.org/odata/ns/edm}"
# Described there only where other types are, which an excerpt leaves out.
_ELSEWHERE = {"singleValueLegacyExtendedProperty"}


@pytest.fixture(scope="module")
def schema() -> ElementTree.Element:
    path = os.environ.get("GRAPH_METADATA", "")
    if not path:
        pytest.skip("GRAPH_METADATA names no description of Microsoft Graph")
    return ElementTree.fromstring(Path(path).read_bytes())


def test_types_and_their_properties_are_as_described(schema: ElementTree.Element):
    described = {}
    for kind in ("EntityType", "ComplexType"):
        for each in schema.iter(f"{_EDM}{kind}"):
            members = [*each.iter(f"{_EDM}Property"), *each.iter(f"{_EDM}NavigationProperty")]
            kinds = {it.get("Name"): it.get("Type") for it in members}
            described[each.get("Name")] = (each.get("BaseType"), kinds)
    for name in OWN.keys() - (_ELSEWHERE - described.keys()):
        base, kinds = described[name]
        assert _plain(base or "") == BASES[name], name
        wrong = {it: kind for it, kind in OWN[name].items() if _plain(kinds.get(it, "")) != kind}
        assert not wrong, name


def test_enumerations_are_as_described(schema: ElementTree.Element):
    described = {
        each.get("Name"): tuple(it.get("Name") for it in each.iter(f"{_EDM}Member"))
        for each in schema.iter(f"{_EDM}EnumType")
    }
    assert {name: described.get(name) for name in ENUMS} == ENUMS


def test_actions_take_what_is_described(schema: ElementTree.Element):
    described = {}
    for each in schema.iter(f"{_EDM}Action"):
        of, *given = each.iter(f"{_EDM}Parameter")
        kinds = {it.get("Name"): _plain(it.get("Type", "")) for it in given}
        described[_plain(of.get("Type", "")), each.get("Name")] = kinds
    assert {name: described.get(name) for name in ACTIONS} == ACTIONS


def test_what_may_not_be_written_is_there():
    assert {name: names - properties(name).keys() for name, names in READ_ONLY.items()} == {
        name: frozenset() for name in READ_ONLY
    }


def _plain(kind: str) -> str:
    if kind.startswith("Collection("):
        return f"[{_plain(kind[len('Collection(') : -1])}]"
    return kind.removeprefix("Edm.").removeprefix("graph.").removeprefix("microsoft.graph.")
