"""The ASGI application that uvicorn serves."""

import gc
import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.settings")
pages = get_asgi_application()

# Only once the applications are set up can what serves the API be loaded.
from agents.surfaces.a2a.streams import A2AStreams  # noqa: E402
from agents.surfaces.body_limit import BodyLimit  # noqa: E402
from agents.surfaces.events.stream import EventStreams  # noqa: E402
from agents.surfaces.handler import ApiHandler  # noqa: E402
from agents.surfaces.mcp.transports.handler import McpHandler  # noqa: E402
from project.middleware.requests import Requests  # noqa: E402
from project.monitoring.probes import Probes  # noqa: E402

streams = EventStreams(A2AStreams(ApiHandler(pages)))
application = Requests(Probes(BodyLimit(McpHandler(streams))))
# What was loaded stays: the collector of garbage need not look through all of it again and again,
# while a call waits.
gc.collect()
gc.freeze()
