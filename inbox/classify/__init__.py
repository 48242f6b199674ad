"""Classifies what comes in by rules that people can read (`rules.yaml`); no clock, no model."""

from inbox.classify.decide import Judgement, classify, judge
from inbox.classify.facts import Classification, Facts, MessageFacts

__all__ = ["Classification", "Facts", "Judgement", "MessageFacts", "classify", "judge"]
