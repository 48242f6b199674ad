"""Calendars at an address, subscribed to (RFC 5545 over HTTP, as webcal addresses are)."""

from inbox.providers.declaration import Declaration, Limits, SettingField
from inbox.providers.ics.asking import host_of
from inbox.providers.ics.store import IcsStore
from inbox.reasons import phrase as _

DECLARATION = Declaration(
    name="ics",
    title=_("A calendar address"),
    carries=frozenset({"calendar"}),
    summary=_(
        "Any calendar that has an address: holidays, a team's calendar, a secret address. It is "
        "only read."
    ),
    sign_in=("none",),
    fields=(
        SettingField(
            "url",
            _("Address"),
            kind="url",
            help=_("An address that ends in .ics, or begins with webcal://."),
        ),
    ),
    limits=Limits(calls_an_hour=60, seconds_between_looks=900),
    hosts=lambda settings: {"url": host_of(settings)},
    open_changes=IcsStore,
)
