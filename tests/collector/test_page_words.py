"""What the survey page's own JavaScript says of an epsilon: never less than is given away, or more than is left."""

import json
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

import numpy as np

from node import require_node, run
from sotto_collector.pages.assets import STATIC
from sotto_protocol.documents import decimal_text
from sotto_protocol.words import epsilon_above, epsilon_below

EXACT = ["1", "0.3", "1.0987", "1.098612288669", "0.999999999981", "9.99999", "0.000000000001", "0.00011", "10.00001"]


def test_page_rounds_epsilons_as_the_commands_do() -> None:
    generator = np.random.default_rng(5)
    drawn = generator.integers(1, 20 * 10**12, 200).tolist()
    exact = EXACT + [decimal_text(Decimal(units).scaleb(-12)) for units in drawn]
    script = (
        f"import {{ describe, epsilonAbove }} from {json.dumps((STATIC / 'words.js').as_uri())};"
        "class BudgetExceeded extends Error {}"
        "const fault = (left) => Object.assign(new BudgetExceeded(''), { needed: '1', left });"
        "const said = (left) => [epsilonAbove(left), describe(fault(left), { BudgetExceeded })[1]];"
        f"console.log(JSON.stringify({json.dumps(exact)}.map(said)));"
    )
    shown = json.loads(run([require_node(), "--input-type=module", "--eval", script], timeout_s=300))
    step = Decimal("0.0001")
    for text, (above, said) in zip(exact, shown, strict=True):
        assert above == epsilon_above(Decimal(text)) == decimal_text(Decimal(text).quantize(step, ROUND_CEILING))
        left = Decimal(said.split(" is left of ")[0].rpartition(" ")[2])
        assert left == Decimal(epsilon_below(Decimal(text))) == Decimal(text).quantize(step, ROUND_FLOOR)
