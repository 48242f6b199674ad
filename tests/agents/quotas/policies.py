"""Policies with nothing but quotas."""

from inbox.models import ReplyPolicy
from inbox.operations.activities.understanding import save_version


def save_policy(workspace, quotas, name="Quotas"):
    """Save a policy with these quotas, each on a line as YAML has it in braces."""
    lines = "".join(f"  - {one}\n" for one in quotas.splitlines())
    stored = ReplyPolicy.objects.filter(workspace=workspace, name=name).first()
    source = f"quotas:\n{lines}"
    return save_version(ReplyPolicy, workspace=workspace, name=name, content=source, stored=stored)
