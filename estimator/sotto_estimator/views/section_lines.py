"""Lines on one question in any language: how its intervals are made, whose reports these are, what is missing."""

from collections.abc import Iterator

from sotto_estimator.inference.registry import figure_of, is_text
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.results.words import level_digits
from sotto_estimator.shares.estimates import Estimates
from sotto_estimator.sources.parent import Parent
from sotto_estimator.sources.withheld import Withheld
from sotto_estimator.views.figure_view import views_of
from sotto_protocol import Question
from sotto_protocol.language import Language


def interval_line(options: IntervalOptions, say: Language, method: str = "", *, asks_some: bool = False) -> str:
    """Return what the intervals are: their level, whom they are about, whether they hold together, and their method.

    `method`: how they are made, where it is not by the options' method alone. `asks_some`: whether a device is asked
    some questions, or some options, by chance: then those who are asked are all that is known of the respondents.
    """
    values = {"level": say.percent(level_digits(options.level)), "method": method or options.method}
    if options.about == "population":
        if options.simultaneous:
            return say.gettext(
                "%(level)s confidence in all ranges together, for the population (method: %(method)s)", **values
            )
        return say.gettext("%(level)s confidence in each range, for the population (method: %(method)s)", **values)
    if asks_some:
        if options.simultaneous:
            return say.gettext(
                "%(level)s confidence in all ranges together, for the respondents who were asked the question "
                "(method: %(method)s)",
                **values,
            )
        return say.gettext(
            "%(level)s confidence in each range, for the respondents who were asked the question (method: %(method)s)",
            **values,
        )
    if options.simultaneous:
        return say.gettext(
            "%(level)s confidence in all ranges together, for these respondents (method: %(method)s)", **values
        )
    return say.gettext("%(level)s confidence in each range, for these respondents (method: %(method)s)", **values)


def remarks_on(question: Question, estimates: Estimates, say: Language) -> list[str]:
    """Return what a question's intervals are, which a text question's have elsewhere, and of which reports."""
    by = next((one.interval for one in estimates.told(figure_of(question)) if one.question == question.id), "")
    asks_some = bool(estimates.drawn) or question.mechanism.asks_some
    made = [] if is_text(question) else [interval_line(estimates.options, say, by, asks_some=asks_some)]
    return [*made, *_of_reports(question, estimates, say)]


def _of_reports(question: Question, estimates: Estimates, say: Language) -> Iterator[str]:
    waves = estimates.waves
    if estimates.options.population_size is not None:
        yield say.gettext("the population has %(n)s people", n=estimates.options.population_size)
    if len(waves) == 1:
        yield say.gettext("wave %(n)s", n=waves[0])
    elif waves and not estimates.may_share_devices:
        yield say.gettext(
            "waves %(waves)s together: each device is asked in one of them, so every report is from a different device",
            waves=say.joined(map(str, waves)),
        )
    elif waves:
        yield say.gettext(
            "waves %(waves)s together: one device may have reported in several of them, and the ranges allow for that",
            waves=say.joined(map(str, waves)),
        )
    if estimates.drawn:
        n_drawn, n_all = estimates.drawn
        yield say.gettext(
            "each device answers %(drawn)s of the %(all)s questions; n counts the reports that answer this one",
            drawn=n_drawn,
            all=n_all,
        )
    if question.mechanism.n_asked > 1:
        yield say.gettext(
            "each device is asked about %(asked)s of the %(n)s options, so each percentage comes from the "
            "reports about that option",
            asked=question.mechanism.n_asked,
            n=len(question.options),
        )
    elif question.mechanism.asks_some:
        yield say.gettext(
            "each device is asked about one of the %(n)s options, so each percentage comes from the "
            "reports about that option",
            n=len(question.options),
        )


def technical_lines(question: Question, estimates: Estimates) -> list[str]:
    """Return what `sotto estimate` says of a question besides, in its words."""
    key = question.id
    lines = [f"{question.id}: {question.type}, by {question.mechanism.name}."]
    lines += [contradiction.warning for contradiction in estimates.contradictions if contradiction.question == key]
    lines += [of.warning if of.is_alarming else f"{of}." for of in estimates.quality if of.question == key]
    return [*lines, *(line for view in views_of(estimates) for line in view.technical(estimates, key))]


def say_withheld(withheld: Withheld, say: Language) -> str:
    """Return what of a question is not shown yet, and what is missing."""
    if withheld.n_counted:
        return say.gettext(
            "%(counted)s of these %(n)s reports are counted here; the others wait until enough have come.",
            counted=withheld.n_counted,
            n=withheld.n_reports,
        )
    if withheld.is_drawn and withheld.min_reports == 1:
        return say.gettext("None of these reports answers this question.")
    if withheld.n_cohorts > 1:
        lines = [
            say.gettext(
                "This question shows no results until each of its %(cohorts)s groups has %(least)s reports.",
                cohorts=withheld.n_cohorts,
                least=withheld.min_reports,
            )
        ]
    else:
        lines = [say.gettext("This question shows no results until it has %(n)s reports.", n=withheld.min_reports)]
    if not (withheld.is_drawn or withheld.of):
        lines.append(
            say.ngettext("At least %(n)s more must come.", "At least %(n)s more must come.", withheld.n_missing)
        )
    return " ".join(lines)


def say_parent(parent: Parent, say: Language) -> str:
    """Return how many groups of a parent are counted in it, and which are not."""
    values = {"n": len(parent.shown), "all": len(parent.shown) + len(parent.missing)}
    return say.gettext(
        "Only groups that are shown are counted here: %(n)s of %(all)s. Not shown: %(groups)s.",
        groups=say.joined(parent.missing),
        **values,
    )


def say_fakes(say: Language) -> str:
    """Return the warning of too many reports that no honest device sends."""
    more = say.gettext(
        "More reports than chance allows look unlike anything an honest device sends. Somebody sends fakes, or a "
        "program is broken. Do not rely on this question."
    )
    warning = say.gettext("Warning:")
    return f"{warning} {more}"


def fakes_line(say: Language) -> str:
    """Return what the columns of fakes mean."""
    return say.gettext(
        "Fakes: what each 1 %% of fake reports adds to an answer if all are for it or against it. For a number: if all "
        "are for the highest or all for the lowest."
    )
