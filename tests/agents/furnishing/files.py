"""Files: one to read, one to change, one to delete, one to share; and the exchange folder."""

from agents.exchange import folders
from inbox.operations.files import create_file


def furnish(world):
    account_id, word = world.account.public_id, world.word
    content = f"The {word} stands here.".encode()
    read, change, delete = (
        create_file(
            actor=world.actor, account=world.account, path=f"/{word}/{name}.txt", content=content
        )
        for name in ("kept", "changing", "going")
    )  # fmt: skip
    world.rows["file"] = read
    for name in ("fresh", "newer"):
        folders.write_file(world.actor, f"{word}/{name}.txt", content + name.encode())
    world.calls |= {
        "file_list": {"account_id": account_id, "folder_id": read.parent.public_id},
        "file_get": {
            "account_id": account_id, "file_id": read.public_id, "download_path": f"{word}/got.txt",
        },
        "file_create": {
            "account_id": account_id, "onedrive_path": f"/{word}/fresh.txt",
            "local_file_path": f"{word}/fresh.txt",
        },
        "file_update": {
            "account_id": account_id, "file_id": change.public_id,
            "local_file_path": f"{word}/newer.txt",
        },
        "file_delete": {"account_id": account_id, "file_id": delete.public_id, "confirm": True},
        "search_files": {"account_id": account_id, "query": word},
        "file_share": {
            "account_id": account_id, "file_id": read.public_id, "to": [f"ada@{word}.example"],
            "message": f"About the {word}",
        },
    }  # fmt: skip
