"""Spans by OpenTelemetry, sent by OTLP over HTTP; loaded only where an operator has them collected.

Everything about where and how they are sent is said by OpenTelemetry's own environment variables
(`OTEL_EXPORTER_OTLP_…`, `OTEL_SERVICE_NAME`, `OTEL_TRACES_SAMPLER`).
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from opentelemetry import context, trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from inbox.background.traces import Attribute, Kind, Span, collect_by
from project import __version__

_KINDS = {"internal": trace.SpanKind.INTERNAL, "client": trace.SpanKind.CLIENT}
_WIRE = TraceContextTextMapPropagator()


class _Made:
    """A span of OpenTelemetry's, as the rest of the program knows spans."""

    def __init__(self, made: trace.Span) -> None:
        self._made = made
        self.is_told = False

    def note(self, attributes: Mapping[str, Attribute]) -> None:
        """Add what is known only now."""
        self._made.set_attributes(dict(attributes))

    def fail(self, error_type: str) -> None:
        """Mark it as failed, by a code."""
        self.is_told = True
        self._made.set_attribute("error.type", error_type)
        self._made.set_status(trace.StatusCode.ERROR)

    def excuse(self) -> None:
        """Take what is raised from now on for no failure."""
        self.is_told = True


class OpenTelemetry:
    """Makes spans with a provider of OpenTelemetry's."""

    def __init__(self, provider: trace.TracerProvider) -> None:
        self._tracer = provider.get_tracer("chancery", __version__)

    @contextmanager
    def span(
        self, name: str, kind: Kind, attributes: Mapping[str, Attribute], link: str
    ) -> Iterator[Span]:
        """Begin a span within the current one, with a link to the one of that traceparent."""
        links = [trace.Link(it) for it in _linked(link)]
        with self._tracer.start_as_current_span(
            name, kind=_KINDS[kind], attributes=dict(attributes), links=links,
            # Errors quote what was said.
            record_exception=False, set_status_on_exception=False,
        ) as made:  # fmt: skip
            known = _Made(made)
            try:
                yield known
            except Exception as error:
                if not known.is_told:
                    code = getattr(error, "code", None)
                    known.fail(code if isinstance(code, str) else type(error).__name__)
                raise

    def current(self) -> str:
        """Return the traceparent of the span under way; empty where there is none."""
        carrier: dict[str, str] = {}
        _WIRE.inject(carrier)
        return carrier.get("traceparent", "")

    @contextmanager
    def within(self, traceparent: str, tracestate: str) -> Iterator[None]:
        """Do the block as a part of a trace that began elsewhere; what is none is passed over."""
        carrier = {"traceparent": traceparent, "tracestate": tracestate}
        token = context.attach(_WIRE.extract(carrier, context.get_current()))
        try:
            yield
        finally:
            context.detach(token)


def begin() -> None:
    """Have this process' spans collected; by the provider that is set up already, if one is."""
    provider = trace.get_tracer_provider()
    if not isinstance(provider, TracerProvider):
        provider = make_provider()
        # What other packages make spans of, as the SDK of MCP its messages, goes the same way.
        trace.set_tracer_provider(provider)
    collect_by(OpenTelemetry(provider))


def make_provider() -> TracerProvider:
    """Return a provider that sends spans, in batches and in a thread of its own."""
    named = {SERVICE_NAME: os.environ.get("OTEL_SERVICE_NAME", "chancery")}
    provider = TracerProvider(resource=Resource.create(named | {SERVICE_VERSION: __version__}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider


def _linked(traceparent: str) -> Iterator[trace.SpanContext]:
    if traceparent:
        found = _WIRE.extract({"traceparent": traceparent}, context.Context())
        named = trace.get_current_span(found).get_span_context()
        if named.is_valid:
            yield named
