"""What the rules make of mail whose kind is known: phishing, advertising and honest letters.

    python -m bench.understanding classifying --phishing DIR --spam DIR --honest DIR \
        --sentences FILE --own-servers "outlook.com …"

Every message is read as one of a stranger's, the first that came; folders may be Maildirs. One
half of the senders is what the rules may be tuned on, of the other only counts are told.
"""

import argparse
import html
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.understanding.halves import HALVES, Half, read_files, split_by
from bench.understanding.sentences import measure_sentences
from inbox.classify import Facts, Judgement, MessageFacts, judge
from inbox.classify.links import link_hosts
from inbox.intake.prepared import Recipient
from inbox.intake.preparing import authenticate
from inbox.operations.activities.routing import route
from inbox.providers.presets import with_known_networks
from inbox.rfc5322.authentication import OwnServers
from inbox.rfc5322.parse import parse_message
from inbox.rfc5322.parsed import ParsedMessage

_TAG = re.compile(r"<[^<>]{0,2000}>")
_HTML_LOOKED_AT = 20_000
# The kinds of what may do harm.
_HARMFUL = frozenset({"phishing", "wants_credentials", "scam"})


@dataclass(frozen=True, slots=True)
class Read:
    """A message as the rules saw it."""

    path: Path
    half: Half
    facts: Facts
    judgement: Judgement
    seconds: float

    @property
    def status(self) -> str:
        """Where it goes."""
        made = self.judgement.classification
        return str(route(made.autonomy_tier, made.confidence).value)

    @property
    def is_dismissed(self) -> bool:
        """Return True if nobody would look at it among honest mail."""
        is_silent = self.judgement.classification.autonomy_tier == 1
        return self.status == "quarantined" or (self.status == "processed" and is_silent)


def facts_of(parsed: ParsedMessage, recipient: Recipient, addressed: Any) -> Facts:
    """Return what the rules would be given of the first message of a stranger."""
    verdict, results = authenticate(parsed, recipient)
    parts = tuple(part.content_type.lower() for part in parsed.attachments)
    return Facts(
        title=parsed.subject,
        content=parsed.new_text[:20_000],
        sender_email=parsed.sender.email,
        sender_name=parsed.sender.name,
        message=MessageFacts(
            headers=parsed.signals,
            list_id=parsed.list_id,
            authentication=verdict,
            authentication_results=results,
            anomalies=parsed.anomalies,
            language=parsed.language,
            attachments=parts,
            has_calendar=any(part.startswith("text/calendar") for part in parts),
            addressed=addressed,
            recipients=len(parsed.to) + len(parsed.cc),
            answers_others=bool(parsed.in_reply_to or parsed.references),
            reply_to=parsed.reply_to[0].email if parsed.reply_to else "",
            html_text=html.unescape(_TAG.sub(" ", parsed.html[:_HTML_LOOKED_AT])),
            link_hosts=link_hosts(parsed.html[:_HTML_LOOKED_AT]),
        ),
    )


def read_all(folders: Sequence[Path], options: argparse.Namespace) -> Iterator[Read]:
    """Yield each message of the folders with what the rules say of it."""
    recipient = Recipient(
        0, "", frozenset(), with_known_networks(OwnServers.read(options.own_servers))
    )
    found = [(path, raw) for folder in folders for path, raw in read_files(folder)]
    found = found[:: options.every]
    parsed = [(path, parse_message(raw)) for path, raw in found]
    halves = split_by([message.sender.email for _, message in parsed])
    for (path, message), half in zip(parsed, halves, strict=True):
        if options.half not in ("both", half):
            continue
        facts = facts_of(message, recipient, options.addressed)
        start = time.process_time()
        judgement = judge(facts)
        yield Read(path, half, facts, judgement, time.process_time() - start)


def tell(name: str, messages: Sequence[Read], *, show: int) -> None:
    """Print the counts of each half, and name some messages of the half that is tuned on."""
    for half in HALVES:
        ours = [message for message in messages if message.half == half]
        if ours:
            print(f"{name}, {half}: {len(ours)} messages")
            print("\n".join(f"  {line}" for line in count(ours)), flush=True)
    for message in [one for one in messages if one.half == "tuning"][:show]:
        print(message.path, message.judgement.kind.name, message.facts.title[:80])


def count(messages: Sequence[Read]) -> Iterator[str]:
    """Yield the lines on what became of messages."""
    every = len(messages)
    statuses = Counter(message.status for message in messages)
    kinds = Counter(message.judgement.kind.name for message in messages)
    parts = {
        "reach a person": statuses["surfaced"] + statuses["needs_review"],
        "named phishing": kinds["phishing"],
        "named as harmful": sum(kinds[kind] for kind in _HARMFUL),
        "dismissed or held": sum(message.is_dismissed for message in messages),
        "without a sender": sum(not message.facts.sender_email for message in messages),
    }
    yield from (f"{name:<18}{times / every:6.1%}" for name, times in parts.items())
    yield f"{every / max(sum(one.seconds for one in messages), 1e-9):.0f} messages a second"
    yield ", ".join(f"{kind} {times / every:.1%}" for kind, times in kinds.most_common(12))


def main(arguments: Sequence[str]) -> int:
    """Measure what is named, and print it."""
    parser = argparse.ArgumentParser(prog="python -m bench.understanding classifying")
    for name in ("phishing", "spam", "honest"):
        parser.add_argument(f"--{name}", type=Path, action="append", default=[])
    parser.add_argument("--sentences", type=Path, action="append", default=[])
    parser.add_argument("--own-servers", default="")
    parser.add_argument("--addressed", choices=("to", "cc", "neither"), default="to")
    parser.add_argument("--half", choices=("both", *HALVES), default="both")
    parser.add_argument("--every", type=int, default=1, help="of so many messages read one")
    parser.add_argument("--show", type=int, default=0, help="messages of the tuning half to name")
    options = parser.parse_args(arguments)
    for name in ("phishing", "spam", "honest"):
        for folder in getattr(options, name):
            tell(f"{name} {folder.name}", list(read_all([folder], options)), show=options.show)
    for path in options.sentences:
        measure_sentences(path)
    return 0
