"""To-dos of the default list, the time, and a letter to be checked."""

from calendar_app.operations.todos import create_todo, default_todo_list


def furnish(world):
    word = world.word
    todo_list = default_todo_list(workspace_id=world.workspace.pk)

    def make(summary, parent=None):
        return create_todo(
            actor=world.actor, todo_list=todo_list, summary=f"{summary} the {word}",
            description=word, parent=parent,
        )  # fmt: skip

    wrap, polish, sell = (make(what) for what in ("Wrap", "Polish", "Sell"))
    make("Photograph", parent=sell)
    world.rows["todo"] = wrap
    thread_id = world.rows["message"].thread.public_id
    world.calls |= {
        "google_tasks_service.list": {},
        "google_tasks_service.create": {
            "title": f"Find string for the {word}", "parent_id": wrap.public_id,
        },
        "google_tasks_service.update": {"task_id": polish.public_id, "status": "completed"},
        "google_tasks_service.delete": {"task_id": sell.public_id},
        "get_current_time": {"timezone": "Europe/Berlin"},
        "explain_origin": {"ids": [thread_id, wrap.public_id]},
        "policy_check": {"thread_id": thread_id, "body": f"The {word} is yours."},
    }  # fmt: skip
