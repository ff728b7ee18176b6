"""Where each member of a survey file belongs: what is said of one that stands elsewhere."""

from dataclasses import fields

from sotto_protocol.members import Settings

OF_SURVEY = ("title", "questions", "together", "people", *(setting.name for setting in fields(Settings)))
PLACES: dict[str, str] = {
    **dict.fromkeys(
        OF_SURVEY,
        "the survey, not to a question: in TOML it stands above the first [[questions]]",
    ),
    **dict.fromkeys(["id", "type", "text", "skip", "section", "mechanism", "epsilon", "epsilon_forever"], "a question"),
    "want": "a question, as what sotto plan is to reach",
    "options": "one-of and any-of questions",
    "scores": "one-of and likert questions",
    "max_selected": "any-of questions",
    **dict.fromkeys(["minimum", "maximum", "step", "unit", "distribution", "levels"], "questions for a number"),
    "prob_truth": "yes-no questions by warner or forced-response",
    "prob_forced_yes": 'mechanism = "forced-response", which must be named',
    "prob_noise": 'mechanism = "rappor" (text) or "basic-rappor", which must be named',
    **dict.fromkeys(["prob_if_one", "prob_if_zero"], 'mechanism = "rappor" (text) or "basic-rappor", with prob_noise'),
    **dict.fromkeys(["n_cohorts", "unknown"], "text questions"),
    **dict.fromkeys(["n_bits", "n_hashes"], 'mechanism = "rappor", which must be named'),
    **dict.fromkeys(["max_length", "gram_length"], 'mechanism = "rappor", which must be named, with unknown = true'),
    "prefix_lengths": 'mechanism = "sketch" with unknown = true',
    "weight": 'mechanism = "subset", which must be named',
    "asked": 'mechanism = "asked-option", which must be named',
    "field": 'mechanism = "geometry", which must be named',
}
"""By name, after "belongs to"."""
