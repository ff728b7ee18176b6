"""Names and keywords of the version before work, and say what they are called now; designs stand for channels."""

import numpy as np
import pytest

import sotto_estimator
from sotto_estimator import (
    Channel,
    DomainError,
    Group,
    IntervalOptions,
    SourceError,
    allow_for_fakes,
    arm,
    compare_groups,
    confidence_interval,
    debias,
    estimate,
    estimate_counts,
    estimate_model,
    standard_error,
    what_if,
)
from sotto_estimator.designs.spec import read_spec

WARNER = Channel.warner(0.75)
GROUPS = {"north": Group(180, 400, WARNER), "south": Group(215, 380, WARNER)}
DOPING = [arm("crosswise(prob=1/5)", [66, 95]), arm("crosswise(prob=4/5)", [105, 59])]


def test_old_names_are_the_new_ones_with_a_warning() -> None:
    for old, new in (("compare", "compare_groups"), ("Reach", "PlanOptions")):
        with pytest.warns(DeprecationWarning, match=f"sotto_estimator.{old} is now sotto_estimator.{new}"):
            assert getattr(sotto_estimator, old) is getattr(sotto_estimator, new)
        assert old not in dir(sotto_estimator)


def test_old_keywords_give_what_options_give() -> None:
    with pytest.warns(DeprecationWarning, match=r"is now options=IntervalOptions\(method='anytime'\)|level=|simult"):
        old = compare_groups(GROUPS, level=0.9, simultaneous=True, anytime=True)  # type: ignore[call-arg]
    options = IntervalOptions(level=0.9, simultaneous=True, method="anytime")
    assert old == compare_groups(GROUPS, options=options)
    with pytest.warns(DeprecationWarning, match="anytime is now"):
        assert compare_groups(GROUPS, anytime=False) == compare_groups(GROUPS)  # type: ignore[call-arg]
    with pytest.warns(DeprecationWarning, match="name is now model|level is now"):
        model = estimate_model(name="one-sayers", arms=DOPING, level=0.9)  # type: ignore[call-arg]
    assert model.parts == estimate_model("one-sayers", DOPING, options=IntervalOptions(level=0.9)).parts
    with pytest.warns(DeprecationWarning, match="way is now model"):
        assert what_if(way="random", parts=[0.1], arms=DOPING[:1]).cases  # type: ignore[call-arg]


def test_what_a_comparison_does_not_take_is_refused_by_name() -> None:
    with pytest.raises(DomainError, match=r"method \('wilson'\) must be anytime, or left out"):
        compare_groups(GROUPS, options=IntervalOptions(method="wilson"))
    with pytest.raises(DomainError, match=r"population_size \(1000\) is not an option of a comparison"):
        compare_groups(GROUPS, options=IntervalOptions(population_size=1000))


def test_a_design_by_name_stands_for_its_channel() -> None:
    named, counts = "warner(prob=3/4)", np.array([300, 400])
    assert Group(180, 400, named) == GROUPS["north"]  # type: ignore[arg-type]
    assert estimate_counts(400, 1000, named) == estimate_counts(400, 1000, WARNER)  # type: ignore[arg-type]
    for function in (debias, standard_error, confidence_interval):
        np.testing.assert_array_equal(function(counts, 1000, named), function(counts, 1000, WARNER))  # type: ignore[arg-type]
    np.testing.assert_array_equal(
        allow_for_fakes(counts, 1000, 5, channel=named),  # type: ignore[arg-type]
        allow_for_fakes(counts, 1000, 5, channel=WARNER),
    )
    with pytest.raises(DomainError, match="must be a Channel, or a design such as"):
        debias(400, 1000, 0.75)  # type: ignore[arg-type]
    with pytest.raises(DomainError, match="Give its counts with `arm`"):
        debias(400, 1000, "direct(n_answers=3)")  # type: ignore[arg-type]
    with pytest.raises(DomainError, match="a yes points to no"):
        debias(400, 1000, "warner(prob=1/4)")  # type: ignore[arg-type]


def test_a_design_that_is_misspelt_is_asked_for() -> None:
    for text, meant in (("warmer(prob=1/4)", "warner"), ("Crosswise", "crosswise"), ("k_ary(n_answers=3)", "k-ary")):
        with pytest.raises(DomainError, match=f"Did you mean {meant}\\?$"):
            read_spec(text)
    with pytest.raises(DomainError, match=r"no parameter prob_red_if_ye; .* Did you mean prob_red_if_yes\?$"):
        read_spec("kuk(prob_red_if_ye=.8, prob_red_if_no=.2)")
    with pytest.raises(DomainError, match=r"must be one of [^?]*\.$"):
        read_spec("xyz(prob=1/4)")


def test_groups_of_a_survey_are_its_strata() -> None:
    with pytest.raises(SourceError, match=r"by \(region\) must be 'stratum' for a survey"):
        estimate("tally.json", by="region")
