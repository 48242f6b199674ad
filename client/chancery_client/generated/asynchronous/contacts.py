"""The tools of contacts.

Made by `python manage.py reference`; change the declarations instead.
"""

from typing import Any, Literal

from chancery_client.carriers import AsyncCarrier
from chancery_client.generated.shapes.contacts import (
    ContactCreateAnswer,
    ContactCreatePhoneNumbers,
    ContactDeleteAnswer,
    ContactListAnswer,
    ContactUpdateUpdates,
)
from chancery_client.wire import (
    OMITTED,
    Held,
    Omitted,
)


class Contacts:
    """The tools of contacts."""

    def __init__(self, carrier: AsyncCarrier) -> None:
        self._carrier = carrier

    async def contact_list(
        self,
        *,
        account_id: str,
        limit: int | Omitted = OMITTED,
        use_cache: bool | Omitted = OMITTED,
        force_refresh: bool | Omitted = OMITTED,
    ) -> list[ContactListAnswer]:
        """List the contacts of an account, those known last first: cards, and whom mail brought.

        account_id: The account: its id, address or name; look_around has them.
        limit: At most so many.
        use_cache: False asks the provider first, like force_refresh.
        force_refresh: Ask the provider first.
        """
        given: dict[str, Any] = {
            "account_id": account_id,
            "limit": limit,
            "use_cache": use_cache,
            "force_refresh": force_refresh,
        }
        answer: list[ContactListAnswer] = await self._carrier.read("contact_list", given)
        return answer

    async def contact_get(
        self,
        *,
        contact_id: str,
        account_id: str,
        use_cache: bool | Omitted = OMITTED,
        force_refresh: bool | Omitted = OMITTED,
    ) -> ContactListAnswer:
        """Get one contact whole: names, addresses, telephones and work.

        contact_id: The contact, as contact_list names it.
        account_id: The account: its id, address or name; look_around has them.
        use_cache: False asks the provider first, like force_refresh.
        force_refresh: Ask the provider first.
        """
        given: dict[str, Any] = {
            "contact_id": contact_id,
            "account_id": account_id,
            "use_cache": use_cache,
            "force_refresh": force_refresh,
        }
        answer: ContactListAnswer = await self._carrier.read("contact_get", given)
        return answer

    async def contact_create(
        self,
        *,
        account_id: str,
        given_name: str,
        surname: str | Omitted = OMITTED,
        email_addresses: str | list[str] | Omitted = OMITTED,
        phone_numbers: ContactCreatePhoneNumbers | Omitted = OMITTED,
        idempotency_key: str | None = None,
    ) -> ContactCreateAnswer | Held[ContactCreateAnswer]:
        """Write a card for somebody; whom mail brought with one of the addresses gets it.

        An address is one contact's: one that is on another card is a conflict, which names the
        contact. A further address of somebody whom we have written with waits for a person, unless
        a policy says otherwise.

        account_id: The account: its id, address or name; look_around has them.
        given_name: The first name.
        surname: The last name.
        email_addresses: Their addresses.
        phone_numbers: One number of a kind.
        """
        given: dict[str, Any] = {
            "account_id": account_id,
            "given_name": given_name,
            "surname": surname,
            "email_addresses": email_addresses,
            "phone_numbers": phone_numbers,
        }
        answer: ContactCreateAnswer | Held[ContactCreateAnswer]
        answer = await self._carrier.propose("contact_create", given, idempotency_key)
        return answer

    async def contact_update(
        self,
        *,
        contact_id: str,
        updates: ContactUpdateUpdates,
        account_id: str,
        idempotency_key: str | None = None,
    ) -> ContactCreateAnswer | Held[ContactCreateAnswer]:
        """Change what is given of a contact; addresses and numbers are replaced as whole lists.

        An address is one contact's: one that is on another card is a conflict. Another address for
        somebody whom we have written with waits for a person, unless a policy says otherwise.

        contact_id: The contact, as contact_list names it.
        updates: What of a card changes; lists are all of their kind anew.
        account_id: The account: its id, address or name; look_around has them.
        """
        given: dict[str, Any] = {
            "contact_id": contact_id,
            "updates": updates,
            "account_id": account_id,
        }
        answer: ContactCreateAnswer | Held[ContactCreateAnswer]
        answer = await self._carrier.propose("contact_update", given, idempotency_key)
        return answer

    async def contact_delete(
        self,
        *,
        contact_id: str,
        account_id: str,
        confirm: Literal[True],
        idempotency_key: str | None = None,
    ) -> ContactDeleteAnswer:
        """Delete a contact; a person can restore it for 30 days.

        contact_id: The contact, as contact_list names it.
        account_id: The account: its id, address or name; look_around has them.
        confirm: Your promise that it is meant; it is never an approval.
        """
        given: dict[str, Any] = {
            "contact_id": contact_id,
            "account_id": account_id,
            "confirm": confirm,
        }
        answer: ContactDeleteAnswer
        answer = await self._carrier.change("contact_delete", given, idempotency_key)
        return answer
