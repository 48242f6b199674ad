"""Mail that can be answered, and planted answers to it, of any kind."""

import random
from datetime import timedelta

from django.utils import timezone

from agents.contracts import REGISTRY
from agents.models import Approval
from agents.planted.choosing import Company
from agents.planted.deck import deck
from agents.planted.planting import plant
from agents.planted.writing import read_source, suits, write_letter
from inbox.actor import Actor, system_actor
from inbox.models import Inbox, Message
from inbox.operations.drafts.replying import plan_reply_to
from tests import factories

TEXT = (
    "Hello, the invoice RE-2026-118 over 4.500,00 € is due on Friday. "
    "You find it at https://www.customer.example/invoices. Best regards, Ada"
)


def make_letter(inbox: Inbox, language: str = "en", number: int = 0, text: str = TEXT) -> Message:
    """Make a letter of some days ago that states what every kind needs, and nobody has answered."""
    return factories.make_message(
        inbox, subject=f"Invoice {number}", text=text, sender=f"ada{number}@customer.example",
        sender_name="Ada Byron", language=language, at=timezone.now() - timedelta(days=3),
    )  # fmt: skip


def plant_item(
    agent: Actor, inbox: Inbox, kind: str = "", *, language: str = "en", number: int = 0,
    chance: random.Random | None = None,
) -> Approval:  # fmt: skip
    """Plant an item in the name of an agent: of this kind, or of any by chance."""
    chance = chance or random.Random(7)
    message = make_letter(inbox, language, number)
    source = read_source(plan_reply_to(message), message.new_text, timezone.now().date())
    assert source is not None
    kinds = [deck()[kind]] if kind else [one for one in deck().values() if suits(one, source)]
    letter = write_letter(chance.choice(kinds), source, chance)
    company = Company(agent, REGISTRY.tool("send_reply"), inbox)
    made = plant(system_actor(inbox.workspace_id, "Chancery"), company, source, letter)
    assert made is not None
    return made
