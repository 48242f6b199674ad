"""What an agent keeps in mind."""

from agents.operations.sharing.memories import save_memory


def furnish(world):
    word = world.word
    memory, _ = save_memory(actor=world.actor, content=f"The {word} belongs to Ada.")
    world.rows["memory"] = memory
    world.calls |= {
        "internal_memory_service.save": {"content": f"The {word} is for sale."},
        "internal_memory_service.search": {"query": f"whose is the {word}?"},
    }
