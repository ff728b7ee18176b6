"""What an audit does not look at, in sentences: of every program, and of this survey and these reports."""

from collections.abc import Sequence

from sotto_protocol.questions.any_of import AnyOf
from sotto_protocol.questions.number import Number
from sotto_protocol.questions.text import Text
from sotto_rehearsal.audit.design import Design
from sotto_rehearsal.audit.losses import Loss
from sotto_rehearsal.audit.proof import Proof

ALWAYS = (
    "how the program behaves on another day, for another survey, when it is not audited, or for a few devices in many",
    "when the program prints a line, and how long it takes",
    "what the program sends elsewhere, logs, or writes to its disk",
    "noise from a foreseeable generator where the ids come from a good one",
    "a generator that is seeded by a clock in finer steps than a report takes, or by something else foreseeable",
    "ids from PCG64, xoshiro256++, Philox, SFC64, ChaCha or other good generators with a foreseeable seed",
    "ids from known generators where one report draws more words than another, such as Python's random with ids of "
    "random.choice for each digit, or noise of random.randint",
)


def list_untested(
    design: Design, losses: Sequence[Loss], proofs: Sequence[Proof], *, says_waves: bool = False
) -> tuple[str, ...]:
    """Return what was not tested: what no audit tests, and what these reports of a survey leave open.

    `says_waves`: whether the program says in which waves a device is asked.
    """
    survey = design.survey
    said = []
    unseen = dict.fromkeys(loss.question or "all questions" for loss in losses if not loss.is_seen)
    if unseen:
        said.append(f"what {', '.join(unseen)} give away: there are no reports of both answers that are compared")
    left = [wave for wave in range(1, survey.waves + 1) if wave not in design.waves]
    if left:
        said.append(f"{len(left)} of {survey.waves} waves: asked were {', '.join(map(str, design.waves))}")
    if survey.asked_in and not says_waves:
        said.append("in which waves a device is asked: the program does not print its waves")
    if survey.asked_in > 1:
        said.append("what a device's reports of several waves have in common")
    if survey.is_blind:
        said.append("how the program trades its invitation for a token, and what its token is")
    for index, question in enumerate(survey.questions):
        tried = [answer for answer in design.answers[index] if answer is not None]
        match question.kind:
            case Number() if question.kind.n_options > len(tried):
                said.append(f"{question.id}: other numbers than {', '.join(map(str, tried))}")
            case Text():
                said.append(f"{question.id}: other texts than {', '.join(map(repr, tried))}")
            case AnyOf() if 2 ** len(question.kind.options) > len(tried):
                said.append(f"{question.id}: other selections of options than {len(tried)} that are tried")
            case _:
                pass
    unproved = [proof.question for proof in proofs if not proof.is_made]
    if unproved:
        said.append(f"an exact proof of {', '.join(unproved)}: too large")
    if not proofs:
        said.append("an exact proof: it is made of the Python client alone")
    return (*said, *ALWAYS)
