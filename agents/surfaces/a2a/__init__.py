"""The Agent2Agent protocol 1.0: the card, messages, tasks and what is pushed, over JSON-RPC."""
