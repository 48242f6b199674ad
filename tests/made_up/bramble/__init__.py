"""Bramble's lists of to-dos, over its own interface."""

from inbox.providers.declaration import Declaration, Limits, SettingField
from inbox.reasons import phrase as _
from tests.made_up.bramble.store import BrambleStore

DECLARATION = Declaration(
    name="bramble",
    title=_("Bramble"),
    summary=_("Lists of to-dos at Bramble: with a key from its settings."),
    carries=frozenset({"todos"}),
    sign_in=("key",),
    fields=(
        SettingField(
            "server",
            _("Server"),
            kind="url",
            help=_("The address at which you open Bramble, such as https://bramble.example."),
        ),
    ),
    limits=Limits(calls_an_hour=600, seconds_between_looks=120),
    open_changes=BrambleStore,
)
