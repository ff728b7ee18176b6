"""The results page's routes. Every response holds one survey's estimates, as its reader may see and chose them."""

from collections.abc import Callable
from hashlib import sha256
from importlib.resources import files
from typing import NamedTuple, TypeVar

from flask import Blueprint, Response, render_template, request
from markupsafe import Markup

from sotto_estimator.page.cache import LruCache
from sotto_estimator.page.choices import ALL, Choices, read_choices
from sotto_estimator.page.errors import ChoiceError
from sotto_estimator.page.release import ReadRelease, Release
from sotto_estimator.page.results import Results, find_results
from sotto_estimator.page.seats import Seats
from sotto_estimator.page.texts import MAX_FORM_BYTES, TextSearch, most_texts, search
from sotto_estimator.results.forms.html import blocks_html
from sotto_estimator.results.svg import whole_svg
from sotto_estimator.views.decoded import found_blocks
from sotto_estimator.views.figure_section import charts
from sotto_estimator.views.section_lines import fakes_line, interval_line
from sotto_protocol.words import epsilon_above

Made = TypeVar("Made")

MAX_KEPT_BYTES, IDLE_S = 32 * 2**20, 60.0
"""Results, pages and pictures are kept for who asks again, in so many bytes, until nobody has for so many seconds."""
N_AT_DESK, N_AT_EASEL = 4, 2
"""So many of one survey's pages and files, and of its pictures, are made or wait for that, each for other choices; who
asks for one more is asked to come again."""
_TYPES = {"csv": "text/csv", "json": "application/json", "svg": "image/svg+xml", "png": "image/png"}
_ASSETS = {
    "results.css": ("results/results.css", "text/css"),
    "results.js": ("page/static/results.js", "text/javascript"),
}
_RULE = "/s/<survey_id>/results"


def make_results_page(
    read_release: ReadRelease, layout: str, on_idle: Callable[[], object] = lambda: None, shared: str | None = None
) -> Blueprint:
    """Return the page as a blueprint. What it refuses is raised as a `PageError`, or as `read_release` raises it.

    `layout`: the name of a template of the app, with the blocks title, head and body, which is told `root`, the
    app's root as seen from the page. `on_idle` is called, in a thread of its own, once less is kept for later.
    `shared`: a second rule of the page, at which nothing can be searched; the app takes the values that it has beside
    the survey's id out of the request.
    """
    page = Blueprint("results", __name__, template_folder="templates")
    routes = _Routes(read_release, layout, on_idle)
    routes.add_to(page, _RULE)
    if shared is not None:
        routes.add_to(page, shared)
    page.post(_RULE)(routes.search_texts)
    page.get("/static/results/<any('results.css','results.js'):name>")(routes.get_asset)
    return page


class _Routes:
    """The views, with what they share."""

    def __init__(self, read_release: ReadRelease, layout: str, on_idle: Callable[[], object]) -> None:
        self._read_release = read_release
        self._layout = layout
        self._kept = LruCache(MAX_KEPT_BYTES, IDLE_S, on_idle)
        self._desk = Seats("results", N_AT_DESK)
        self._easel = Seats("pictures", N_AT_EASEL)
        self._searches = Seats("searches", N_AT_EASEL)
        self._assets = {name: (files("sotto_estimator") / path).read_bytes() for name, (path, _) in _ASSETS.items()}

    def add_to(self, page: Blueprint, rule: str) -> None:
        """Add the routes that read. Browsers store no response, as a reader's right to see it can end."""
        page.get(rule)(self.show_results)
        page.get(f"{rule}.<any(csv,json):kind>")(self.get_numbers)
        page.get(f"{rule}/<question_id>/<any({','.join(charts())}):chart>.<any(svg,png):kind>")(self.get_chart)

    def show_results(self, survey_id: str) -> Response:
        """Show a survey's results."""
        selection = self._read(survey_id)
        if selection.tag in request.if_none_match:
            return _respond(Response(status=304), selection.tag)
        results = self._find(selection)
        make = _seated(self._desk, survey_id, lambda: self._render(results, selection.tag).encode())
        page = self._kept.get((selection.tag, "page", _root()), make)
        return _respond(Response(page, content_type="text/html; charset=utf-8"), selection.tag)

    def search_texts(self, survey_id: str) -> Response:
        """Show the results with the texts of the form, of those that are found; or give these as CSV or JSON."""
        if (request.content_length or 0) > MAX_FORM_BYTES:
            raise ChoiceError(f"the form must have at most {MAX_FORM_BYTES:,} bytes.")
        selection = self._read(survey_id)
        question, typed = request.form.get("question", ""), request.form.get("texts", "")
        make = _seated(self._searches, survey_id, lambda: search(selection.release, selection.choices, question, typed))
        found, kind = make(), request.form.get("as", "")
        if found.decoded and kind in ("csv", "json"):
            content = f"{found.decoded.as_style(kind)}\n".encode()
            return _attach(content, kind, f"{question}-texts", selection)
        page = self._render(self._find(selection), selection.tag, found)
        response = Response(page, 400 if found.fault else 200, content_type="text/html; charset=utf-8")
        response.headers["Cache-Control"] = "no-store"
        return response

    def _render(self, results: Results, tag: str, search: TextSearch | None = None) -> str:
        return render_template(
            "results/page.html",
            layout=self._layout,
            root=_root(),
            tag=tag,
            results=results,
            search=search,
            report_fields=results.choices.report_fields(results.survey, results.spoken.say),
            fields=results.choices.interval_fields(results.spoken.say),
            tongues=results.choices.tongues(results.survey),
            spoken=results.spoken.words,
            blocks=lambda blocks, key: Markup(blocks_html(blocks, key)),  # noqa: S704  # its texts are escaped
            found_blocks=found_blocks,
            most_texts=most_texts,
            epsilon_above=epsilon_above,
            interval_line=interval_line,
            fakes_line=fakes_line,
        )

    def get_numbers(self, survey_id: str, kind: str) -> Response:
        """Give what is shown as CSV or JSON: what `sotto estimate` prints of the same tally."""
        selection = self._read(survey_id)
        estimates = self._find(selection).require_estimates()
        make = _seated(self._desk, survey_id, lambda: f"{estimates.as_style(kind)}\n".encode())
        return _attach(self._kept.get((selection.tag, kind), make), kind, "results", selection)

    def get_chart(self, survey_id: str, question_id: str, chart: str, kind: str) -> Response:
        """Give one chart as it is shown, its title and caption over it."""
        selection = self._read(survey_id)
        drawing, caption = self._find(selection).require_chart(question_id, chart)
        key = selection.tag, question_id, chart, kind
        if kind == "png":
            from sotto_estimator.results.forms.png import draw_png  # matplotlib takes half a second to load

            make = _seated(self._easel, survey_id, lambda: draw_png(drawing, caption))
            content = self._kept.get(key, make)
        else:
            make = _seated(self._desk, survey_id, lambda: whole_svg(drawing, caption))
            content = self._kept.get(key, make)
        return _attach(content, kind, f"{question_id}-{chart}", selection)

    def get_asset(self, name: str) -> Response:
        """Give the page's style or script."""
        response = Response(self._assets[name], content_type=f"{_ASSETS[name][1]}; charset=utf-8")
        response.headers["Cache-Control"] = "public, max-age=300"
        response.add_etag()
        response.make_conditional(request)
        return response

    def _read(self, survey_id: str) -> "_Selection":
        """Return what the request asks for. Raises ChoiceError, NoSuchWaveError, and as `read_release`."""
        release = self._read_release(survey_id)
        choices = read_choices({name: request.args.getlist(name) for name in request.args}, release.survey)
        return _Selection(release, choices, _tag(release, choices))

    def _find(self, selection: "_Selection") -> Results:
        """Return the results that are asked for. Raises ChoiceError, CrowdedError."""
        make = _seated(
            self._desk, selection.release.survey.id, lambda: find_results(selection.release, selection.choices)
        )
        return self._kept.get((selection.tag, "results"), make)


def _root() -> str:
    """Return the app's root as seen from the page that is asked for."""
    return "../" * (request.path.count("/") - 1)


class _Selection(NamedTuple):
    """What is released to a reader, what they chose of it, and what is the same for the same response."""

    release: Release
    choices: Choices
    tag: str


def _seated(seats: Seats, survey_id: str, make: Callable[[], Made]) -> Callable[[], Made]:
    """Return what makes the same from a seat. It raises CrowdedError where there is none."""

    def make_seated() -> Made:
        with seats.take(survey_id):
            return make()

    return make_seated


def _tag(release: Release, choices: Choices) -> str:
    """Return what is the same for the same page: of this survey, these counts, this reader, and these choices."""
    counts = release.digest, release.is_open, release.n_known, dict(release.turnout), sorted(release.floored)
    told = *counts, release.may_search, choices, release.language.tag, release.lang
    return sha256(repr(told).encode()).hexdigest()[:32]


def _respond(response: Response, tag: str) -> Response:
    response.set_etag(tag)
    response.headers["Cache-Control"] = "no-store"
    return response


def _attach(content: bytes, kind: str, what: str, selection: _Selection) -> Response:
    """Return a file to be kept, under a name of what ids are made of: letters, digits, - and _."""
    response = _respond(Response(content, content_type=_content_type(kind)), selection.tag)
    choices = selection.choices
    wave = f"-wave-{choices.wave}" if choices.wave else ""
    stratum = f"-stratum-{choices.stratum}" if choices.stratum != ALL else ""
    name = f"{selection.release.survey.id}-{what}{wave}{stratum}.{kind}"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _content_type(kind: str) -> str:
    return _TYPES[kind] + ("; charset=utf-8" if kind == "csv" else "")
