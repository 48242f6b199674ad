"""How the log is written: a line for people, or a JSON object for programs."""

import logging
import re
from datetime import UTC, datetime
from http import HTTPStatus

from pythonjsonlogger.core import RESERVED_ATTRS
from pythonjsonlogger.json import JsonFormatter

from inbox.background.request_ids import current_request_id


class RequestIds(logging.Filter):
    """Tells each record for which request it was written, as `request_id`; empty: for none."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Add it; every record is kept."""
        record.request_id = current_request_id()
        return True


# What is secret in the address of a calendar's feed (`calendar_app.feeds.urls`).
_SECRET = re.compile(r"(?<=/calendars/)[^/\s'\"]+")


class SecretAddresses(logging.Filter):
    """Takes what is secret in addresses out of each record, wherever it was written."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Keep every record, its text without them."""
        text = record.getMessage()
        if _SECRET.search(text):
            record.msg, record.args = _SECRET.sub("…", text), ()
        # Django's own lines have the request beside them, which the JSON has as it is printed.
        request = repr(getattr(record, "request", ""))
        if _SECRET.search(request):
            record.request = _SECRET.sub("…", request)
        return True


class BadGatewayFilter(logging.Filter):
    """Leaves out Django's line for an answer 502: who asked the mail server has logged it."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Keep all others."""
        return getattr(record, "status_code", None) != HTTPStatus.BAD_GATEWAY


class JsonLines(JsonFormatter):
    """One JSON object a line: `time` (RFC 3339, UTC), `level`, `logger`, `message`, `request_id`.

    An exception's traceback stands in `exc_info`; what was logged with `extra` by its own names.
    """

    def __init__(self) -> None:
        super().__init__(
            "%(levelname)s %(name)s %(message)s %(request_id)s",
            rename_fields={"levelname": "level", "name": "logger"},
            json_ensure_ascii=False,
            # uvicorn's message once more, with the colours of a terminal.
            reserved_attrs=[*RESERVED_ATTRS, "color_message"],
        )

    def add_fields(
        self,
        log_data: dict[str, object],
        record: logging.LogRecord,
        message_dict: dict[str, object],
    ) -> None:
        """Put the time first; leave out an id that there is not."""
        log_data["time"] = datetime.fromtimestamp(record.created, UTC).isoformat()
        super().add_fields(log_data, record, message_dict)
        if not log_data.get("request_id"):
            log_data.pop("request_id", None)
