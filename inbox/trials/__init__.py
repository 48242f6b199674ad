"""Trying what would be taught on past mail: what is said of it now, and what would be; all read."""

from inbox.trials.past import Period, Scope
from inbox.trials.policies import PolicyTrial, try_policy
from inbox.trials.schemas import SchemaTrial, try_schema
from inbox.trials.taxonomies import TaxonomyTrial, try_taxonomy

__all__ = [
    "Period",
    "PolicyTrial",
    "SchemaTrial",
    "Scope",
    "TaxonomyTrial",
    "try_policy",
    "try_schema",
    "try_taxonomy",
]
