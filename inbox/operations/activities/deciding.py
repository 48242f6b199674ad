"""What becomes of messages: by the rules, by who else is asked, and by what persons corrected."""

from collections.abc import Sequence

from inbox.classify import Facts, Judgement, judge
from inbox.models import LearnedOpinion, Message
from inbox.operations.activities.answers import heed_answer
from inbox.operations.activities.context import MessageContext
from inbox.operations.activities.matching import CorrectionMatch
from inbox.operations.learned.opinions import Watched
from inbox.understanding.backends import understanding_of_each
from inbox.understanding.port import JudgeQuestion

# How much of a message's new text is looked at, and kept with an activity.
CONTENT_LIMIT = 20_000


class DecidingContext(MessageContext):
    """What is stored around a batch of messages, with who is asked about them; constant queries."""

    def __init__(self, messages: Sequence[Message]) -> None:
        super().__init__(messages)
        workspaces = {message.workspace_id for message in messages}
        self._watched = Watched(workspaces)
        self._asked = understanding_of_each(sorted(workspaces))

    def judge(self, message: Message) -> Judgement:
        """Return what the rules say of a message of the batch by themselves."""
        return judge(self._facts(message))

    def decide(self, message: Message) -> CorrectionMatch:
        """Return what becomes of a message of the batch."""
        imitates = bool(self.imitated_by(message))
        return self._decide(message, self._question(message), imitates=imitates)

    def decide_and_watch(self, message: Message) -> tuple[CorrectionMatch, list[LearnedOpinion]]:
        """Return what becomes of a message, and where learned versions differ from the rules."""
        question = self._question(message)
        imitates = bool(self.imitated_by(message))
        opinions = self._watched.opinions_of(message, question, imitates=imitates)
        return self._decide(message, question, imitates=imitates), opinions

    def _question(self, message: Message) -> JudgeQuestion:
        facts = self._facts(message)
        return JudgeQuestion(facts, judge(facts))

    def _decide(
        self, message: Message, question: JudgeQuestion, *, imitates: bool
    ) -> CorrectionMatch:
        answer = self._asked[message.workspace_id].judge(question)
        heeded = heed_answer(question.by_rules, answer, message, imitates=imitates)
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
