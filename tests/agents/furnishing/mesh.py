"""Entries that agents share, and messages between them."""

from agents.dispatching.dispatch import call


def furnish(world):
    word = world.word
    clerk, scout = world.actors[0], world.actors[1]
    shared = {"agent_name": "Scout", "key": f"{word}_open", "value": {"about": word}}
    call("push_context", shared, scout)
    for key in ("mine", "gone"):
        call("push_context", {"agent_name": "Clerk", "key": f"{word}_{key}", "value": word}, clerk)
    message = {"from_agent": "Scout", "to_agent": "Clerk", "message": f"The {word} is here."}
    call("send_message_to_agent", {**message, "requires_confirmation": True}, scout)
    batch = [
        {"type": "get", "key": f"{word}_open"},
        {"type": "delete", "key": f"{word}_gone"},
        {"type": "push", "key": f"{word}_new", "value": word, "subscribers": ["Scout"], "ttl": 60},
    ]
    world.calls |= {
        "get_context": {"agent_name": "Clerk", "key": f"{word}_open"},
        "push_context": {"agent_name": "Clerk", "key": f"{word}_mine", "value": [word]},
        "list_context_keys": {"agent_name": "Clerk", "pattern": "*_open"},
        "batch_context_operation": {"agent_name": "Clerk", "operations": batch, "atomic": True},
        "send_message_to_agent": {"from_agent": "Clerk", "to_agent": "Scout", "message": word},
        "get_messages_from_agents": {"agent_name": "Clerk", "mark_as_read": True},
        "broadcast_message_to_agents": {
            "from_agent": "Clerk", "to_agents": ["Scout", "Scribe"], "message": f"About {word}.",
        },
    }  # fmt: skip
