"""What a reply must be and must not be."""

from inbox.policies.parsing import PolicyError
from inbox.policies.policy import Outgoing, OutOfTimeError, Policy, read_policy

__all__ = ["OutOfTimeError", "Outgoing", "Policy", "PolicyError", "read_policy"]
