"""One-of: one option of several."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.documents import Fields
from sotto_protocol.questions.control import Control, PickOne, pick_text
from sotto_protocol.questions.question_type import QuestionType, listed, take_options

MAX_SCORED = 32
"""Most options of a question with scores."""
MOST_SCORE = 1000
NO_SCORE = "none"
"""The score of an option that says nothing on the scale, such as "no answer"."""

Scores = tuple[int | None, ...]


@dataclass(frozen=True)
class OneOf(QuestionType):
    """An answer is an option's text.

    `scores`: what each option is worth, None for an option that is left out of the mean; () without a scale. They
    change no report.
    """

    name = "one-of"
    scores: Scores = ()

    @classmethod
    def read(cls, fields: Fields) -> Self:
        options = take_options(fields, 2)
        return cls(options, take_scores(fields, len(options)) if fields.has("scores") else ())

    def members(self) -> dict[str, Any]:
        scores = [NO_SCORE if score is None else score for score in self.scores]
        return super().members() | ({"scores": scores} if scores else {})

    def read_skip(self, fields: Fields) -> str:
        return fields.one_of("skip", self.options)

    @property
    def control(self) -> Control:
        return PickOne(pick_text(self.options), is_scale=bool(self.scores))

    def encode(self, answer: Any, max_selected: int) -> NDArray[Any] | None:
        is_option = isinstance(answer, str) and answer in self.options
        return np.array([self.options.index(answer)], np.intp) if is_option else None

    def expected(self, max_selected: int) -> str:
        return f"one of these texts: {listed(self.options)}"


def take_scores(fields: Fields, n_options: int) -> Scores:
    """Take the member `scores`, which is there. Raises the fields' error."""
    if n_options > MAX_SCORED:
        raise fields.fail("scores", f"goes with at most {MAX_SCORED} options, and there are {n_options}.")
    given = fields.take(
        "scores",
        f"a list of {n_options} integers in [-{MOST_SCORE}, {MOST_SCORE}], one for each option in its order, not all "
        f'alike; "{NO_SCORE}" leaves an option out',
        lambda v: (
            isinstance(v, list)
            and len(v) == n_options
            and all(each == NO_SCORE or (type(each) is int and abs(each) <= MOST_SCORE) for each in v)
            and len({*v} - {NO_SCORE}) > 1
        ),
        lambda v: f" There are {len(v)}." if isinstance(v, list) and len(v) != n_options else "",
    )
    return tuple(None if each == NO_SCORE else each for each in given)
