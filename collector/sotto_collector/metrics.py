"""Counters for those who run a collector, in Prometheus' form. No label names a respondent, a report or a peer."""

import os
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from flask import Flask, Response, g, request
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Metric,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
    values,
)
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.values import MultiProcessValue

from sotto_collector.slot import ALONE, Slot

FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
REPORTS = (1, 3, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000)
METHODS = {"GET", "HEAD", "POST", "PATCH", "DELETE", "OPTIONS"}
NONE = "none"

disable_created_metrics()  # type: ignore[no-untyped-call]  # they give the moment of the first report


class Metrics:
    """What one process counts. Threads may share it."""

    def __init__(self, slot: Slot = ALONE, *, by_survey: bool = False) -> None:
        """`by_survey` labels reports with their survey's id, which everybody may know."""
        self._by_survey = by_survey
        self._folder = self.folder = slot.metrics_folder
        if self._folder is not None:
            os.environ[FOLDER_VARIABLE] = str(self._folder)
            # By slot, not by process: a worker goes on in the files of the last one in its slot.
            values.ValueClass = MultiProcessValue(lambda: slot.number)  # type: ignore[no-untyped-call]
        self._registry = CollectorRegistry()
        self._reports = Counter(
            "sotto_reports",
            "Reports acknowledged: counted, duplicate, or conflicting (a duplicate with other bits).",
            ["outcome", *["survey"] * by_survey],
            registry=self._registry,
        )
        self._refusals = Counter("sotto_refusals", "Requests refused, by the code.", ["code"], registry=self._registry)
        self._requests = Counter(
            "sotto_requests", "Requests served.", ["route", "method", "status"], registry=self._registry
        )
        self._request_seconds = self._histogram("sotto_request_seconds", "Time to serve a request.", SECONDS, "route")
        self._of_reports: dict[tuple[str, ...], Counter] = {}
        self._of_requests: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}
        self._commit_seconds = self._histogram("sotto_commit_seconds", "Time of a commit.", SECONDS)
        self._commit_reports = self._histogram("sotto_commit_reports", "Reports committed together.", REPORTS)
        self._queued = Gauge(
            "sotto_queued_reports",
            "Reports waiting for a commit.",
            multiprocess_mode="livesum",
            registry=self._registry,
        )
        self._starts = Counter("sotto_process_starts", "Processes that began to serve.", registry=self._registry)
        if self._folder is None:
            ProcessCollector(registry=self._registry)

    def _histogram(self, name: str, text: str, buckets: tuple[float, ...], *labels: str) -> Histogram:
        return Histogram(name, text, labels, buckets=buckets, registry=self._registry)

    def count_outcome(self, survey_id: str, n_counted: int, n_duplicates: int, n_conflicting: int = 0) -> None:
        """Count what became of an acknowledged batch; `n_conflicting` of the duplicates had other bits."""
        same = n_duplicates - n_conflicting
        for outcome, n_reports in (("counted", n_counted), ("duplicate", same), ("conflicting", n_conflicting)):
            if n_reports:
                key = (outcome, survey_id) if self._by_survey else (outcome,)
                child = self._of_reports.get(key)
                if child is None:  # finding the labels takes longer than counting
                    child = self._of_reports[key] = self._reports.labels(*key)
                child.inc(n_reports)

    def observe_commit(self, seconds: float, n_reports: int) -> None:
        """Note a commit: how long it took, and of how many reports."""
        self._commit_seconds.observe(seconds)
        self._commit_reports.observe(n_reports)

    def set_queued(self, n_reports: int) -> None:
        """Note how many reports wait for a commit now."""
        self._queued.set(n_reports)

    def count_refusal(self, code: str) -> None:
        """Count a request refused with one of the documented codes."""
        self._refusals.labels(code).inc()

    def count_request(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count a request; `route` is a template, never a path."""
        key = route, method if method in METHODS else NONE, status
        children = self._of_requests.get(key)
        if children is None:
            children = self._requests.labels(*key[:2], str(status)), self._request_seconds.labels(route)
            self._of_requests[key] = children
        children[0].inc()
        children[1].observe(seconds)

    def count_start(self) -> None:
        """Count that this process begins to serve."""
        self._starts.inc()

    def collect(self) -> Iterable[Metric]:
        """Return what all workers have counted."""
        if self._folder is None:
            return self._registry.collect()
        begun = [str(path) for path in self._folder.glob("*.db") if _is_begun(path)]
        together: Iterable[Metric] = MultiProcessCollector.merge(begun)  # type: ignore[no-untyped-call]
        return list(together)


def _is_begun(path: Path) -> bool:
    """Whether a file of metrics has more than its name: a worker that starts makes it first, and then its size."""
    try:
        return path.stat().st_size > 0
    except FileNotFoundError:
        return False  # its worker has ended meanwhile


class _Read:
    """Metrics that were read, as a registry wants them."""

    def __init__(self, families: Iterable[Metric]) -> None:
        self._families = families

    def collect(self) -> Iterable[Metric]:
        return self._families


def render(families: Iterable[Metric]) -> bytes:
    """Return metrics as Prometheus reads them."""
    together = CollectorRegistry()
    together.register(_Read(families))
    return generate_latest(together)


def install_metrics(app: Flask, metrics: Metrics) -> None:
    """Count every request that reaches the application."""
    app.extensions["metrics"] = metrics

    def begin() -> None:
        g.began = time.perf_counter()

    def end(response: Response) -> Response:
        rule = request.url_rule
        route = rule.rule if rule else NONE
        metrics.count_request(route, request.method, response.status_code, time.perf_counter() - g.began)
        return response

    app.before_request(begin)
    app.after_request(end)


@contextmanager
def metrics_folder() -> Iterator[Path]:
    """Make a private folder that the workers write their metrics to; it is removed at the end of the block."""
    with tempfile.TemporaryDirectory(prefix="sotto-metrics-") as name:  # with mode 0700
        yield Path(name)


def forget_slot(folder: Path, number: int) -> None:
    """Drop the gauges of a worker that has ended; its counters stay."""
    mark_process_dead(number, str(folder))  # type: ignore[no-untyped-call]
