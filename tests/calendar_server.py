"""A server that gives out a calendar file, as any web server does: with ETags, on a free port."""

import hashlib
import http.server
import threading
from contextlib import contextmanager


class CalendarServer(http.server.ThreadingHTTPServer):
    """Gives out `content`; counts `requests`; `status` is what it answers instead, if any."""

    content = b""
    status = 0
    headers: dict[str, str]
    requests = 0
    whole = 0

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/private/team.ics"


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        server.requests += 1
        if server.status:
            self.send_response(server.status)
            for name, value in server.headers.items():
                self.send_header(name, value)
            self.end_headers()
            return
        etag = f'"{hashlib.sha256(server.content).hexdigest()}"'
        if self.headers.get("If-None-Match") == etag:
            self.send_response(304)
            self.end_headers()
            return
        server.whole += 1
        self.send_response(200)
        self.send_header("Content-Type", "text/calendar")
        self.send_header("Content-Length", str(len(server.content)))
        self.send_header("ETag", etag)
        self.end_headers()
        self.wfile.write(server.content)

    def log_message(self, *_):
        """Say nothing."""


@contextmanager
def serving_calendar(content=b""):
    """Serve a calendar file; yields the server."""
    with CalendarServer(("127.0.0.1", 0), _Handler) as server:
        server.content, server.headers = content, {}
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield server
        server.shutdown()


def calendar(*events, name="Team", extra=""):
    """A calendar file of events, each of them its lines between BEGIN and END."""
    head = (
        f"BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//Somebody//Feed//EN\nX-WR-CALNAME:{name}\n{extra}"
    )
    body = "".join(f"BEGIN:VEVENT\n{one.strip()}\nEND:VEVENT\n" for one in events)
    return f"{head}{body}END:VCALENDAR\n".replace("\n", "\r\n").encode()
