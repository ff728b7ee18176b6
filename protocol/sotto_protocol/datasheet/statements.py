"""What a datasheet says under its headings: a list of sentences each, true of the survey at hand."""

from sotto_protocol.blind import FEW_TOKENS
from sotto_protocol.bounds import float_above
from sotto_protocol.datasheet.parties import in_groups
from sotto_protocol.explain import Explanation, said
from sotto_protocol.protection import say_little_of
from sotto_protocol.questions.number import Number
from sotto_protocol.questions.question import Question
from sotto_protocol.readings import suspicions
from sotto_protocol.survey import Survey
from sotto_protocol.words import counted, epsilon_above, whole_percent_above, whole_percent_below

_TENTH = 0.10


def unit_of_privacy(survey: Survey, explanation: Explanation) -> list[str]:
    """Return what epsilon is of, and what it is."""
    picked = f"answers to {survey.draw} of {len(survey.questions)} questions picked at random"
    unit = picked if survey.draw else "all answers together" if len(survey.questions) > 1 else "one answer"
    most = "at most " if survey.draw else ""
    lines = [
        "Epsilon measures how much a report can give away: 0 is nothing.",
        f"One person sends one report from one device, with {unit}. Its epsilon is {most}"
        f"{epsilon_above(survey.epsilon)}.",
    ]
    lines.append(_say(explanation, forever=False))
    if survey.asked_in:
        lines.append(
            f"A device is asked in {survey.asked_in} of {survey.waves} waves, picked at random, and sends nothing in "
            "the others."
        )
    if survey.max_reports > 1:
        epsilon = epsilon_above(survey.epsilon_forever)
        if survey.keeps_noise:
            of_waves = f"If the answers stay the same, all {survey.max_reports} waves together have epsilon"
        else:
            of_waves = f"All {survey.max_reports} reports together have epsilon"
        lines.append(f"{of_waves} {most}{epsilon}.")
        if (of_all_waves := _say(explanation, forever=True)) not in lines:
            lines.append(of_all_waves)
        if survey.keeps_noise:
            lines.append("A changed answer gives away its epsilon once more.")
    again = " That takes another invitation." if survey.invited else ""
    return [*lines, f"A person who answers again on a second device gives away both epsilons, added up.{again}"]


def _say(explanation: Explanation, *, forever: bool) -> str:
    epsilon = explanation.epsilon_forever if forever else explanation.epsilon
    tests = explanation.accusations_forever if forever else explanation.accusations
    [tenth] = suspicions(epsilon, [_TENTH])
    return (
        f"Someone who was 10 % sure can become at most {whole_percent_above(tenth.highest)} sure (rounded up), "
        f"whatever else they know. They cannot become less than {whole_percent_below(tenth.lowest)} sure. "
        f"{said(tests).say()}"
    )


def retention(survey: Survey) -> list[str]:
    """Return what is kept, by whom, and for how long as far as the program decides."""
    kept = (
        "The collector keeps every noisy report with its random id, and counts of the reports."
        if survey.keeps_reports
        else "The collector keeps counts, and the random ids of the reports it counted. It keeps no report."
    )
    wave = " of the last wave" if survey.max_reports > 1 else ""
    until = "Until somebody erases it, nothing is deleted, even after the survey closes."
    if survey.erase_after:
        until = (
            f"On {survey.erase_on}, {counted(survey.erase_after, 'day')} after the last day for reports, it erases all "
            "reports. The counts stay, and the random ids without their reports."
        )
    return [
        f"{kept} {until}",
        "The collector stores no address, browser, account or time. For some seconds its files show the order of the "
        "latest "
        "reports" + (", and which invitation each used up." if survey.spends_invitations else "."),
        *["The collector stores for which invitations it signed a token. Nothing it stores leads on to a report."]
        * survey.is_blind,
        "The device keeps the receipt, and how much epsilon it spent. It keeps the secret behind its noise until the "
        f"report{wave} is delivered or the survey is over.",
    ]


def erasure(survey: Survey) -> list[str]:
    """Return how what was sent is taken out again."""
    whole = "Once the survey is closed, the operator can erase all of it (`sotto erase --all`)."
    if not survey.keeps_reports:
        return ["One report cannot be erased. It is a part of the counts, and not kept.", whole]
    return [
        "A person with a report's receipt can have the report erased, on the survey page or by `sotto erase`. It "
        "leaves "
        "the reports and the counts. Without the receipt, nobody can tell which report it is.",
        "Earlier estimates, releases, exports and backups stay as they are.",
        whole,
    ]


def _shows_every_move(question: Question) -> bool:
    return isinstance(question.kind, Number) and question.mechanism.shown_change is None


def _small_moves(question: Question) -> list[str]:
    """Return how often it shows that a number moved a little; nothing of what is no number."""
    shown = question.mechanism.shown_change
    if not isinstance(question.kind, Number) or shown is None:
        return []
    distance, chance = question.kind.say_distance(shown[0]), whole_percent_above(float_above(shown[1]))
    return [
        f"Suppose a person's numbers for {question.id} stay within {distance} of each other. Then the reports show a "
        f"change with a chance of at most {chance}."
    ]


def linkage(survey: Survey) -> list[str]:
    """Return what joins reports to each other, to people, and to other surveys."""
    lines = []
    if survey.keeps_reports:
        lines.append("The answers of one report are kept together. Nothing stored links them to a person.")
    else:
        lines.append("Nothing stored links an answer to another answer, or to a person.")
    if survey.asked_in:
        lines.append(
            "In which wave a device sends a report can be seen. It was picked before there were answers, and tells "
            "nothing about them."
        )
    if survey.keeps_noise:
        lines += [
            f"A device's reports in the {survey.max_reports} waves can be linked to each other, because some noise "
            "stays the same. Epsilon allows for that.",
            "No epsilon limits what can be seen of whether an answer changed, and in which wave"
            + (", or how far a number moved." if any(map(_shows_every_move, survey.questions)) else "."),
            *(line for question in survey.questions for line in _small_moves(question)),
        ]
    if groups := in_groups(survey):
        lines.append(
            f"For {', '.join(groups)} the device sends a group that it picked at random, without noise. The group "
            "tells "
            "nothing about the answer"
            + (", but helps to recognize the device in later waves." if survey.keeps_noise else ".")
        )
    if survey.draw:
        again = ", the same in every wave" if survey.max_reports > 1 else ""
        lines.append(
            f"The device sends which questions it picked, without noise{again}. That tells nothing about the answers."
        )
    if survey.is_blind:
        lines += [
            "Before it reports, the device trades the invitation for a token. The collector signs the token without "
            "seeing it (RFC 9474, blind signatures). So a report doesn't show whose invitation it was, not even to an "
            "operator with everything that is stored.",
            "The collector sees only the relay's address. The times of the two requests can still suggest who sent "
            "what. So can the address, if the operators of the relay and of the collector work together."
            if survey.is_oblivious
            else "The two requests come straight from the device. An operator who notes their addresses or times can "
            "link them. Only a relay hides the address.",
            "Against guesses by time, only a random wait between the two requests helps, and many people. With fewer "
            f"than {FEW_TOKENS} people in a group, tokens hide little.",
        ]
    elif survey.invited:
        lines.append(
            f"The invitation{', the same in every wave,' if survey.max_reports > 1 else ''} travels beside the noisy "
            "report. The collector deletes what links the two. Nobody can check that from outside: the operator could "
            "know whose report is which. Even then, epsilon limits what a report gives away."
        )
    if survey.strata:
        with_it = " and keeps the group with the report" if survey.keeps_reports else ""
        lines.append(
            f"The invitation says which group a report belongs to ({', '.join(survey.strata)}). The collector counts "
            "by "
            f"group{with_it}. In a small group, few others send a similar report. The same epsilon is true of a group "
            "of one."
        )
    return [*lines, "Every survey has its own noise and ids. What a person gives away in several surveys adds up."]


def checks(survey: Survey) -> list[str]:
    """Return how what stands here can be checked by somebody who trusts nobody."""
    lines = [
        f"The fingerprint {_say_fingerprint(survey)} changes with every word and number of the survey. `sotto check` "
        "prints it. A client that was given a fingerprint answers no other survey.",
        *[_GATEWAY] * survey.is_oblivious,
        "`sotto explain` computes these figures again from the published integers, with the file or the collector's "
        "address. A client does so too. It refuses a survey that declares less epsilon than it takes.",
        "`sotto audit` runs a client and measures how much its reports give away.",
        "The program is open source (Apache-2.0). With the same random bytes, all clients must send the same report.",
    ]
    return lines + ["`sotto recount` counts the stored reports again."] * survey.keeps_reports


_GATEWAY = (
    "The fingerprint covers the relay and the key of the collector's gateway. That key signs the keys that devices "
    "encrypt with. A device shows their hash, so people can compare whether all got the same."
)


def _say_fingerprint(survey: Survey) -> str:
    """Return the fingerprint; of a file that `sotto publish` completes there is none yet."""
    if survey.is_oblivious and not survey.gateway_key:
        return "(known after `sotto publish`)"
    return f"`{survey.fingerprint}`"


def limits(survey: Survey) -> list[str]:
    """Return what is not protected, and what results are not."""
    lines = [
        *filter(None, [say_little_of(survey)]),
        *_of_connections(survey),
        "The people who serve the page or the app could serve one that does something else.",
        "This survey does not protect an answer that is known through other people.",
    ]
    if survey.is_blind:
        lines.append(
            "The operator could sign tokens for invented people. When the survey is closed, anybody can read how many "
            "invitations, tokens and reports there were, and compare."
        )
    anybody = "Anybody with invitations" if survey.invited else "Anybody"
    lines.append(f"{anybody} can send fake reports. Not all fakes can be found, and they change the results.")
    if "text" in {question.type for question in survey.questions}:
        lines.append("Nobody can read single texts. Only texts that many people give can be counted, roughly.")
    if survey.min_reports > 1:
        some = f"Each device answers {survey.draw} of {len(survey.questions)}. " if survey.draw else ""
        lines.append(
            f"No question shows a result before {counted(survey.min_reports, 'report')} answer that question. "
            f"{some}`sotto check` says how many reports each question needs."
        )
    return lines


def _of_connections(survey: Survey) -> list[str]:
    if not survey.is_oblivious:
        return ["People who see the device's connections can see that somebody took part."]
    return [
        "If the operators of the relay and of the collector work together, they can link an address to a report.",
        "The collector sees when a device reads the survey, and when reports come. If few people answer at that time, "
        "it may guess whose report one is. A random delay, or a relay that mixes, makes that harder.",
    ]


def asking(survey: Survey) -> list[str]:
    """Return who asks, and whom respondents can ask, as far as the survey says so."""
    asks = [f"{survey.controller} asks."] if survey.controller else []
    asks += [f"Respondents can ask about the survey: {survey.contact}."] if survey.contact else []
    return [words.replace("`", "'") for words in asks]  # an author's backtick begins no code


def blanks(survey: Survey) -> list[str]:
    """Return what no survey file knows, to be filled in by who asks."""
    kept = "reports" if survey.keeps_reports and not survey.erase_after else "counts"
    return [
        *["Who is responsible, and whom respondents can ask"] * (not (survey.controller and survey.contact)),
        "Purpose, and legal basis or consent",
        "Who runs the collector and where, which proxy or hosting is in front of it, and what that logs",
        "Who asks: the collector's own page, or which app or site",
        *["Who runs the relay, which must be somebody else, and what it logs"] * survey.is_oblivious,
        *["When the waves are"] * (survey.waves > 1),
        *["Who gave out the invitations, and keeps the list of who got which"] * survey.invited,
        *["How many people are in each group of invited people"] * bool(survey.strata),
        f"When {kept}, backups and exports are deleted, and by whom",
        "Who has an analyst's token, and where results are published",
        "Date, and version of the program",
    ]
