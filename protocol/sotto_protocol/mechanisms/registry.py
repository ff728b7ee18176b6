"""Every mechanism by its name, and the questions that take it: what a new one is added to.

The order is that in which an author is told of them; where the author names none, `default_name` says which is taken.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any

from sotto_protocol.documents import Fields
from sotto_protocol.errors import SurveyError
from sotto_protocol.mechanisms import bit_flips, unary, warner
from sotto_protocol.mechanisms.asked import Asked
from sotto_protocol.mechanisms.asked_option import AskedOption, ask_asked_option, asked_option
from sotto_protocol.mechanisms.bloom.design import ask_rappor
from sotto_protocol.mechanisms.bloom.response import BloomResponse
from sotto_protocol.mechanisms.geometry import GeometryResponse, ask_geometry, geometry
from sotto_protocol.mechanisms.kary import KaryResponse, k_ary, k_ary_in_waves
from sotto_protocol.mechanisms.mechanism import Mechanism, PureMechanism
from sotto_protocol.mechanisms.padded_subset import PaddedSubset, ask_padded_subset, padded_subset
from sotto_protocol.mechanisms.segment_design import ask_number, ask_segments
from sotto_protocol.mechanisms.segments import SegmentsResponse
from sotto_protocol.mechanisms.sketch.design import ask_sketch
from sotto_protocol.mechanisms.sketch.response import SketchResponse
from sotto_protocol.mechanisms.subset import SubsetResponse, ask_subset, best_subset
from sotto_protocol.mechanisms.window import WindowResponse
from sotto_protocol.mechanisms.window_design import ask_window

_NEAR, _SHORT_BYTES = 1.03, 64
"""What `auto` gives up, of the variance, for reports that are shorter: where they are longer than so many bytes."""
_RARE = "reports that are kept over the waves would be so rare that they tell devices apart; take "
_RECOGNISED, _MEMBERS_RECOGNISED = f"{_RARE}k-ary or oue.", f"{_RARE}basic-rappor."
AUTO = "auto"
"""The name by which an author asks for the best of those that an epsilon alone makes."""
JOINT, _OF_JOINT = "joint", ("k-ary", "subset", "oue")
"""Combinations of answers are options of a one-of. By these each item's own share has a distribution that is known."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A mechanism as questions of one type have it.

    `ask` makes it of what an author says; it raises ValueError, or the fields' error. `of_epsilon` makes it of a number
    of options, an epsilon, and of any-of how many may be selected, where that is enough, or None where there is none:
    `auto` and plans compare these. `in_waves` makes it of the same with epsilon_forever behind epsilon. `may_repeat`:
    whether an author may give `epsilon_forever`; `why_once`: why not, where more is to be said than that it has one
    stage. `is_for_once`: whether it is never taken by itself where an answer is asked for again.
    """

    name: str
    question_type: str
    mechanism: type[Mechanism]
    ask: Callable[[Asked], Mechanism]
    of_epsilon: Callable[..., PureMechanism | None] | None = None
    in_waves: Callable[..., PureMechanism] | None = None
    may_repeat: bool = False
    why_once: str = "it has one stage; with a second one there is basic-rappor."
    is_for_once: bool = False


def _by_epsilon(
    name: str,
    question_type: str,
    mechanism: type[Mechanism],
    design: Callable[[int, Decimal], PureMechanism],
    in_waves: Callable[[int, Decimal, Decimal], PureMechanism] | None = None,
) -> Entry:
    def ask(asked: Asked) -> Mechanism:
        epsilon = asked.require_epsilon()
        if in_waves is None or asked.epsilon_forever is None:
            return design(asked.n_options, epsilon)
        return in_waves(asked.n_options, epsilon, asked.epsilon_forever)

    return Entry(name, question_type, mechanism, ask, design, in_waves, in_waves is not None)


ENTRIES: list[Entry] = [
    Entry("warner", "yes-no", warner.BinaryResponse, warner.ask_warner),
    Entry("forced-response", "yes-no", warner.BinaryResponse, warner.ask_forced_response),
    Entry("basic-rappor", "yes-no", warner.BinaryResponse, warner.ask_basic_rappor, may_repeat=True),
    _by_epsilon("k-ary", "one-of", KaryResponse, k_ary, k_ary_in_waves),
    Entry("subset", "one-of", SubsetResponse, ask_subset, best_subset, why_once=_RECOGNISED),
    Entry("geometry", "one-of", GeometryResponse, ask_geometry, geometry, why_once=_RECOGNISED),
    _by_epsilon("sue", "one-of", unary.UnaryEncoding, unary.symmetric_unary),
    _by_epsilon("oue", "one-of", unary.UnaryEncoding, unary.optimised_unary, unary.optimised_unary_in_waves),
    Entry("basic-rappor", "one-of", unary.UnaryEncoding, unary.ask_basic_rappor, None, unary.basic_in_waves, True),
    Entry("bit-flips", "any-of", bit_flips.BitFlips, bit_flips.ask_bit_flips, bit_flips.bit_flips),
    Entry("subset", "any-of", PaddedSubset, ask_padded_subset, padded_subset, why_once=_MEMBERS_RECOGNISED),
    Entry("asked-option", "any-of", AskedOption, ask_asked_option, asked_option),
    Entry(
        "basic-rappor", "any-of", bit_flips.BitFlips, bit_flips.ask_basic_rappor, None, bit_flips.basic_in_waves, True
    ),
    Entry("window", "number", WindowResponse, ask_window, may_repeat=True),
    Entry(
        "segments",
        "number",
        SegmentsResponse,
        ask_segments,
        why_once='it has one stage; take "window", which may have a second one.',
    ),
    Entry(
        "sketch",
        "text",
        SketchResponse,
        ask_sketch,
        why_once="it has one stage; with a second one there is rappor.",
        is_for_once=True,
    ),
    Entry("rappor", "text", BloomResponse, ask_rappor, may_repeat=True),
]
CHOSEN: dict[str, Callable[[Asked, bool], Mechanism]] = {"number": ask_number}
"""What `auto` takes of all that an author asks, and of whether it is asked again: where no one variance decides."""


def entries_of(question_type: str) -> dict[str, Entry]:
    """Return the mechanisms that questions of a type take, by name."""
    if question_type == JOINT:
        return {name: entry for name, entry in entries_of("one-of").items() if name in _OF_JOINT}
    return {entry.name: entry for entry in ENTRIES if entry.question_type == question_type}


def names_of(question_type: str) -> list[str]:
    """Return the names that an author may give for questions of a type."""
    is_chosen = question_type in CHOSEN or any(entry.of_epsilon for entry in entries_of(question_type).values())
    return [AUTO] * is_chosen + [*entries_of(question_type)]


def default_name(question_type: str, *, is_repeated: bool) -> str:
    """Return the name that is taken where an author gives none: the first, or the first that may be asked again."""
    once = {entry.name for entry in entries_of(question_type).values() if is_repeated and entry.is_for_once}
    return next(name for name in names_of(question_type) if name not in once)


def candidates(
    question_type: str, n_options: int, epsilon: Decimal, epsilon_forever: Decimal | None = None, *max_selected: int
) -> list[PureMechanism]:
    """Return the mechanisms that epsilons alone make, for a question of a type and so many options.

    `max_selected`: of an any-of question. With `epsilon_forever` those of two stages. Raises ValueError where these
    epsilons cannot be had.
    """
    entries = entries_of(question_type).values()
    if epsilon_forever is not None:
        both = epsilon, epsilon_forever
        return [entry.in_waves(n_options, *both, *max_selected) for entry in entries if entry.in_waves]
    made = [entry.of_epsilon(n_options, epsilon, *max_selected) for entry in entries if entry.of_epsilon]
    return [mechanism for mechanism in made if mechanism is not None]


@lru_cache(maxsize=256)
def best_of(
    question_type: str, n_options: int, epsilon: Decimal, epsilon_forever: Decimal | None = None, *max_selected: int
) -> PureMechanism:
    """Return that of the lowest variance of one report; arguments are those of `candidates`.

    Of those within 3 % of it, one whose reports are long is passed over for one whose reports are shorter. It is kept:
    plans and proposals ask for it again.
    """
    made = candidates(question_type, n_options, epsilon, epsilon_forever, *max_selected)
    least = min(mechanism.report_variance for mechanism in made)
    near = [mechanism for mechanism in made if mechanism.report_variance <= _NEAR * least]
    return min(near, key=lambda mechanism: (max(mechanism.n_bytes, _SHORT_BYTES), mechanism.report_variance))


def mechanism_document(mechanism: Mechanism) -> dict[str, Any]:
    """Return what is published of a mechanism."""
    return {"name": mechanism.name} | mechanism.parameters()


def read_mechanism(document: Any, where: str, question_type: str, n_options: int) -> Mechanism:
    """Return a published mechanism, trusting nothing. Raises SurveyError."""
    fields = Fields(document, where, SurveyError)
    entries = entries_of(question_type)
    name = fields.one_of("name", entries)
    numbers = entries[name].mechanism.read_parameters(fields, name, n_options)
    fields.finish()
    try:
        mechanism = entries[name].mechanism(name=name, **numbers)  # type: ignore[call-arg]  # by name
        mechanism.check_design()
    except ValueError as fault:
        raise SurveyError(where, str(fault)) from None
    return mechanism
