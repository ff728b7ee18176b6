"""The formats of other programs that are read, a row each: to add one, write its reader and a row."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sotto_estimator.errors import DomainError, one_of
from sotto_estimator.formats.autofill import read_android_autofill
from sotto_estimator.formats.autofill_texts import AutofillTexts
from sotto_estimator.formats.figures import Figures
from sotto_estimator.formats.firefox_clicks import read_firefox_clicks
from sotto_estimator.formats.firefox_newtab import read_firefox_newtab
from sotto_estimator.formats.quantities import read_optional_scramble, read_scrambled, read_unrelated_quantity
from sotto_estimator.formats.records import Progress, ignore
from sotto_estimator.formats.shares import FormatShares
from sotto_estimator.formats.spec import convert, numbers, read_spec
from sotto_estimator.formats.timing import read_navigation_timing
from sotto_estimator.intervals.intervals import IntervalOptions

FormatResult = AutofillTexts | Figures | FormatShares


@dataclass(frozen=True, slots=True)
class Format:
    """`read(paths, by=.., options=.., progress=.., **parameters)`; `parameters`: how each one's text becomes a value.

    `required`: the parameters without which nothing can be read.
    """

    words: str
    read: Callable[..., FormatResult]
    parameters: Mapping[str, Callable[[str], Any]]
    required: tuple[str, ...] = ()


_RANGE = {"low": float, "high": float}
_SCRAMBLE = _RANGE | {"scramble_low": float, "scramble_high": float}

FORMATS: dict[str, Format] = {
    # W3C Navigation Timing, Level 2, PerformanceTimingConfidence.
    "navigation-timing": Format(
        "page loads with the browser's noisy confidence", read_navigation_timing, {"percentiles": numbers}
    ),
    # Mozilla's FeatureModel.sys.mjs, unaryEncodeDiffPrivacy.
    "firefox-newtab": Format("Firefox New Tab's noisy interests", read_firefox_newtab, {"model": str}, ("model",)),
    # Mozilla's TelemetryFeed.sys.mjs, randomizeOrganicContentEvent.
    "firefox-clicks": Format(
        "Firefox New Tab's noisy clicks",
        read_firefox_clicks,
        {"items": int, "epsilon": float, "keep": float},
        ("items",),
    ),
    # android.view.autofill.AutofillNoiseInjectedData, API level 37.
    "android-autofill": Format(
        "Android's noisy texts of a field", read_android_autofill, {"least_share": float, "power": float}
    ),
    # Eichhorn & Hayre 1983, with optional scrambling (Gupta, Gupta & Singh 2002).
    "scrambled": Format(
        "numbers that people multiplied by a random number, or added one to",
        read_scrambled,
        {"mean": float, "way": str, **_SCRAMBLE, "unit": str},
        ("mean",),
    ),
    # Greenberg, Kuebler, Abernathy & Horvitz 1971.
    "unrelated-quantity": Format(
        "numbers, or unrelated ones, as chance asked",
        read_unrelated_quantity,
        {"prob_question": numbers, "unrelated_mean": float, **_RANGE, "unit": str},
        ("prob_question",),
    ),
    # Gupta, Shabbir & Sehra 2010.
    "optional-scramble": Format(
        "numbers to which people added a random one, if they wished",
        read_optional_scramble,
        {"means": numbers, **_SCRAMBLE, "unit": str},
        ("means",),
    ),
}
"""By the name that --format takes."""


def read_format(
    text: str,
    paths: Sequence[Path | str],
    *,
    by: str | None = None,
    options: IntervalOptions | None = None,
    progress: Progress = ignore,
) -> FormatResult:
    """Return what files of another program say, as `sotto estimate --format` does.

    `text` is NAME or NAME(parameter=value, ..), with a name in `FORMATS`. `by` is the member of a record that names its
    group. `progress` is called with the number of bytes that were read. Raises `DomainError` for an unknown format or
    parameter. Raises SourceError, which names file and line, for a record that does not fit.
    """
    name, given = read_spec(text)
    if name not in FORMATS:
        raise DomainError(f"format ({name!r}) {one_of(FORMATS, name)}")
    found = FORMATS[name]
    parameters = convert(name, given, found.parameters)
    missing = [key for key in found.required if key not in parameters]
    if missing:
        raise DomainError(f"{name} needs {' and '.join(missing)}: --format '{name}({missing[0]}=..)'.")
    return found.read(paths, by=by, options=options, progress=progress, **parameters)
