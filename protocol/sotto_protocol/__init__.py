"""What all sides of sottovoce agree on: surveys, mechanisms, coins, reports, tallies.

Public and pure: no files, no sockets, no clocks, no entropy.
"""

from sotto_protocol.coins import COIN_SCALE, Coins, given_bytes, hmac_bytes
from sotto_protocol.definition import compile_json, compile_survey, compile_toml, read_survey
from sotto_protocol.errors import AnswerError, ReportError, SottoError, SurveyError, TallyError
from sotto_protocol.mechanisms.mechanism import Mechanism
from sotto_protocol.problem import Problem
from sotto_protocol.questions.question import Question
from sotto_protocol.report import Report, batch_body, parse_report_id, stack_records
from sotto_protocol.survey import Survey
from sotto_protocol.tally import Tally

__all__ = [
    "COIN_SCALE",
    "AnswerError",
    "Coins",
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
