"""Writing replies and summaries by rules, from the thread alone."""

from inbox.compose.reply import ComposedReply, compose_reply
from inbox.compose.summary import summarise

__all__ = ["ComposedReply", "compose_reply", "summarise"]
