"""Lines of the results page alone, in its language: which groups are not shown, and how many people answered."""

from sotto_estimator.page.release import Release


def say_missing_strata(release: Release, wave: int | None) -> str:
    """Return of which strata nothing is shown, and why; "" where of all of them something is."""
    survey, say = release.survey, release.language
    empty = [name for place, name in enumerate(survey.strata, 1) if not release.tally(wave, place).n_reports]
    if not empty:
        return ""
    why = release.say_missing(say, wave, survey.strata.index(empty[0]) + 1)
    return say.gettext("These groups are not shown: %(groups)s. %(why)s", groups=say.joined(empty), why=why)


def say_turnout(release: Release, wave: int | None) -> str:
    """Return how many of the invited answered, of the wave that is chosen or the last one; "" where nobody is told."""
    say, several = release.language, release.survey.waves > 1
    number = wave or max(release.by_wave(), default=1)
    if number not in release.turnout:
        return ""
    n_invited, n_answered = release.turnout[number]
    values = {"wave": number, "invited": n_invited, "answered": n_answered}
    if n_answered is None and release.n_known is not None and not several:  # the line above says how many
        return say.gettext("%(invited)s were invited.", **values)
    if n_answered is None:
        return say.gettext("%(invited)s were invited. Too few have answered to show how many.", **values)
    if several:
        return say.gettext("Wave %(wave)s: %(answered)s of %(invited)s who were invited have answered.", **values)
    return say.gettext("%(answered)s of %(invited)s who were invited have answered.", **values)
