"""Writing replies and summaries by rules, from the thread alone."""

from inbox.compose.composed import ComposedReply
from inbox.compose.reply import compose_reply, frame_reply, reply_language
from inbox.compose.summary import summarise

__all__ = ["ComposedReply", "compose_reply", "frame_reply", "reply_language", "summarise"]
