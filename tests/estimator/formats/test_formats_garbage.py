"""Whatever a file holds, it is estimated or refused with its line: nothing crashes."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from newtab import MODEL
from sotto_estimator import EstimatorError, IntervalOptions, read_format
from sotto_estimator.formats.spec import read_spec
from sotto_estimator.formats.timing import read_navigation_timing
from sotto_estimator.formats.timing_cells import MAX_RATE

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-300, 10**400),
    st.floats(),
    st.sampled_from(["high", "low", "0.5", "1", "0", "00" * 32, "AA" * 32, "0x55", "100", "10", "", "=1"]),
    st.text(max_size=5),
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
)
NAMES = {
    "navigation-timing": ["duration", "confidence", "value", "randomizedTriggerRate"],
    "firefox-newtab(model=model.json)": ["values", "sports", "food", "model_id", "inferred_interests"],
    "firefox-clicks(items=10, epsilon=1)": ["corpus_item_id", "is_sponsored"],
    "android-autofill": ["payload", "mask"],
    "scrambled(mean=1, low=0, high=9, scramble_low=0, scramble_high=2)": ["value"],
    "unrelated-quantity(prob_question=0.9 0.2)": ["value", "sample"],
    "optional-scramble(means=1 2)": ["value", "sample"],
}


@pytest.mark.few(2)
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_records_are_estimated_or_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, data: st.DataObject
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("model.json").write_text(json.dumps(MODEL))
    record = st.fixed_dictionaries({}, optional=dict.fromkeys(NAMES[name], VALUES))
    records = data.draw(st.lists(record, min_size=1, max_size=4))
    Path("r.ndjson").write_text("".join(json.dumps(one) + "\n" for one in records))
    try:
        found = read_format(name, ["r.ndjson"])
    except EstimatorError:
        return
    assert json.loads(found.as_json())
    assert found.as_table()
    assert found.as_csv()


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(garbage=st.binary(max_size=60), ending=st.sampled_from(["ndjson", "csv"]))
def test_any_bytes_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, garbage: bytes, ending: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("model.json").write_text(json.dumps(MODEL))
    Path(f"r.{ending}").write_bytes(garbage)
    with pytest.raises(EstimatorError):
        read_format(name, [f"r.{ending}"])


@given(text=st.text(max_size=30))
def test_any_name_of_a_format_is_read_or_refused(text: str) -> None:
    try:
        name, given_parameters = read_spec(text)
    except EstimatorError:
        return
    assert name in text
    assert all(key in text and value in text for key, value in given_parameters.items())


@given(
    durations=st.lists(st.floats(0, 1e9), min_size=1, max_size=30),
    rates=st.lists(st.sampled_from([0, 1e-300, 1e-9, 0.5, MAX_RATE]), min_size=1, max_size=3),
    target=st.sampled_from(["population", "respondents"]),
)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_extreme_loads_have_intervals_in_order(
    tmp_path: Path, durations: list[float], rates: list[float], target: Any
) -> None:
    path = tmp_path / "b.ndjson"
    loads = [
        {"duration": duration, "value": ("high", "low")[at % 2], "randomizedTriggerRate": rates[at % len(rates)]}
        for at, duration in enumerate(durations)
    ]
    path.write_text("".join(json.dumps(load) + "\n" for load in loads))
    for figure in read_navigation_timing([path], options=IntervalOptions(target=target)).figures:
        assert 0 <= figure.low <= figure.high
        assert figure.estimate is None or math.isfinite(figure.estimate)
