"""A survey that is not published yet: as its author wrote it, and as it is compiled, with other epsilons on trial."""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from sotto_estimator.errors import SourceError
from sotto_estimator.inference.marginal import marginals_of
from sotto_estimator.sources.kinds import PLAIN, SURVEY, check_kind
from sotto_protocol import Question, Survey, SurveyError
from sotto_protocol.definition import compile_source, compile_survey, is_published, said_to_questions
from sotto_protocol.questions.definition import compile_question
from sotto_protocol.questions.joint import Joint
from sotto_protocol.questions.together import PAIRS
from sotto_protocol.survey_source import MAX_FILE_BYTES, SurveySource

_OF_WAVES = ("mechanism", "epsilon_forever")
"""What a question says of itself for waves: another mechanism may be best for one."""


@dataclass(frozen=True, eq=False)
class Draft:
    """What stands in a survey file, and the survey that it is. Of one that is published nothing can be changed."""

    document: Mapping[str, Any]
    survey: Survey
    is_final: bool = False
    _tried: dict[tuple[int, Decimal], Question | None] = field(default_factory=dict, repr=False)

    @staticmethod
    def read(path: Path) -> "Draft":
        """Return the survey in a file, an author's or canonical JSON. Raises SourceError with the path."""
        is_json = path.suffix == ".json"
        try:
            check_kind(path, SURVEY, PLAIN)
            with path.open("rb") as file:
                source = SurveySource.read(file.read(MAX_FILE_BYTES + 1), is_json=is_json)
            document = source.document
            return Draft(document, compile_source(source), is_final=is_json and is_published(document))
        except OSError as fault:
            raise SourceError(f"{path}: {fault.strerror}.") from fault
        except SurveyError as fault:
            raise SourceError(f"{path}: {fault}") from fault

    def is_free(self, index: int) -> bool:
        """Whether a question's epsilon is its author's to change: it stands there, and no probabilities do."""
        return not self.is_final and "epsilon" in self.members(index)

    def members(self, index: int) -> Mapping[str, Any]:
        """Return what the file says of a question of the survey: of a group's that is asked together; () of a pair."""
        place = self._place(index)
        return self.document[place[0]][place[1]] if place else {}

    def _place(self, index: int) -> tuple[str, int] | None:
        """Return where the file has what becomes of answers to a question; None where all pairs are asked."""
        question, listed = self.survey.questions[index], self.document["questions"]
        if not isinstance(question.kind, Joint):
            return "questions", next(at for at, one in enumerate(listed) if one["id"] == question.id)
        groups, ids = self.document["together"], [item.id for item in question.items]
        if groups == PAIRS:
            return None
        return "together", next(at for at, one in enumerate(groups) if one["questions"] == ids)

    def ask(self, index: int, epsilon: Decimal, **changes: Any) -> Question | None:
        """Return a question at another epsilon, with its other members, or `changes`; None where it cannot be had."""
        key = (index, epsilon)
        if changes or key not in self._tried:
            asked = self._compile(index, {"epsilon": epsilon} | changes)
            if changes:
                return asked
            self._tried[key] = asked
        return self._tried[key]

    def ask_once(self, index: int) -> Question | None:
        """Return a question in a survey of one wave, at the epsilon of all waves; None where it cannot be had."""
        question = self.survey.questions[index]
        if not self.is_free(index) or isinstance(question.kind, Joint):
            return None
        asked = {name: said for name, said in self.members(index).items() if name not in _OF_WAVES}
        asked["epsilon"] = question.epsilon_forever
        try:
            return compile_question(asked, "$", self.survey.lang, **said_to_questions({**self.document, "waves": 1}))
        except SurveyError:
            return None

    def ask_in_waves(self, index: int, epsilon: Decimal, *, is_kept: bool) -> Question | None:
        """Return a question of one stage at an epsilon, whose noise `is_kept` over the waves, or drawn for each report.

        None where it cannot be had. The mechanism is the best one, unless the file names one.
        """
        members = {name: value for name, value in self.members(index).items() if name != "epsilon_forever"}
        document = {name: value for name, value in self.document.items() if name not in ("asked_in", "waves")}
        if is_kept:
            document["waves"] = self.survey.waves
        trial = Draft(document, self.survey, self.is_final)
        return trial._compile_as(index, members | {"epsilon": epsilon})

    def ask_options(self, index: int) -> Question | None:
        """Return one option of an any-of question, where each is a yes-no question, all asked together at its epsilon.

        None where it cannot be had: of many options, of which not all may be selected, or where noise is kept in part.
        """
        question = self.survey.questions[index]
        is_free = self.is_free(index) and question.epsilon_forever == question.epsilon
        if not is_free or question.type != "any-of" or question.mechanism.max_selected < len(question.options):
            return None
        ids = [f"option-{place}" for place in range(len(question.options))]
        asked = [{"id": id_, "type": "yes-no", "text": id_} for id_ in ids]
        alone = {name: self.document[name] for name in ("id", "title", "waves", "asked_in") if name in self.document}
        group = {"questions": ids, "epsilon": question.epsilon}
        try:
            return marginals_of(compile_survey({**alone, "questions": asked, "together": [group]}))[0]
        except SurveyError:
            return None

    def _compile(self, index: int, changes: Mapping[str, Any]) -> Question | None:
        return self._compile_as(index, {**self.members(index), **changes})

    def _compile_as(self, index: int, document: Mapping[str, Any]) -> Question | None:
        """Return a question of which the file would say this; None where it cannot be had."""
        try:
            if isinstance(self.survey.questions[index].kind, Joint):
                return self._compile_joint(index, document)
            return compile_question(document, "$", self.survey.lang, **said_to_questions(self.document))
        except SurveyError:
            return None

    def _compile_joint(self, index: int, group: Mapping[str, Any]) -> Question:
        ids = {item.id for item in self.survey.questions[index].items}
        asked = [one for one in self.document["questions"] if one["id"] in ids]
        alone = {
            name: self.document[name] for name in ("id", "title", "lang", "waves", "asked_in") if name in self.document
        }
        return compile_survey({**alone, "questions": asked, "together": [group]}).questions[0]

    def with_split(self, epsilons: Sequence[Decimal | None], n_drawn: int) -> dict[str, Any]:
        """Return the document with these epsilons, of the questions whose own may change, and so many drawn."""
        document = copy.deepcopy(dict(self.document))
        for index, epsilon in enumerate(epsilons):
            place = self._place(index)
            if epsilon is not None and place and self.is_free(index):
                document[place[0]][place[1]]["epsilon"] = epsilon
        document.pop("draw", None)
        return document | ({"draw": n_drawn} if n_drawn < len(epsilons) else {})
