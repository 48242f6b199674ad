"""The few numbers at the top of the page."""

from dataclasses import dataclass

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from agents.admin.oversight.figures import Figures, quantile
from agents.admin.oversight.panels import span_words


@dataclass(frozen=True, slots=True)
class Tile:
    """A number, what it is, and what it is part of."""

    number: str
    name: str
    words: str = ""


def tiles_of(figures: Figures) -> list[Tile]:
    """Return the numbers that tell how it goes."""
    came = {name: sum(counts) for name, counts in figures.came.items()}
    whole = sum(came.values())
    asked = came["asked"] + came["surfaced"] + came["quarantined"]
    silent = came["silent"] + came["noted"]
    edits, troubles = figures.edits, figures.troubles
    edited = "—" if edits.share is None else f"{edits.share * 100:.0f} %"
    changed = ""
    if edits.changed is not None:
        changed = _("half of them change up to %(share)d %% of the words") % {
            "share": round(edits.changed * 100)
        }
    p90 = quantile(figures.seconds, 0.9)
    return [
        Tile(_n(whole), _("incoming"), _of(silent, whole, _("handled without you"))),
        Tile(_n(asked), _("needed you"), _of(asked, whole, _("of incoming items"))),
        Tile(_n(figures.decided), _("decided"), _expired(sum(figures.ended["expired"]))),
        Tile(edited, _("of approvals were edited"), changed),
        Tile(
            span_words(quantile(figures.seconds, 0.5)), _("median time to decide"),
            _("nine in ten within %(span)s") % {"span": span_words(p90)} if p90 is not None else "",
        ),
        Tile(
            _n(sum(figures.sent["sent"])), _("sent"),
            _("%(refused)s denied, %(failed)s failed")
            % {"refused": _n(sum(troubles["refused"])), "failed": _n(sum(troubles["failed"]))},
        ),
    ]  # fmt: skip


def _of(part: int, whole: int, words: str) -> str:
    return f"{part / whole * 100:.0f} % {words}" if whole else ""


def _expired(count: int) -> str:
    return _("%(count)s expired without a decision") % {"count": _n(count)} if count else ""


def _n(count: int) -> str:
    return str(number_format(count, use_l10n=True, force_grouping=True))
