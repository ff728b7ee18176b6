"""A name that is not known is refused with the one that may be meant, wherever people type names."""

from collections.abc import Callable

import pandas as pd
import pytest

from sotto_estimator import arm, estimate_model, read_format, regress, what_if
from sotto_estimator.errors import EstimatorError
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.strings.decode import DecodeOptions

FRAME = pd.DataFrame({"cheated": ["yes", "no"] * 20, "age": range(40)})
DESIGN = "crosswise(prob=1/6)"
MISTAKES: dict[str, tuple[Callable[[], object], str]] = {
    "design": (lambda: arm("croswise(prob=1/6)", [1, 2]), "crosswise"),
    "parameter of a design": (lambda: arm("forced(prob_forced_yes=.1, prob_force_no=.1)", [1, 2]), "prob_forced_no"),
    "column": (lambda: regress(FRAME, "cheatd ~ age", design=DESIGN), "cheated"),
    "covariate": (lambda: regress(FRAME, "cheated ~ Age", design=DESIGN), "age"),
    "column of a design": (lambda: regress(FRAME, "cheated ~ age", design="crosswise(prob=agee)"), "age"),
    "prediction": (lambda: regress(FRAME, "cheated ~ age", design=DESIGN, predict=[{"agge": 3}]), "age"),
    "method": (lambda: IntervalOptions(method="cherno"), "chernoff"),
    "method of decoding": (lambda: DecodeOptions(method="norml"), "normal"),
    "format": (lambda: read_format("navigation_timing", []), "navigation-timing"),
    "parameter of a format": (lambda: read_format("navigation-timing(percentile=5)", []), "percentiles"),
    "model": (lambda: estimate_model("one-sayer", [arm(DESIGN, [6, 9])]), "one-sayers"),
    "way": (lambda: what_if("radom", [0], [arm(DESIGN, [6, 9])]), "random"),
}


@pytest.mark.parametrize("what", MISTAKES)
def test_a_name_that_is_not_known_is_refused_with_the_one_that_may_be_meant(what: str) -> None:
    call, expected = MISTAKES[what]
    with pytest.raises(EstimatorError, match=rf"\. Did you mean {expected}\?$"):
        call()
