"""What the forms in tests/data/surveyjs become, for both sides: the import (Python) and the adapter (JavaScript).

python tests/support/surveyjs_vectors.py > tests/vectors/surveyjs.json
"""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

from sotto_author.forms.asking import Terms, question_id
from sotto_author.forms.surveyjs import AskedElement, import_form
from sotto_protocol import SurveyError, compile_survey
from sotto_protocol.documents import load_json
from surveyjs_leak_cases import LEAKS

FORMS = Path(__file__).parents[1] / "data" / "surveyjs"
VECTORS = Path(__file__).parents[1] / "vectors" / "surveyjs.json"
ABOUT = (
    "names: an element's name and its question's id. forms: of each file in tests/data/surveyjs the survey that is "
    "published, the elements that it leaves out, and of its questions the element that asks each and its choices: the "
    "value that SurveyJS stores, as a string, and the text that is the option. leaks: a form, and why the adapter does "
    "not attach to it. tests/support/surveyjs_vectors.py writes them."
)
USUAL = Terms(Decimal(1))
FILES = {
    "clinic": USUAL,
    "lunch": USUAL,
    "matrix": USUAL,
    "numbers": USUAL,
    "ward": Terms(Decimal(1), ask_everybody=True, leave_out=frozenset({"ward"})),
}
NAMES = [
    "smoked",
    "smoked_weed-2",
    "Smoked",
    "How often?",
    "  spaces  ",
    "_private",
    "-dash-",
    "trailing_",
    "Âge (années)",
    "A\u030angstro\u0308m",
    "Straße",
    "İstanbul ısı",
    "\u212a \ufb01 \uff21\uff11 \u01c4",
    "a\u00a0b\u2003c",
    "年龄",
    "年龄2",
    "\U0001f600",
    "\U0001f600 joy",
    "x" * 70,
    "Question " + "very " * 20 + "long",
    "???",
    "",
]


def vectors_text() -> str:
    """Return the text of tests/vectors/surveyjs.json, a line per name, question and leak."""
    names = ",\n".join(json.dumps([name, question_id(name)]) for name in NAMES)
    forms = ",\n".join(_form_text(FORMS / f"{name}.json", terms) for name, terms in FILES.items())
    leaks = ",\n".join(json.dumps({"what": what, "form": form, "leaks": why}) for what, form, why in LEAKS)
    head = f'{{"format": "sottovoce-surveyjs-vectors-1", "about": {json.dumps(ABOUT)}'
    return f'{head}, "names": [\n{names}\n], "forms": [\n{forms}\n], "leaks": [\n{leaks}\n]}}\n'


def _form_text(path: Path, terms: Terms) -> str:
    imported = import_form(load_json(path.read_bytes(), SurveyError), path.stem, terms)
    survey = compile_survey(imported.definition)
    questions = ",\n".join(json.dumps(_question(asked)) for asked in imported.asked)
    head = f'{{"file": {json.dumps(path.name)}, "canonical": {json.dumps(survey.canonical.decode())}'
    head += f', "leaveOut": {json.dumps(sorted(terms.leave_out))}'
    return f'{head}, "questions": [\n{questions}\n]}}'


def _question(asked: AskedElement) -> dict[str, Any]:
    choices = [[choice.value, choice.text] for choice in asked.choices]
    return {"id": asked.question["id"], "name": asked.element.name, "choices": choices}


if __name__ == "__main__":
    print(vectors_text(), end="")
