"""A Flask app whose page asks a survey: Flask writes the page, and never sees an answer.

flask --app flask_app run --port 8080
"""

from pathlib import Path

from flask import Flask, Response, render_template

from sotto_protocol import compile_toml

SURVEY = compile_toml(Path(__file__).with_name("lunch.toml").read_text(encoding="utf-8"))


def create_app(collector: str = "http://127.0.0.1:8000") -> Flask:
    """Return the app; its page may load what is in web/, and talk to this collector."""
    app = Flask(__name__, static_folder="web")

    @app.get("/")
    def show_page() -> str:
        # The page pins the fingerprint of the survey file that lies here, whatever the collector serves.
        return render_template("ask.html", survey=SURVEY, collector=collector)

    @app.after_request
    def protect(response: Response) -> Response:
        response.headers["Content-Security-Policy"] = (
            f"default-src 'none'; script-src 'self'; style-src 'self'; connect-src {collector}; "
            "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
        )
        response.headers["Referrer-Policy"] = "no-referrer"
        return response

    return app
