"""Errors: one tree, whose leaves survive a trip between processes."""

import pickle

import pytest

from sotto_protocol import AnswerError, ReportError, SottoError, SurveyError, TallyError
from sotto_protocol.errors import LocatedError
from sotto_protocol.mechanisms.checks import BadValueError

LEAVES = [SurveyError, AnswerError, ReportError, TallyError]


@pytest.mark.parametrize("leaf", LEAVES)
def test_a_leaf_says_where_and_can_be_pickled(leaf: type[LocatedError]) -> None:
    error = leaf("$.a", "must be b.")
    again = pickle.loads(pickle.dumps(error))  # noqa: S301  # our own bytes
    for same in (error, again):
        assert (type(same), str(same), same.where, same.problem) == (leaf, "$.a: must be b.", "$.a", "must be b.")
        assert isinstance(same, SottoError)


def test_a_bad_value_can_be_pickled() -> None:
    again = pickle.loads(pickle.dumps(BadValueError(3, "true or false")))  # noqa: S301  # our own bytes
    assert (again.index, again.expected, str(again)) == (3, "true or false", "[3]: must be true or false.")
