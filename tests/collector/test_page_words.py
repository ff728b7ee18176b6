"""What the survey page's own JavaScript says of an epsilon: never less than is given away."""

import json
from decimal import ROUND_CEILING, Decimal

import numpy as np

from node import JS, require_node, run
from sotto_protocol.documents import decimal_text
from sotto_protocol.words import epsilon_above

EXACT = ["1", "0.3", "1.0987", "1.098612288669", "0.999999999981", "9.99999", "0.000000000001", "0.00011", "10.00001"]


def test_page_rounds_epsilons_as_the_commands_do() -> None:
    generator = np.random.default_rng(5)
    drawn = generator.integers(1, 20 * 10**12, 200).tolist()
    exact = EXACT + [decimal_text(Decimal(units).scaleb(-12)) for units in drawn]
    form = JS / "form"
    script = (
        f"import {{ sayEpsilon }} from {json.dumps((form / 'said.js').as_uri())};"
        f"import {{ makeWords }} from {json.dumps((form / 'words.js').as_uri())};"
        f"console.log(JSON.stringify({json.dumps(exact)}.map((text) => sayEpsilon(makeWords(), text))));"
    )
    shown = json.loads(run([require_node(), "--input-type=module", "--eval", script], timeout_s=300))
    for text, said in zip(exact, shown, strict=True):
        assert said == epsilon_above(Decimal(text))
        assert said == decimal_text(Decimal(text).quantize(Decimal("0.0001"), ROUND_CEILING))
