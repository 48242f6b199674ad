"""Certificates that are not to be trusted, and who stands in between and takes TLS away."""

import random
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from tests.faults.scripted import OverError, Script, Talk, cut, drop, reset, say, show
from tests.servers import make_certificate

_REFUSALS = ("454 4.7.0 {n} TLS not now", "501 5.5.4 {n} no TLS", "421 4.3.2 {n} bye")
# What may be said in the clear to a server that is to speak TLS first (RFC 3207 4).
_HARMLESS = re.compile(rb"(EHLO [^\r\n]*|STARTTLS|NOOP|RSET|QUIT)\r\n", re.IGNORECASE)


@dataclass(frozen=True)
class Certificates:
    """One that is good, a file with those that are trusted, and some that must not be believed."""

    good: Path
    trusted: Path
    wrong: tuple[Path, ...]

    @classmethod
    def make(cls, folder: Path) -> Self:
        """Make them for 127.0.0.1: a stranger's, and of trusted ones an old one and another's."""
        good = make_certificate(folder / "good.pem")
        stranger = make_certificate(folder / "stranger.pem")
        old = make_certificate(folder / "old.pem", days=-1)
        another = make_certificate(folder / "another.pem", host="mail.elsewhere.example")
        trusted = folder / "trusted.pem"
        trusted.write_bytes(b"".join(it.read_bytes() for it in (good, old, another)))
        return cls(good, trusted, (stranger, old, another))


def random_tls_script(chance: random.Random, wrong: tuple[Path, ...], *, at_once: bool) -> Script:
    """Return the script of a connection whose TLS goes wrong; `at_once`: TLS comes first."""
    actions = [show(chance.choice(wrong)), show(chance.choice(wrong)), nonsense, drop, reset]
    if at_once:
        return {"TLS": [chance.choice(actions)]}
    refusal = chance.choice(_REFUSALS).format(n=f"no{chance.randrange(10**9)}")
    kind = chance.choice(("strip", "strip", "other", "other", "other"))
    if kind == "strip":
        return {"EHLO": [without_starttls]}
    return {"STARTTLS": [chance.choice([*actions, cut, smuggle, say(refusal)])]}


def without_starttls(talk: Talk, usual: bytes) -> bytes:
    """Answer as who stands in between would have it: no TLS is offered."""
    lines = [it for it in usual.splitlines() if not it.endswith(b"STARTTLS")]
    lines[-1] = lines[-1].replace(b"250-", b"250 ")
    return talk.send(b"".join(it + b"\r\n" for it in lines))


def smuggle(talk: Talk, usual: bytes) -> bytes:
    """Agree to TLS, and have an answer in the clear wait behind that (RFC 3207 6)."""
    return talk.send(usual + b"250 2.0.0 taken\r\n")


def nonsense(talk: Talk, usual: bytes) -> bytes:
    """Agree to TLS and speak something else."""
    talk.send(usual + b"HTTP/1.1 400 Bad Request\r\n\r\n")
    raise OverError


def said_openly(said: bytes) -> bytes:
    """Return what of it should never have been said in the clear, to such a server."""
    return _HARMLESS.sub(b"", said)
