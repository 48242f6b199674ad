"""Static files, served by WhiteNoise in a way that ASGI can take."""

from django.http import HttpRequest, HttpResponse
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import StaticFile


class StaticFilesMiddleware(WhiteNoiseMiddleware):  # type: ignore[misc]
    """Answers with a file's content at once.

    WhiteNoise would hand over an open file, which Django's ASGI handler reads whole all the same,
    with a warning for each.
    """

    @staticmethod
    def serve(static_file: StaticFile, request: HttpRequest) -> HttpResponse:
        """Return the file, the part of it that was asked for, or that it has not changed."""
        found = static_file.get_response(request.method, request.META)
        content = b""
        if found.file is not None:
            with found.file as opened:
                content = opened.read()
        response = HttpResponse(content, status=int(found.status))
        # Whether there is a type, and which, is said by WhiteNoise.
        del response["Content-Type"]
        for name, text in found.headers:
            response[name] = text
        return response
