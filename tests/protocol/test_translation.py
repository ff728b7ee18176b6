"""Surveys in several languages: one definition, one fingerprint, and answers that are the same in all."""

import tomllib
from copy import deepcopy
from decimal import Decimal
from typing import Any

import pytest

from sotto_protocol import Survey, SurveyError, compile_survey, compile_toml
from sotto_protocol.documents import canonical_json, load_json
from sotto_protocol.language_tag import is_tag
from sotto_protocol.questions.translation import QuestionWords, SurveyWords

TOML = """
id = "ward"
lang = "en"
title.en = "Your ward"
title.ar = "جناحك"
introduction.en = "Six questions."
introduction.ar = "ستة أسئلة."
controller = "St. Anne's"
contact = "ward@example.org"
closes = 2026-12-31
people = 300

[[questions]]
id = "rested"
type = "yes-no"
section.en = "You"
section.ar = "أنت"
text.en = "Did you rest?"
text.ar = "هل استرحت؟"
skip = "no"
want = 0.1
prob_truth = "0.55"

[[questions]]
id = "shift"
type = "one-of"
text.en = "Which shift?"
text.ar = "أي مناوبة؟"
options.en = ["early", "late", "no answer"]
options.ar = ["صباحية", "مسائية", "لا إجابة"]
skip = "no answer"
epsilon = 1

[[questions]]
id = "hours"
type = "number"
text.en = "How long?"
text.ar = "كم؟"
unit.en = "hours"
unit.ar = "ساعات"
maximum = 24
minimum = 0
epsilon = 1
"""
WARD = compile_toml(TOML)
PLAIN = compile_toml("\n".join(line for line in TOML.splitlines() if ".ar" not in line))


def faults_of(text: str) -> dict[str, str]:
    with pytest.raises(SurveyError) as caught:
        compile_toml(text)
    return {fault.where: fault.problem for fault in caught.value.faults}


def changed(*changes: tuple[str, str]) -> str:
    text = TOML
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def test_a_survey_has_its_words_in_each_of_its_languages() -> None:
    assert (WARD.lang, WARD.languages, PLAIN.languages) == ("en", ("en", "ar"), ("en",))
    assert WARD.words("en") == WARD.words() == PLAIN.words()
    assert WARD.words("ar") == SurveyWords(
        "ar",
        "جناحك",
        "ستة أسئلة.",
        "St. Anne's",
        "ward@example.org",
        {
            "rested": QuestionWords("هل استرحت؟", section="أنت"),
            "shift": QuestionWords("أي مناوبة؟", ("صباحية", "مسائية", "لا إجابة")),
            "hours": QuestionWords("كم؟", unit="ساعات"),
        },
    )
    assert WARD.words().questions["hours"] == QuestionWords("How long?", unit="hours")
    with pytest.raises(ValueError, match=r"lang \(de\) must be one of en, ar\."):
        WARD.words("de")


def test_what_is_answered_and_reported_is_the_same_in_all_languages() -> None:
    assert [question.options for question in WARD.questions] == [question.options for question in PLAIN.questions]
    assert WARD.title == "Your ward"
    assert WARD.layout.n_bytes == PLAIN.layout.n_bytes
    assert [question.mechanism for question in WARD.questions] == [question.mechanism for question in PLAIN.questions]
    assert WARD.questions[1].encode("late").tolist() == [1]


def test_the_fingerprint_covers_every_word_of_every_language() -> None:
    lines = [line for line in TOML.splitlines() if ".ar" in line]
    texts = {part for line in lines for part in line.split('"')[1::2]}
    assert len(texts) == 10
    fingerprints = {compile_toml(changed((f'"{text}"', f'"{text}!"'))).fingerprint for text in texts}
    assert len(fingerprints | {WARD.fingerprint, PLAIN.fingerprint}) == 12


def test_a_survey_in_languages_is_read_back() -> None:
    again = Survey.from_canonical(WARD.canonical)
    assert (again, again.canonical, again.languages) == (WARD, WARD.canonical, ("en", "ar"))
    assert again.words("ar") == WARD.words("ar")
    assert hash(again) == hash(WARD)


def test_the_tables_may_be_in_any_order_and_the_own_language_another() -> None:
    other = compile_toml(changed(('lang = "en"', 'lang = "ar"'), ('skip = "no answer"', 'skip = "لا إجابة"')))
    assert other.languages == ("ar", "en")
    assert other.title == "جناحك"
    assert [other.words(tag).questions for tag in ("ar", "en")] == [WARD.words(tag).questions for tag in ("ar", "en")]
    assert Survey.from_canonical(other.canonical) == other
    assert compile_survey(_reordered(load_json(canonical_json(_document()), SurveyError))) == WARD


def _document() -> Any:
    return tomllib.loads(TOML, parse_float=Decimal) | {"closes": "2026-12-31"}


def _reordered(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _reordered(value[key]) for key in reversed(value)}
    return [_reordered(item) for item in value] if isinstance(value, list) else value


def test_what_the_author_alone_needs_is_not_published() -> None:
    assert WARD.people == 300
    assert (b"people" in WARD.canonical, Survey.from_canonical(WARD.canonical).people) == (False, None)
    assert compile_toml(changed(("people = 300", "people = 20"))).fingerprint == WARD.fingerprint


def test_an_aim_a_section_a_last_day_and_who_asks_are_published() -> None:
    rested = Survey.from_canonical(WARD.canonical).questions[0]
    assert (rested.want, rested.section, rested.skip) == (Decimal("0.1"), "You", False)
    assert (WARD.closes, WARD.controller, WARD.contact) == ("2026-12-31", "St. Anne's", "ward@example.org")


@pytest.mark.parametrize(("said", "skip"), [("yes", True), ("no", False)])
def test_who_leaves_a_yes_or_no_out_may_count_as_either(said: str, skip: bool) -> None:
    survey = compile_toml(changed(('skip = "no"\n', f'skip = "{said}"\n')))
    assert survey.questions[0].skip is skip
    assert survey.questions[0].encode(None).tolist() == [int(skip)]
    assert Survey.from_canonical(survey.canonical) == survey
    assert survey.questions[0].kind.say(skip) == said


def test_everything_that_a_language_lacks_is_named_at_once() -> None:
    lines = [line for line in TOML.splitlines() if ".ar" not in line or line.startswith("text.ar")]
    problem = faults_of("\n".join(lines))["$"]
    assert problem == (
        "every text must be given in ar. Missing: $.title.ar, $.introduction.ar, $.questions[0].section.ar, "
        "$.questions[1].options.ar, $.questions[2].unit.ar."
    )


def test_each_language_is_told_what_it_lacks_beside_all_other_faults() -> None:
    faults = faults_of(
        changed(
            ('title.ar = "جناحك"', ""),
            ("people = 300", "people = 0"),
            ('"مسائية", ', ""),
            ('text.ar = "كم؟"', 'text.ar = ""'),
            ('prob_truth = "0.55"', 'prob_truth = "0.5x"'),
        )
    )
    assert faults.keys() == {
        "$.people",
        "$.questions[0].prob_truth",
        "$.questions[1].options.ar",
        "$.questions[2].text.ar",
        "$",
    }
    assert faults["$"].startswith("every text must be given in ar. Missing: $.title.ar.")
    as_many = "must be 3 texts, as many as in the survey's own language, not 2. (question shift)"
    assert faults["$.questions[1].options.ar"] == as_many


WRONG = [
    (('title.en = "Your ward"', ""), "$.title.en", "is missing: en is the survey's own language (lang)"),
    (('title.en = "Your ward"', 'title.en = ""'), "$.title.en", "must be a text of 1 to 2000 characters"),
    (('title.ar = "جناحك"', "title.ar = 5"), "$.title.ar", "must be a text of 1 to 2000 characters"),
    (('"مسائية", ', '"صباحية", '), "$.questions[1].options.ar", "different texts"),
    (('"لا إجابة"]', '"لا إجابة", "x"]'), "$.questions[1].options.ar", "must be 3 texts, as many as"),
    (('unit.ar = "ساعات"', f'unit.ar = "{"x" * 41}"'), "$.questions[2].unit.ar", "must be a text of 1 to 40"),
    (('title.ar = "جناحك"', 'title.arabic = "جناحك"'), "$.title", "has 'arabic' in the place of a language tag"),
    (('title.ar = "جناحك"', 'title.AR = "جناحك"'), "$.title", "has 'AR' in the place of a language tag"),
    (('title.ar = "جناحك"', 'title."\\u0007" = "x"'), "$.title", "has (a key) in the place of a language tag"),
    (('lang = "en"', 'lang = "EN"'), "$.lang", "must be a language tag"),
    (('lang = "en"', 'lang = "de"'), "$.title.de", "is missing: de is the survey's own language (lang)"),
    (("closes = 2026-12-31", "closes = 2026-12-31T10:00:00Z"), "$.closes", "must be a day such as 2026-12-31."),
    (("closes = 2026-12-31", 'closes = "31.12.2026"'), "$.closes", "must be a day such as 2026-12-31."),
    (("people = 300", "people = 0"), "$.people", "must be an integer in [1, 1000000000]."),
    (("people = 300", "people = 1.5"), "$.people", "must be an integer in"),
    (('skip = "no"\n', 'skip = "maybe"\n'), "$.questions[0].skip", "must be one of yes, no."),
    (('skip = "no"\n', "skip = false\n"), "$.questions[0].skip", "must be one of yes, no."),
    (('skip = "no answer"', 'skip = "لا إجابة"'), "$.questions[1].skip", "must be one of early, late, no answer."),
]


@pytest.mark.parametrize(("change", "where", "message"), WRONG, ids=range(len(WRONG)))
def test_a_wrong_translation_is_refused_with_its_place(change: tuple[str, str], where: str, message: str) -> None:
    faults = faults_of(changed(change))
    assert where in faults, faults
    assert message in faults[where]


@pytest.mark.parametrize("character", ["\u202a", "\u202b", "\u202c", "\u202d", "\u202e", *"\u2066\u2067\u2068\u2069"])
@pytest.mark.parametrize("language", ["en", "ar"])
def test_what_turns_the_direction_of_writing_is_refused_in_every_text(character: str, language: str) -> None:
    """It was never taken in a text of a survey, so none that is published has it: both ways of reading refuse it."""
    for line in [line for line in TOML.splitlines() if f".{language} = " in line]:
        name, _, value = line.partition(" = ")
        bad = value.replace('"', f'"a{character}', 1)
        faults = faults_of(changed((line, f"{name} = {bad}")))
        (where,) = [where for where in faults if where.endswith(name)]
        assert f"U+{ord(character):04X}" in faults[where]


def test_a_published_translation_that_is_not_complete_is_refused() -> None:
    document = load_json(WARD.canonical, SurveyError)
    for path in (["title"], ["contact"], ["questions", "shift", "options"], ["questions", "rested", "section"]):
        broken = deepcopy(document)
        node = broken["translations"]["ar"]
        for key in path[:-1]:
            node = node[key]
        del node[path[-1]]
        with pytest.raises(SurveyError, match="is missing") as caught:
            Survey.from_canonical(canonical_json(broken))
        assert caught.value.where == ".".join(["$.translations.ar", *path])


@pytest.mark.parametrize("tag", ["en", "de", "pt-BR", "zh-Hant", "zh-Hant-TW", "es-419", "de-1901", "sl-rozaj", "yue"])
def test_tags_of_the_standard_are_tags(tag: str) -> None:
    assert is_tag(tag)
    assert not is_tag(tag + "-")
    assert not is_tag(tag + "\n")
    assert not is_tag(tag.swapcase())


LANGUAGES = ("en", "ar", "de", "es", "fr", "hi", "pt", "zh")


def large(n_questions: int, n_characters: int) -> dict[str, Any]:
    """Return a survey in eight languages, of one-of questions of six options each."""

    def by_language(text: str) -> dict[str, Any]:
        return {tag: f"{text} {tag}" for tag in LANGUAGES}

    question = {
        "type": "one-of",
        "text": by_language("x" * n_characters),
        "options": {tag: [f"option {number} {tag}" for number in range(6)] for tag in LANGUAGES},
        "epsilon": 1,
    }
    questions = [{"id": f"q{number}"} | question for number in range(n_questions)]
    return {"id": "large", "title": by_language("Large"), "questions": questions}


def test_two_hundred_questions_in_eight_languages_are_a_survey() -> None:
    survey = compile_survey(large(200, 100))
    assert (len(survey.questions), survey.languages) == (200, LANGUAGES)
    assert Survey.from_canonical(survey.canonical) == survey


def test_a_survey_in_so_many_words_that_nobody_could_read_it_back_is_refused() -> None:
    with pytest.raises(
        SurveyError, match=r"at most 1048576 bytes in canonical form, not [0-9]+: ask fewer questions, or"
    ):
        compile_survey(large(200, 700))
