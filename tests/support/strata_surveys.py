"""Surveys with strata: whether something is paid, and what a test asks besides."""

import json
from collections.abc import Sequence


def strata_toml(
    survey_id: str, strata: Sequence[str], more: str = "", *, settings: str = "", epsilon: float = 1
) -> str:
    """Return the file of a survey of the strata's invited people. `more`: other questions; `settings`: its own."""
    return (
        f'id = "{survey_id}"\ntitle = "{survey_id.title()}"\ninvited = true\n'
        f"strata = {json.dumps([*strata], ensure_ascii=False)}\n{settings}\n"
        f'[[questions]]\nid = "paid"\ntype = "yes-no"\ntext = "Is it paid?"\nepsilon = {epsilon}\n{more}'
    )
