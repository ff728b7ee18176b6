"""Verdicts in sentences of any of the product's languages."""

from collections.abc import Iterator, Mapping
from decimal import Decimal

from sotto_estimator.results.words import void_words
from sotto_estimator.shares.verdict.order import Order, ShareInterval, order_of
from sotto_estimator.shares.verdict.verdict import Aim, Finding, Verdict
from sotto_protocol.language import Language

_MAX_NAMES = 12
"""So many answers are told by name in one sentence."""


def finding_words(finding: Finding, say: Language) -> str:
    """Return what is known of one value, without its name."""
    if finding.kind == "unknown":
        return say.gettext("too few reports to say")
    if finding.unit is not None:
        return _mean_words(finding, say)
    return _share_words(finding, say)


def range_words(finding: Finding, say: Language) -> str:
    """Return a share's interval alone, as short as can be, and alike in all languages: a chart runs left to right."""
    return " – ".join(say.percent(end.scaleb(2)) for end in (finding.low, finding.high))


def _share_words(finding: Finding, say: Language) -> str:
    low, high, likely = (number.scaleb(2) for number in (finding.low, finding.high, finding.likely))
    if finding.kind == "exact":
        return say.gettext("exactly %(likely)s", likely=say.percent(_shortest(likely)))
    most = say.percent(_shortest(high) if finding.kind == "all" else high)
    values = {"low": say.percent(low), "high": most, "likely": say.percent(likely)}
    between = values | {"low": _first_of_two(low, say)}
    if not finding.is_decided:
        if finding.kind == "none":
            return say.gettext("at most %(high)s; could be zero", **values)
        if finding.kind == "all":
            return say.gettext("at least %(low)s; could be %(high)s", **values)
        return say.gettext("somewhere between %(low)s and %(high)s", **between)
    if finding.kind == "none":
        return say.gettext("at most %(high)s, best estimate %(likely)s; could be zero", **values)
    if finding.kind == "all":
        return say.gettext("at least %(low)s, best estimate %(likely)s; could be %(high)s", **values)
    return say.gettext("between %(low)s and %(high)s, best estimate %(likely)s", **between)


def _first_of_two(per_cent: Decimal, say: Language) -> str:
    """Return the first of two shares: the per cent sign of the second serves both where it comes last."""
    return say.percent(per_cent) if say.is_percent_first else say.number(per_cent)


def _mean_words(finding: Finding, say: Language) -> str:
    values = {"low": finding.low, "high": finding.high, "likely": finding.likely, "unit": finding.unit}
    if finding.kind == "exact":
        number = say.number(_shortest(finding.likely))
        return say.gettext("on average exactly %(likely)s", likely=f"{number} {finding.unit}".rstrip())
    if not finding.is_decided:
        low, high = (f"{say.number(end)} {finding.unit}".rstrip() for end in (finding.low, finding.high))
        if finding.kind == "none":
            return say.gettext("on average at most %(high)s", high=high)
        if finding.kind == "all":
            return say.gettext("on average at least %(low)s", low=low)
        return say.gettext("on average somewhere between %(low)s and %(high)s", low=low, high=high)
    if not finding.unit:
        return say.gettext("on average between %(low)s and %(high)s, best estimate %(likely)s", **values)
    return say.gettext("on average between %(low)s and %(high)s %(unit)s, best estimate %(likely)s %(unit)s", **values)


def sentences(verdict: Verdict, say: Language, labels: Mapping[str, str] | None = None) -> list[str]:
    """Return what is to be said of a question beside its findings. `labels`: how answers are called in sentences."""
    said = [*_conditions(verdict, say)]
    if verdict.order and not verdict.is_unknown:
        said += _of_order(_labelled(verdict.order, labels) if labels else verdict.order, say)
        said += [_why_unranked(say)] if _told_finer(verdict, verdict.order) else []
    return said + ([_of_aim(verdict.aim, say)] if verdict.aim else [])


def _conditions(verdict: Verdict, say: Language) -> Iterator[str]:
    if verdict.is_void:
        yield void_words(say)
    if verdict.n_left_out:
        yield say.ngettext(
            "The answers with the highest estimates are listed here; %(n)s more is in the table. The listed ranges "
            "are wide enough to be right all at once.",
            "The answers with the highest estimates are listed here; %(n)s more are in the table. The listed ranges "
            "are wide enough to be right all at once.",
            verdict.n_left_out,
        )


def _labelled(order: Order, labels: Mapping[str, str]) -> Order:
    groups = tuple(tuple(labels[answer] for answer in group) for group in order.groups)
    return Order(groups, tuple(labels[answer] for answer in order.leaders))


def _of_order(order: Order, say: Language) -> Iterator[str]:
    n_answers = sum(len(group) for group in order.groups)
    if len(order.groups) > 1:
        yield say.gettext("Ranking, the most common first: %(order)s.", order=order_words(order, say))
        if len(order.groups) < n_answers:
            yield say.gettext("Two answers with only a comma between them are too close to rank.")
    elif len(order.leaders) < n_answers and len(order.leaders) <= _MAX_NAMES:
        named = say.joined(order.leaders)
        yield say.gettext("Too close to say which is the most common: %(answers)s.", answers=named)
    else:
        yield say.gettext("The answers are too close to say which is the most common.")


def _told_finer(verdict: Verdict, order: Order) -> bool:
    """Whether the ranges that are told, each valid alone, would rank more than those that are valid together."""
    if verdict.n_left_out:
        return False
    alone = order_of([ShareInterval(of.answer, float(of.low), float(of.high)) for of in verdict.findings])
    return len(alone.groups) > len(order.groups) or len(alone.leaders) < len(order.leaders)


def _why_unranked(say: Language) -> str:
    return say.gettext(
        "Some of the ranges above do not overlap. A ranking needs ranges that are all valid at once, and those are "
        "wider."
    )


def quote_words(say: Language) -> str:
    """Return which range to quote of an estimate that is marked as impossible: the headline's, and why it is wider."""
    return say.gettext(
        "Where an estimate is marked *, the table cuts its range off at the edge of what is possible. The range at "
        "the top is wider. Quote the range at the top."
    )


def order_words(order: Order, say: Language) -> str:
    """Return the names in their order; of many the first ones."""
    room = _MAX_NAMES
    groups: list[str] = []
    for group in order.groups:
        if len(group) > room:
            n_others = sum(len(rest) for rest in order.groups[len(groups) :])
            groups.append(say.ngettext("%(n)s other", "%(n)s others", n_others))
            break
        groups.append(say.joined(group))
        room -= len(group)
    return " > ".join(groups)


def _of_aim(aim: Aim, say: Language) -> str:
    values = {"width": width_words(aim, say), "reports": aim.n_needed, "now": aim.n_reports}
    if aim.n_needed is None:
        return say.gettext("No number of reports would narrow this to ± %(width)s.", **values)
    if aim.drawn:
        values |= {"drawn": aim.drawn[0], "questions": aim.drawn[1]}
        if aim.is_declared:
            return say.gettext(
                "Each report answers %(drawn)s of the %(questions)s questions. The survey aims at ± %(width)s, which "
                "takes about %(reports)s reports in all (%(now)s so far).",
                **values,
            )
        return say.gettext(
            "Each report answers %(drawn)s of the %(questions)s questions. About %(reports)s reports in all would "
            "narrow this to ± %(width)s (%(now)s so far).",
            **values,
        )
    if aim.is_declared:
        return say.gettext(
            "The survey aims at ± %(width)s, which takes about %(reports)s reports (%(now)s so far).", **values
        )
    return say.gettext("About %(reports)s reports would narrow this to ± %(width)s (%(now)s so far).", **values)


def width_words(aim: Aim, say: Language) -> str:
    """Return a half-width in points, or in the unit of its numbers."""
    width = Decimal(str(round(aim.half_width, 12)))
    if aim.unit is not None:
        return f"{say.number(_shortest(width))} {aim.unit}".rstrip()
    points = say.number(_shortest(width.scaleb(2)))
    return say.ngettext("%(points)s point", "%(points)s points", 1 if points == "1" else 2, points=points)


def _shortest(number: Decimal) -> str:
    return f"{number.normalize():f}"
