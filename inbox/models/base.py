"""What every model shares: an opaque public id, and reads that start with who reads."""

from typing import Any, ClassVar, Self, TypeVar

from django.db import models
from django.db.models import Exists, OuterRef

from inbox import ids
from inbox.actor import Actor

M = TypeVar("M", bound=models.Model)


class VisibleQuerySet(models.QuerySet[M]):
    """Rows that belong to a workspace and, where `account_path` is set, to an account."""

    account_path: ClassVar[str] = ""

    def visible_to(self, actor: Actor) -> Self:
        """Keep the rows of the actor's workspaces and of the accounts it was granted."""
        # One call, for each costs a copy of the query; and a plain equals where one will do.
        wanted: dict[str, Any] = {}
        if len(actor.workspace_ids) == 1:
            wanted["workspace_id"] = actor.workspace_id
        else:
            wanted["workspace_id__in"] = actor.workspace_ids
        if actor.account_ids is None or not self.account_path:
            return self.filter(**wanted)
        step, _, rest = self.account_path.partition("__")
        if not rest:
            return self.filter(**wanted, **{f"{step}__in": actor.account_ids})
        # Not a join: a database may begin at its other end, and then sort all there is for a page.
        owner: Any = self.model._meta.get_field(step).related_model
        granted = {"pk": OuterRef(f"{step}_id"), f"{rest}__in": actor.account_ids}
        return self.filter(Exists(owner._base_manager.filter(**granted)), **wanted)

    def with_public_id(self, public_id: str) -> Self:
        """Keep the row of this public id; none where the id is malformed or of another kind."""
        model: Any = self.model
        numbers = ids.decode(model.ID_PREFIX, public_id)
        if numbers is None or len(numbers) != 1:
            return self.none()
        return self.filter(pk=numbers[0])


class PublicModel(models.Model):
    """A row with a public id, `<ID_PREFIX>_…`, computed from its key."""

    ID_PREFIX: ClassVar[str]

    class Meta:
        abstract = True

    @property
    def public_id(self) -> str:
        """The opaque id under which the edge knows this row."""
        return ids.encode(self.ID_PREFIX, self.pk)
