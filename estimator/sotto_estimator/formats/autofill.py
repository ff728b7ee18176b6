"""Android's autofill texts: of each bit of 32 bytes whether all devices have the same, and the text where they do.

A payload is a field's text in UTF-8, filled up with zeros to 32 bytes or cut; each bit is kept with probability 1/2,
else a fair coin: so it is true with 3/4. Then a mask keeps the even bits of every byte (0x55), or the odd (0xAA), or
none (0). The noise of a device is the same for ever, so a second payload of it says nothing new.

Every bit's share of devices with a 1 has an exact interval (Clopper & Pearson 1934), all 256 together at the level
(Bonferroni; of all fields, where that is asked for): so all that is said of bits is right with that probability.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from sotto_estimator.channel.channel import Channel, check_power
from sotto_estimator.errors import DomainError, NoReportsError
from sotto_estimator.formats.autofill_needed import devices_needed
from sotto_estimator.formats.autofill_payloads import N_BITS, FieldCounts, count_payloads
from sotto_estimator.formats.autofill_texts import OPEN, VARIES, AutofillField, AutofillTexts, Bit
from sotto_estimator.formats.records import Progress, ignore, read_records
from sotto_estimator.intervals.contradiction import Contradiction, QuestionCounts, contradictions_of
from sotto_estimator.intervals.intervals import IntervalOptions, check_level, share_bounds

CHANNEL = Channel(3 / 4, 1 / 4)
LEAST_SHARE = 0.9
_EXACT = "clopper-pearson"
_DEFAULT = IntervalOptions().method


def read_android_autofill(
    paths: Sequence[Path | str],
    *,
    by: str | None = None,
    least_share: float = LEAST_SHARE,
    power: float = 0.95,
    options: IntervalOptions | None = None,
    progress: Progress = ignore,
) -> AutofillTexts:
    """Return what is said of each bit of a field's text, and the text, of files of AutofillNoiseInjectedData.

    A record has `noiseInjectedPayload` (or `payload`), 32 bytes as 64 hex digits or as base64, all of the files in the
    same way; and `retainedBitMask` (or `mask`). `by`: the member that names the field: payloads of several must not be
    pooled. A bit is constant where more than `least_share` of the devices, in [1/2, 1), surely have it, and all may;
    `power`: of deciding the whole of a constant text, of which the number of devices is worked out. A payload with a
    mask of 0, which keeps no bit, is left out and counted. Raises NoReportsError where none keeps any, SourceError
    with its line for a record that is something else; `DomainError` for parameters outside of their domains, a target
    other than the population, and a method that is not exact.
    """
    options = options or IntervalOptions()
    if not 0.5 <= least_share < 1:
        raise DomainError(f"least_share ({least_share!r}) must be in [1/2, 1).")
    if (options.about, options.population_size) != ("population", None) or options.method not in (_EXACT, _DEFAULT):
        raise DomainError(f"android-autofill is estimated about the population, by {_EXACT}.")
    check_power(power)
    files = [Path(path) for path in paths]
    fields = count_payloads(read_records(files, progress), by)
    if not any(of.n_even + of.n_odd for of in fields):
        raise NoReportsError("the files hold no payloads that keep a bit (mask 0x55 or 0xAA); it takes at least one.")
    n_intervals = N_BITS * (len(fields) if options.simultaneous else 1)
    found = tuple(one for counts in fields for one in _contradictions(counts, len(fields)))
    void = {one.question for one in found}
    told = [_field(counts, least_share, options.level, n_intervals) for counts in fields]
    return AutofillTexts(
        title=", ".join(map(str, files)),
        options=options,
        by=by,
        least_share=least_share,
        power=power,
        n_needed=devices_needed(least_share, power, check_level(options.level, n_intervals) / 2),
        fields=tuple(of.voided if (of.name or "") in void else of for of in told),
        contradictions=found,
    )


def _field(counts: FieldCounts, least_share: float, level: float, n_intervals: int) -> AutofillField:
    n_kept = counts.n_kept
    known = np.maximum(n_kept, 1)
    low, high = share_bounds(
        counts.ones, known, CHANNEL, level=level, method=_EXACT, target="population", n_intervals=n_intervals
    )
    low, high = np.where(n_kept, low.clip(0, 1), 0.0), np.where(n_kept, high.clip(0, 1), 1.0)
    shares = (counts.ones / known - 1 / 4) * 2
    bits = []
    for at, (n, ones) in enumerate(zip(n_kept.tolist(), counts.ones.tolist(), strict=True)):
        ends = float(low[at]), float(high[at])
        share = float(shares[at]) if n else None
        bits.append(Bit(at // 8, at % 8, int(n), int(ones), share, *ends, _said(*ends, least_share)))
    return AutofillField(counts.name, counts.n_even, counts.n_odd, counts.n_none, tuple(bits))


def _contradictions(counts: FieldCounts, n_fields: int) -> list[Contradiction]:
    """Return what is worst of the even bits, and of the odd, where more are 1, or fewer, than any text gives."""
    found: list[Contradiction] = []
    for first, n in enumerate((counts.n_even, counts.n_odd)):
        places = range(first, N_BITS, 2)
        labels = [f"byte {at // 8}, bit {at % 8}" for at in places]
        sample = QuestionCounts(counts.name or "", labels, counts.ones[places.start :: 2].tolist(), CHANNEL)
        found += contradictions_of([sample], n, n_tests=2 * N_BITS * n_fields) if n else ()
    return found


def _said(low: float, high: float, least_share: float) -> str:
    """Return what an interval of the share of devices with a 1 says: all of it where several hold."""
    if low > 0 and high < 1:
        return VARIES
    if low > least_share:
        return "1"
    return "0" if high < 1 - least_share else OPEN
