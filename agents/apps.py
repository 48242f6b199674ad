"""Where agents act."""

from importlib import import_module
from pkgutil import walk_packages

from django.apps import AppConfig
from django.utils.module_loading import import_string
from django.utils.translation import pgettext_lazy

from inbox.loading import load


class AgentsConfig(AppConfig):
    """Contracts, dispatch, approvals and receipts."""

    name = "agents"
    verbose_name = pgettext_lazy("rows", "Agents")

    def ready(self) -> None:
        """Have tools and resources loaded."""
        load(_load_tools)


def _load_tools() -> None:
    """Load every tool and resource, then close their registries."""
    tools = import_module("agents.tools")
    for module in walk_packages(tools.__path__, "agents.tools."):
        import_module(module.name)
    import_module("agents.resources")
    import_module("agents.approval.past_decisions")
    import_module("agents.notices.untold")
    for registry in ("REGISTRY", "RESOURCES", "DECISIONS"):
        import_string(f"agents.contracts.{registry}").freeze()
