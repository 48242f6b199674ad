"""The port through which mail is understood: who answers, how surely, and by what evidence."""

from inbox.understanding.backends import (
    Understanding,
    register_backend,
    understanding_of,
    understanding_of_each,
)
from inbox.understanding.port import (
    Answer,
    Backend,
    JudgeQuestion,
    ReplyQuestion,
    Span,
    TriageQuestion,
    Verdict,
)

__all__ = [
    "Answer",
    "Backend",
    "JudgeQuestion",
    "ReplyQuestion",
    "Span",
    "TriageQuestion",
    "Understanding",
    "Verdict",
    "register_backend",
    "understanding_of",
    "understanding_of_each",
]
