"""The page on the wall: the code to scan, how many reports came, and how the range closed. Its teacher ends it."""

import secrets
from collections.abc import Callable
from importlib.resources import files

from flask import Blueprint, Response, render_template, request
from markupsafe import Markup
from segno import make

from sotto_author.classroom.lesson import Lesson, Seen
from sotto_collector.errors import refuse
from sotto_collector.pages.headers import PAGE_TYPE, policy
from sotto_collector.pages.languages import choose_for
from sotto_estimator.inference.marginal import estimated_of
from sotto_estimator.inference.registry import is_text
from sotto_estimator.results.forms.html import blocks_html
from sotto_estimator.results.svg import inline_svg
from sotto_estimator.views.looks import draw_looks
from sotto_estimator.views.section import sections_of
from sotto_estimator.views.spoken import Spoken

PATH = "/classroom"
_COOKIE, _KEY_BYTES = "sotto-classroom", 18
_ASSETS = {"board.css": "text/css", "board.js": "text/javascript"}


class Board:
    """The page's routes. `key`: opens the board. It is in the address once, then in a cookie."""

    def __init__(self, lesson: Lesson, address: str, on_end: Callable[[], None]) -> None:
        """`address`: of the survey, as phones reach it. `on_end` is called once the teacher has ended the lesson."""
        self.key = secrets.token_urlsafe(_KEY_BYTES)
        self._lesson, self._address, self._on_end = lesson, address, on_end
        self._code = _html(make(address, error="m").svg_inline(border=3, light="#fff", omitsize=True))
        self._assets = {name: (files(__package__) / "static" / name).read_bytes() for name in _ASSETS}

    def blueprint(self) -> Blueprint:
        """Return the page as a part of a collector's app."""
        page = Blueprint("classroom", __name__, template_folder="templates")
        page.get(PATH)(self.show)
        page.post(f"{PATH}/end")(self.end)
        page.get(f"/static/classroom/<any({','.join(map(repr, _ASSETS))}):name>")(self.get_asset)
        return page

    def show(self) -> Response:
        """Show the board to the teacher. The key leaves the address, which a whole room reads."""
        given = request.args.get("key", "")
        if given and self._is_key(given):
            response = Response(status=303, headers={"Location": PATH})
            response.set_cookie(_COOKIE, given, path=PATH, httponly=True, samesite="Strict")
            response.headers["Cache-Control"] = "no-store"
            return response
        self._require_teacher()
        return self._respond(self._render(self._lesson.look()))

    def end(self) -> Response:
        """End the lesson, and show what was seen last."""
        self._require_teacher()
        self._lesson.end()
        page = self._respond(self._render(self._lesson.look()))
        page.call_on_close(self._on_end)
        return page

    def get_asset(self, name: str) -> Response:
        """Give the page's style or script."""
        response = Response(self._assets[name], content_type=f"{_ASSETS[name]}; charset=utf-8")
        response.headers["Cache-Control"] = "no-cache"
        return response

    def _is_key(self, given: str) -> bool:
        return secrets.compare_digest(given.encode(), self.key.encode())

    def _require_teacher(self) -> None:
        if not self._is_key(request.cookies.get(_COOKIE, "")):
            raise refuse(403, "forbidden", "only the address that `sotto classroom` printed opens the board.")

    def _render(self, seen: Seen) -> str:
        survey = seen.survey
        chosen = choose_for(survey.languages)
        spoken = Spoken(chosen.language, survey, survey.words(chosen.tag))
        questions = {one.id: spoken.text(one) for one in estimated_of(survey) if not is_text(one)}
        asked = request.args.get("question", "")
        asked = asked if asked in questions else next(iter(questions))
        sections = sections_of(seen.looks[-1], spoken) if seen.looks else []
        section = next((one for one in sections if one.key == asked), None)
        chart = draw_looks(section, seen.looks) if section else None
        return render_template(
            "classroom/board.html",
            root="./" if request.path == PATH else "../",
            path=PATH.strip("/"),
            seen=seen,
            texts=spoken.attributes,
            title=spoken.words.title,
            questions=questions,
            asked=asked,
            survey=survey,
            n_seen=section.n_reports if section else 0,
            known=_html(blocks_html(section.known, "board") if section else ""),
            chart=_html(inline_svg(chart, "looks") if chart else ""),
            code=self._code,
            address=self._address,
        )

    def _respond(self, page: str) -> Response:
        response = Response(page, content_type=PAGE_TYPE)
        response.headers["Content-Security-Policy"] = policy(form_action="'self'")
        response.headers["Cache-Control"] = "no-store"
        return response


def _html(text: str) -> Markup:
    return Markup(text)  # noqa: S704  # its texts are escaped
