"""What became of having a proposal read by the language model, in one sentence for its page."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from agents.models import Approval
from inbox.actor import Actor
from inbox.language_model.errors import CODES, ModelError
from inbox.language_model.server import is_set
from inbox.models import ModelAnswer
from inbox.reasons.words import worded


def note_of_model(actor: Actor, approval: Approval) -> str:
    """Return whether the model read a proposal, or why not; empty where it was not to be asked."""
    if not is_set():
        return ""
    rows = ModelAnswer.objects.visible_to(actor).filter(about=approval.public_id)
    row = rows.defer("answer").order_by("-pk").first()
    if row is None:
        return ""
    if row.outcome:
        why = worded(ModelError(row.outcome).words) if row.outcome in CODES else row.outcome
        return _("The language model did not read it. %(why)s") % {"why": why}
    if not row.dropped:
        return _("The language model %(model)s read it.") % {"model": row.model}
    return ngettext(
        "The language model %(model)s read it; %(count)d remark whose words stand nowhere was "
        "dropped.",
        "The language model %(model)s read it; %(count)d remarks whose words stand nowhere were "
        "dropped.",
        row.dropped,
    ) % {"model": row.model, "count": row.dropped}
