"""How persons decide: what a policy wants of whoever approves something."""

from typing import Annotated, Literal, Self, TypeAlias

from pydantic import AfterValidator, Field, model_validator

from inbox.flags import FLAGS
from inbox.policies.amounts import AmountOver
from inbox.policies.closed import Closed
from inbox.reasons import phrase as _

Kind: TypeAlias = Literal["message", "meeting", "share", "deletion", "change", "reading"]


def _flag(value: str) -> str:
    if value not in FLAGS:
        raise ValueError(_("unknown condition; use one of %(names)s", names=list(FLAGS)))
    return value


class DecisionRule(Closed):
    """What is wanted of whoever approves something of these kinds, where any condition is met.

    Without kinds it is about all of them, without conditions about each.
    """

    kinds: Annotated[list[Kind], Field(max_length=6)] = []
    when: Annotated[
        list[Annotated[str, AfterValidator(_flag)] | AmountOver], Field(max_length=50)
    ] = []
    # It is approved by itself, never with others.
    batch: Literal["never"] | None = None
    # Two persons approve it.
    second_approver: bool = False
    # Whoever approves it has shown who they are within the last minutes.
    fresh_sign_in: bool = False

    @model_validator(mode="after")
    def _wants_something(self) -> Self:
        if not (self.batch or self.second_approver or self.fresh_sign_in):
            accepted = "batch: never, second_approver: true, fresh_sign_in: true"
            raise ValueError(_("must require something: %(accepted)s", accepted=accepted))
        return self
