"""What a letter says under its headings, in each of the product's languages: sentences true of the survey at hand."""

from sotto_protocol.explain import Explanation, said
from sotto_protocol.language import Language, mark
from sotto_protocol.protection import PRIOR, exceeded
from sotto_protocol.survey import Survey
from sotto_protocol.words import epsilon_above

Rows = list[tuple[str, str]]


def in_short(survey: Survey, speech: Language) -> list[str]:
    """Return what matters most, the first thing first."""
    limit = exceeded(survey.epsilon_forever)
    changed = mark(
        "Each participant's device changes the answers at random before it sends anything. Some may be unchanged, "
        "and nobody can be sure which."
    )
    proves = mark("So no report proves what a person answered.")
    if limit:
        changed = mark(
            "Each participant's device changes the answers at random before it sends anything. Some may be unchanged."
        )
        proves = mark(
            "These answers are protected little. Someone who was %(prior)s sure of them can become more than %(limit)s "
            "sure."
        )
    return [
        speech.gettext(changed),
        speech.gettext(proves, prior=speech.percent(PRIOR), limit=speech.percent(limit)),
        speech.gettext(
            "From all reports together, the program estimates how common each answer is. It also says how precise "
            "these results are."
        ),
    ]


def find_out(survey: Survey, explanation: Explanation, speech: Language) -> list[str]:
    """Return what anybody can learn of one person from all that the person's device sends."""
    lines = [
        speech.gettext(
            "Epsilon measures how much reports can give away. At 0 they give away nothing. One report of this survey "
            "has an epsilon of at most %(epsilon)s.",
            epsilon=epsilon_above(survey.epsilon, speech),
        )
    ]
    if survey.max_reports > 1:
        together = mark("All reports of one person together have an epsilon of at most %(epsilon)s.")
        if survey.keeps_noise:
            together = mark(
                "If the answers stay the same, all reports of one person together have an epsilon of at most "
                "%(epsilon)s."
            )
        lines.append(speech.gettext(together, epsilon=epsilon_above(survey.epsilon_forever, speech)))
    lines += [suspicion.say(speech) for suspicion in explanation.suspicions_forever]
    lines.append(said(explanation.accusations_forever).say(speech))
    return [
        *lines,
        speech.gettext(
            "This is true as long as the device runs the published program. It is then true whatever else somebody "
            "knows, even if the people who run the survey are dishonest."
        ),
        speech.gettext("It is not true of things that become known otherwise, such as by a look at the screen."),
    ]


def who_learns(survey: Survey, speech: Language) -> Rows:
    """Return every party, and what it learns."""
    network = (
        speech.gettext("The network, and hosting companies"),
        speech.gettext("That a device connected, when, and from which address."),
    )
    relay = (
        speech.gettext("The operator of the relay (%(relay)s)", relay=survey.relay),
        speech.gettext("That a device sent something, when, and from which address. It cannot read what was sent."),
    )
    reports = mark("Each report: the answers after random changes, and a random number.")
    if survey.is_blind:
        reports = mark(
            "First, that an invitation is traded for a token. Later each report: the answers after random changes, a "
            "random number and a token. The token does not tell whose invitation it was."
        )
    elif survey.invited:
        reports = mark("Each report: the answers after random changes, a random number and the invitation.")
    return [
        (
            speech.gettext("The participant's device, and the page or app that asks"),
            speech.gettext("The true answers. They stay on the device."),
        ),
        (speech.gettext("The people who run the survey"), speech.gettext(reports)),
        *[relay] * survey.is_oblivious,
        network,
        (speech.gettext("People who evaluate the survey"), _say_counts(survey, speech)),
        (speech.gettext("Everybody else"), _say_public(survey, speech)),
    ]


def _say_counts(survey: Survey, speech: Language) -> str:
    if survey.min_reports > 1:
        return speech.gettext(
            "Counts of at least %(least)s reports. No single report.",
            least=survey.min_reports,
        )
    if survey.keeps_reports:
        return speech.gettext("Counts of the reports, and each single report with its random changes.")
    return speech.gettext(
        "Counts of the reports. Someone who compares the counts before and after a report can work out that report, "
        "with its random changes."
    )


def _say_public(survey: Survey, speech: Language) -> str:
    if survey.public_results:
        return speech.gettext("The estimates so far, and how many people took part.")
    return speech.gettext("Nothing, unless the results are published.")


def stored(survey: Survey, speech: Language) -> list[str]:
    """Return what is stored, for how long, and how it is taken out again."""
    kept = mark("It stores counts and random numbers. It keeps no report.")
    erased = mark("A report cannot be taken out of the counts again.")
    ends = mark("No day is set on which data are deleted. Please ask for one.")
    if survey.keeps_reports:
        kept = mark("It stores each report with its random number, and counts of the reports.")
        erased = mark(
            "Each participant gets a receipt. With it, a person can have the report erased. Without it, nothing "
            "stored says whose report it is."
        )
    if survey.erase_after:
        ends = mark("On %(day)s it erases all reports. The counts stay.")
    return [
        speech.gettext(
            "The collector is the server that receives the reports. It stores no address, browser, account or time."
        ),
        speech.gettext(kept),
        speech.gettext(ends, day=survey.erase_on),
        speech.gettext(erased),
    ]


def broken_words(survey: Survey, speech: Language) -> Rows:
    """Return what could become known, and who would have to be dishonest for that."""
    noting = _say_noting(survey)
    only_changed = mark("Even then they see only answers after random changes.")
    return [
        (
            speech.gettext("True answers"),
            speech.gettext(
                "The people who serve the page or the app, by serving another program. Or someone who controls the "
                "participant's device."
            ),
        ),
        (
            speech.gettext("Which report is whose"),
            speech.text([speech.gettext(noting), speech.gettext(only_changed)]),
        ),
    ]


def _say_noting(survey: Survey) -> str:
    """Return who could join a report to a person, and by what, as a message."""
    if survey.spends_invitations:
        if survey.is_oblivious:
            return mark("The people who run the collector, by noting invitations when reports arrive.")
        return mark("The people who run the collector, by noting invitations or addresses when reports arrive.")
    if survey.is_oblivious:
        return mark(
            "The people who run the collector and those who run the relay, both together. Or the people who run the "
            "collector alone, by guessing from the times, if few people take part."
        )
    if survey.is_blind:
        return mark(
            "The people who run the collector, by noting addresses or times when invitations are traded and when "
            "reports arrive."
        )
    return mark("The people who run the collector, by noting addresses when reports arrive.")


def of_law(survey: Survey, speech: Language) -> list[str]:
    """Return facts for those who apply the law, and no verdict."""
    leads = [speech.gettext("A receipt leads its owner to the report.")] * survey.keeps_reports
    if survey.invited:
        admits = mark(
            "An invitation is sent with each report. Somebody may have a list of the people and their invitations."
        )
        if survey.is_blind:
            admits = mark(
                "An invitation is traded for a token before each report. Somebody may have a list of the people and "
                "their invitations. That list and what is stored show who traded an invitation, not which report is "
                "whose."
            )
        leads.append(speech.gettext(admits))
    if survey.keeps_noise:
        leads.append(speech.gettext("A device's reports in different waves can be linked to each other."))
    return [
        speech.gettext(
            "Laws speak of anonymous and of pseudonymous data. This page does not decide which of the two a report "
            "is. That depends on the law, on the people who hold the data, and on what else they know."
        ),
        speech.gettext(
            "A report has no name, and its answers are partly random. But it comes from one person. The figures "
            "above say how much it can give away at most."
        ),
        *leads,
    ]


def not_possible(speech: Language) -> list[str]:
    """Return what nobody can do with such a survey."""
    return [
        speech.gettext("Nobody can find, help or warn a single person. Please tell participants where they get help."),
        speech.gettext("If few people take part, the results may be too imprecise to use."),
        speech.gettext("People can send made-up reports. Not all of these can be found."),
    ]


def checks(survey: Survey, speech: Language) -> list[str]:
    """Return how strangers check what this page says."""
    is_known = not survey.is_oblivious or bool(survey.gateway_key)  # `sotto publish` completes the others
    code = f"`{survey.fingerprint}`"
    fingerprint = speech.gettext(
        "Survey %(id)s. Its fingerprint, made from every word and number in it: %(fingerprint)s",
        id=survey.id,
        fingerprint=code,
    )
    return [
        *[fingerprint] * is_known,
        speech.gettext(
            "`sotto explain` computes these figures again from the survey file. `sotto verify` compares the survey "
            "page with the published program."
        ),
        speech.gettext("The program is open source. Anybody may read and test it."),
    ]


def blanks(survey: Survey, speech: Language) -> list[str]:
    """Return what no survey file knows, to be filled in by the people who ask."""
    asks = [
        *[mark("The person or body responsible, and a contact for participants")]
        * (not (survey.controller and survey.contact)),
        mark("Purpose, and legal basis or consent"),
        mark("Operator and place of the collector, and what the hosting company logs"),
        *[mark("Operator of the relay, independent of the collector's")] * survey.is_oblivious,
        *[mark("The person who gives out the invitations, and keeps the list")] * survey.invited,
        mark("When reports, backups and copies are deleted, and by whom"),
        mark("The people who see the results, and what follows from them"),
        mark("Decision, date and signature"),
    ]
    return [speech.gettext(each) for each in asks]
