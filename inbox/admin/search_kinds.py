"""What the search of each kind of rows takes, in words."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from inbox.search.operators import BELONGINGS, STATES


@dataclass(frozen=True, slots=True)
class Kind:
    """What is typed to find rows of one kind, and what it finds."""

    name: str
    title: str | Promise
    lines: Sequence[tuple[str, str | Promise]]


KINDS = (
    Kind("all", _("Everywhere"), (
        ("lamp oil", _("what has both words first, then what has one")),
        ('"lamp oil"', _("these words, next to each other")),
        ("oil -lamp", _("without this word, or without what an operator says")),
        ("oil OR gas", _("one of the two")),
        ("after:2026-03-31 after:2026-03 before:2026 before:yesterday after:7d before:2w", _(
            "when it was received, changed or saved, or takes place; of people the last contact"
        )),
    )),
    Kind("mail", _("Mail"), (
        ('"oil"', _("this word as it is typed, and none in its place")),
        ("from: to: subject: filename:", _(
            "who wrote it, who got it, the subject, the name of an attachment"
        )),
        ("label:", _("a mailbox or label, by its name")),
        (" ".join(f"is:{one}" for one in STATES), _("what it is")),
        (" ".join(f"has:{one}" for one in BELONGINGS), _("what it brings")),
    )),
    Kind("files", _("Files"), (
        ("filename:june", _("a part of the name")),
        ("type:pdf type:document type:spreadsheet type:image type:folder type:docx", _(
            "a type, or the ending of a name"
        )),
        ("in:Offers folder:/Offers/2026", _("a folder, by its name or path")),
    )),
    Kind("people", _("People"), (
        ("name: email: company: title: note:", _("name, address, company, title, note")),
        ("phone:4930", _("digits of a number")),
        ("has:phone has:email has:company has:note is:contact", _("what is on the card")),
    )),
    Kind("events", _("Events"), (
        ("title: with: from: where: in:", _(
            "the title, who takes part, the organizer, the place, the calendar"
        )),
        ("is:recurring is:all-day is:tentative is:confirmed is:cancelled", _("what it is")),
    )),
    Kind("memories", _("Memories"), (
        ("about:ada", _("a word that it must have")),
        ("agent:clerk", _("the agent that saved it")),
    )),
)  # fmt: skip


def kinds_of(name: str) -> list[Kind]:
    """Return what all searches take, and the one of a kind; nothing where there is no such kind."""
    found = [kind for kind in KINDS if kind.name == name]
    return [KINDS[0], *found] if found else []
