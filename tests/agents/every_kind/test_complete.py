"""No operation is left out."""

from importlib import import_module
from pkgutil import iter_modules

from agents.contracts import REGISTRY
from tests.agents import every_kind
from tests.agents.every_kind.offices import EVERY

# Grants an account to an agent, whatever kind it is of.
_OF_NO_ACCOUNT = {"account_authenticate", "account_complete_auth"}


def test_every_operation_is_called_on_every_kind():
    for module in iter_modules(every_kind.__path__, f"{every_kind.__name__}."):
        import_module(module.name)
    operations = {tool.name for tool in REGISTRY.tools if tool.family == "operations"}
    assert operations - EVERY == _OF_NO_ACCOUNT
