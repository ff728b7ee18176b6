"""The demo's text question: who uses which emoji, what the decoder finds, and a plot of both."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sotto_estimator.strings.decode import Decoded

PLOT = Path("demo-emoji.png")
_FIRST_EMOJI = 0x1F300
_SHOWN_AS_EMOJI = "\ufe0f"  # follows an older sign, such as a heart
_SEED = 1974
_BAR_LENGTH = 200  # characters of a share of 1


def frequencies() -> dict[str, float]:
    """Return the emoji of English texts and their shares, the most frequent first (wordfreq: Speer 2022)."""
    from wordfreq import get_frequency_dict

    found = {
        word: frequency
        for word, frequency in get_frequency_dict("en", wordlist="large").items()
        if word.endswith(_SHOWN_AS_EMOJI) or any(ord(character) >= _FIRST_EMOJI for character in word)
    }
    total = sum(found.values())
    return {word: found[word] / total for word in sorted(found, key=lambda word: (-found[word], word))}


def draw_answers(n_people: int) -> list[str]:
    """Return so many people's emoji, drawn in proportion to the frequencies: the same ones every time."""
    shares = frequencies()
    chosen = np.random.default_rng(_SEED).choice(len(shares), n_people, p=list(shares.values()))
    emoji = list(shares)
    return [emoji[index] for index in chosen]


def comparison(decoded: "Decoded", truth: dict[str, float]) -> str:
    """Return the table of the strings that were found, beside their true shares, and what was not found."""
    from sotto_estimator.results.percents import percent
    from sotto_estimator.strings.subject import Subject
    from sotto_estimator.views.decoded import caption, summary
    from sotto_protocol.tables import align

    rows = [["emoji", "true", "estimate", "low", "high", "holds", ""]]
    for row in decoded.rows:
        share = truth.get(row.string, 0.0)
        holds = "yes" if row.low <= share <= row.high else "NO"
        bar = ("▇" * round(_BAR_LENGTH * row.share)).ljust(_BAR_LENGTH)
        rows.append([row.string, *map(percent, (share, row.share, row.low, row.high)), holds, bar])
    heading = caption(replace(decoded, subject=Subject("Which emoji do you use most?")))
    return "\n".join([*heading, align(rows, n_left=1), *summary(decoded)])


def plot(decoded: "Decoded", truth: dict[str, float], path: Path) -> None:
    """Draw true and estimated shares of the strings that were found into a PNG file.

    They are named by code points and Unicode's names: fonts that draw emoji in colour are rare.
    """
    import unicodedata

    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 1.6 + 0.4 * len(decoded.rows)), layout="constrained")
    axes = figure.subplots()
    places = np.arange(len(decoded.rows))
    names = [unicodedata.name(row.string[0], "?").lower() for row in decoded.rows]
    shares = np.array([[row.share, row.low, row.high] for row in decoded.rows]).reshape(-1, 3) * 100
    axes.barh(places, shares[:, 0], color="C0", alpha=0.45, height=0.7, label="estimate, 95 % interval")
    axes.errorbar(
        shares[:, 0],
        places,
        xerr=[shares[:, 0] - shares[:, 1], shares[:, 2] - shares[:, 0]],
        fmt="none",
        ecolor="black",
        capsize=3,
    )
    true = [100 * truth.get(row.string, 0.0) for row in decoded.rows]
    axes.plot(true, places, "D", color="C3", label="true share")
    axes.set_yticks(places, names)
    axes.invert_yaxis()
    axes.set_xlabel(f"share of {decoded.n_reports:,} people (%)")
    axes.legend(loc="lower right")
    figure.savefig(path, dpi=120)
