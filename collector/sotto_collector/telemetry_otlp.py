"""Prometheus' metrics as OpenTelemetry's, sent by its own exporter: only this file knows its SDK."""

import logging
import math
import time
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.sdk.metrics import export as otel
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from prometheus_client import Metric
from prometheus_client.samples import Sample

from sotto_protocol import __version__

CUMULATIVE = otel.AggregationTemporality.CUMULATIVE
Labels = tuple[tuple[str, str], ...]


class OtlpExporter:
    """Sends metrics over HTTP, to where the standard variables say and as they say."""

    def __init__(self, instance: str) -> None:
        """`instance`: the collector's id; what OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME say goes before."""
        logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)  # its messages quote the endpoint; we say our own
        ours = {"service.name": "sottovoce", "service.version": __version__, "service.instance.id": instance}
        self._resource = Resource(ours).merge(OTELResourceDetector().detect())
        self._scope = InstrumentationScope("sottovoce", __version__)
        self._exporter = OTLPMetricExporter()

    def send(self, families: list[Metric], began_ns: int) -> bool:
        """Return whether they arrived. What is infinite is left out: not everybody reads that."""
        now_ns = time.time_ns()
        converted = [(family, convert(family, began_ns, now_ns)) for family in families]
        metrics = [otel.Metric(family.name, family.documentation, "", data) for family, data in converted if data]
        of_scope = otel.ScopeMetrics(self._scope, metrics, "")
        data = otel.MetricsData([otel.ResourceMetrics(self._resource, [of_scope], "")])
        return self._exporter.export(data) is otel.MetricExportResult.SUCCESS

    def stop(self) -> None:
        self._exporter.shutdown()


def convert(family: Metric, began_ns: int, now_ns: int) -> "otel.Sum | otel.Gauge | otel.Histogram | None":
    """Return a family's data points, counters and histograms counted since `began_ns`; None where it has none."""
    if family.type == "histogram":
        return otel.Histogram([*_histograms(family, began_ns, now_ns)], CUMULATIVE)
    is_counter = family.type == "counter"
    points = [
        otel.NumberDataPoint(dict(sample.labels), began_ns if is_counter else 0, now_ns, float(sample.value))
        for sample in family.samples
        if math.isfinite(sample.value)
    ]
    if not points:
        return None
    return otel.Sum(points, CUMULATIVE, is_monotonic=True) if is_counter else otel.Gauge(points)


def _histograms(family: Metric, began_ns: int, now_ns: int) -> Iterator[otel.HistogramDataPoint]:
    by_labels: dict[Labels, list[Sample]] = defaultdict(list)
    for sample in family.samples:
        by_labels[tuple(item for item in sample.labels.items() if item[0] != "le")].append(sample)
    for labels, samples in by_labels.items():
        found = {sample.name.removeprefix(family.name): sample.value for sample in samples}
        up_to = sorted((float(sample.labels["le"]), int(sample.value)) for sample in samples if "le" in sample.labels)
        counts = [
            count - before for (_, count), before in zip(up_to, [0, *(count for _, count in up_to)], strict=False)
        ]
        bounds = [bound for bound, _ in up_to if math.isfinite(bound)]
        unknown: Any = None  # the least and the largest value are kept by nobody
        yield otel.HistogramDataPoint(
            dict(labels), began_ns, now_ns, int(found["_count"]), found["_sum"], counts, bounds, unknown, unknown
        )
