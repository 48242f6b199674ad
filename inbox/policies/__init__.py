"""What a reply must be and must not be."""

from inbox.policies.policy import Outgoing, OutOfTimeError, Policy, read_policy
from inbox.policies.reading import PolicyError

__all__ = ["OutOfTimeError", "Outgoing", "Policy", "PolicyError", "read_policy"]
