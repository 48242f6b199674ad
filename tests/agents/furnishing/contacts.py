"""Contacts: some to read, one to change, one to delete."""

from inbox.operations.contacts.cards import CardChanges, CardEmail
from inbox.operations.contacts.contacts import create_contact


def furnish(world):
    read, change, delete = (_contact(world, name) for name in ("kept", "changing", "going"))
    account_id, word = world.account.public_id, world.word
    world.rows["contact"] = read
    world.calls |= {
        "contact_list": {"account_id": account_id, "limit": 10},
        "contact_get": {"account_id": account_id, "contact_id": read.public_id},
        "contact_create": {
            "account_id": account_id, "given_name": word, "surname": "New",
            "email_addresses": [f"new@{word}.example"], "phone_numbers": {"mobile": "+49 170 5550100"},
        },
        "contact_update": {
            "account_id": account_id, "contact_id": change.public_id, "updates": {"jobTitle": word},
        },
        "contact_delete": {
            "account_id": account_id, "contact_id": delete.public_id, "confirm": True,
        },
    }  # fmt: skip


def _contact(world, name):
    changes = CardChanges(
        given_name=world.word, family_name=name, org=world.word, note=world.word,
        emails=[CardEmail(f"{name}@{world.word}.example")], phones={"mobile": ["1"]},
    )  # fmt: skip
    return create_contact(actor=world.actor, account=world.account, changes=changes)
