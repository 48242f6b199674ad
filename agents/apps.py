"""Where agents act."""

from django.apps import AppConfig


class AgentsConfig(AppConfig):
    """Contracts, dispatch, approvals and receipts."""

    name = "agents"
