"""How each thing that a goal tells the writer to do is said to the reader."""

from inbox.compose.acts.said import SAID
from inbox.compose.acts.sentence import NOTHING, PARTLY, WISHED, Sentence

__all__ = ["NOTHING", "PARTLY", "SAID", "WISHED", "Sentence"]
