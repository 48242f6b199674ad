"""The tools of files.

Made by `python manage.py reference`; change the declarations instead.
"""

from typing import Any, Literal

from chancery_client.carriers import Carrier
from chancery_client.generated.shapes.files import (
    FileCreateAnswer,
    FileDeleteAnswer,
    FileGetAnswer,
    FileListAnswer,
    SearchUnifiedAnswer,
)
from chancery_client.wire import (
    OMITTED,
    Held,
    Omitted,
)


class Files:
    """The tools of files."""

    def __init__(self, carrier: Carrier) -> None:
        self._carrier = carrier

    def file_list(
        self,
        *,
        account_id: str,
        path: str | Omitted = OMITTED,
        folder_id: str | Omitted = OMITTED,
        limit: int | Omitted = OMITTED,
        type_filter: Literal["all", "files", "folders"] | Omitted = OMITTED,
        use_cache: bool | Omitted = OMITTED,
        force_refresh: bool | Omitted = OMITTED,
    ) -> list[FileListAnswer]:
        """List what stands in a folder, newest first.

        account_id: The account: its id, address or name; look_around has them.
        path: A folder, such as /Offers.
        folder_id: A folder instead, by its id.
        limit: At most so many.
        type_filter: Which kind of thing to list.
        use_cache: False asks the provider first, like force_refresh.
        force_refresh: Ask the provider first.
        """
        given: dict[str, Any] = {
            "account_id": account_id,
            "path": path,
            "folder_id": folder_id,
            "limit": limit,
            "type_filter": type_filter,
            "use_cache": use_cache,
            "force_refresh": force_refresh,
        }
        answer: list[FileListAnswer] = self._carrier.read("file_list", given)
        return answer

    def file_get(
        self,
        *,
        file_id: str,
        account_id: str,
        download_path: str,
    ) -> FileGetAnswer:
        """Put a file's bytes into the caller's exchange folder; nothing there is overwritten.

        file_id: As file_list names it.
        account_id: The account: its id, address or name; look_around has them.
        download_path: A path in the caller's exchange folder.
        """
        given: dict[str, Any] = {
            "file_id": file_id,
            "account_id": account_id,
            "download_path": download_path,
        }
        answer: FileGetAnswer = self._carrier.read("file_get", given)
        return answer

    def file_create(
        self,
        *,
        onedrive_path: str,
        local_file_path: str,
        account_id: str,
        idempotency_key: str | None = None,
    ) -> FileCreateAnswer:
        """Take a file from the caller's exchange folder; a path that is taken is a conflict.

        onedrive_path: Such as /Offers/June.pdf; folders on the way are made.
        local_file_path: A path in the caller's exchange folder.
        account_id: The account: its id, address or name; look_around has them.
        """
        given: dict[str, Any] = {
            "onedrive_path": onedrive_path,
            "local_file_path": local_file_path,
            "account_id": account_id,
        }
        answer: FileCreateAnswer = self._carrier.change("file_create", given, idempotency_key)
        return answer

    def file_update(
        self,
        *,
        file_id: str,
        local_file_path: str,
        account_id: str,
        idempotency_key: str | None = None,
    ) -> FileCreateAnswer | Held[FileCreateAnswer]:
        """Give a file new content from the caller's exchange folder; what it was before is kept.

        Where a message that has not left attaches it, a person is asked first, unless a policy says
        otherwise.

        file_id: As file_list names it.
        local_file_path: A path in the caller's exchange folder.
        account_id: The account: its id, address or name; look_around has them.
        """
        given: dict[str, Any] = {
            "file_id": file_id,
            "local_file_path": local_file_path,
            "account_id": account_id,
        }
        answer: FileCreateAnswer | Held[FileCreateAnswer]
        answer = self._carrier.propose("file_update", given, idempotency_key)
        return answer

    def file_delete(
        self,
        *,
        file_id: str,
        account_id: str,
        confirm: Literal[True],
        idempotency_key: str | None = None,
    ) -> FileDeleteAnswer:
        """Delete a file, or a folder with all in it; for 30 days a person can bring it back.

        file_id: As file_list names it.
        account_id: The account: its id, address or name; look_around has them.
        confirm: Your promise that it is meant; it is never an approval.
        """
        given: dict[str, Any] = {
            "file_id": file_id,
            "account_id": account_id,
            "confirm": confirm,
        }
        answer: FileDeleteAnswer = self._carrier.change("file_delete", given, idempotency_key)
        return answer

    def search_files(
        self,
        *,
        query: str,
        account_id: str,
        limit: int | Omitted = OMITTED,
        skip: int | Omitted = OMITTED,
        use_cache: bool | Omitted = OMITTED,
        force_refresh: bool | Omitted = OMITTED,
    ) -> list[FileListAnswer]:
        """Search names and texts of files, best first; what has every word comes before the rest.

        In the query "…" keeps words together, -word leaves out and OR takes either; conditions are
        filename: type: (pdf, image, document, folder, …) in: (a folder) after: and before:.

        query: The words to look for.
        account_id: The account: its id, address or name; look_around has them.
        limit: At most so many.
        skip: Leave out the first so many: for the next page.
        use_cache: False asks the provider first, like force_refresh.
        force_refresh: Ask the provider first.
        """
        given: dict[str, Any] = {
            "query": query,
            "account_id": account_id,
            "limit": limit,
            "skip": skip,
            "use_cache": use_cache,
            "force_refresh": force_refresh,
        }
        answer: list[FileListAnswer] = self._carrier.read("search_files", given)
        return answer

    def search_unified(
        self,
        *,
        query: str,
        account_id: str,
        entity_types: Literal["message", "event", "driveItem"] | list[Literal["message", "event", "driveItem"]] | Omitted = OMITTED,
        limit: int | Omitted = OMITTED,
        skip: int | Omitted = OMITTED,
        use_cache: bool | Omitted = OMITTED,
        force_refresh: bool | Omitted = OMITTED,
    ) -> SearchUnifiedAnswer:
        """Search the emails, events and files of an account by words, best first.

        Each by its operators as well: after: before: -without OR, emails from: is: and so on,
        events title: with: where: in: is:recurring, files type: in:. What only one type has as an
        operator finds nothing of another. Events want the scope calendar:read besides, files
        storage:read.

        query: The words to look for.
        account_id: The account: its id, address or name; look_around has them.
        entity_types: Default: all that the token may read.
        limit: So many of each type.
        skip: Leave out the first so many: for the next page.
        use_cache: False asks the provider first, like force_refresh.
        force_refresh: Ask the provider first.
        """
        given: dict[str, Any] = {
            "query": query,
            "account_id": account_id,
            "entity_types": entity_types,
            "limit": limit,
            "skip": skip,
            "use_cache": use_cache,
            "force_refresh": force_refresh,
        }
        answer: SearchUnifiedAnswer = self._carrier.read("search_unified", given)
        return answer
