"""What is said of a survey as a whole: who takes part, what is kept and given out, and what no epsilon bounds."""

from collections.abc import Iterable, Iterator

from sotto_protocol.bounds import float_above
from sotto_protocol.language import Language, mark
from sotto_protocol.members import COUNTS, Settings
from sotto_protocol.questions.number import Number
from sotto_protocol.questions.question import Question
from sotto_protocol.survey import Survey
from sotto_protocol.words import whole_percent_above

ONE_REPORT = mark(
    "Your device makes the report only once. Asking again brings nothing new. This is true for anyone who sees "
    "the report, whatever else they know. It is true even if the people who store the reports are dishonest."
)
A_REPORT_A_WAVE = mark(
    "Your device makes at most one report in each wave. Asking again in the same wave brings nothing new. This is true "
    "for anyone who sees all the reports, whatever else they know. It is true even if the people who store the "
    "reports are dishonest."
)
PROGRAM = mark(
    "The people who serve the page or the app also serve its program. You have to trust that the program does what "
    "it says."
)
_CHANGES = mark(
    "If you change an answer, there is still a limit to what anyone can learn about your answers. But a changed "
    "answer uses up its epsilon once more. No epsilon hides whether you changed an answer, or in which wave. The "
    "lasting noise changes with the answer. People can see that your reports are from one device. So they can "
    "see the change over the waves. If that alone would tell something about you, do not take part."
)
_MOVES = mark(
    "No epsilon limits what people can see of how far a number moved. The farther it moved, the more likely the "
    "change shows."
)

_MOVES_LITTLE = mark(
    "For “%(question)s”, suppose your numbers stay within %(distance)s of each other. Then your reports show a change "
    "with a chance of at most %(chance)s. They show larger changes more often."
)

_ALL_THE_SAME = mark("Even so, the noise protects your answers.")
_IN_A_GROUP_OF_ONE = mark("Even so, the noise protects your answers, even in a group of one.")


_OBLIVIOUS = mark(
    "Your device sends the report encrypted, through a relay (%(relay)s). The relay sees your network address, but "
    "cannot read the report. The collector can read the report, but with it sees only the relay's address. It may see "
    "yours when your device reads the survey. If few people answer at that time, the collector may guess which report "
    "is yours. You have to trust that the people who run the two do not work together. Nobody can check that from "
    "outside."
)


def say_drawing(n_asked: int, n_questions: int, language: Language) -> str:
    """Return that only some of the questions are asked; nothing where all are."""
    if n_asked == n_questions:
        return ""
    return language.ngettext(
        "Your device asks you only %(n)s of these %(questions)s questions, picked at random. It picks once, for "
        "good, before it knows any answer. It sends which one it picked. That tells nothing about your answers.",
        "Your device asks you only %(n)s of these %(questions)s questions, picked at random. It picks once, for "
        "good, before it knows any answer. It sends which ones it picked. That tells nothing about your answers.",
        n_asked,
        questions=n_questions,
    )


def say_waves(settings: Settings, language: Language) -> str:
    """Return that a device is asked in some of the waves only; nothing where it is asked in all."""
    if not settings.asked_in:
        return ""
    return language.gettext(
        "Your device asks you in only %(n)s of the %(waves)s waves, picked at random. It picks once, for good, before "
        "it knows any answer. In the other waves it sends nothing. When it asks you tells nothing about your answers.",
        n=settings.asked_in,
        waves=settings.waves,
    )


def say_changes(survey: Survey, language: Language, moves: Iterable[str]) -> str:
    """Return what no epsilon bounds where noise lasts over several waves; else nothing. `moves`: about numbers."""
    if not survey.keeps_noise:
        return ""
    return language.text([language.gettext(_CHANGES), *dict.fromkeys(moves)])


def say_moves(question: Question, text: str, language: Language) -> str:
    """Return how often it shows that a question's number moved; of what is no number nothing."""
    if not isinstance(question.kind, Number):
        return ""
    if question.mechanism.shown_change is None:
        return language.gettext(_MOVES)
    n_steps, prob = question.mechanism.shown_change
    return language.gettext(
        _MOVES_LITTLE,
        question=text,
        distance=question.kind.say_distance(n_steps),
        chance=whole_percent_above(float_above(prob), language),
    )


def say_promises(settings: Settings, language: Language, *, is_little: bool) -> Iterator[str]:
    """Yield who takes part, and what is given out, a paragraph each: for that the collector is taken at its word.

    `is_little`: answers are protected little. Then no paragraph says that the noise protects them.
    """
    all_the_same = "" if is_little else language.gettext(_ALL_THE_SAME)
    if settings.is_oblivious:
        yield language.text([language.gettext(_OBLIVIOUS, relay=settings.relay), all_the_same])
    if settings.invited:
        yield language.text([_say_invited(settings, language), all_the_same])
    if settings.strata:
        in_a_group_of_one = "" if is_little else language.gettext(_IN_A_GROUP_OF_ONE)
        yield language.text([_say_strata(settings, language), in_a_group_of_one])
    if settings.min_reports > 1:
        yield language.gettext(
            "The collector promises to give out no counts of fewer than %(least)s reports. New counts "
            "that it gives out differ from earlier counts by at least as many reports, or not at all.",
            least=settings.min_reports,
        )
    if settings.keep == COUNTS:
        kept = language.gettext(
            "The collector adds your report to its counts and does not keep it. So nobody can take it out again. "
            "Only its random number stays, so that it is counted once. That is the collector's promise. Nobody "
            "can check it from outside."
        )
        yield language.text([kept, all_the_same])
    if settings.erase_after:
        erased = language.gettext(
            "From %(day)s on, no report is kept. The collector promises to erase them all that day. The counts "
            "stay, and the random numbers of the reports. The people who run the survey must delete earlier "
            "copies, such as backups. Nobody can check either from outside.",
            day=settings.erase_on,
        )
        yield language.text([erased, all_the_same])
    if settings.public_results:
        yield _say_public(settings, language)


def _say_invited(settings: Settings, language: Language) -> str:
    return _say_traded(settings, language) if settings.is_blind else _say_sent(settings, language)


def _say_traded(settings: Settings, language: Language) -> str:
    traded = mark(
        "Only invited people take part. Your device trades your invitation for a token, and later sends the token "
        "with your report."
    )
    if settings.max_reports > 1:
        traded = mark(
            "Only invited people take part. In each wave your device trades your invitation for a new token, and later "
            "sends the token with your report."
        )
    hidden = mark("Nobody can tell from the token whose invitation it was.")
    rest = mark(
        "But your device makes both requests itself. The people who run the collector could write down from which "
        "address and when the two arrive. Then anyone who knows who got your invitation could find your report."
    )
    if settings.is_oblivious:
        rest = mark(
            "With both requests, the collector sees only the relay's address. But if few people take part at that "
            "time, it may guess from the two times which report is yours."
        )
    return language.text(map(language.gettext, (traded, hidden, rest)))


def _say_sent(settings: Settings, language: Language) -> str:
    sent = mark("Only invited people take part. Your device sends your invitation beside the report.")
    if settings.max_reports > 1:
        sent = mark(
            "Only invited people take part. Your device sends your invitation beside the report, the same one in "
            "every wave."
        )
    promise = mark("The collector promises to keep nothing that links the two.")
    if settings.strata and settings.keep != COUNTS:
        promise = mark("The collector promises to keep nothing that links the two, except the group of the report.")
    rest = mark(
        "Nobody can check that from outside. The people who run the collector could write down both as they "
        "arrive. Then anyone who knows who got your invitation would know which report is yours."
    )
    return language.text(map(language.gettext, (sent, promise, rest)))


def _say_strata(settings: Settings, language: Language) -> str:
    groups = language.gettext(
        "The people who run the survey invite people in groups: %(groups)s.", groups=language.joined(settings.strata)
    )
    counted = mark(
        "Your device does not say which one is yours. Your invitation tells the collector, which counts each "
        "group separately."
    )
    if settings.keep != COUNTS:
        counted = mark(
            "Your device does not say which one is yours. Your invitation tells the collector, which counts each "
            "group separately. It keeps the group with your report."
        )
    if settings.is_blind:
        counted = mark(
            "Your device does not say which one is yours. Your token tells the collector, which counts each group "
            "separately."
        )
        if settings.keep != COUNTS:
            counted = mark(
                "Your device does not say which one is yours. Your token tells the collector, which counts each group "
                "separately. It keeps the group with your report."
            )
    rest = mark(
        "Results are given by group. So your report is one of your group's reports, not of everybody's. In a "
        "small group, few others have sent one like it."
    )
    return language.text([groups, language.gettext(counted), language.gettext(rest)])


def _say_public(settings: Settings, language: Language) -> str:
    said = [
        language.gettext(
            "Everybody may see the estimates of all answers together. So they see how many people take part."
        )
    ]
    if settings.min_reports == 1:
        said.append(
            language.gettext(
                "If someone looks again after every report, they can see each single report, with its noise."
            )
        )
    elif not settings.invited:
        said.append(
            language.gettext(
                "Someone who can send their own reports may still see another person's, as noisy as it was sent."
            )
        )
    return language.text(said)
