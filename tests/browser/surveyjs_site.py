"""The page of docs/surveyjs.md, with what it loads: the real survey-core, and its renderer or none."""

import json
from pathlib import Path
from typing import Any

from chromium import CLIENT, ROOT, miss
from console import blocks

_MODULES = CLIENT / "node_modules"
_WITHOUT_RENDERER = {
    'import "survey-js-ui";': "",
    'model.render(document.querySelector("#form"));': "globalThis.model = model;",
}


def _sources() -> list[Path]:
    return [path for folder in ("form", "src") for path in (CLIENT / folder).rglob("*.js")]


def pages_of(collector: str, form: dict[str, Any], *, is_rendered: bool = False) -> dict[str, bytes]:
    """Return what the page loads, by path; where the model is not rendered, it is left where a test finds it."""
    (html,) = (text for language, text in blocks(ROOT / "docs" / "surveyjs.md") if language == "html")
    for shown, here in {
        "https://collector.example": collector,
        '<link rel="stylesheet" href="/vendor/survey-core/survey-core.fontless.min.css" />': "",
        **({} if is_rendered else _WITHOUT_RENDERER),
    }.items():
        assert shown in html
        html = html.replace(shown, here)
    core = "survey-core-2" if is_rendered else "survey-core"  # a renderer takes its very version alone
    modules = {f"/vendor/sottovoce/{name}": CLIENT / name for name in ("sottovoce.js", "surveyjs.js")}
    modules |= {f"/vendor/sottovoce/{path.relative_to(CLIENT)}": path for path in _sources()}
    modules["/vendor/survey-core/fesm/survey-core.mjs"] = _MODULES / core / "fesm" / "survey-core.mjs"
    if is_rendered:
        modules["/vendor/survey-js-ui/fesm/survey-js-ui.mjs"] = _MODULES / "survey-js-ui" / "fesm" / "survey-js-ui.mjs"
    if not all(path.is_file() for path in modules.values()):
        miss("survey-core and survey-js-ui (npm ci --prefix client/js)")
    texts = {"/form.html": html.encode(), "/lunch.json": json.dumps(form).encode(), "/favicon.ico": b""}
    return texts | {path: module.read_bytes() for path, module in modules.items()}
