"""How many examples a property is tried with if each of them is dear: fewer, but for `--full`."""

import os

from hypothesis import settings

DEAR = settings(max_examples=100 if os.environ.get("SOTTO_TEST_FULL") else 30)
