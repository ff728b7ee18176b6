"""A review of many options is shown at once: each option's text is read a few times, and not once for every other."""

import json
from pathlib import Path

from node import JS, require_node, run
from sotto_protocol import compile_survey

STATIC = JS.parents[1] / "collector" / "sotto_collector" / "pages" / "static"
N_OPTIONS, N_BOXES = 400, 100
MOST_READS = 4
"""So often an option's text may be read: to look all of them up, and to show them."""


def test_a_review_reads_each_option_a_few_times_on_the_page_and_in_the_element(tmp_path: Path) -> None:
    options = [f"option-{number}" for number in range(N_OPTIONS)]
    one = {"id": "one", "type": "one-of", "text": "Which?", "options": options, "mechanism": "oue", "epsilon": 1}
    boxes = {"id": "boxes", "type": "any-of", "text": "Which?", "options": options[:N_BOXES], "max_selected": 5}
    survey = compile_survey(
        {"id": "s", "title": "S", "questions": [one, boxes | {"mechanism": "bit-flips", "epsilon": 1}]}
    )
    (tmp_path / "survey.json").write_bytes(survey.canonical)
    (tmp_path / "page").mkdir()
    sources = {f"page/{name}": (STATIC / name).read_text() for name in ("form.js", "review.js")}
    sources["page/language.js"] = 'import { makeWords } from "../js/form/words.js"; export const t = makeWords();'
    sources["reads.mjs"] = Path(__file__).with_name("review_reads.mjs").read_text()
    for name, source in sources.items():
        (tmp_path / name).write_text(source.replace('"../js/', f'"{JS.as_uri()}/'))
    (tmp_path / "package.json").write_text('{"type": "module"}')
    words = [require_node(), str(tmp_path / "reads.mjs"), str(tmp_path / "survey.json")]
    reads = json.loads(run(words, timeout_s=300))
    n_texts = N_OPTIONS + N_BOXES
    assert all(n_texts <= n_reads <= MOST_READS * n_texts for n_reads in reads.values()), reads
