"""What the columns of estimates are: labels of variables in files of Stata and SPSS."""

from collections.abc import Mapping
from types import MappingProxyType

ABOUT: Mapping[str, str] = MappingProxyType(
    {
        "question": "Id of the question",
        "answer": "Answer",
        "stratum": "Stratum",
        "by": "Column that divides people into groups",
        "group": "Group",
        "waves": "Waves of the survey",
        "n_reports": "Number of reports",
        "support_count": "Reports that speak for the answer",
        "epsilon": "Epsilon of the question",
        "share": "Unbiased share, may lie outside 0 and 1",
        "mean": "Unbiased mean",
        "unit": "Unit of the mean",
        "standard_error": "Standard error",
        "low": "Lower end of the confidence interval",
        "high": "Upper end of the confidence interval",
        "level": "Confidence level",
        "simultaneous": "All intervals are valid together",
        "method": "Method of the intervals",
        "target": "Whom the intervals are about",
        "contradiction_p_value": "P-value: counts contradict the design",
    }
)
