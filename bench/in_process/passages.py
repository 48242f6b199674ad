"""What the model makes of passages of mail.

`python -m bench.in_process.passages MAILDIR VECTORS.npy COUNT`
"""

import email
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from inbox.semantic.encoder import Encoder

_WORDS, _STEP, _AT_ONCE, _SEED = 12, 7, 64, 3


def passages_of(maildir: Path) -> Iterator[str]:
    """Yield twelve words at a time of what is not quoted, where most of it is letters."""
    for path in sorted(maildir.rglob("cur/*")):
        for part in email.message_from_bytes(path.read_bytes()).walk():
            if part.get_content_type() != "text/plain":
                continue
            content = part.get_payload(decode=True)
            text = content.decode("utf-8", "replace") if isinstance(content, bytes) else ""
            words = " ".join(line for line in text.splitlines() if line[:1] != ">").split()
            for place in range(0, len(words), _STEP):
                passage = " ".join(words[place : place + _WORDS])
                letters = sum(it.isalpha() or it == " " for it in passage)
                if 30 <= len(passage) <= 110 and letters > 0.68 * len(passage):
                    yield passage


def main(maildir: str, target: str, count: str) -> None:
    """Take so many of the passages, each once, in random order."""
    texts = list(dict.fromkeys(passages_of(Path(maildir))))
    random.Random(_SEED).shuffle(texts)
    texts = texts[: int(count)]
    encoder = Encoder()
    parts = [
        encoder.encode(texts[place : place + _AT_ONCE]) for place in range(0, len(texts), _AT_ONCE)
    ]
    np.save(target, np.concatenate(parts))


if __name__ == "__main__":
    main(*sys.argv[1:4])
