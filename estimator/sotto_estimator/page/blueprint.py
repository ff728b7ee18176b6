"""The results page's routes. Every answer holds one survey's estimates, as its reader may see and chose them."""

from collections.abc import Callable
from hashlib import sha256
from importlib.resources import files
from typing import TypeVar

from flask import Blueprint, Response, render_template, request

from sotto_estimator.page.choices import Choices, read_choices
from sotto_estimator.page.given import Given, Source
from sotto_estimator.page.recent import Recent
from sotto_estimator.page.results import Results, find_results
from sotto_estimator.page.seats import Seats
from sotto_estimator.page.section import epsilon_words
from sotto_estimator.page.svg import inline_svg, whole_svg
from sotto_estimator.render import as_csv, as_json, interval_words, percent, signed_percent

Made = TypeVar("Made")

N_KEPT = 8
"""So many results, pages and pictures are kept for who asks again; a page of thousands of answers takes megabytes."""
N_AT_DESK, N_AT_EASEL = 4, 2
"""So many of one survey's pages and files, and of its pictures, are made or wait for that, each for other choices; who
asks for one more is asked to come again."""
_TYPES = {"csv": "text/csv", "json": "application/json", "svg": "image/svg+xml", "png": "image/png"}
_ASSETS = {"results.css": "text/css", "results.js": "text/javascript"}
_RULE = "/s/<survey_id>/results"


def make_results_page(source: Source, layout: str) -> Blueprint:
    """Return the page as a blueprint. What it refuses is raised as a `PageError`, or as `source` raises it.

    `layout`: the name of a template of the app, with the blocks title, head and body, which is told `root`, the
    app's root as seen from the page.
    """
    page = Blueprint("results", __name__, template_folder="templates")
    _Routes(source, layout).add_to(page)
    return page


class _Routes:
    """The views, with what they share."""

    def __init__(self, source: Source, layout: str) -> None:
        self._source = source
        self._layout = layout
        self._results: Recent[Results] = Recent(N_KEPT)
        self._pages: Recent[str] = Recent(N_KEPT)
        self._files: Recent[bytes] = Recent(N_KEPT)
        self._pictures: Recent[bytes] = Recent(N_KEPT)
        self._desk = Seats("results", N_AT_DESK)
        self._easel = Seats("pictures", N_AT_EASEL)
        self._assets = {name: (files(__package__) / "static" / name).read_bytes() for name in _ASSETS}

    def add_to(self, page: Blueprint) -> None:
        """Add the routes. No answer is stored by a browser: whoever may see it now may not tomorrow."""
        page.get(_RULE)(self.show_results)
        page.get(f"{_RULE}.<any(csv,json):kind>")(self.get_numbers)
        page.get(f"{_RULE}/<question_id>/<any(shares,waves):chart>.<any(svg,png):kind>")(self.get_chart)
        page.get("/static/results/<any('results.css','results.js'):name>")(self.get_asset)

    def show_results(self, survey_id: str) -> Response:
        """Show a survey's results."""
        given, choices, results = self._find(survey_id)
        tag = _tag(given, choices)
        if tag in request.if_none_match:
            return _answer(Response(status=304), tag)
        page = self._pages.get(tag, _seated(self._desk, survey_id, lambda: self._render(results, tag)))
        return _answer(Response(page, content_type="text/html; charset=utf-8"), tag)

    def _render(self, results: Results, tag: str) -> str:
        return render_template(
            "results/page.html",
            layout=self._layout,
            root="../../",
            tag=tag,
            results=results,
            fields=results.choices.fields(results.survey),
            epsilon_words=epsilon_words,
            inline_svg=inline_svg,
            interval_words=interval_words,
            percent=percent,
            signed_percent=signed_percent,
        )

    def get_numbers(self, survey_id: str, kind: str) -> Response:
        """Give what is shown as CSV or JSON: what `sotto estimate` prints of the same tally."""
        given, choices, results = self._find(survey_id)
        estimates, tag = results.require_estimates(), _tag(given, choices)
        write = {"csv": as_csv, "json": as_json}[kind]
        content = self._files.get((tag, kind), _seated(self._desk, survey_id, lambda: f"{write(estimates)}\n".encode()))
        return _attach(content, kind, _file_name(survey_id, "results", choices), tag)

    def get_chart(self, survey_id: str, question_id: str, chart: str, kind: str) -> Response:
        """Give one chart as it is shown, its title and caption over it."""
        given, choices, results = self._find(survey_id)
        drawing, caption = results.require_chart(question_id, chart)
        key = _tag(given, choices), question_id, chart
        if kind == "png":
            from sotto_estimator.page.picture import draw_png  # matplotlib takes half a second to load

            make = _seated(self._easel, survey_id, lambda: draw_png(drawing, caption))
            content = self._pictures.get(key, make)
        else:
            make = _seated(self._desk, survey_id, lambda: whole_svg(drawing, caption))
            content = self._files.get(key, make)
        name = _file_name(survey_id, f"{question_id}-{chart}", choices)
        return _attach(content, kind, name, _tag(given, choices))

    def get_asset(self, name: str) -> Response:
        """Give the page's style or script."""
        response = Response(self._assets[name], content_type=f"{_ASSETS[name]}; charset=utf-8")
        response.headers["Cache-Control"] = "public, max-age=300"
        response.add_etag()
        response.make_conditional(request)
        return response

    def _find(self, survey_id: str) -> tuple[Given, Choices, Results]:
        """Return what this reader is given, what they chose, and the results. Raises PageError, and as the source."""
        given = self._source(survey_id)
        choices = read_choices({name: request.args.getlist(name) for name in request.args}, given.survey)
        make = _seated(self._desk, survey_id, lambda: find_results(given, choices))
        return given, choices, self._results.get(_tag(given, choices), make)


def _seated(seats: Seats, survey_id: str, make: Callable[[], Made]) -> Callable[[], Made]:
    """Return what makes the same from a seat. It raises CrowdedError where there is none."""

    def make_seated() -> Made:
        with seats.take(survey_id):
            return make()

    return make_seated


def _tag(given: Given, choices: Choices) -> str:
    """Return what is the same for the same page: of this survey, these counts, this reader, and these choices."""
    has_commands = any(question.type == "text" for question in given.survey.questions)
    address = given.address if has_commands else ""  # else whoever says another Host would have all made anew
    told = given.digest, given.is_open, given.n_known, address, choices
    return sha256(repr(told).encode()).hexdigest()[:32]


def _answer(response: Response, tag: str) -> Response:
    response.set_etag(tag)
    response.headers["Cache-Control"] = "no-store"
    return response


def _attach(content: bytes, kind: str, name: str, tag: str) -> Response:
    """Return a file to be kept under this name."""
    response = _answer(Response(content, content_type=_content_type(kind)), tag)
    response.headers["Content-Disposition"] = f'attachment; filename="{name}.{kind}"'
    return response


def _content_type(kind: str) -> str:
    return _TYPES[kind] + ("; charset=utf-8" if kind == "csv" else "")


def _file_name(survey_id: str, what: str, choices: Choices) -> str:
    """Return a file's name of what ids are made of: letters, digits, - and _."""
    return f"{survey_id}-{what}" + (f"-wave-{choices.wave}" if choices.wave else "")
