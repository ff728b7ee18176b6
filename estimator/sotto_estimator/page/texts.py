"""Texts that a reader pastes, looked for in the counts of a text question, and forgotten with the response."""

import math
from dataclasses import dataclass, replace

from sotto_estimator.errors import SourceError
from sotto_estimator.inference.registry import inference_of, is_text
from sotto_estimator.page.choices import Choices
from sotto_estimator.page.errors import ChoiceError
from sotto_estimator.page.release import Release
from sotto_estimator.strings.decode import Decoded, DecodeOptions
from sotto_estimator.strings.question import decode_tally
from sotto_estimator.strings.subject import subject_of_tally
from sotto_protocol import Question
from sotto_protocol.language import Language
from sotto_protocol.strata import groups_of
from sotto_protocol.text import is_answer, normalise

MAX_TEXTS = 200
MAX_CELLS = 2**21
"""So many counts are held against texts at most, each of them against each: it takes seconds, and up to 200 MB."""
MAX_FORM_BYTES = 3 * 2**17


@dataclass(frozen=True, slots=True)
class TextSearch:
    """Which texts were looked for, as they were typed, and what was found; `fault`: why nothing was looked for."""

    question: str
    typed: str = ""
    fault: str = ""
    decoded: Decoded | None = None


def most_texts(question: Question) -> int:
    """Return how many texts can be looked for at once: fewer where each is held against very many counts."""
    if not inference_of(question.mechanism).is_of_all_counts:  # a text has one count in each of its rows
        return MAX_TEXTS
    return max(1, min(MAX_TEXTS, MAX_CELLS // math.prod(question.mechanism.counts_shape)))


def hint_on(release: Release, choices: Choices, question: Question, say: Language) -> str:
    """Return why no texts can be looked for; "" where they can be."""
    if choices.is_beside:
        return say.gettext("Choose one group, or all groups together, to look for texts.")
    counted = release.tally(choices.wave, choices.place).counted(question.id)
    pools = inference_of(question.mechanism).pools_waves or release.survey.max_reports == 1
    if len(counted.by_wave) > 1 and not pools:
        return say.gettext("Choose one wave to look for texts.")
    return "" if release.may_search else say.gettext("Analysts of the survey can look for texts here.")


def search(release: Release, choices: Choices, question_id: str, typed: str) -> TextSearch:
    """Look for texts, one a line, among the answers to a question. Raises ChoiceError for a question without texts."""
    say = release.language
    asked = next((one for one in release.survey.questions if one.id == question_id and is_text(one)), None)
    if asked is None:
        known = ", ".join(one.id for one in release.survey.questions if is_text(one)) or "none"
        raise ChoiceError(f"question must be one of the survey's text questions: {known}.")
    lines = [line for line in typed.splitlines() if normalise(line)]
    fault = hint_on(release, choices, asked, say) or _fault_of(lines, most_texts(asked), say)
    if fault:
        return TextSearch(question_id, typed, fault)
    tally = release.tally(choices.wave, choices.place)
    options = DecodeOptions(float(choices.level), simultaneous=choices.simultaneous == "yes")
    texts = [*dict.fromkeys(map(normalise, lines))]
    try:
        decoded = decode_tally(tally, question_id, texts, options, keep_all=True)
    except SourceError as fault_of_counts:  # nothing is counted yet
        raise ChoiceError(str(fault_of_counts)) from None
    stratum = groups_of(release.survey.strata)[choices.place - 1] if choices.place else None
    subject = replace(subject_of_tally(tally, asked), stratum=stratum)
    return TextSearch(question_id, typed, decoded=replace(decoded, subject=subject))


def _fault_of(lines: list[str], most: int, say: Language) -> str:
    if not lines:
        return say.gettext("Write at least one text.")
    if len(lines) > most:
        return say.gettext(
            "These are %(n)s texts. At most %(most)s can be looked for at once.", n=len(lines), most=most
        )
    wrong = [number for number, line in enumerate(lines, 1) if not is_answer(line)]
    if wrong:
        return say.gettext(
            "Text %(n)s cannot be an answer: it is too long, or has characters that no answer has.", n=wrong[0]
        )
    return ""
