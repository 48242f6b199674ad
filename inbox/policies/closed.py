"""What all parts of a policy have in common: no other fields, no other types, and no change."""

from pydantic import BaseModel, ConfigDict


class Closed(BaseModel):
    """Fields that a policy gives."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
