"""A survey, rehearsed before anyone is asked: the client and the estimator, together, on people who are made up.

`simulate`, `compare` and `audit_clients` are for programs what `sotto simulate`, `compare` and `audit` are.
"""

from typing import TYPE_CHECKING

from sotto_protocol import __version__ as __version__
from sotto_protocol.extras import require_extra
from sotto_protocol.lazy import load_on_demand

if TYPE_CHECKING:
    from sotto_rehearsal.audit.clients import audit_clients as audit_clients
    from sotto_rehearsal.comparison.survey import compare as compare
    from sotto_rehearsal.simulation.survey import simulate as simulate

require_extra(__name__)

from sotto_estimator.results.view import VIEWS  # noqa: E402  # what is missing is said first

VIEWS |= {
    "Simulation": "sotto_rehearsal.simulation.view",
    "Comparison": "sotto_rehearsal.comparison.view",
    "ClientAudits": "sotto_rehearsal.audit.view",
}

if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = load_on_demand(
        __name__,
        {
            "sotto_rehearsal.audit.clients": "audit_clients",
            "sotto_rehearsal.comparison.survey": "compare",
            "sotto_rehearsal.simulation.survey": "simulate",
        },
    )
