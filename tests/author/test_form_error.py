"""The error of a form has all that is wrong with it."""

import pickle

from sotto_author.errors import FormError
from sotto_protocol import SottoError


def test_a_form_error_says_all_that_is_wrong_and_can_be_pickled() -> None:
    error = FormError("$: must be a.", "$.b: must be c.")
    again = pickle.loads(pickle.dumps(error))  # noqa: S301  # our own bytes
    for same in (error, again):
        assert (str(same), same.problems) == ("$: must be a.\n  $.b: must be c.", ("$: must be a.", "$.b: must be c."))
        assert isinstance(same, SottoError)
