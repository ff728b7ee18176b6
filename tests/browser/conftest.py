"""What the browser's tests share: a browser, a new device for each test, one collector."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright

from asked import HABITS, configure, publish
from chromium import UNREACHABLE, Devices, Watch
from collecting import Served, serve
from component_site import asking, element, page_of, policy_for
from component_visit import FORGIVEN, HEAR, Ask
from embedded import LUNCH
from own_site import blank, site_of
from shared_chromium import SharedChromium
from sotto_protocol import Survey
from wire import Wire, wire_to

SHARED = SharedChromium()


@pytest.hookimpl(tryfirst=True)  # before pytest chooses by marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all that needs a browser, and let each file's tests with the shared one come before its others."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker("thorough")
    places = {item.path: place for place, item in reversed(list(enumerate(items)))}
    items.sort(key=lambda item: (places[item.path], not needs_shared(item)))


def needs_shared(item: pytest.Item | None) -> bool:
    """Say whether a test has the shared browser."""
    return "playwright" in getattr(item, "fixturenames", ())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> Iterator[None]:
    """End the browser if the next test needs none: only then can that run an event loop, or start its own."""
    try:
        yield
    finally:
        if not needs_shared(nextitem):
            SHARED.end()


@pytest.fixture(scope="module")
def playwright() -> Playwright:
    """What starts browsers."""
    return SHARED.playwright()


@pytest.fixture(scope="module")
def browser(playwright: Playwright) -> Browser:
    """A browser that tests of other files may have used before: what they did stays in contexts of their own."""
    return SHARED.browser()


@pytest.fixture(scope="session")
def collector(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A collector, the real process, that has a survey of every kind of question."""
    with serve(tmp_path_factory.mktemp("collector") / "survey.db", survey=HABITS) as served:
        yield served


@pytest.fixture(scope="session")
def lunch(collector: Served) -> Served:
    """The collector, asking the examples' survey."""
    publish(collector, LUNCH)
    return collector


@pytest.fixture
def wire(collector: Served) -> Iterator[Wire]:
    """A wire to the collector: pages that are opened at its address can be cut off."""
    with wire_to(collector.port) as laid:
        yield laid


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    """The address of somebody else's page, which embeds the client."""
    with site_of({"/app.html": blank("An app")}) as url:
        yield url


@pytest.fixture
def devices(browser: Browser, collector: Served) -> Iterator[Devices]:
    """Make new devices: each remembers nothing, and complains of nothing by the end of the test.

    `hosts`: other addresses that its pages may ask. The other arguments are Playwright's, of a context.
    """
    with ExitStack() as stack:
        watches = []

        def make(*hosts: str, **options: Any) -> tuple[BrowserContext, Watch]:
            context = stack.enter_context(browser.new_context(**options))
            watches.append(Watch(context, collector.url, *hosts))
            return context, watches[-1]

        yield make
    assert [complaint for watch in watches for complaint in watch.complaints] == []


@pytest.fixture
def ask(wire: Wire, collector: Served, devices: Devices) -> Iterator[Ask]:
    """Open pages of a site of their own that ask surveys, each on a new device; the collector is behind a wire."""
    with ExitStack() as stack:

        def open_page(
            *surveys: Survey, at: str = wire.url, body: str = "", anchor: str = "", before: str = "", **given: str
        ) -> Page:
            body = body or "".join(element(at, survey, **given) for survey in surveys)
            site = stack.enter_context(asking({"/index.html": page_of(body, policy_for(at))}))
            for survey in surveys:
                configure(collector, survey, cors_origins=[site])
            context, watch = devices(at, site)
            watch.forgive(UNREACHABLE, *FORGIVEN)
            page = context.new_page()
            page.add_init_script(f"({HEAR})(); {before}")
            page.goto(f"{site}/index.html{anchor}")
            return page

        yield open_page
