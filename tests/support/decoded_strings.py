"""A decode as it might be found: a few strings with their shares."""

from sotto_estimator.strings.decode import Decoded, DecodedString, DecodeOptions
from sotto_estimator.strings.remarks import GoodnessOfFit
from sotto_estimator.strings.subject import Subject

ROWS = (
    DecodedString("🍐 pear", 0.5, 0.01, 0.48, 0.52, 0.008, 1e-30, 50.0, 0.035, -0.045),
    DecodedString("日本", 0.25, 0.0125, 0.2, 0.3, 0.01, 1e-10, 20.0, 0.0375, -0.0425),
    DecodedString('a, "b"', 0.05, 0.02, 0.01, 0.09, 0.0125, 0.003, 2.5, 0.0395, -0.0405),
)
SUBJECT = Subject("Fruit", "liked", 2.0, 6.0)


def decoded(options: DecodeOptions | None = None, rows: tuple[DecodedString, ...] = ROWS, n_waves: int = 1) -> Decoded:
    explained = sum(row.share for row in rows)
    return Decoded(
        n_reports=12_345,
        n_waves=n_waves,
        n_candidates=1_000,
        design={"n_bits": 16, "n_hashes": 2, "n_cohorts": 32},
        options=options or DecodeOptions(),
        rows=rows,
        explained_mass=explained,
        other_share=1 - explained,
        other_standard_error=0.031,
        fit=GoodnessOfFit(530.0, 500, 0.17),
        warnings=("a warning",),
    )
