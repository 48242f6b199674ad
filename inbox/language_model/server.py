"""Which model may be asked, and where, as the operator's settings say."""

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Final

from django.conf import settings

from inbox.accounts.credentials import Secret
from inbox.language_model.errors import ModelError
from inbox.providers.http.outbound import NotAllowed, check_url

# Each protocol, and where its maker answers.
KINDS: Final = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
}
_LONGEST_NAME = 200
_MOST_SECONDS = 3600


@dataclass(frozen=True, slots=True)
class ModelServer:
    """A model at a server: its protocol (`openai`, `anthropic`), its name, and what is needed."""

    kind: str
    name: str
    url: str
    key: Secret
    allowed: frozenset[str]
    seconds: float

    @property
    def label(self) -> str:
        """The model as the settings name it."""
        return f"{self.kind}:{self.name}"

    @property
    def is_maker(self) -> bool:
        """Return True if it answers where the protocol's own maker does."""
        return self.url == KINDS[self.kind]


def is_set() -> bool:
    """Return True if the settings name a model, usable or not."""
    return bool(settings.MODEL)


def read_server() -> ModelServer:
    """Return the model of the settings; raises ModelError where there is none that may be asked."""
    kind, _, name = settings.MODEL.partition(":")
    if kind not in KINDS or not name or len(name) > _LONGEST_NAME:
        raise ModelError("unset")
    url = settings.MODEL_URL.rstrip("/") or KINDS[kind]
    try:
        check_url(url, settings.MODEL_ALLOW)
    except NotAllowed as error:
        raise ModelError("not_allowed") from error
    if find_spec("pydantic_ai") is None:
        raise ModelError("not_installed")
    return ModelServer(
        kind, name, url, Secret(settings.MODEL_KEY), settings.MODEL_ALLOW,
        min(max(float(settings.MODEL_SECONDS), 1.0), _MOST_SECONDS),
    )  # fmt: skip
