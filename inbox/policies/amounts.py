"""Amounts from which a policy wants a person, or more of one."""

from typing import Annotated

from pydantic import Field

from inbox.policies.closed import Closed


class AmountOver(Closed):
    """A larger amount, in that currency or any."""

    amount_over: Annotated[float, Field(ge=0, strict=False)]
    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")] = ""
