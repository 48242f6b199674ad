"""Single values of a YAML text are changed; every other line and every comment stays."""

import pytest
import yaml

from inbox.formats.yaml_editing import set_value

HOUSE = """# Our house.
tone: friendly # as we speak

redactions:
  - iban # accounts
  - card
# what leaves
flows:
  # strangers
  destroy: allow # deletions
approval:
  required_when: always
"""


def changed(source, path, value):
    """The lines that differ, without those that do not."""
    now = set_value(source, path, value)
    before, after = source.splitlines(), now.splitlines()
    return [one for one in before if one not in after], [one for one in after if one not in before]


@pytest.mark.parametrize(
    ("path", "value", "gone", "new"),
    [
        (("tone",), "formal", ["tone: friendly # as we speak"], ["tone: formal # as we speak"]),
        (("flows", "destroy"), "hold", ["  destroy: allow # deletions"],
         ["  destroy: hold # deletions"]),
        (("flows", "readers"), "block", [], ["  readers: block"]),
        (("max_length",), 900, [], ["max_length: 900"]),
        (("quotes", "most"), "any", [], ["quotes:", "  most: any"]),
        (("redactions",), ["iban", "phone"], ["  - card"], ["  - phone"]),
        (("redactions",), [], ["redactions:", "  - iban # accounts", "  - card"],
         ["redactions: []"]),
        (("approval", "required_when"), "never", ["  required_when: always"],
         ["  required_when: never"]),
        (("tone",), "yes", ["tone: friendly # as we speak"], ["tone: 'yes' # as we speak"]),
    ],
)  # fmt: skip
def test_only_the_line_of_the_value_changes(path, value, gone, new):
    assert changed(HOUSE, path, value) == (gone, new)


@pytest.mark.parametrize(
    ("source", "path", "value"),
    [
        ("", ("flows", "destroy"), "hold"),
        ("# nothing yet", ("tone",), "formal"),
        ("flows:\ntone: brief", ("flows", "destroy"), "hold"),
        ("flows: {destroy: allow}", ("flows", "destroy"), "hold"),
        ("flows: {destroy: allow}\n", ("flows", "readers"), "hold"),
        ("flows: {}", ("flows", "readers"), "hold"),
        ("redactions: [iban, card]", ("redactions",), ["card"]),
        ("redactions:\n- iban", ("redactions",), ["iban", "card"]),
        ("tone:", ("tone",), "brief"),
        ("approval:\n  required_when:\n    - new_recipient\n    - amount_over: 5\n\n# end\n",
         ("approval", "required_when"), "always"),
        ("tone: 'brief'\nmax_length: 1", ("max_length",), 2),
    ],
)  # fmt: skip
def test_whatever_the_way_in_which_it_is_written(source, path, value):
    now = yaml.safe_load(set_value(source, path, value))
    for key in path:
        now = now[key]
    assert now == value


@pytest.mark.parametrize("source", ["- a list", "flows: hold", "a: [", "&a {x: *a, flows: 1}"])
def test_what_cannot_be_changed_by_itself_is_refused(source):
    with pytest.raises(ValueError, match=r"."):
        set_value(source, ("flows", "destroy"), "hold")
