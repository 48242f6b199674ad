"""The settings of the language model, which `project.settings` takes over."""

import os

# The language model that may be asked: openai:NAME for any server that speaks OpenAI's chat
# completions, anthropic:NAME for one that speaks Anthropic's messages; empty: none. Needs
# `chancery[model]`. How to set one up: docs/how-to/use-a-language-model.md.
MODEL = os.environ.get("CHANCERY_MODEL", "")
# Where it answers, such as http://127.0.0.1:11434/v1; empty: at OpenAI or Anthropic.
MODEL_URL = os.environ.get("CHANCERY_MODEL_URL", "")
# The key that its server wants; empty: none.
MODEL_KEY = os.environ.get("CHANCERY_MODEL_KEY", "")
# Hosts, separated by commas, at which the model may be asked by http and at private addresses, as
# 127.0.0.1 for a server on this machine.
MODEL_ALLOW = frozenset(
    host.strip().lower()
    for host in os.environ.get("CHANCERY_MODEL_ALLOW", "").split(",")
    if host.strip()
)
# Within how many seconds an answer has to be there whole; an hour at most.
MODEL_SECONDS = int(os.environ.get("CHANCERY_MODEL_SECONDS", "120"))
# How many tokens the model may read and write for one account in a day (UTC).
MODEL_TOKENS_A_DAY = int(os.environ.get("CHANCERY_MODEL_TOKENS_A_DAY", "500000"))
# How many seconds of a day the model may work for one account.
MODEL_SECONDS_A_DAY = int(os.environ.get("CHANCERY_MODEL_SECONDS_A_DAY", "7200"))
