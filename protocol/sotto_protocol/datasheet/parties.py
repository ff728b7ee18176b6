"""Who sees what of a survey's answers: a sentence or two a party, true of the survey at hand."""

from sotto_protocol.survey import Survey

Parties = list[tuple[str, str]]


def who_sees_what(survey: Survey) -> Parties:
    """Return every party and what it sees, from the respondent to the public."""
    wave = " of the last wave" if survey.max_reports > 1 else ""
    return [
        (
            "The respondent",
            "The answers. On the survey page also what will be sent, before it is sent. Then a receipt.",
        ),
        (
            "The device, and the app or page that asks",
            "The true answers. The device sends none of them, and the client writes none down. Until the report"
            f"{wave} is delivered, the device keeps a secret. A person who reads it there can try out which answers "
            "fit.",
        ),
        *(_of_relay(survey) if survey.is_oblivious else [_NETWORK]),
        ("The operator of the collector", f"{_of_report(survey)} No true answer.{_of_address(survey)}"),
        ("Analysts, by a token that the operator gives out", _of_analysts(survey)),
        ("The public", _of_public(survey)),
    ]


_NETWORK = (
    "The network, and the hosts around the collector",
    "That a device connected, when, and from which address. A proxy that decrypts the connection sees what the "
    "operator sees.",
)


def _of_relay(survey: Survey) -> Parties:
    return [
        (
            f"The operator of the relay ({survey.relay})",
            "That a device sent something to this collector, when, and from which address. Requests are encrypted. "
            "Reports, checks and erasures have one length, so not what they say.",
        ),
        ("The network, and the hosts around the relay", "That a device connected to the relay, when, and from where."),
    ]


def _of_address(survey: Survey) -> str:
    """Return what the collector's operator does not see of a device that sends through a relay."""
    if not survey.is_oblivious:
        return ""
    return (
        " When a report comes, only the relay's address. A device that reads the survey, or opens its page, shows its "
        "own address then."
    )


def _of_report(survey: Survey) -> str:
    sent = ["the noisy answers", "a random id"]
    sent += ["the wave"] * (survey.waves > 1) + ["which questions the device picked"] * bool(survey.draw)
    sent += ["the device's groups, picked at random"] * bool(in_groups(survey)) + [
        "the invitation"
    ] * survey.spends_invitations
    sent += ["a token, which does not tell whose invitation it was"] * survey.is_blind
    sent += ["with it the group of invited people"] * bool(survey.strata)
    before = "Before the report, in another request, the invitation. " if survey.is_blind else ""
    return f"{before}In each report {', '.join(sent[:-1])} and {sent[-1]}."


def in_groups(survey: Survey) -> list[str]:
    """Return the ids of the questions for which a device belongs to a group whose number is sent."""
    return [question.id for question in survey.questions if question.mechanism.group_bytes]


def _of_analysts(survey: Survey) -> str:
    by_group = ", by group of invited people" if survey.strata else ""
    if survey.min_reports > 1:
        least = f"{survey.min_reports:,}"
        counts = f"Counts of at least {least} noisy reports{by_group}"
        if survey.draw:
            counts = f"Counts of noisy reports{by_group}, only of questions that at least {least} reports answer"
        return f"{counts}. A new count differs from earlier ones by at least {least}. No single report."
    if not survey.keeps_reports:
        return (
            f"Counts of noisy reports{by_group}, at any time. An analyst who looks before and after a report sees what "
            "it added."
        )
    return f"Counts of noisy reports{by_group}, and each single noisy report."


def _of_public(survey: Survey) -> str:
    if not survey.public_results:
        return "Nothing, unless an analyst publishes it."
    if survey.min_reports == 1:
        return (
            "The estimates so far and how many took part, at any time. A person who looks before and after a report "
            "sees what it added."
        )
    alone = "" if survey.invited else " A person who can send many reports may single one out, as noisy as it was sent."
    return f"The estimates so far and how many took part, in steps of at least {survey.min_reports:,} reports.{alone}"
