"""Whether a sentence that is done may be a part of another, or still tell what to write; pure.

It is said all the same, and flagged. The words are those of each language's section `carrying`.
"""

from functools import cache

import regex

from inbox.compose.carrying.carrier import Carrier
from inbox.languages import language


def may_be_wrong(sentence: str, by: Carrier) -> bool:
    """Return True if the sentence shows that its words do not belong together.

    So it does where it speaks of its reader by name: "Mrs Vogt is to name the lot numbers".
    """
    if _doubtful(by.code).search(sentence):
        return True
    names = [regex.escape(it) for it in by.saying.situation.names if len(it) > 2]
    return bool(names) and (
        regex.search(rf"(?<![\p{{L}}@./-])(?:{'|'.join(names)})(?![\p{{L}}@/-])", sentence)
        is not None
    )


@cache
def _doubtful(code: str) -> regex.Pattern[str]:
    known = language(code)
    words = known.carrying.doubtful if known else ""
    return regex.compile(words or "(?!)", regex.IGNORECASE)
