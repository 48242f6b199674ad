"""The common rules of a policy as switches, which change single lines of its YAML."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from inbox.formats.yaml_editing import Value, set_value
from inbox.policies import Policy, read_policy

_KINDS = ("iban", "card", "ssn", "secret", "phone", "email")


class Choice(NamedTuple):
    """One way a rule can be set: its code, what a person reads, and whether it is set so."""

    code: str
    label: Any
    is_set: bool = False


class _Rule(NamedTuple):
    path: tuple[str, ...]
    label: Any
    choices: tuple[tuple[str, Any], ...] = ()
    kind: str = "choice"


@dataclass(frozen=True, slots=True)
class Switch:
    """A rule as it is set in a text: `kind` is choice, number or several."""

    name: str
    label: Any
    kind: str
    value: str
    choices: tuple[Choice, ...] = ()


_ACTIONS = (
    ("allow", pgettext_lazy("rule", "Allow")),
    ("flag", pgettext_lazy("rule", "Flag")),
    ("hold", pgettext_lazy("rule", "Ask a person")),
    ("block", pgettext_lazy("rule", "Block")),
)
_RULES = (
    _Rule(
        ("tone",), _("How replies sound"),
        (
            ("friendly", pgettext_lazy("tone", "Friendly")),
            ("formal", pgettext_lazy("tone", "Formal")),
            ("brief", pgettext_lazy("tone", "Brief")),
        ),
    ),
    _Rule(("max_length",), _("How many characters a reply can have"), kind="number"),
    _Rule(
        ("redactions",), _("What is redacted in drafts"),
        (
            ("iban", _("Bank accounts (IBAN)")), ("card", _("Card numbers")),
            ("ssn", _("Social security numbers")), ("secret", _("Passwords and keys")),
            ("phone", _("Phone numbers")), ("email", _("Email addresses")),
        ),
        "several",
    ),
    _Rule(
        ("approval", "required_when"), _("When a draft needs review"),
        (("always", _("Always")), ("never", _("Only when it is blocked"))),
    ),
    _Rule(("flows", "stranger_recipient"), _("A message goes to someone you do not know"),
          _ACTIONS),
    _Rule(("flows", "readers"), _("A message shares something its recipients have not seen"),
          _ACTIONS),
    _Rule(("flows", "invitation"), _("An agent invites people, or changes a meeting"), _ACTIONS),
    _Rule(("flows", "destroy"), _("An agent deletes something"), _ACTIONS),
    _Rule(("flows", "card_address_change"),
          _("An agent changes an address of someone you have written with"), _ACTIONS),
    _Rule(("flows", "silent_cancel"), _("An agent cancels a meeting without telling its guests"),
          _ACTIONS),
    _Rule(("flows", "overwrite_attached_file"),
          _("An agent overwrites a file that a waiting message attaches"), _ACTIONS),
)  # fmt: skip


def read_switches(source: str) -> list[Switch]:
    """Return the common rules as a text sets them; none where it cannot be read."""
    try:
        policy = read_policy(source)
    except ValueError:
        return []
    return [_switch(rule, policy) for rule in _RULES]


def apply_switches(source: str, given: Mapping[str, Any], several: Mapping[str, list[str]]) -> str:
    """Return the text with the rules that a person set otherwise than they stood before.

    `given` has the posted fields, `several` the lists among them. Raises ValueError where the text
    cannot be read, or not be changed by itself.
    """
    for switch in read_switches(source):
        before = given.get(f"was.{switch.name}")
        if before is None:
            continue
        values = several.get(switch.name, [])
        now = ",".join(values) if switch.kind == "several" else str(given.get(switch.name, ""))
        if now != before and (value := _value(switch, now, source)) is not None:
            source = set_value(source, tuple(switch.name.split(".")[1:]), value)
    return source


def _value(switch: Switch, now: str, source: str) -> Value | None:
    """Return what is to stand in the text; None for what is none of the choices."""
    codes = [one.code for one in switch.choices]
    if switch.kind == "number":
        return int(now) if now.isascii() and now.isdecimal() and len(now) < 8 else None
    if switch.kind == "several":
        # Patterns of the workspace's own are no switch, and stay.
        if any(not isinstance(it, str) for it in read_policy(source).fields.redactions):
            raise ValueError("it has patterns of its own")
        return [code for code in codes if code in now.split(",")]
    return now if now in codes else None


def _switch(rule: _Rule, policy: Policy) -> Switch:
    value: Any = policy.fields
    for step in rule.path:
        value = getattr(value, step, None)
    name = ".".join(("set", *rule.path))
    if rule.kind == "several":
        chosen = [code for code in _KINDS if code in (value or ())]
        made = tuple(Choice(code, label, code in chosen) for code, label in rule.choices)
        return Switch(name, rule.label, rule.kind, ",".join(chosen), made)
    text = value if isinstance(value, str) else "" if value is None else str(value)
    if isinstance(value, list):
        text = "as_written"
    made = tuple(Choice(code, label, code == text) for code, label in rule.choices)
    return Switch(name, rule.label, rule.kind, text, made)
