"""The fields of a reply policy, closed and strict."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field

from inbox.flags import CONDITIONS
from inbox.policies.amounts import AmountOver
from inbox.policies.closed import Closed
from inbox.policies.deciding import DecisionRule
from inbox.policies.flows import Flows
from inbox.policies.patterns import compile_pattern, compile_phrase
from inbox.policies.quotas import Quota
from inbox.policies.sensitive import KIND_NAMES
from inbox.reasons import phrase as _

Tone: TypeAlias = Literal["friendly", "formal", "brief"]
_TONES = {
    "warm": "friendly", "casual": "friendly", "empathetic": "friendly", "professional": "formal",
    "polite": "formal", "neutral": "formal", "concise": "brief", "short": "brief",
}  # fmt: skip


def _known_tone(value: Any) -> Any:
    return _TONES.get(value, value) if isinstance(value, str) else value


def _known_kind(value: str) -> str:
    kind = KIND_NAMES.get(value.strip().lower().replace("-", "_").replace(" ", "_"))
    if kind is None:
        names = sorted(set(KIND_NAMES.values()))
        raise ValueError(_("unknown kind; use one of %(names)s", names=names))
    return kind


def _phrase(value: str) -> str:
    compile_phrase(value)
    return value


def _pattern(value: str) -> str:
    compile_pattern(value)
    return value


def _flag(value: str) -> str:
    if value not in CONDITIONS:
        raise ValueError(_("unknown condition; use one of %(names)s", names=list(CONDITIONS)))
    return value


def _by_language(value: Any) -> Any:
    """Take one text for every language."""
    return {"default": value} if isinstance(value, str) else value


def _by_tone(value: Any) -> Any:
    """Take one text, or one for each language, for every tone."""
    value = _by_language(value)
    if isinstance(value, Mapping) and not set(value) & {"friendly", "formal", "brief"}:
        return {"default": value}
    return value


Text: TypeAlias = Annotated[str, Field(min_length=1, max_length=4000)]
Language: TypeAlias = Annotated[str, Field(pattern=r"^(default|[a-z]{2,3}(-[A-Za-z]{2,4})?)$")]
ByLanguage: TypeAlias = Annotated[dict[Language, Text], BeforeValidator(_by_language)]
ByTone: TypeAlias = Annotated[
    dict[Literal["friendly", "formal", "brief", "default"], ByLanguage], BeforeValidator(_by_tone)
]
Entry: TypeAlias = Annotated[str, Field(min_length=1, max_length=320)]
MANY = 500


class ForbiddenPhrase(Closed):
    """A phrase that must not stand in a reply; with `block` the reply cannot be sent at all."""

    phrase: Annotated[Text, AfterValidator(_phrase)]
    reason: str = ""
    block: bool = False


class OwnRedaction(Closed):
    """A pattern of the workspace's own to black out."""

    name: Annotated[str, Field(min_length=1, max_length=60)]
    pattern: Annotated[Text, AfterValidator(_pattern)]


class Recipients(Closed):
    """Who may be written to; an empty `allow` means everybody who is not blocked."""

    allow: Annotated[list[Entry], Field(max_length=MANY)] = []
    block: Annotated[list[Entry], Field(max_length=MANY)] = []


class ConfidenceBelow(Closed):
    """A person must approve a draft that is less sure of itself."""

    confidence_below: Annotated[float, Field(ge=0, le=1, strict=False)]


Condition: TypeAlias = Annotated[str, AfterValidator(_flag)] | AmountOver | ConfidenceBelow


class ApprovalRules(Closed):
    """When the draft asks for a person; a send is held in any case."""

    required_when: Literal["always", "never"] | Annotated[list[Condition], Field(max_length=50)] = (
        "always"
    )


class PolicyFields(Closed):
    """What a policy may say."""

    tone: Annotated[Tone, BeforeValidator(_known_tone)] | None = None
    # The tones a reply may have; the first is the one taken where `tone` says nothing.
    tones: (
        Annotated[
            list[Annotated[Tone, BeforeValidator(_known_tone)]], Field(min_length=1, max_length=3)
        ]
        | None
    ) = None
    max_length: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    forbidden_phrases: Annotated[
        list[
            Annotated[
                ForbiddenPhrase,
                BeforeValidator(lambda it: {"phrase": it} if isinstance(it, str) else it),
            ]
        ],
        Field(max_length=MANY),
    ] = []
    redactions: Annotated[
        list[Annotated[str, AfterValidator(_known_kind)] | OwnRedaction], Field(max_length=50)
    ] = []
    required_disclosures: Annotated[list[ByLanguage], Field(max_length=20)] = []
    allowed_links: Annotated[list[Entry], Field(max_length=MANY)] = []
    recipients: Recipients = Recipients()
    approval: ApprovalRules = ApprovalRules()
    flows: Flows = Flows()
    # How much agents may do before a person is asked.
    quotas: Annotated[list[Quota], Field(max_length=20)] = []
    # What is wanted of whoever approves something.
    decisions: Annotated[list[DecisionRule], Field(max_length=20)] = []
    greeting: ByTone = {}
    closing: ByTone = {}
    signature: ByLanguage = {}

    @property
    def chosen_tone(self) -> Tone:
        """The tone that a reply takes."""
        return self.tone or (self.tones[0] if self.tones else "friendly")
