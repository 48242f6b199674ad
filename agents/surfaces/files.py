"""Files and cards by their address."""

from django.http import HttpResponse
from django.urls import URLPattern, path
from rest_framework.request import Request

from agents.resources.file_content import find_content
from agents.resources.vcards import find_card
from agents.surfaces.downloads import BytesView
from agents.tools.files import read_bytes
from inbox.operations.contacts.vcards import export_cards


class FileContentView(BytesView):
    """The bytes of a file."""

    download = "read_file_content"

    def read(self, **steps: str) -> tuple[bytes, str]:
        """Return the bytes and the file's name."""
        file = find_content(self.actor, steps["file_id"])
        return read_bytes(file), file.name


class VCardView(BytesView):
    """Somebody's card."""

    download = "read_person_vcard"
    media_type = "text/vcard"

    def get(self, request: Request, **steps: str) -> HttpResponse:
        """Hand it out as what it is."""
        response = super().get(request, **steps)
        response["Content-Type"] = "text/vcard; charset=utf-8"
        return response

    def read(self, **steps: str) -> tuple[bytes, str]:
        """Return the card and a name for it."""
        person = find_card(self.actor, steps["person_id"])
        return export_cards([person]), f"{person.fn or person.email or 'contact'}.vcf"


def file_paths() -> list[URLPattern]:
    """Return the addresses."""
    return [
        path("v1/files/<str:file_id>/content", FileContentView.as_view()),
        path("v1/people/<str:person_id>/vcard", VCardView.as_view()),
    ]
