"""The application factory."""

from collections.abc import Callable
from typing import Any

from flask import Flask

from sotto_collector.api.administration import administration
from sotto_collector.api.certificates import certificates
from sotto_collector.api.cors import install_cors
from sotto_collector.api.drafts import drafts
from sotto_collector.api.gateway import ObliviousPath, gateway
from sotto_collector.api.invitations import invitations
from sotto_collector.api.operations import operations
from sotto_collector.api.problems import install_problems
from sotto_collector.api.reports import FastPath
from sotto_collector.api.surveys import surveys
from sotto_collector.collector import Collector
from sotto_collector.metrics import Metrics, install_metrics
from sotto_collector.pages.assets import assets
from sotto_collector.pages.headers import install_page_headers
from sotto_collector.pages.index import index_page
from sotto_collector.pages.landing import landing_page
from sotto_collector.pages.languages import install_languages
from sotto_collector.pages.problems import install_page_problems
from sotto_collector.pages.results import install_results
from sotto_collector.pages.survey import pages
from sotto_collector.settings import Settings
from sotto_collector.slot import ALONE, Slot


class _App(Flask):
    """Flask that does not check at every request whether functions are coroutines. None is."""

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        return func


def create_app(settings: Settings, slot: Slot = ALONE) -> Flask:
    """Return the collector as a WSGI application; close `app.extensions["collector"]` when done with it.

    It shares nothing with another: a process makes its own, after it was forked.
    Raises StoreError where the database cannot be used, and where there is none: `sotto db init` makes it.
    """
    app = _App(__name__, static_folder=None, template_folder="pages/templates")
    app.url_map.merge_slashes = False  # else /v1//surveys is redirected, which echoes host and path
    metrics = Metrics(slot, by_survey=settings.metrics_labels == "survey")
    app.extensions["collector"] = Collector(settings, metrics, slot.n_workers)
    install_metrics(app, metrics)
    install_problems(app)
    install_cors(app)
    install_page_headers(app)
    install_languages(app)
    install_page_problems(app)
    app.register_blueprint(operations)
    app.register_blueprint(surveys)
    app.register_blueprint(drafts)
    app.register_blueprint(certificates)
    app.register_blueprint(administration)
    app.register_blueprint(invitations)
    app.register_blueprint(gateway)
    app.register_blueprint(pages)
    app.register_blueprint(assets)
    app.register_blueprint(index_page)
    app.register_blueprint(landing_page)
    install_results(app)
    app.wsgi_app = FastPath(app)  # type: ignore[method-assign]  # Flask's own way to have middleware
    app.wsgi_app = ObliviousPath(app)  # type: ignore[method-assign]  # in front of the other
    return app
