"""What becomes of messages: by the rules, by who else is asked, and by what persons corrected."""

from collections.abc import Sequence

from inbox.classify import Facts, Judgement, judge
from inbox.models import LearnedOpinion, Message
from inbox.operations.activities.answers import heed_answer
from inbox.operations.activities.context import MessageContext
from inbox.operations.activities.matching import CorrectionMatch
from inbox.operations.learned.opinions import Watched
from inbox.understanding.backends import understanding_of

# How much of a message's new text is looked at, and kept with an activity.
CONTENT_LIMIT = 20_000


class DecidingContext(MessageContext):
    """What is stored around a batch of messages, with who is asked about them; constant queries."""

    def __init__(self, messages: Sequence[Message]) -> None:
        super().__init__(messages)
        workspaces = {message.workspace_id for message in messages}
        self._watched = Watched(workspaces)
        self._asked = {workspace: understanding_of(workspace) for workspace in sorted(workspaces)}

    def judge(self, message: Message) -> Judgement:
        """Return what the rules say of a message of the batch by themselves."""
        return judge(self._facts(message))

    def decide(self, message: Message) -> CorrectionMatch:
        """Return what becomes of a message of the batch."""
        facts = self._facts(message)
        imitates = bool(self.imitated_by(message))
        return self._decide(message, facts, judge(facts), imitates=imitates)

    def decide_and_watch(self, message: Message) -> tuple[CorrectionMatch, list[LearnedOpinion]]:
        """Return what becomes of a message, and where learned versions differ from the rules."""
        facts = self._facts(message)
        by_rules = judge(facts)
        imitates = bool(self.imitated_by(message))
        opinions = self._watched.opinions_of(message, facts, by_rules, imitates=imitates)
        return self._decide(message, facts, by_rules, imitates=imitates), opinions

    def _decide(
        self, message: Message, facts: Facts, by_rules: Judgement, *, imitates: bool
    ) -> CorrectionMatch:
        answer = self._asked[message.workspace_id].judge(facts, by_rules)
        heeded = heed_answer(by_rules, answer, message, imitates=imitates)
        return self.apply_correction(message, heeded.judgement, is_guarded=heeded.is_guarded)

    def facts_and_judgement(self, message: Message) -> tuple[Facts, Judgement]:
        """Return what is known of a message of the batch, and what the rules say of it."""
        facts = self._facts(message)
        return facts, judge(facts)

    def _facts(self, message: Message) -> Facts:
        return Facts(
            title=message.subject,
            content=message.new_text[:CONTENT_LIMIT],
            sender_email=message.from_email,
            sender_name=message.from_name,
            message=self.facts_of(message),
        )
