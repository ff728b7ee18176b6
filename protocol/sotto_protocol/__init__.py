"""What all sides of sottovoce agree on: surveys, mechanisms, coins, reports, tallies.

Public and pure: no files, no sockets, no clocks, no entropy. What needs NumPy is loaded when it is first asked for.
"""

from typing import TYPE_CHECKING

from sotto_protocol.errors import AnswerError, ReportError, SottoError, SurveyError, TallyError
from sotto_protocol.lazy import load_on_demand
from sotto_protocol.problem import Problem

if TYPE_CHECKING:
    from sotto_protocol.coins import COIN_SCALE, Coins, given_bytes, hmac_bytes
    from sotto_protocol.definition import compile_json, compile_survey, compile_toml, read_survey
    from sotto_protocol.mechanisms.mechanism import Mechanism
    from sotto_protocol.questions.item import Item
    from sotto_protocol.questions.question import Question
    from sotto_protocol.report import Report, batch_body, parse_report_id, stack_records
    from sotto_protocol.survey import Survey
    from sotto_protocol.tally import Tally

__version__ = "0.1.0"

__all__ = [
    "COIN_SCALE",
    "AnswerError",
    "Coins",
    "Item",
    "Mechanism",
    "Problem",
    "Question",
    "Report",
    "ReportError",
    "SottoError",
    "Survey",
    "SurveyError",
    "Tally",
    "TallyError",
    "__version__",
    "batch_body",
    "compile_json",
    "compile_survey",
    "compile_toml",
    "given_bytes",
    "hmac_bytes",
    "parse_report_id",
    "read_survey",
    "stack_records",
]

if not TYPE_CHECKING:  # else mypy would believe any name to be there
    __getattr__ = load_on_demand(
        __name__,
        {
            "sotto_protocol.coins": "COIN_SCALE Coins given_bytes hmac_bytes",
            "sotto_protocol.definition": "compile_json compile_survey compile_toml read_survey",
            "sotto_protocol.mechanisms.mechanism": "Mechanism",
            "sotto_protocol.questions.item": "Item",
            "sotto_protocol.questions.question": "Question",
            "sotto_protocol.report": "Report batch_body parse_report_id stack_records",
            "sotto_protocol.survey": "Survey",
            "sotto_protocol.tally": "Tally",
        },
    )


def __dir__() -> list[str]:
    return __all__
