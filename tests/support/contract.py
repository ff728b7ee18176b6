"""What every mechanism of the registry must keep: one check a promise, for a mechanism and the labels of its values."""

import json
import math
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sotto_protocol import Question, SurveyError, compile_survey
from sotto_protocol.coins import Coins
from sotto_protocol.mechanisms.levels import LevelResponse
from sotto_protocol.mechanisms.mechanism import Bytes, ChoiceMechanism, Mechanism, PureMechanism, SelectionMechanism
from sotto_protocol.mechanisms.registry import ENTRIES, Entry, mechanism_document, read_mechanism

N_REPORTS = 400
N_DRAWS = 100_000
Z_MAX = 7.0
"""A frequency is this many standard deviations off with probability 3e-12; some hundreds are looked at."""
OF_TYPES: dict[str, dict[str, Any]] = {
    "yes-no": {},
    "one-of": {"options": ["red", "green", "blue"]},
    "any-of": {"options": ["red", "green", "blue"], "max_selected": 2},
    "number": {"minimum": -1, "maximum": 2, "step": Decimal("0.5")},
    "text": {"n_cohorts": 4},
}
OF_NAMES: dict[str, dict[str, Any]] = {
    "forced-response": {"prob_truth": Decimal("0.6"), "prob_forced_yes": "1/3", "epsilon": None},
    "rappor": {"n_bits": 16},
    "sketch": {"n_cohorts": 1024},
}
"""What an author says beside an epsilon, or instead of it."""


def questions_of(entry: Entry) -> Iterator[Question]:
    """Yield a question by a mechanism, and where it has two stages one of two."""
    members = {"id": "q", "type": entry.question_type, "text": "?", "mechanism": entry.name, "epsilon": Decimal(1)}
    asked = {**OF_TYPES[entry.question_type], **OF_NAMES.get(entry.name, {})}
    for more in [{}, {"epsilon_forever": Decimal(2)}][: 2 if entry.may_repeat else 1]:
        document = {key: value for key, value in (members | asked | more).items() if value is not None}
        [question] = compile_survey({"id": "s", "title": "S", "questions": [document]}).questions
        yield question


def cases() -> Iterator[Any]:
    """Yield every mechanism of the registry, as pytest's parameters."""
    for entry in ENTRIES:
        for question in questions_of(entry):
            stages = "two" if question.mechanism.has_two_stages else "one"
            yield pytest.param(question, id=f"{entry.question_type}-{entry.name}-{stages}")


def coins_of(name: str) -> Coins:
    return Coins(np.random.default_rng([*name.encode()]).bytes)


def answers_of(question: Question) -> list[Any]:
    """Return every answer that is not of an open question; of that, three."""
    mechanism = question.mechanism
    if question.type == "text":
        return ["oak", "elm", "ash"]
    if isinstance(mechanism, LevelResponse):
        return list(range(mechanism.span + 1))
    if not mechanism.takes_rows:
        return list(range(max(2, mechanism.n_values)))
    rows = ((np.arange(2**mechanism.n_values)[:, None] >> np.arange(mechanism.n_values)) & 1).tolist()
    return [row for row in rows if sum(row) <= mechanism.max_selected]


def reports_of(question: Question, n_reports: int = N_REPORTS) -> Bytes:
    answers = answers_of(question)
    given: Any = [answers[index % len(answers)] for index in range(n_reports)]
    return question.mechanism.perturb(given, coins_of("reports"))


def check_document(question: Question) -> None:
    """What is published is read back as the same; no member may be left out or unknown."""
    document = mechanism_document(question.mechanism)
    n_options = question.kind.n_options
    assert read_mechanism(document, "$", question.type, n_options) == question.mechanism
    optional = {"report_if_one", "report_if_zero", "report_if_true"}
    for key in document.keys() - optional:
        with pytest.raises(SurveyError):
            read_mechanism({k: v for k, v in document.items() if k != key}, "$", question.type, n_options)
    for more in ({"unheard_of": 1}, {next(iter(question.mechanism.parameters())): "1"}):
        with pytest.raises(SurveyError):
            read_mechanism(document | more, "$", question.type, n_options)


def check_rows(question: Question) -> None:
    """Reports are rows of n_bytes; on the wire and back they are the same; none is longer than the longest."""
    mechanism, reports = question.mechanism, reports_of(question)
    assert reports.shape == (N_REPORTS, mechanism.n_bytes)
    sent = [mechanism.to_wire(report) for report in reports]
    assert mechanism.from_wire(json.loads(json.dumps(sent))).tolist() == reports.tolist()
    texts = [json.dumps(value) for value in sent]
    longest = mechanism.longest_report()
    assert longest.shape == (mechanism.n_bytes,)
    assert max(map(len, texts)) <= len(json.dumps(mechanism.to_wire(longest)))


def check_counts(question: Question) -> None:
    """Support is counted as one report after the other; counts that no reports have are refused."""
    mechanism, reports = question.mechanism, reports_of(question)
    counts = mechanism.count_support(reports)
    assert counts.shape == mechanism.counts_shape
    assert mechanism.has_cohorts == (counts.ndim > 1)
    mechanism.check_counts(counts, N_REPORTS)
    supported = [mechanism.supported(report) for report in reports]
    summed = counts
    if mechanism.has_cohorts:  # of a pure mechanism a value has a row of its own
        summed = counts[:, 1] if isinstance(mechanism, PureMechanism) else counts[:, 1:].sum(axis=0)
    assert summed.tolist() == [sum(value in one for one in supported) for value in range(mechanism.n_values)]
    sizes = {len(one) for one in supported}
    if len(sizes) == 1 and mechanism.n_values > 1:  # every report supports as many: so the sum is known
        moved = counts.copy()
        moved.flat[np.argmin(counts)] += 1
        with pytest.raises(ValueError, match="must"):
            mechanism.check_counts(moved, N_REPORTS)
    if mechanism.has_cohorts:
        with pytest.raises(ValueError, match="must"):
            mechanism.check_counts(counts, N_REPORTS + 1)


def check_support(question: Question) -> None:
    """What many reports support is what each one does; one that names one answer supports one value, or says yes or no.

    How often a report supports two values at once is as often as it is drawn.
    """
    mechanism, reports = question.mechanism, reports_of(question)
    if not isinstance(mechanism, PureMechanism):
        assert mechanism.true_values(np.zeros(1, np.int64)) is None
        return
    supports = mechanism.supports(reports)
    assert [row.nonzero()[0].tolist() for row in supports] == [mechanism.supported(report) for report in reports]
    has_one = mechanism.n_values == 1 or (supports.sum(axis=1) == 1).all()
    assert mechanism.names_one == (has_one and isinstance(mechanism, ChoiceMechanism))
    truths = mechanism.true_values(np.concatenate([np.atleast_1d([answer]) for answer in answers_of(question)]))
    assert truths.shape == (len(answers_of(question)), mechanism.n_values)
    assert not mechanism.sums_to_one or (truths.sum(axis=1) == 1).all()
    if mechanism.prob_support_both is not None:
        for answer, prob in ((0, mechanism.prob_support_both[0]), (2, mechanism.prob_support_both[1])):
            drawn = mechanism.supports(mechanism.perturb([answer] * N_DRAWS, coins_of(f"both {answer}")))
            seen = (drawn[:, 0] & drawn[:, 1]).sum()
            assert abs(seen - N_DRAWS * prob) <= Z_MAX * math.sqrt(N_DRAWS * prob) + 1


def check_columns(question: Question) -> None:
    """Columns have a value a report; a column of labels has their places."""
    reports = reports_of(question)
    columns = list(question.columns(reports))
    assert len({column.name for column in columns}) == len(columns) > 0
    for column in columns:
        assert column.name.startswith(question.id)
        assert len(column.values) == len(reports)
        assert not column.labels or set(column.values.tolist()) <= set(range(len(column.labels)))


def check_likelihood(question: Question) -> None:
    """A pure mechanism's likelihood is that of its reports, but for a factor of each; and so is its epsilon."""
    mechanism = question.mechanism
    has_likelihood = isinstance(mechanism, PureMechanism) and not mechanism.has_cohorts
    assert has_likelihood == isinstance(mechanism, ChoiceMechanism | SelectionMechanism)
    if isinstance(mechanism, SelectionMechanism):
        for value in range(mechanism.n_values):
            _check_value(mechanism, value)
    if not isinstance(mechanism, ChoiceMechanism):
        return
    answers = [1, 0] if mechanism.n_values == 1 else answers_of(question)
    drawn = [mechanism.perturb([answer] * N_DRAWS, coins_of(f"draw {answer}")) for answer in answers]
    rows, ratios = _compare(drawn, mechanism.likelihood)
    assert len(rows) > 1
    logs = np.log(ratios)
    taken = (logs.max(axis=1) - logs.min(axis=1)).max()
    assert taken == pytest.approx(float(mechanism.epsilon), rel=1e-6)


def _check_value(mechanism: SelectionMechanism, value: int) -> None:
    one, none = ([int(at == value) * is_it for at in range(mechanism.n_values)] for is_it in (1, 0))
    drawn = [
        mechanism.cut_value(mechanism.perturb([row] * N_DRAWS, coins_of(f"{value} {row}")), value)
        for row in (one, none)
    ]
    true, other = mechanism.prob_support_if_true, mechanism.prob_support_if_other
    _compare(drawn, lambda bits: np.array([[1 - true, 1 - other], [true, other]])[bits[:, 0]])


def _compare(drawn: list[Bytes], likelihood: Any) -> tuple[Bytes, NDArray[np.floating]]:
    """Compare frequencies of reports under each answer with the likelihood, scaled to all draws; return that."""
    rows, places = np.unique(np.concatenate(drawn), axis=0, return_inverse=True)
    places = places.reshape(len(drawn), -1)
    seen = np.array([np.bincount(part, minlength=len(rows)) for part in places]).T
    ratios = likelihood(rows)
    assert ratios.shape == (len(rows), len(drawn))
    expected = ratios * (seen.sum(axis=1) / ratios.sum(axis=1))[:, None]
    assert expected.sum(axis=0) == pytest.approx(N_DRAWS, rel=0.03)
    assert (np.abs(seen - expected) <= Z_MAX * np.sqrt(expected) + 1).all()
    return rows, ratios


def check_words(question: Question) -> None:
    """What happens is said, with its numbers, and not what happens by another mechanism."""
    mechanism = question.mechanism
    for words in (mechanism.what_happens(), mechanism.in_short(), question.in_short):
        assert len(words) > 30
        assert words[0].isupper()
        assert words.rstrip().endswith(".")
        assert any(character.isdigit() for character in words)
    [report, *_] = reports_of(question)
    said = mechanism.decode(report, question.labels)
    assert isinstance(said, list | dict)
    assert not isinstance(said, list) or {*said} <= {*question.labels}
    assert isinstance(question.decode(report), bool | list | dict)


def check_parts(question: Question) -> None:
    """The parts of a report in an archive are all of its bytes."""
    parts = question.mechanism.parts()
    assert sum(part.n_bytes for part in parts) == question.mechanism.n_bytes
    assert len({part.name for part in parts}) == len(parts)
    assert all(part.n_bytes in (1, 2) for part in parts if part.is_number)


def check_epsilon(question: Question) -> None:
    """What is declared is at least what the thresholds take, of one report and for ever."""
    mechanism: Mechanism = question.mechanism
    assert 0 < mechanism.epsilon <= question.epsilon
    assert mechanism.epsilon <= mechanism.epsilon_forever <= question.epsilon_forever
    assert mechanism.has_two_stages or mechanism.epsilon == mechanism.epsilon_forever
    assert math.isfinite(mechanism.epsilon)


CHECKS = [
    check_document,
    check_rows,
    check_counts,
    check_support,
    check_columns,
    check_likelihood,
    check_words,
    check_parts,
    check_epsilon,
]
