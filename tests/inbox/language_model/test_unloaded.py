"""Without a question to a model nothing of what speaks with one is loaded, wherever one serves."""

_SPEAKING = {"pydantic_ai", "openai", "anthropic", "httpx2", "tiktoken"}
_SERVING = {"project.urls", "project.asgi", "inbox.job_handlers", "agents.job_handlers"}


def test_what_speaks_with_a_model_is_not_loaded_before_one_is_asked(at_start):
    assert _SERVING.issubset(at_start.modules)
    assert not _SPEAKING.intersection(at_start.modules)
