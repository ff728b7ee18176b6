"""Against whom the shuffled epsilon of a survey holds: by its delivery, its invitations, and what the relay does."""

from sotto_protocol import Survey

_ALONE = (
    "The shuffled epsilon is for somebody who sees the reports of one wave in random order, and nothing else. They do "
    "not see when a report came, from where, in which order or with which others. Only honest devices count "
    "for n, because fake ones hide nobody."
)
_MIXED = (
    "The shuffled epsilon holds against the collector on two conditions. Each batch of the relay must have {batch:,} "
    "honest reports, and its operator must not work with the collector. Nobody can check that from outside."
)
_VOID = (
    "The shuffled epsilon does not hold against the collector of this survey, although its relay mixes. Each report "
    "comes with its invitation. The collector can learn whose that is from the person who sent it."
)
_SEEN_DIRECTLY = {
    "none": "The collector of this survey sees more: from which address each report comes, and when.",
    "plain": "The collector of this survey sees more: with which invitation each report comes, from where, and when.",
    "blind": "The collector of this survey sees more: from which address each report comes, and when. Blind "
    "invitations do not hide that.",
}
_SEEN_THROUGH_RELAY = {
    "none": "The relay of this survey hides where a report came from. But the collector sees when it came.",
    "plain": "The relay of this survey hides where a report came from. But the collector sees with which invitation it "
    "came, and when. No relay hides the invitation. Nobody can join a blind one to a report.",
    "blind": "The relay of this survey hides where a report came from, and blind invitations cannot be joined to it. "
    "But the collector sees when it came.",
}
_STORED = "It stores none of this, but nobody outside can check that."
_SEE_BATCH = "Only a relay that mixes hides when, and only within a batch: see --batch."
_BLIND_INSTEAD = 'With invitations = "blind" it would hold within a batch of {batch:,} honest reports.'
_TOKENS = (
    "Blind invitations cannot be joined to reports. But devices fetch tokens through the relay too, and these requests "
    "do not count."
)
_STRATA = "A report shows its stratum, so only people of the same stratum count for {what}."
_PROMISED = "So a survey promises respondents only the epsilon of a report."


def holds_against_collector(survey: Survey, batch: int | None) -> bool:
    """Whether the shuffled epsilon binds the collector too, if the relay mixes so many reports honestly."""
    return survey.is_oblivious and batch is not None and not survey.spends_invitations


def observer_words(survey: Survey, batch: int | None) -> list[str]:
    """Return against whom the shuffled epsilon holds. `batch`: how many reports the relay mixes; None if none."""
    invitations = survey.invitations if survey.invited else "none"
    if batch is None:
        said = [_ALONE, (_SEEN_THROUGH_RELAY if survey.is_oblivious else _SEEN_DIRECTLY)[invitations]]
        said.append(_STORED)
        said += [_SEE_BATCH] * (survey.is_oblivious and invitations != "plain")
    elif holds_against_collector(survey, batch):
        said = [_MIXED.format(batch=batch), *[_TOKENS] * survey.is_blind]
    else:
        said = [_VOID, _BLIND_INSTEAD.format(batch=batch)]
    strata = [_STRATA.format(what="n" if batch is None else "a batch")] * bool(survey.strata)
    return [*said, *strata, _PROMISED]
