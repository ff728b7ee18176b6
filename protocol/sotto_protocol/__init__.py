"""What all sides of sottovoce agree on: surveys, mechanisms, coins, reports, tallies.

Public and pure: no files, no sockets, no clocks, no entropy. What needs NumPy is loaded when it is first asked for.
"""

from typing import TYPE_CHECKING

from sotto_protocol.errors import (
    AnswerError as AnswerError,
    ReportError as ReportError,
    SottoError as SottoError,
    SurveyError as SurveyError,
    TallyError as TallyError,
)
from sotto_protocol.lazy import load_on_demand
from sotto_protocol.problem import Problem as Problem

if TYPE_CHECKING:
    from sotto_protocol.coins import (
        COIN_SCALE as COIN_SCALE,
        Coins as Coins,
        given_bytes as given_bytes,
        hmac_bytes as hmac_bytes,
    )
    from sotto_protocol.definition import (
        compile_json as compile_json,
        compile_survey as compile_survey,
        compile_toml as compile_toml,
        read_survey as read_survey,
    )
    from sotto_protocol.mechanisms.mechanism import Mechanism as Mechanism
    from sotto_protocol.questions.item import Item as Item
    from sotto_protocol.questions.question import Question as Question
    from sotto_protocol.report import (
        Report as Report,
        batch_body as batch_body,
        parse_report_id as parse_report_id,
        stack_records as stack_records,
    )
    from sotto_protocol.survey import Survey as Survey
    from sotto_protocol.tally import Tally as Tally

__version__ = "0.1.0"

if not TYPE_CHECKING:  # else mypy would believe any name to be there
    __getattr__, __dir__, __all__ = load_on_demand(
        __name__,
        {
            "sotto_protocol.errors": "AnswerError ReportError SottoError SurveyError TallyError",
            "sotto_protocol.problem": "Problem",
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
