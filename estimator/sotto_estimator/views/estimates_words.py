"""What is said of all estimates: what intervals mean, and whose reports they are of."""

from sotto_estimator.designs.asked import words_of
from sotto_estimator.results.words import interval_words
from sotto_estimator.shares.by_group import MOST_COUNTED
from sotto_estimator.shares.estimates import Estimates
from sotto_protocol.words import counted, epsilon_above

_OTHERS = "each device is asked in one of them, so all reports are of different devices"
_POOLED = "one device may have reported in several of them, and the intervals allow for that"
_DRAWN = "draw: each device answers {} of {} questions; n counts the reports that answer this one{about}"
_ASKED = "asked: each device is asked about {} of {}; n counts the reports about this one{about}"
_CONSISTENT = "consistent: the closest possible shares; their standard errors (~) are approximate"
_ABOUT = ", and an interval is about those people"


def caption(estimates: Estimates) -> list[str]:
    """Return what the intervals mean, a line for each thing to know."""
    epsilon = f"{'at most ' * bool(estimates.drawn)}{epsilon_above(estimates.epsilon)}"  # by what a device drew
    lines = [
        f"{estimates.title}: n = {counted(estimates.n_reports, 'report')}, epsilon {epsilon} a report",
        interval_words(estimates.options, estimates.made),
    ]
    if estimates.stratum is not None:
        lines.append(f"{estimates.by} {estimates.stratum}{' alone' * (estimates.parent is None)}")
    return [*lines, *_by_wave(estimates), *notes(estimates)]


def _by_wave(estimates: Estimates) -> list[str]:
    """Return n of each wave that is pooled; of many waves the least and the most."""
    n_each = [*estimates.n_by_wave.values()]
    if len(n_each) > MOST_COUNTED:
        return [f"n by wave: {min(n_each):,} to {max(n_each):,} reports in each of {len(n_each)} waves"]
    listed = ", ".join(f"wave {wave} {n:,}" for wave, n in estimates.n_by_wave.items())
    return [f"n by wave: {listed} reports"] if listed else []


def notes(estimates: Estimates) -> list[str]:
    """Return what else there is to know of these reports: their waves, and what of them is not shown, or is odd."""
    asked = words_of(estimates.designs, with_reports=estimates.stratum is None)
    lines = [*([str(estimates.parent)] if estimates.parent else []), *_counted_in(estimates), *asked]
    lines += [str(estimates.fit)] if estimates.fit else []
    if estimates.waves:
        listed = ", ".join(map(str, estimates.waves))
        pooled = f"waves {listed} pooled: {_POOLED if estimates.may_share_devices else _OTHERS}"
        lines.append(f"wave {listed}" if len(estimates.waves) == 1 else pooled)
    about = _ABOUT * (estimates.options.about == "respondents")
    if estimates.drawn:
        lines.append(_DRAWN.format(*estimates.drawn, about=about))
    if estimates.asked:
        lines.append(_ASKED.format(_asked_options(estimates), ", ".join(estimates.asked), about=about))
    empty = [withheld.question for withheld in estimates.withheld if not withheld.n_counted]
    if decodable := [key for key in estimates.text_questions if key not in empty]:
        lines.append(f"not shown: {', '.join(decodable)} (text; see `sotto decode`)")
    if any(row.consistent_standard_error is not None for row in estimates.told_rows):
        lines.append(_CONSISTENT)
    lines += estimates.file_rows.lines if estimates.file_rows else []
    return [*lines, *map(str, (*estimates.withheld, *estimates.contradictions))]


def _counted_in(estimates: Estimates) -> list[str]:
    """Return which strata the results are without: of all questions once, of some by their names."""
    asked = [question.id for question in estimates.survey.questions] if estimates.survey else []
    counted = {key: estimates.counted_in[key] for key in asked if key in estimates.counted_in}
    if counted and len(counted) == len(asked) and len({*counted.values()}) == 1:
        whole = next(iter(counted.values()))
        return [str(whole)] if whole != estimates.parent else []
    return [
        f"{key}: counts {len(of.shown)} of {len(of.shown) + len(of.missing)} strata; not {', '.join(of.missing)}, "
        "of which too few answered it"
        for key, of in counted.items()
        if of != estimates.parent
    ]


def _asked_options(estimates: Estimates) -> str:
    """Return in words how many options a device is asked."""
    questions = estimates.survey.questions if estimates.survey else ()
    most = max((of.mechanism.n_asked for of in questions if of.id in estimates.asked), default=1)
    return "one option" if most == 1 else "some options"
