"""What the estimator knows of each kind of mechanism, and of each kind of figure, a row a kind.

A row names functions by module, as `room.module:name`, since they stand in the rooms above, and are loaded when they
are called; where a kind has none, it has the sentence why. A mechanism has the row of the nearest class above it that
has one: so a new one is estimated, planned and associated as its kind is, and one of no kind is refused by name.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from operator import attrgetter
from typing import Any, Literal

from sotto_estimator.channel.channel import Channel
from sotto_estimator.errors import EstimatorError, SourceError
from sotto_estimator.inference.marginal import Marginal, estimated_of
from sotto_protocol import Question, Survey
from sotto_protocol.mechanisms.asked_option import AskedOption
from sotto_protocol.mechanisms.bloom.response import BloomResponse
from sotto_protocol.mechanisms.levels import LevelResponse
from sotto_protocol.mechanisms.mechanism import ChoiceMechanism, Mechanism, PureMechanism, SelectionMechanism
from sotto_protocol.mechanisms.padded_subset import PaddedSubset
from sotto_protocol.mechanisms.sketch.response import SketchResponse
from sotto_protocol.questions.one_of import OneOf, Scores

Capability = Literal[
    "channel", "counts", "covariance", "likeliest", "whole", "plan", "groups", "axis", "decode", "unlisted"
]
Named = object
"""A function or value by its module and name, or itself."""


@dataclass(frozen=True, slots=True)
class Nothing:
    """Why a kind has no such function; {id} and {mechanism} stand for a question's id and its mechanism's name."""

    why: str

    def error(self, question: Question, kind: type[EstimatorError] = SourceError) -> EstimatorError:
        """Return what is raised of a question."""
        return kind(self.why.format(id=question.id, mechanism=question.mechanism.name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Inference:
    """What is known of the reports of a kind of mechanism.

    `figure`: what is estimated of it, a row of `FIGURES`. `channel(mechanism)`: what its reports went through.
    `counts(tally, question)`: what its estimates are made of, a list of `FigureCounts`. `covariance(question,
    target)`: how the covariances of n shares are made of shares and n. `likeliest(tally, question)`: the shares of
    maximum likelihood. `whole(question)`: its `Answers`, with the likelihood of a whole report under each.
    `plan(question, mechanism)`: its `FigureOutlook`. `groups(tally, question, target)`: a `GroupEstimate` of each
    figure. `axis(question, mechanism, name, option, candidates)`: its `TableAxis`, with the likelihood of a report.
    `decode(mechanism, tally, question, strings, options, keep_all)`, and `unlisted(mechanism, counts or reports,
    alphabet, options)`: strings that are listed, and that are not, found as `unlisted_by` says.
    `pools_waves`: whether reports of several waves are estimated together. `is_of_all_counts`: whether a string is
    held against all of a cohort's counts.
    """

    figure: str
    channel: Named | Nothing
    counts: Named | Nothing
    covariance: Named | Nothing
    likeliest: Named | Nothing
    whole: Named | Nothing
    plan: Named | Nothing
    groups: Named | Nothing
    axis: Named | Nothing
    decode: Named | Nothing
    unlisted: Named | Nothing
    pools_waves: bool = True
    is_of_all_counts: bool = True
    unlisted_by: Literal["counts", "reports"] = "counts"


_NO_SHARES = Nothing("question ('{id}') must be of shares: its answers are numbers or texts.")
NOT_TOLD = Nothing(
    "question ('{id}') must be a one-of question by k-ary, subset or one bit per option: a tally by {mechanism} does "
    "not show how answers go together. About the respondents, any-of by bit-flips has covariances too."
)
_NOT_PURE = Nothing("question {id} cannot be estimated alone: {mechanism} is not pure.")
_NO_TEXT = Nothing("question {id} does not ask for a text, so there are no texts to find.")
_DECODED = Nothing("question {id} asks for a text: use `sotto decode` for the shares of its texts.")
_UNKNOWN = Inference(
    figure="share",
    channel=_NOT_PURE,
    counts=_NOT_PURE,
    covariance=NOT_TOLD,
    likeliest=_NO_SHARES,
    whole=_NO_SHARES,
    plan=_NOT_PURE,
    groups=_NOT_PURE,
    axis=Nothing("mechanism ('{mechanism}') must be one whose likelihood is known, or it cannot be associated."),
    decode=_NO_TEXT,
    unlisted=_NO_TEXT,
)
_SHARES = replace(
    _UNKNOWN,
    channel="inference.registry:share_channel",
    counts="shares.share_counts:share_counts",
    likeliest="shares.maximum_likelihood:likeliest_of_question",
    whole=Nothing("question {id}: how likely whole reports by {mechanism} are is not known."),
    plan="planning.share_outlook:ShareOutlook",
    groups="comparing.group_estimates:share_groups",
)
_TEXTS = replace(
    _UNKNOWN,
    figure="string",
    counts=_DECODED,
    groups=_DECODED,
)
INFERENCE: Mapping[type, Inference] = {
    Mechanism: _UNKNOWN,
    PureMechanism: _SHARES,
    ChoiceMechanism: replace(
        _SHARES,
        covariance="shares.covariance:of_one_answer",
        whole="shares.whole_reports:OneAnswer",
        axis="association.axes:axis_of_answers",
    ),
    SelectionMechanism: replace(
        _SHARES,
        covariance="shares.covariance:of_selections",
        whole="shares.whole_reports:SelectedBits",
        axis="association.axes:axis_of_option",
    ),
    PaddedSubset: replace(
        _SHARES,
        axis="association.axes:axis_of_member",
        whole="shares.whole_reports:SelectedSets",
        covariance=Nothing(
            "question ('{id}') reports its options as one set, and a tally does not show how answers go together. "
            "`sotto associate` finds that from the reports."
        ),
    ),
    AskedOption: replace(
        _SHARES,
        whole=Nothing("{id} asks each device about some options only ({mechanism}): whole reports tell no more."),
        axis=Nothing(
            "{id} asks each device about some options only (asked-option), so reports do not show how options go "
            'together. With mechanism = "bit-flips" in the survey file, devices report all options.'
        ),
    ),
    LevelResponse: replace(
        _UNKNOWN,
        figure="mean",
        channel="numbers.channel:NumberChannel.of",
        counts="numbers.counts:number_counts",
        plan="planning.mean_outlook:MeanOutlook",
        groups="comparing.group_estimates:number_groups",
        axis=Nothing("{id} asks for numbers. A joint table takes yes-no, one-of, any-of and text questions."),
    ),
    SketchResponse: replace(
        _TEXTS,
        plan="planning.string_outlook:SketchOutlook",
        axis="association.axes:axis_of_sketch",
        decode="strings.question:decode_sketch_question",
        unlisted="strings.prefixes:decode_prefixes",
        pools_waves=False,
        is_of_all_counts=False,
    ),
    BloomResponse: replace(
        _TEXTS,
        plan="planning.string_outlook:FilterOutlook",
        axis="association.axes:axis_of_filter",
        decode="strings.question:decode_filter_question",
        unlisted="strings.unknown:decode_grams",
        unlisted_by="reports",
    ),
}
"""The rows, by the class of mechanisms that each is of."""
_OF_MARGINALS = replace(
    _SHARES,
    channel=Nothing("{id} is asked together with other questions: its shares are sums over combinations."),
    counts="shares.of_marginals:marginal_counts",
    covariance=Nothing("{id} is asked together with other questions: take those of the combinations."),
    likeliest=Nothing("{id} is asked together with other questions: take those of the combinations."),
    whole=Nothing("{id} is asked together with other questions: take those of the combinations."),
    plan="planning.marginal_outlook:marginal_outlook",
    groups="comparing.group_estimates:marginal_groups",
)
"""That of items which are asked together with others, by whatever mechanism."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureKind:
    """What is known of a kind of figure. A new one is a row here, and what this names.

    `of`: the kind beside whose figures, of the same counts, it stands; it has no verdict, order or plan of its own.
    `estimate(counts, options, n_intervals)`: the `FoundFigure`s of one of `Inference.counts`. `verdict(question,
    figures, tally, estimates)`: what they mean. `errors_if_alike(counts of groups, target)`: by answer the standard
    error in each group, if all were alike: then they can be pooled. `view`: its `FigureView`, in words, rows and
    pictures; `section`: its `FigureSection`, in any language. `rehearsal`: its `RehearsedFigure`, for simulations.
    `is_by_answer`: whether each answer has one, or a question one in all.
    """

    of: str | None = None
    estimate: Named | None = None
    verdict: Named | None = None
    errors_if_alike: Named | None = None
    view: Named | None = None
    section: Named | None = None
    rehearsal: Named | None = None
    is_by_answer: bool = False


FIGURES: dict[str, FigureKind] = {
    "share": FigureKind(
        estimate="shares.of_tally:share_estimates",
        verdict="shares.verdict.judge:verdict_of_shares",
        errors_if_alike="shares.errors_if_alike:share_errors_if_alike",
        view="views.shares:SHARES",
        section="views.share_section:SHARES",
        rehearsal="planning.rehearsed:SHARES",
        is_by_answer=True,
    ),
    "covariance": FigureKind(of="share", view="views.shares:COVARIANCES"),
    "score": FigureKind(
        of="share",
        estimate="shares.scores:score_means",
        view="views.scores:SCORES",
        section="views.score_section:SCORES",
        rehearsal="planning.rehearsed:SCORES",
    ),
    "likelihood": FigureKind(of="share", view="views.shares:LIKELIHOODS"),
    "mean": FigureKind(
        estimate="numbers.mean:mean_estimates",
        verdict="shares.verdict.judge:verdict_of_number",
        errors_if_alike="numbers.mean:mean_errors_if_alike",
        view="views.numbers:MEANS",
        section="views.number_section:MEANS",
        rehearsal="planning.rehearsed:MEANS",
    ),
    "distribution": FigureKind(
        of="mean", estimate="numbers.distribution:distributions_of", view="views.numbers:DISTRIBUTIONS"
    ),
    "string": FigureKind(rehearsal="planning.rehearsed:STRINGS", is_by_answer=True),
}
"""The kinds of figures, in the order in which they are shown. Strings are found by `decode`, not estimated."""


def inference_of(mechanism: Mechanism) -> Inference:
    """Return the row of a mechanism."""
    return next(INFERENCE[kind] for kind in type(mechanism).__mro__ if kind in INFERENCE)


def _row_of(question: Question) -> Inference:
    return _OF_MARGINALS if isinstance(question, Marginal) else inference_of(question.mechanism)


def figure_of(question: Question) -> str:
    """Return what is estimated of a question, by its name in `FIGURES`."""
    return _row_of(question).figure


def find(question: Question, what: Capability, error: type[EstimatorError] = SourceError) -> Any:
    """Return the function of a question's kind, loaded now. Raises the error where there is none, with why."""
    named = getattr(_row_of(question), what)
    if isinstance(named, Nothing):
        raise named.error(question, error)
    return loaded(named)


def loaded(named: Named) -> Any:
    """Return what a row names, loaded now."""
    if not isinstance(named, str):
        return named
    module, _, name = named.partition(":")
    return attrgetter(name)(import_module(f"sotto_estimator.{module}"))


def is_text(question: Question) -> bool:
    """Whether its shares are those of strings, which are decoded (`sotto_estimator.strings`)."""
    return figure_of(question) == "string"


def share_channel(mechanism: PureMechanism) -> Channel:
    """Return the channel that reports of shares go through."""
    return Channel(mechanism.prob_support_if_true, mechanism.prob_support_if_other, *mechanism.prob_support_if_kept)


def channel_of(question: Question) -> Channel:
    """Return the channel of a question of shares. Raises SourceError where it is of something else."""
    if figure_of(question) != "share":
        raise _NOT_PURE.error(question)
    channel: Channel = find(question, "channel")(question.mechanism)
    return channel


def scores_of(question: Question) -> Scores:
    """Return what the options of a question are worth; () where they have no scores."""
    if isinstance(question, Marginal) or not isinstance(question.kind, OneOf):
        return ()
    return question.kind.scores


def count_figures(question: Question) -> int:
    """Return how many figures a question has: one of each answer, or one in all. A text question has none here.

    Scores add their mean.
    """
    n_means = int(bool(scores_of(question)))
    return len(question.labels) + n_means if FIGURES[figure_of(question)].is_by_answer else 1


def count_intervals(survey: Survey) -> int:
    """Return how many intervals there are: one of every figure."""
    return sum(map(count_figures, estimated_of(survey)))
