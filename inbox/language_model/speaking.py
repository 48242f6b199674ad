"""One question to a model by pydantic-ai; loaded only where one is asked, for it takes seconds.

Its clients speak through our own guarded way out (`inbox.providers.http.outbound`): one address
that was judged, one deadline, one bound of bytes; no redirects, proxies, retries or tools.
"""

import anyio
import httpx2
from anthropic import AsyncAnthropic
from openai import AsyncOpenAI
from pydantic_ai.direct import model_request
from pydantic_ai.exceptions import AgentRunError, UserError
from pydantic_ai.messages import ModelRequest, ModelResponse
from pydantic_ai.models import Model
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
from pydantic_ai.settings import ModelSettings

from inbox.language_model.answers import LONGEST_BODY
from inbox.language_model.asking import Said
from inbox.language_model.errors import ModelError
from inbox.language_model.prompts import Prompt
from inbox.language_model.server import ModelServer
from inbox.providers.http.outbound import NotAllowed, NotInTime, NotReached, post

# The clients want a key; servers without keys take any.
_NO_KEY = "none"
# What is said on the way that is not of the connection itself.
_TAKEN = frozenset({"authorization", "x-api-key", "anthropic-version", "accept"})


class _GuardedTransport(httpx2.AsyncBaseTransport):
    """The way out of a client: each request goes by `post`; `fault` is why there is no answer.

    Nothing else runs in its loop, which may wait.
    """

    def __init__(self, server: ModelServer) -> None:
        self._server = server
        self.fault = ""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request and return the answer, read whole; raises ModelError."""
        headers = {name: value for name, value in request.headers.items() if name.lower() in _TAKEN}
        body = await request.aread()
        try:
            answered = post(
                str(request.url), body=body, headers={**headers, "accept-encoding": "identity"},
                allowed=self._server.allowed, seconds=self._server.seconds, longest=LONGEST_BODY,
            )  # fmt: skip
        except NotAllowed as error:
            raise self._failed("not_allowed") from error
        except NotInTime as error:
            raise self._failed("slow") from error
        except NotReached as error:
            raise self._failed("unreachable") from error
        if answered.is_cut:
            raise self._failed("too_long")
        if answered.status != 200:
            raise self._failed(_meaning(answered.status))
        if answered.media_type != "application/json":
            raise self._failed("garbled")
        return httpx2.Response(
            200, headers={"content-type": "application/json"}, content=answered.text.encode(),
            request=request,
        )  # fmt: skip

    def _failed(self, code: str) -> ModelError:
        self.fault = code
        return ModelError(code)


def _meaning(status: int) -> str:
    if status in (401, 403):
        return "refused_key"
    if status in (429, 529):
        return "busy"
    return "server_error" if status >= 500 else "refused"


def speak(server: ModelServer, prompt: Prompt) -> Said:
    """Ask a model one question; raises ModelError."""
    transport = _GuardedTransport(server)
    try:
        answer = anyio.run(_ask, server, prompt, transport)
    except (AgentRunError, UserError, ModelError, ValueError, TypeError, LookupError) as error:
        # What the clients make of a failure on the way differs from one to the other.
        raise ModelError(transport.fault or "garbled") from error
    if answer.finish_reason == "length":
        raise ModelError("unfinished")
    text = "".join(it.content for it in answer.parts if it.part_kind == "text")
    return Said(text, answer.usage.input_tokens, answer.usage.output_tokens)


async def _ask(server: ModelServer, prompt: Prompt, transport: _GuardedTransport) -> ModelResponse:
    async with httpx2.AsyncClient(transport=transport, trust_env=False) as client:
        settings = ModelSettings(max_tokens=prompt.most_tokens)
        if not server.is_maker:
            # What the makers' newest models refuse, and local ones need to say the same twice.
            settings["temperature"] = 0.0
        asked = ModelRequest.user_text_prompt(prompt.document, instructions=prompt.system)
        return await model_request(
            _model(server, client), [asked], model_settings=settings, instrument=False
        )


def _model(server: ModelServer, client: httpx2.AsyncClient) -> Model:
    key = server.key.reveal() or _NO_KEY
    if server.kind == "anthropic":
        theirs = AsyncAnthropic(api_key=key, base_url=server.url, http_client=client, max_retries=0)
        return AnthropicModel(server.name, provider=AnthropicProvider(anthropic_client=theirs))
    ours = AsyncOpenAI(api_key=key, base_url=server.url, http_client=client, max_retries=0)
    if server.is_maker:
        return OpenAIChatModel(server.name, provider=OpenAIProvider(openai_client=ours))
    # Other servers know the older name of the bound alone.
    older = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False)
    compatible = OpenAICompatibleProvider(name="server", openai_client=ours)
    return OpenAIChatModel(server.name, provider=compatible, profile=older)
