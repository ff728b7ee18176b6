"""A survey that is not published yet: as its author wrote it, and as it is compiled, with other epsilons on trial."""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from sotto_estimator.errors import SourceError
from sotto_estimator.sources.kinds import PLAIN, SURVEY, check_kind
from sotto_protocol import Question, Survey, SurveyError
from sotto_protocol.definition import compile_source, is_published, said_to_questions
from sotto_protocol.questions.definition import compile_question
from sotto_protocol.survey_source import MAX_FILE_BYTES, SurveySource


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
        return not self.is_final and "epsilon" in self.document["questions"][index]

    def ask(self, index: int, epsilon: Decimal, **changes: Any) -> Question | None:
        """Return a question at another epsilon, with its other members, or `changes`; None where it cannot be had."""
        key = (index, epsilon)
        if changes or key not in self._tried:
            asked = self._compile(index, {"epsilon": epsilon} | changes)
            if changes:
                return asked
            self._tried[key] = asked
        return self._tried[key]

    def _compile(self, index: int, changes: Mapping[str, Any]) -> Question | None:
        document = {**self.document["questions"][index], **changes}
        try:
            return compile_question(document, "$", self.survey.lang, **said_to_questions(self.document))
        except SurveyError:
            return None

    def with_split(self, epsilons: Sequence[Decimal | None], n_drawn: int) -> dict[str, Any]:
        """Return the document with these epsilons, of the questions whose own may change, and so many drawn."""
        document = copy.deepcopy(dict(self.document))
        for index, epsilon in enumerate(epsilons):
            if epsilon is not None and self.is_free(index):
                document["questions"][index]["epsilon"] = epsilon
        document.pop("draw", None)
        return document | ({"draw": n_drawn} if n_drawn < len(epsilons) else {})
