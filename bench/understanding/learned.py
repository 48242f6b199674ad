"""What decisions teach, measured on senders that nobody decided of.

    python -m bench.understanding learned --phishing DIR --spam DIR --honest DIR \
        --kinds FILE --decisions 1500

A person is played who puts unwanted mail away and looks at honest mail: some messages of one half
of the senders are decided, and the other half is counted with and without what was learned. In
FILE each line is a kind, a tab and a text, which may be a subject, a tab and a text; 13 kinds are
drawn, and 30 texts of each are decided.
"""

import argparse
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.understanding.classifying import Read, read_all
from bench.understanding.halves import HALVES
from inbox.classify import judge
from inbox.learning.calibration import bins_of, expected_error
from inbox.learning.features import counted_words_of, features_of
from inbox.learning.training import Classifier, Decision, Worth, learn
from inbox.operations.learned.backend import UNWANTED, WANTED, sure_from, sure_of_intent

KINDS, EACH, TRIED, KIND_DRAWS = 13, 30, 40, 5
_REACHES = ("surfaced", "needs_review")


@dataclass(frozen=True, slots=True)
class Counted:
    """What became of messages: by the rules alone, and with what was learned."""

    every: int
    reached: int
    reaches: int
    newly_held: int

    def __str__(self) -> str:
        shares = [f"{n / self.every:.2%}" for n in (self.reached, self.reaches, self.newly_held)]
        return "{}: reach a person {} by rules, {} learned; held besides {}".format(
            self.every, *shares
        )


def count(classifier: Classifier, messages: Sequence[Read]) -> Counted:
    """Count what reaches a person: everything from strangers, so that quarantine is always let."""
    sure = sure_from(classifier, UNWANTED)
    held = [
        classifier.probabilities(features_of(one.facts, one.judgement))[UNWANTED] >= sure
        for one in messages
    ]
    reached = [one.status in _REACHES for one in messages]
    return Counted(
        len(messages),
        sum(reached),
        sum(was and not now for was, now in zip(reached, held, strict=True)),
        sum(now and not one.is_dismissed for one, now in zip(messages, held, strict=True)),
    )


def decide(bad: Sequence[Read], good: Sequence[Read], most: int, draw: int) -> list[Decision]:
    """Return what a person decided of messages drawn from those that are tuned on."""
    drawn = [(one, UNWANTED) for one in bad] + [(one, WANTED) for one in good]
    random.Random(draw).shuffle(drawn)
    return [
        Decision(
            features_of(one.facts, one.judgement), label,
            one.facts.sender_email.rpartition("@")[2].lower(),
        )
        for one, label in drawn[:most]
    ]  # fmt: skip


def tell(worth: Worth, seconds: float) -> None:
    """Print what a training came to."""
    print(
        f"  trained on {worth.trained_on} in {seconds:.1f} s; on senders held back: accuracy "
        f"{worth.accuracy:.3f}, expected calibration error {worth.calibration_error:.3f}"
    )


def measure_unwanted(sets: dict[str, list[Read]], most: int, draw: int) -> None:
    """Print what reaches a person before and after so many decisions."""
    halves = {
        half: {name: [one for one in some if one.half == half] for name, some in sets.items()}
        for half in HALVES
    }
    tuning, other = halves["tuning"], halves["other"]
    bad = [one for name in ("phishing", "spam") for one in tuning[name]]
    start = time.process_time()
    learned = learn(decide(bad, tuning["honest"], most, draw))
    if learned is None:
        raise SystemExit("There are too few decisions to learn from.")
    tell(learned[1], time.process_time() - start)
    for name, some in (*other.items(), ("unwanted", other["phishing"] + other["spam"])):
        if some:
            print(f"  {name} {count(learned[0], some)}", flush=True)
    measure_speed(learned[0], [one for some in other.values() for one in some])


def measure_speed(classifier: Classifier, messages: Sequence[Read]) -> None:
    """Print how many messages a second are judged, by the rules and with what was learned."""
    start = time.process_time()
    for one in messages[::4]:
        classifier.best(features_of(one.facts, judge(one.facts)))
    rate = len(messages[::4]) / max(time.process_time() - start, 1e-9)
    print(f"  {rate:.0f} messages a second with what was learned")


def measure_kinds(path: Path, draws: range) -> Iterator[tuple[float, float]]:
    """Yield the accuracy and the calibration error of some draws of kinds, and print them."""
    by_kind: dict[str, list[tuple[str, str]]] = {}
    for line in path.read_text("utf-8").splitlines():
        kind, _tab, rest = line.partition("\t")
        subject, tab, text = rest.partition("\t")
        by_kind.setdefault(kind, []).append((subject, text) if tab else ("", rest))
    full = sorted(kind for kind, texts in by_kind.items() if len(texts) >= EACH + 5)
    for seed in draws:
        chance = random.Random(seed)
        kinds = chance.sample(full, min(KINDS, len(full)))
        texts = {kind: chance.sample(by_kind[kind], len(by_kind[kind])) for kind in kinds}
        taught = [(kind, text) for kind in kinds for text in texts[kind][:EACH]]
        chance.shuffle(taught)
        learned = learn(
            (
                Decision(counted_words_of(*text), kind, f"sender{at}")
                for at, (kind, text) in enumerate(taught)
            ),
            weighs=True,
        )
        if learned is None:
            raise SystemExit("There are too few texts to learn from.")
        asked = [(kind, text) for kind in kinds for text in texts[kind][EACH : EACH + TRIED]]
        # As a row keeps it.
        kept = Classifier.from_json(learned[0].as_json())
        said = [(kind, *kept.best(counted_words_of(*text))) for kind, text in asked]
        right = [best == kind for kind, best, _ in said]
        off = expected_error(bins_of([likely for *_, likely in said], right))
        given = [
            is_right
            for is_right, (*_, likely) in zip(right, said, strict=True)
            if likely >= sure_of_intent(kept)
        ]
        print(
            f"  {len(kinds)} kinds, {len(asked)} texts: {sum(right) / len(asked):.3f} right, "
            f"calibration error {off:.3f}; given {len(given) / len(asked):.3f}, "
            f"of which right {sum(given) / max(1, len(given)):.3f}",
            flush=True,
        )
        yield sum(right) / len(asked), off


def main(arguments: Sequence[str]) -> int:
    """Measure what is named, and print it."""
    parser = argparse.ArgumentParser(prog="python -m bench.understanding learned")
    for name in ("phishing", "spam", "honest", "kinds"):
        parser.add_argument(f"--{name}", type=Path, action="append", default=[])
    parser.add_argument("--own-servers", default="")
    parser.add_argument("--decisions", type=int, action="append")
    parser.add_argument("--draws", type=int, default=3, help="of which messages are decided")
    parser.add_argument("--first", type=int, default=0, help="draw of kinds, of five in a row")
    parser.add_argument("--every", type=int, default=1, help="of so many messages read one")
    options = parser.parse_args(arguments, argparse.Namespace(addressed="to", half="both"))
    if options.honest:
        sets = {
            name: list(read_all(getattr(options, name), options))
            for name in ("phishing", "spam", "honest")
        }
        for most in options.decisions or [1500]:
            for draw in range(options.draws):
                print(f"{most} decisions, draw {draw + 1}")
                measure_unwanted(sets, most, draw)
    for path in options.kinds:
        print(path.name)
        found = list(measure_kinds(path, range(options.first, options.first + KIND_DRAWS)))
        right, off = (sum(some) / len(found) for some in zip(*found, strict=True))
        print(f"  on average {right:.3f} right, calibration error {off:.3f}")
    return 0
