"""What a survey takes of a device, and what its settings mean, as text and for programs."""

from collections.abc import Iterator
from decimal import Decimal
from math import sqrt
from typing import Any

from sotto_client.ledger import MAX_EPSILON, MAX_PERIOD_EPSILON, PERIOD_DAYS
from sotto_protocol import Question, Survey
from sotto_protocol.language import ENGLISH, LANGUAGES
from sotto_protocol.mechanisms.mechanism import Mechanism
from sotto_protocol.minimum import needs_of, say_needs
from sotto_protocol.negotiation import match
from sotto_protocol.questions.joint import Joint
from sotto_protocol.strata import parents_of
from sotto_protocol.tables import align
from sotto_protocol.words import epsilon_above, epsilon_below

_ASKED = (
    "each device is asked some options only, so nobody can see how options go together "
    '(mechanism = "bit-flips" shows it)'
)

_SINGLE = (
    "a report has one option or blank, so nobody can see how options go together "
    '(weight = 2 or mechanism = "bit-flips" shows it)'
)


def say_takes(survey: Survey) -> Iterator[str]:
    """Yield lines: a table of every question's epsilon, then a line for each setting that is not the usual one."""
    yield align(_tabulate(survey))
    if survey.waves > 1:
        yield _say_waves(survey)
    if survey.draw:
        yield _say_drawn(survey)
    if asked := [question.id for question in survey.questions if question.mechanism.asks_some]:
        yield f"asked-option {', '.join(asked)}, {_ASKED}"
    if single := [question.id for question in survey.questions if _has_single_members(question.mechanism)]:
        yield f"subset {', '.join(single)}, {_SINGLE}"
    if survey.invited:
        blind = ", which is traded for a token first (blind)" if survey.is_blind else ""
        yield "invited, one report" + (" a wave" if survey.waves > 1 else "") + f" for each invitation{blind}"
    if survey.strata:
        yield f"{len(survey.strata)} strata: {', '.join(survey.strata)}. Each invitation is for one; each has results"
        if parents := parents_of(survey.strata):
            named = ", ".join(f"{name} ({len(strata)})" for name, strata in parents.items())
            yield f"their parents: {named}. Each has results too, of its strata that are shown"
    if survey.public_results:
        yield f"public results, everybody may see the estimates{_alone(survey)}"
    if survey.min_reports > 1:
        yield f"min_reports {survey.min_reports}, no tally of fewer reports is shown"
        yield from say_needs(survey)
    if len(survey.languages) > 1 or survey.lang != ENGLISH.tag:
        yield f"languages {', '.join(survey.languages)}{_say_unspoken(survey)}"
    if not survey.keeps_reports:
        yield f"keep {survey.keep}, there are no reports to erase, recount, export or associate"
    if survey.is_oblivious:
        yield f"delivery oblivious, through {survey.relay}, which somebody else must run"
    yield from _room(survey)
    yield f"fingerprint {_fingerprint(survey) or 'known after sotto publish, which adds the gateway_key'}"


def _fingerprint(survey: Survey) -> str | None:
    """Return the fingerprint; None of a file that `sotto publish` completes."""
    return None if survey.is_oblivious and not survey.gateway_key else survey.fingerprint


def _has_single_members(mechanism: Mechanism) -> bool:
    """Whether options of one question could be associated, but for reports that are too short."""
    return mechanism.max_selected > 1 and getattr(mechanism, "weight", 0) == 1


def summarise(survey: Survey) -> dict[str, Any]:
    """Return what a survey takes, for programs: every epsilon in nats, and the reports from which it is shown."""
    needs = needs_of(survey)
    questions = [
        {
            "id": question.id,
            "type": question.type,
            "mechanism": question.mechanism.name,
            "epsilon": question.epsilon,
            "epsilon_forever": question.epsilon_forever,
            "least_reports": needs[question.id].least,
            "likely_reports": needs[question.id].likely,
        }
        | ({"items": [{"id": item.id, "type": item.type} for item in question.items]} if _is_joint(question) else {})
        for question in survey.questions
    ]
    named: dict[str, Any] = {"id": survey.id, "title": survey.title, "fingerprint": _fingerprint(survey)}
    named |= {"languages": [*survey.languages], "languages_in_english": unspoken(survey)}
    epsilons = {"epsilon": survey.epsilon, "epsilon_forever": survey.epsilon_forever}
    parents = {name: [*strata] for name, strata in parents_of(survey.strata).items()}
    of_strata = {"parents": parents} if parents else {}
    return named | survey.settings() | of_strata | epsilons | {"questions": questions}


def unspoken(survey: Survey) -> list[str]:
    """Return the tags of a survey's languages that the product does not speak: its own words are then in English."""
    return [tag for tag in survey.languages if not match(tag, [*LANGUAGES])]


def _say_unspoken(survey: Survey) -> str:
    return f", of which sottovoce does not speak {', '.join(missing)}" if (missing := unspoken(survey)) else ""


def say_in_english(survey: Survey) -> str:
    """Return which languages of a survey respondents read only in part; "" where it is none."""
    missing = unspoken(survey)
    if not missing:
        return ""
    return (
        f"{', '.join(missing)}: sottovoce does not speak {'it' if len(missing) == 1 else 'them'}. There the "
        "buttons and explanations are in English, or in another language of the browser."
    )


def _say_waves(survey: Survey) -> str:
    """Return what all reports of a device take; with `asked_in` also how many reports each wave gets."""
    epsilon = epsilon_above(survey.epsilon_forever)
    if not survey.asked_in:
        return f"waves {survey.waves}, the same answers in all take epsilon {epsilon}"
    m, n = survey.asked_in, survey.waves
    reports = "its one report takes" if m == 1 else f"its {m} reports together take"
    same = "if the answers stay the same, " * survey.keeps_noise
    return (
        f"asked_in {m} of {n} waves on every device; {same}{reports} epsilon {epsilon}. Each wave gets {m} of {n} "
        f"reports, so its intervals are {sqrt(n / m):.2f} times as wide as with all reports"
    )


def _say_drawn(survey: Survey) -> str:
    """Return what a draw takes, and what it does to intervals: each question has fewer reports."""
    n = len(survey.questions)
    wider = f"{sqrt(n / survey.draw):.2f} times as wide as with all reports"
    return (
        f"draw {survey.draw} of {n} questions on every device, the total is that of the largest {survey.draw}; each "
        f"question gets {survey.draw} of {n} reports, so its intervals are {wider}"
    )


def _alone(survey: Survey) -> str:
    """Return who could see a single report by the results, which is as noisy as it was sent."""
    if survey.min_reports == 1:
        return "; without min_reports also each new report alone"
    return "" if survey.invited else "; people who send reports can single one out, unless the survey is invited"


def say_beyond(survey: Survey) -> str:
    """Return that a survey takes more than a device gives unless its app allows more; "" where it does not."""
    taken = {
        "max_epsilon": (survey.epsilon_forever, MAX_EPSILON),
        "max_period_epsilon": (survey.epsilon, MAX_PERIOD_EPSILON),
    }
    beyond = [
        f"{epsilon_above(epsilon)} is above {name} ({limit:g})"
        for name, (epsilon, limit) in taken.items()
        if epsilon > Decimal(str(limit))
    ]
    if not beyond:
        return ""
    return (
        f"by default no page and no client answers it: its epsilon of {' and of '.join(beyond)}. Ask less of each "
        "person: fewer questions, less epsilon in each, or let `draw` choose some at random."
    )


def _room(survey: Survey) -> list[str]:
    """Return what the limits of a device leave, as they are by default: the survey's own, and that of all surveys."""
    most = "one report"
    if survey.max_reports > 1:
        most = "all waves of the same answers" if survey.keeps_noise else f"{survey.max_reports} reports"
    return [
        *_changes(survey),
        _left("max_epsilon", MAX_EPSILON, "", survey.epsilon_forever, most),
        _left("max_period_epsilon", MAX_PERIOD_EPSILON, f" in {PERIOD_DAYS} days", survey.epsilon, "one report"),
    ]


def _changes(survey: Survey) -> list[str]:
    """Return how often all of a device's answers may change before it falls silent, in a survey of several waves."""
    if survey.max_reports == 1 or not survey.keeps_noise or survey.epsilon_forever > MAX_EPSILON:
        return []
    often = int((Decimal(str(MAX_EPSILON)) - survey.epsilon_forever) // survey.epsilon_forever)
    if often >= survey.max_reports - 1:
        return []
    times = {0: "It has too little left for that", 1: "It can do so once", 2: "It can do so twice"}
    return [
        f"waves {survey.waves}: a device of which all answers change takes epsilon again. "
        f"{times.get(often, f'It can do so {often} times')}; then it sends nothing more, and later waves miss it"
    ]


def _left(name: str, limit: float, period: str, taken: Decimal, taking: str) -> str:
    left = Decimal(str(limit)) - taken
    room = (
        f"{epsilon_below(left)} left after {taking}"
        if left >= 0
        else f"too low for the {epsilon_above(taken)} of {taking}"
    )
    return f"{name} {limit:g}{period} by default, {room}"


def _tabulate(survey: Survey) -> list[list[str]]:
    """Return a row a question; what all reports of an answer take has a column where it is more than one takes."""
    has_forever = any(question.epsilon_forever != question.epsilon for question in survey.questions)
    rows = [["question", "type", "mechanism", "epsilon", *["epsilon_forever"] * has_forever, "expected"]]
    left = {item.id: item for item in survey.items}
    for question in survey.questions:
        epsilons = [epsilon_above(question.epsilon), *[epsilon_above(question.epsilon_forever)] * has_forever]
        together = " and ".join(item.id for item in question.items)
        expected = together if _is_joint(question) else question.expected
        rows.append([question.id, question.type, question.mechanism.name, *epsilons, expected])
        items = [left.pop(item.id) for item in question.items if _is_joint(question) and item.id in left]
        rows += [[item.id, item.type, "", "", *[""] * has_forever, item.expected] for item in items]
    return [*rows, ["total", "", "", epsilon_above(survey.epsilon), *[""] * has_forever, ""]]


def _is_joint(question: Question) -> bool:
    """Whether it is asked as several items, whose answers are reported together."""
    return isinstance(question.kind, Joint)
