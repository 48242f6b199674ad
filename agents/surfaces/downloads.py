"""Bytes by their address: what came with a message, and what is sealed to leave."""

import base64
import hashlib

from django.http import HttpResponse
from rest_framework.request import Request

from agents.contracts import RESOURCES
from agents.dispatching.dispatch import call, refuse_request
from agents.errors import ToolError
from agents.resources.mail.attachments import find_attachment, read_content
from agents.resources.mail.submissions import find_mime
from agents.surfaces.conditional import make_conditional
from agents.surfaces.openapi.document import ContractSchema
from agents.surfaces.request_body import refuse_parameters
from agents.surfaces.rest import ApiView
from inbox.admin.messages.downloads import as_download


class BytesView(ApiView):
    """GET hands out bytes to be saved, never shown in place nor under a type of their sender's."""

    http_method_names = ["get", "head"]
    schema = ContractSchema()
    media_type = "application/octet-stream"
    # The resource that says whether the caller may, and leaves the receipt.
    download: str

    def get(self, request: Request, **steps: str) -> HttpResponse:
        """Hand them out with their hash (RFC 9530)."""
        try:
            refuse_parameters(request._request)
        except ToolError as error:
            refuse_request(self.download, self.actor, error)
            raise
        answer = call(self.download, dict(steps), self.actor, None, RESOURCES)
        content, name = self.read(**steps)
        digest = hashlib.sha256(content).digest()
        response = as_download(content, name)
        response["Chancery-Receipt"] = answer.receipt_id
        response["Repr-Digest"] = f"sha-256=:{base64.b64encode(digest).decode()}:"
        return make_conditional(request._request, response, f'"{digest.hex()}"')

    def read(self, **steps: str) -> tuple[bytes, str]:
        """Return the bytes and the name of the file."""
        raise NotImplementedError


class AttachmentView(BytesView):
    """The bytes of an attachment."""

    download = "read_attachment_content"

    def read(self, **steps: str) -> tuple[bytes, str]:
        """Return the bytes and the name that the sender gave."""
        row = find_attachment(self.actor, steps["attachment_id"])
        return read_content(row), row.filename


class MimeView(BytesView):
    """The sealed bytes of a submission."""

    download = "read_submission_mime"

    def read(self, **steps: str) -> tuple[bytes, str]:
        """Return the message as it is to leave."""
        key = steps["submission_id"]
        return find_mime(self.actor, key), f"{key}.eml"
