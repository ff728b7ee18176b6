"""What a datasheet says under its headings: a list of sentences each, true of the survey at hand."""

from sotto_protocol.datasheet.parties import in_groups
from sotto_protocol.explain import Explanation, said
from sotto_protocol.protection import say_little_of
from sotto_protocol.readings import suspicions
from sotto_protocol.survey import Survey
from sotto_protocol.words import counted, epsilon_above, percent_above, percent_below

_TENTH = 0.10


def unit_of_privacy(survey: Survey, explanation: Explanation) -> list[str]:
    """Return what epsilon is of, and what it is."""
    of_all = f"all of its answers, to {survey.draw} of {len(survey.questions)} questions, drawn on the device by chance"
    unit = of_all if survey.draw else "all of its answers together" if len(survey.questions) > 1 else "its one answer"
    most = "at most " if survey.draw else ""
    lines = [f"One person's report from one device, {unit}: epsilon {most}{epsilon_above(survey.epsilon)}."]
    lines.append(_say(explanation, forever=False))
    if survey.waves > 1:
        epsilon = epsilon_above(survey.epsilon_forever)
        lines.append(f"All {survey.waves} waves together, if the answers stay the same: epsilon {most}{epsilon}.")
        if (of_all_waves := _say(explanation, forever=True)) not in lines:
            lines.append(of_all_waves)
        lines.append("A changed answer takes its epsilon anew.")
    again = "needs another invitation, and " if survey.invited else ""
    lines.append(f"Who answers on a second device {again}is protected by the sum of both epsilons alone.")
    return lines


def _say(explanation: Explanation, *, forever: bool) -> str:
    epsilon = explanation.epsilon_forever if forever else explanation.epsilon
    tests = explanation.accusations_forever if forever else explanation.accusations
    [tenth] = suspicions(epsilon, [_TENTH])
    return (
        f"So whatever somebody knew, a suspicion of 10 % becomes at most {percent_above(tenth.highest)}, at least "
        f"{percent_below(tenth.lowest)}. {said(tests).say()}"
    )


def retention(survey: Survey) -> list[str]:
    """Return what is kept, by whom, and for how long as far as the program decides."""
    kept = (
        "The collector keeps every noisy report, with its random id, and counts of them."
        if survey.keeps_reports
        else "The collector keeps counts, and the random ids of the reports that it counted: no report itself."
    )
    wave = " of the last wave" if survey.waves > 1 else ""
    until = "Nothing is deleted by itself, nor by closing the survey, until somebody erases it."
    if survey.erase_after:
        until = (
            f"On {survey.erase_on}, {counted(survey.erase_after, 'day')} after the last one on which it takes reports, "
            "it erases them by itself; the counts stay, and random ids with nothing behind them."
        )
    return [
        f"{kept} {until}",
        "It stores no address, browser, account or moment. For some seconds its files show in which order the latest "
        "reports came" + (", and which invitation each used up." if survey.invited else "."),
        f"The device keeps the receipt and what was spent; the secret behind its noise until the report{wave} is "
        "delivered, or the survey is over.",
    ]


def erasure(survey: Survey) -> list[str]:
    """Return how what was sent is taken out again."""
    whole = "Once it is closed, the operator can erase the whole survey (`sotto erase --all`)."
    if not survey.keeps_reports:
        return ["One report cannot be erased: it is a part of the counts, and not kept.", whole]
    return [
        "Whoever has a report's receipt can have it erased, on the survey page or by `sotto erase`: it leaves the "
        "reports and the counts. Without the receipt nobody can tell which report it is.",
        "What was estimated, released, exported or backed up before is not changed by that.",
        whole,
    ]


def linkage(survey: Survey) -> list[str]:
    """Return what joins reports to each other, to people, and to other surveys."""
    lines = []
    if survey.keeps_reports:
        lines.append("The answers of one report are kept together; nothing stored joins it to a person.")
    else:
        lines.append("No stored answer is joined to another, nor to a person.")
    if survey.waves > 1:
        lines += [
            f"A device's reports in the {survey.waves} waves can be linked to each other: noise that is drawn once "
            "shows through. Epsilon allows for that.",
            "Whether an answer changed, and in which wave, is bounded by no epsilon"
            + (
                ", nor how far a number moved." if "number" in {question.type for question in survey.questions} else "."
            ),
        ]
    if groups := in_groups(survey):
        lines.append(
            f"Of {', '.join(groups)} a group that the device drew by chance is sent in clear: it tells nothing of the "
            "answer" + (", and helps to tell devices apart over the waves." if survey.waves > 1 else ".")
        )
    if survey.draw:
        again = ", the same in every wave" if survey.waves > 1 else ""
        lines.append(f"Which questions a device drew is sent in clear{again}: it tells nothing of the answers.")
    if survey.invited:
        lines.append(
            f"The invitation{', the same in every wave,' if survey.waves > 1 else ''} travels beside the noisy report. "
            "The collector deletes what joins them; nobody can check that from outside, so the operator could know "
            "whose report is which. Epsilon protects the answers then too."
        )
    if survey.strata:
        with_it = ", and kept with it" if survey.keeps_reports else ""
        lines.append(
            f"The invitation says of which group a report is ({', '.join(survey.strata)}): it is counted by group"
            f"{with_it}. In a small group few others have sent one like it; epsilon holds in a group of one too."
        )
    return [*lines, "Every survey has noise and ids of its own; what a person tells in several surveys adds up."]


def checks(survey: Survey) -> list[str]:
    """Return how what stands here can be checked by somebody who trusts nobody."""
    lines = [
        f"The fingerprint `{survey.fingerprint}` stands for every word and number of the survey; `sotto check` prints "
        "it, and a client that was given it answers no other.",
        "`sotto explain`, of the file or of the collector's address, computes these figures anew from the published "
        "integers; a client does so too, and refuses a survey that declares less epsilon than it takes.",
        "`sotto audit` runs a client and measures how much its reports give away.",
        "The program is open source (Apache-2.0); test vectors hold every client to the same coins.",
    ]
    return lines + ["`sotto recount` counts the stored reports again."] * survey.keeps_reports


def limits(survey: Survey) -> list[str]:
    """Return what is not protected, and what results are not."""
    lines = [
        *filter(None, [say_little_of(survey)]),
        "That somebody took part is not hidden from who sees the device's connections.",
        "Whoever serves the page or the app could serve one that does something else.",
        "An answer that is known through others is not protected by this survey.",
    ]
    anybody = "Who holds invitations" if survey.invited else "Anybody"
    lines.append(f"{anybody} can send reports that no answer produced: not all such fakes show, and they move results.")
    if "text" in {question.type for question in survey.questions}:
        lines.append("No text is sent to be read: how common one is can be estimated, of those that many people give.")
    if survey.min_reports > 1:
        lines.append(
            f"With fewer than {counted(survey.min_reports, 'report')} there is no result; `sotto check` says from how "
            "many on each question has one."
        )
    return lines


def blanks(survey: Survey) -> list[str]:
    """Return what no survey file knows, to be filled in by who asks."""
    kept = "reports" if survey.keeps_reports and not survey.erase_after else "counts"
    return [
        "Who is responsible, and whom respondents can ask",
        "Purpose, and legal basis or consent",
        "Who runs the collector and where; what stands before it (proxy, hosting), and what that logs",
        "Who asks: the collector's own page, or which app or site",
        *["When the waves are"] * (survey.waves > 1),
        *["Who gave out the invitations, and keeps the list of who got which"] * survey.invited,
        *["How many people are in each group of invited people"] * bool(survey.strata),
        f"When {kept}, backups and exports are deleted, and by whom",
        "Who has an analyst's token, and where results are published",
        "Date, and version of the program",
    ]
