"""What is said of a survey as a whole: who takes part, what is kept and given out, and what no epsilon bounds."""

from collections.abc import Iterator

from sotto_protocol.language import Language, mark
from sotto_protocol.members import COUNTS, Settings

ONE_REPORT = mark(
    "The report is made on your device, once; asking again brings nothing new. This holds for anyone who sees the "
    "report, whatever else they know, and even if the collector is dishonest."
)
A_REPORT_A_WAVE = mark(
    "One report a wave is made on your device; asking again within a wave brings nothing new. This holds for anyone "
    "who sees all the reports, whatever else they know, and even if the collector is dishonest."
)
_CHANGES = mark(
    "If you change an answer: what anyone learns of which answers you gave is bounded, but a changed answer takes its "
    "epsilon anew. Whether you changed an answer, and in which wave, is protected by no epsilon at all: the noise that "
    "is drawn once changes with the answer, your reports can be told to be from one device, and over the waves the "
    "change can be seen. If that alone would tell something about you, do not take part."
)
_MOVES = mark(
    "Nor does any epsilon bound what is seen of how far a number moved: the farther, the likelier is a change that "
    "shows."
)

_ALL_THE_SAME = mark("The noise protects your answers all the same.")
_IN_A_GROUP_OF_ONE = mark("The noise protects your answers all the same, in a group of one too.")


def say_drawing(settings: Settings, n_questions: int, language: Language) -> str:
    """Return that only some of the questions are asked; nothing where all are."""
    if not settings.draw:
        return ""
    return language.ngettext(
        "Of these %(questions)s questions only %(n)s is asked of you, which your device draws as by lot: once, before "
        "it knows any answer, and for good. What it draws is sent in clear, and tells nothing of your answers.",
        "Of these %(questions)s questions only %(n)s are asked of you, which your device draws as by lot: once, before "
        "it knows any answer, and for good. What it draws is sent in clear, and tells nothing of your answers.",
        settings.draw,
        questions=n_questions,
    )


def say_changes(settings: Settings, language: Language, *, has_number: bool) -> str:
    """Return what no epsilon bounds where there are several waves; else nothing."""
    if settings.waves == 1:
        return ""
    return language.text([language.gettext(_CHANGES), language.gettext(_MOVES) if has_number else ""])


def say_promises(settings: Settings, language: Language, *, is_little: bool) -> Iterator[str]:
    """Yield who takes part, and what is given out, a paragraph each: for that the collector is taken at its word.

    `is_little`: answers are protected little. Then no paragraph says that the noise protects them.
    """
    all_the_same = "" if is_little else language.gettext(_ALL_THE_SAME)
    if settings.invited:
        yield language.text([_say_invited(settings, language), all_the_same])
    if settings.strata:
        in_a_group_of_one = "" if is_little else language.gettext(_IN_A_GROUP_OF_ONE)
        yield language.text([_say_strata(settings, language), in_a_group_of_one])
    if settings.min_reports > 1:
        yield language.gettext(
            "The collector promises to give out no counts of fewer than %(least)s reports, and none that differ by "
            "fewer from those that it gave out before.",
            least=settings.min_reports,
        )
    if settings.keep == COUNTS:
        kept = language.gettext(
            "The collector adds your report to its counts and does not keep it; so it cannot be taken out again. What "
            "stays of it is its random number, so that it is counted once. That is the collector's promise, and nobody "
            "can check it from outside."
        )
        yield language.text([kept, all_the_same])
    if settings.erase_after:
        erased = language.gettext(
            "From %(day)s on no report is kept: the collector promises to erase them all that day. Counts stay, and "
            "the random numbers under which the reports were counted. Copies that were made before, such as backups, "
            "are for whoever runs the survey to delete. Nobody can check either from outside.",
            day=settings.erase_on,
        )
        yield language.text([erased, all_the_same])
    if settings.public_results:
        yield _say_public(settings, language)


def _say_invited(settings: Settings, language: Language) -> str:
    sent = mark("Only who was invited takes part. Your invitation is sent beside the report.")
    if settings.waves > 1:
        sent = mark(
            "Only who was invited takes part. Your invitation is sent beside the report, the same one in every wave."
        )
    promise = mark("The collector promises to keep nothing that ties the two together.")
    if settings.strata and settings.keep != COUNTS:
        promise = mark("The collector promises to keep nothing that ties the two together, but which group it is of.")
    rest = mark(
        "Nobody can check that from outside: whoever runs the collector could note both as they come, and who knows to "
        "whom an invitation was given would then know which report is yours."
    )
    return language.text(map(language.gettext, (sent, promise, rest)))


def _say_strata(settings: Settings, language: Language) -> str:
    groups = language.gettext(
        "Whoever runs the survey invites people in groups: %(groups)s.", groups=language.joined(settings.strata)
    )
    counted = mark(
        "Your device does not say which one is yours; your invitation tells the collector, which counts every group by "
        "itself."
    )
    if settings.keep != COUNTS:
        counted = mark(
            "Your device does not say which one is yours; your invitation tells the collector, which counts every "
            "group by itself, and keeps with your report which one it is of."
        )
    rest = mark(
        "Results are given by group. So your report is one of its group's, not of everybody's, and in a small group "
        "few others have sent one like it."
    )
    return language.text([groups, language.gettext(counted), language.gettext(rest)])


def _say_public(settings: Settings, language: Language) -> str:
    said = [
        language.gettext("Everybody may see the estimates of all answers together, and so how many people take part.")
    ]
    if settings.min_reports == 1:
        said.append(
            language.gettext("Whoever looks again after every report sees each one by itself, as noisy as it was sent.")
        )
    elif not settings.invited:
        said.append(
            language.gettext(
                "Whoever can send reports of their own may still see another's by itself, as noisy as it was sent."
            )
        )
    return language.text(said)
