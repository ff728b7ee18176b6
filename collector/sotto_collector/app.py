"""The application factory."""

from flask import Flask

from sotto_collector.collector import Collector
from sotto_collector.problems import install_problems
from sotto_collector.routes import routes
from sotto_collector.settings import Settings


def create_app(settings: Settings) -> Flask:
    """Return the collector as a WSGI application; close `app.extensions["collector"]` when done with it.

    Raises StoreError where the database cannot be used.
    """
    app = Flask(__name__, static_folder=None)
    app.url_map.merge_slashes = False  # else /v1//surveys is answered with a redirect that echoes host and path
    app.extensions["collector"] = Collector(settings)
    install_problems(app)
    app.register_blueprint(routes)
    return app
