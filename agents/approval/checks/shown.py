"""The texts that an agent had before it when it proposed something."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from agents.evidence.refs import Ref
from agents.evidence.texts import read_texts
from agents.models import Exposure, Origin
from inbox.actor import Actor
from inbox.models import Direction, Draft, Message
from inbox.rfc5322.addresses.parsing import stands_in

_FOLD = re.compile(r"\r?\n[ \t]")
_BLANK = re.compile(r"\s+")
_BETWEEN = re.compile(r"[\s./-]+")


@dataclass(frozen=True)
class ShownText:
    """A text, who wrote it, and who has read it, in lower case; None: it has no such list."""

    ref: Ref
    text: str
    author: str
    origin: str
    readers: frozenset[str] | None = None

    @cached_property
    def squashed(self) -> str:
        """The text without blanks and case."""
        return squash(self.text)

    @cached_property
    def joined(self) -> str:
        """The text without what may part the groups of a number, and without case."""
        return join_groups(self.text)

    @cached_property
    def lowered(self) -> str:
        """The text in lower case."""
        return self.text.lower()

    @property
    def is_inbound(self) -> bool:
        """Whether it is a message that came in."""
        return self.ref.kind == "msg" and self.origin != Origin.OWNER


@dataclass(frozen=True)
class Shown:
    """What an agent had been shown in the last 24 hours, the newest first; `known` we know."""

    texts: Sequence[ShownText]
    exposures: Sequence[Exposure]
    known: Collection[str]
    # The newest messages of what is answered.
    thread: Sequence[Message] = ()

    @cached_property
    def strange(self) -> list[ShownText]:
        """What strangers wrote."""
        return [it for it in self.texts if it.origin == Origin.STRANGER]

    def strange_for(
        self, draft: Draft, recipients: Sequence[str], *, inside: bool
    ) -> list[ShownText]:
        """Return what strangers wrote to others than a draft goes to.

        What goes to our own house (`inside`) and says whose words they are is passed on, no more.
        """
        to = {email.lower() for email in recipients}
        says = draft.body if inside else ""
        return [it for it in self.strange if to != {it.author} and not stands_in(it.author, says)]

    @cached_property
    def tasks(self) -> list[str]:
        """What people of ours told the agent to do."""
        return [it.text for it in self.texts if it.ref.kind == "agm" and it.origin == Origin.OWNER]

    @cached_property
    def trusted(self) -> list[ShownText]:
        """What all others wrote."""
        return [it for it in self.texts if it.origin != Origin.STRANGER]


def read_shown(
    actor: Actor, seen: Sequence[Exposure], thread: Sequence[Message], known: Collection[str]
) -> Shown:
    """Return the texts that an agent had before it; `seen` is what it was shown, newest first.

    What we wrote in the thread itself is among them, whether the agent read it or not.
    """
    by_ref: dict[Ref, Exposure] = {}
    for one in seen:
        by_ref.setdefault(Ref(one.kind, one.object_id), one)
    texts = read_texts(actor.workspace_id, by_ref) if by_ref else {}
    shown = [
        ShownText(
            ref, texts[ref], one.author, one.origin,
            None if one.readers is None else frozenset(one.readers),
        )
        for ref, one in by_ref.items() if texts.get(ref)
    ]  # fmt: skip
    shown += [
        ShownText(
            Ref("msg", one.pk), one.text, one.from_email, Origin.OWNER, frozenset(one.readers)
        )
        for one in thread
        if one.direction == Direction.OUTBOUND and Ref("msg", one.pk) not in texts
    ]
    return Shown(shown, seen, known, thread)


def unfold(calendar: str) -> str:
    """Return iCalendar text with each line whole (RFC 5545, section 3.1)."""
    return _FOLD.sub("", calendar)


def squash(text: str) -> str:
    """Return a text without blanks and case."""
    return _BLANK.sub("", text).casefold()


def join_groups(text: str) -> str:
    """Return a text without blanks, dots, dashes and case."""
    return _BETWEEN.sub("", text).casefold()
