"""The words that people bring from other programs, and what each is called in a survey file."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

OF_SURVEY = MappingProxyType(
    {
        **dict.fromkeys(("name", "heading"), "title"),
        **dict.fromkeys(("intro", "description", "welcome"), "introduction"),
        **dict.fromkeys(("language", "locale"), "lang"),
        **dict.fromkeys(("deadline", "end", "end_date", "ends", "until", "expires"), "closes"),
        **dict.fromkeys(("author", "owner", "organisation", "organization", "organizer"), "controller"),
        "email": "contact",
        **dict.fromkeys(("question", "items"), "questions"),
        **dict.fromkeys(("n", "respondents", "participants", "sample_size"), "people"),
        **dict.fromkeys(("groups", "segments"), "strata"),
        **dict.fromkeys(("rounds", "repeat"), "waves"),
        **dict.fromkeys(("min_n", "min_responses", "threshold"), "min_reports"),
        "public": "public_results",
        **dict.fromkeys(("delete_after", "retention"), "erase_after"),
    }
)
"""Of the whole survey: ours by theirs."""
OF_QUESTION = MappingProxyType(
    {
        **dict.fromkeys(("choices", "answers", "values"), "options"),
        "kind": "type",
        **dict.fromkeys(("name", "key", "code"), "id"),
        **dict.fromkeys(("question", "label", "prompt", "title"), "text"),
        **dict.fromkeys(("group", "page"), "section"),
        **dict.fromkeys(("min", "low"), "minimum"),
        **dict.fromkeys(("max", "high"), "maximum"),
        **dict.fromkeys(("score", "points", "weights"), "scores"),
        "units": "unit",
        **dict.fromkeys(("max_choices", "max_selections"), "max_selected"),
        **dict.fromkeys(("eps", "privacy_budget", "budget"), "epsilon"),
        "method": "mechanism",
    }
)
"""Of a question: ours by theirs."""
_OF_TYPE: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "any-of": MappingProxyType(dict.fromkeys(("max", "high", "maximum"), "max_selected")),
        **dict.fromkeys(("yes-no", "one-of", "likert", "enps", "text"), MappingProxyType({})),
    }
)
"""Of a question of a type that has no range of numbers: ours by theirs."""
_OF_RANGES = ("minimum", "maximum", "unit")
INSTEAD = MappingProxyType(
    {
        **dict.fromkeys(
            ("required", "mandatory", "optional"),
            "a question must be answered, unless it has `skip`: the option that stands for no answer",
        ),
        "default": "no answer is given beforehand; `skip` names the one that stands for no answer",
        **dict.fromkeys(
            ("anonymous", "anonymity"),
            "no survey keeps who answered. `invited = true` lets only those take part whom you invite",
        ),
        "max_epsilon": "the app sets it, on the device; here every question has its `epsilon`",
        **dict.fromkeys(("hint", "help", "description"), "write into `text` what people need to know"),
        **dict.fromkeys(
            ("multiple", "multi"),
            'a question of type = "any-of" lets people choose several options, up to `max_selected`',
        ),
        "other": "list it among the `options`; a text beside them has a question of its own",
    }
)
"""What has no member: what to do."""
TYPES = MappingProxyType(
    {
        **dict.fromkeys(("boolean", "bool", "yesno", "yes_no", "yes/no", "binary"), "yes-no"),
        **dict.fromkeys(
            ("radio", "radiogroup", "dropdown", "single", "single-choice", "select", "select_one"), "one-of"
        ),
        **dict.fromkeys(("choice", "one_of"), "one-of"),
        **dict.fromkeys(("agreement", "agree-disagree", "scale"), "likert"),
        **dict.fromkeys(("nps", "net-promoter-score"), "enps"),
        **dict.fromkeys(("checkbox", "multiple", "multiple-choice", "multi", "select_multiple", "any_of"), "any-of"),
        **dict.fromkeys(("integer", "int", "float", "decimal", "numeric", "slider", "range", "rating"), "number"),
        **dict.fromkeys(("string", "str", "open", "comment", "free-text"), "text"),
    }
)
"""Of `type`: ours by theirs."""


def of_question(document: Mapping[str, Any]) -> Mapping[str, str]:
    """Return what members of a question are called here, by what they are called elsewhere.

    >>> of_question({"type": "any-of"})["max"], of_question({"type": "number"})["max"]
    ('max_selected', 'maximum')
    """
    kind = document.get("type")
    if not isinstance(kind, str) or kind not in _OF_TYPE:
        return OF_QUESTION
    return {**{theirs: ours for theirs, ours in OF_QUESTION.items() if ours not in _OF_RANGES}, **_OF_TYPE[kind]}


def say_type(given: object) -> str:
    """Return in a sentence what a type is called here, "" where nobody knows."""
    called = TYPES.get(given.lower()) if isinstance(given, str) else None
    return f" `{given}` is called `{called}` here." if called else ""
