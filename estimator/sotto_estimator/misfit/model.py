"""What people may do instead of following a design: a third class beside yes and no, and what is read off the three.

All models are one: of yes, of no, and of those who do not follow, each class has a share and gives its reports with
known probabilities. So the log-likelihood is concave in the shares, and no start ends elsewhere than at the maximum.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sotto_estimator.channel.channel import Floats
from sotto_estimator.designs.design import YES_NO, Arm, Design
from sotto_estimator.errors import DomainError, one_of

N_CLASSES = 3
CHEATS = "cheats"
"""The answer, beside yes and no, of a design that has a class of its own for who does not follow it: not used here."""
_YES, _NO, _NOT = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
_ALL, _FOLLOW = (1.0, 1.0, 1.0), (1.0, 1.0, 0.0)


@dataclass(frozen=True, slots=True)
class Reading:
    """A part of people, a ratio of sums of the classes' shares: of those in `whole` those in `part`."""

    name: str
    words: str
    part: tuple[float, ...]
    whole: tuple[float, ...] = _ALL

    def value(self, shares: Floats) -> float:
        """Return it; NaN where nobody is in the whole."""
        whole = float(shares @ self.whole)
        return float(shares @ self.part) / whole if whole > 0 else float("nan")

    def gradient(self, shares: Floats) -> Floats:
        """Return how it moves with each class's share."""
        gradient: Floats = (np.array(self.part) - self.value(shares) * np.array(self.whole)) / (shares @ self.whole)
        return gradient

    def mixtures(self, value: float) -> Floats:
        """Return the corners of all shares at which it has this value, shape (N_CLASSES, n_corners).

        There (part - value whole) . shares = 0: a plane, which cuts the edges of the triangle of shares.
        """
        height = np.array(self.part) - value * np.array(self.whole)
        corners = [np.eye(N_CLASSES)[at] for at in np.flatnonzero(height == 0)]
        for up in np.flatnonzero(height > 0):
            for down in np.flatnonzero(height < 0):
                shares = np.zeros(N_CLASSES)
                shares[[up, down]] = -height[down], height[up]
                corners.append(shares / shares.sum())
        return np.stack(corners, axis=1)


@dataclass(frozen=True, slots=True)
class NoncomplianceModel:
    """What the third class does, and what is read off.

    `always`: the reports, by label, of which it gives the one that a design has; () for any report, all as likely.
    """

    words: str
    always: tuple[str, ...]
    readings: tuple[Reading, ...]
    source: str

    def probs(self, design: Design) -> Floats:
        """Return P(report | class), shape (n_reports, N_CLASSES). Raises DomainError."""
        design.check_independent()
        if design.answers not in (YES_NO, (*YES_NO, CHEATS)):
            raise DomainError(
                f"the design ({design.name}) must be of yes and no for a model of who does not follow it."
            )
        return np.column_stack([design.matrix[:, : len(YES_NO)], self._of_third(design)])

    def probs_of_control(self, design: Design, share: float) -> Floats:
        """Return P(report | class) to a question whose share of yes is known, and the same among those who follow."""
        follow = design.matrix[:, : len(YES_NO)] @ [share, 1 - share]
        return np.column_stack([follow, follow, self._of_third(design)])

    def _of_third(self, design: Design) -> Floats:
        n = len(design.reports)
        if not self.always:
            return np.full(n, 1 / n)
        places = [at for at, report in enumerate(design.reports) if report in self.always]
        if not places:
            raise DomainError(
                f"the design ({design.name}) must have a report {' or '.join(self.always)} for this model."
            )
        always: Floats = np.eye(n)[places[0]]
        return always


@dataclass(frozen=True, slots=True, eq=False)
class Control:
    """A question of known answer, asked by a design: `share` of those who follow it must say yes."""

    arm: Arm
    share: float

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise DomainError(f"share ({self.share!r}) of a control question must be in [0, 1].")


_SHARE = Reading("share", "yes, of those who follow the design", _YES, _FOLLOW)
_NOT_FOLLOWING = "do not follow"
_CHEATING = "Clark & Desharnais 1998; Ostapczuk, Moshagen, Zhao & Musch 2009 (where no can be forced too)"

MODELS: dict[str, NoncomplianceModel] = {
    "random": NoncomplianceModel(
        "Some answer at random, every report as likely. It takes a control question.",
        (),
        (_SHARE, Reading(_NOT_FOLLOWING, "answer at random", _NOT)),
        "Sayed, Cruyff, Petróczi & van der Heijden 2024",
    ),
    "one-sayers": NoncomplianceModel(
        "Some say whatever happens that exactly one of their two answers is yes (of an extended crosswise).",
        ("different", "1"),
        (_SHARE, Reading(_NOT_FOLLOWING, "always say that their answers differ", _NOT)),
        "R's RRsp1 (Cruyff)",
    ),
    "self-protective-no": NoncomplianceModel(
        "Some say no whatever chance tells them.",
        ("no", "neither"),
        (_SHARE, Reading(_NOT_FOLLOWING, "always say no", _NOT)),
        "Böckenholt & van der Heijden 2007",
    ),
    "cheating-detection": NoncomplianceModel(
        "Some say no whatever chance tells them, and nothing is known of their answers.",
        ("no", "neither"),
        (
            Reading("honest yes", "follow the design, and their answer is yes", _YES),
            Reading("honest no", "follow the design, and their answer is no", _NO),
            Reading("cheat", "always say no: of yes or of no", _NOT),
        ),
        _CHEATING,
    ),
    "lie-detector": NoncomplianceModel(
        "Some of those whose answer is yes say no whatever chance tells them; all others follow.",
        ("no", "neither"),
        (
            Reading("share", "yes, liars among them", (1.0, 0.0, 1.0)),
            Reading("truthful", "follow the design, of those whose answer is yes", _YES, (1.0, 0.0, 1.0)),
        ),
        "Moshagen, Musch & Erdfelder 2012",
    ),
}


def find_model(name: str) -> NoncomplianceModel:
    """Return a model by its name. Raises DomainError."""
    if name not in MODELS:
        raise DomainError(f"model ({name!r}) {one_of(MODELS, name)}")
    return MODELS[name]


def probs_of(model: NoncomplianceModel, arms: Sequence[Arm], controls: Sequence[Control]) -> list[Floats]:
    """Return P(report | class) of every arm, then of every control question. Raises DomainError."""
    found = [model.probs(arm.design) for arm in arms]
    return found + [model.probs_of_control(control.arm.design, control.share) for control in controls]
