"""The designs that have names, a row each: to add one, write its row."""

from collections.abc import Callable
from dataclasses import dataclass

from sotto_estimator.designs import games
from sotto_estimator.designs.design import Design
from sotto_estimator.designs.parameters import Parameter


@dataclass(frozen=True, slots=True)
class NamedDesign:
    """How people can be asked: `make` returns the design of every sample, of the parameters' values.

    `words`: what a respondent does, and what a yes is; `example`: a design of this name; `source`: who proposed it.
    """

    words: str
    parameters: tuple[Parameter, ...]
    make: Callable[..., tuple[Design, ...]]
    example: str
    source: str


_INNOCUOUS = Parameter(
    "prob_innocuous", "the probability that the innocuous question is answered yes (a mother born in November)"
)
_ESTIMATOR = Parameter(
    "estimator",
    "`least-variance` (generalized least squares), or `paper`, the mean of the reports [least-variance]",
    "estimator",
    is_needed=False,
)
_UNRELATED = NamedDesign(
    "Chance picks one of two questions, the sensitive or an unrelated one, and it is answered truly. Without "
    "`prevalence`, two samples of different `prob_question` are needed.",
    (
        Parameter("prob_question", "the probability of being asked the sensitive question; else the unrelated one"),
        Parameter(
            "prevalence", "the share of yes to the unrelated question, of those who are asked it", is_needed=False
        ),
    ),
    games.unrelated,
    "unrelated(prob_question=0.7, prevalence=0.25)",
    "Greenberg, Abul-Ela, Simmons & Horvitz 1969",
)

DESIGNS: dict[str, NamedDesign] = {
    "direct": NamedDesign(
        "The question is asked, and the answer is the report.",
        (Parameter("n_answers", "how many answers there are [2]", "count", is_needed=False),),
        games.direct,
        "direct",
        "no randomization",
    ),
    "warner": NamedDesign(
        "Chance picks the sensitive statement or its opposite; the report says whether that is true.",
        (Parameter("prob_statement", "the probability of the sensitive statement; 1/2 tells nothing"),),
        games.warner,
        "warner(prob_statement=3/4)",
        "Warner 1965",
    ),
    "forced": NamedDesign(
        "Chance says to answer yes, or no, or truly.",
        (
            Parameter(
                "prob_forced_yes", "the probability of `say yes`, among all people and not only those who are forced"
            ),
            Parameter("prob_forced_no", "the probability of `say no`, among all people. The rest tell the truth"),
        ),
        games.forced,
        "forced(prob_forced_yes=1/6, prob_forced_no=1/6)",
        "Boruch 1971",
    ),
    "forced-categories": NamedDesign(
        "Chance says which of several answers to give, or to answer truly.",
        (
            Parameter(
                "prob_forced",
                "the probabilities, among all people, that chance demands answer 1, 2, .., separated by spaces",
                "probabilities",
            ),
        ),
        games.forced_categories,
        "forced-categories(prob_forced=1/10 1/10 1/10)",
        "Liu & Chow 1976",
    ),
    "k-ary": NamedDesign(
        "The true answer of several is given, or else one of the others, all equally likely.",
        (
            Parameter("n_answers", "how many answers there are", "count"),
            Parameter(
                "prob_truth", "the probability of the true answer; each other has (1 - prob_truth)/(n_answers - 1)"
            ),
        ),
        games.kary,
        "k-ary(n_answers=4, prob_truth=1/2)",
        "Kairouz, Bonawitz & Ramage 2016",
    ),
    "unrelated": _UNRELATED,
    "horvitz": _UNRELATED,
    "crosswise": NamedDesign(
        "Two questions at once, a sensitive and an innocuous one: are the two answers the same (yes), or different?",
        (_INNOCUOUS,),
        games.crosswise,
        "crosswise(prob_innocuous=1/6)",
        "Yu, Tian & Tang 2008",
    ),
    "extended-crosswise": NamedDesign(
        "Crosswise in two samples, whose innocuous questions have the yes of the one and the no of the other.",
        (Parameter("prob_innocuous", "that of the first sample; the second has 1 - prob_innocuous"),),
        games.extended_crosswise,
        "extended-crosswise(prob_innocuous=1/5)",
        "Heck, Hoffmann & Moshagen 2018",
    ),
    "triangular": NamedDesign(
        "Two questions at once: is one of the two answers yes, or both (yes), or neither?",
        (_INNOCUOUS,),
        games.triangular,
        "triangular(prob_innocuous=1/6)",
        "Yu, Tian & Tang 2008",
    ),
    "extended-triangular": NamedDesign(
        "Triangular in two samples, whose innocuous questions have the yes of the one and the no of the other.",
        (Parameter("prob_innocuous", "that of the first sample; the second has 1 - prob_innocuous"),),
        games.extended_triangular,
        "extended-triangular(prob_innocuous=1/5)",
        "Yu, Tian & Tang 2008, with the samples of Heck, Hoffmann & Moshagen 2018",
    ),
    "mangat": NamedDesign(
        "People with the sensitive trait say yes. The others are asked Warner's way.",
        (Parameter("prob_statement", "the probability of the sensitive statement, among people without the trait"),),
        games.mangat,
        "mangat(prob_statement=3/4)",
        "Mangat 1994",
    ),
    "mangat-singh": NamedDesign(
        "Chance says to tell the truth, or to be asked Warner's way.",
        (
            Parameter("prob_truth", "the probability of telling the truth"),
            Parameter("prob_statement", "given that not: the probability of the sensitive statement"),
        ),
        games.mangat_singh,
        "mangat-singh(prob_truth=0.55, prob_statement=0.7)",
        "Mangat & Singh 1990",
    ),
    "mangat-unrelated": NamedDesign(
        "Chance says to tell the truth, or to be asked the sensitive or an unrelated question.",
        (
            Parameter("prob_truth", "the probability of telling the truth"),
            Parameter("prob_question", "given that not: the probability of the sensitive question"),
            Parameter("prevalence", "the share of yes to the unrelated question"),
        ),
        games.mangat_unrelated,
        "mangat-unrelated(prob_truth=0.5, prob_question=0.6, prevalence=0.25)",
        "Mangat 1992",
    ),
    "mangat-singh-singh": NamedDesign(
        "People with the sensitive trait say yes. The others draw: say no, or answer an unrelated question.",
        (
            Parameter("prob_question", "the probability of having to say no, among people without the trait"),
            Parameter("prevalence", "the share of yes to the unrelated question, of those who are asked it"),
        ),
        games.mangat_singh_singh,
        "mangat-singh-singh(prob_question=0.6, prevalence=0.5)",
        "Mangat, Singh & Singh 1992",
    ),
    "devore": NamedDesign(
        "Chance asks the sensitive question, which is answered truly, or one to which everybody says yes.",
        (Parameter("prob_question", "the probability of the sensitive question"),),
        games.devore,
        "devore(prob_question=0.7)",
        "Devore 1977",
    ),
    "singh-joarder": NamedDesign(
        "Warner's way, but people who have the sensitive trait and draw its opposite draw once more.",
        (Parameter("prob_statement", "the probability of the sensitive statement in one draw"),),
        games.singh_joarder,
        "singh-joarder(prob_statement=0.6)",
        "Singh & Joarder 1997",
    ),
    "christofides": NamedDesign(
        "A card marked 1 to m is drawn. People with the trait report m + 1 minus its mark, the others its mark.",
        (
            Parameter("prob_marks", "the probabilities of marks 1, 2, .., separated by spaces", "probabilities"),
            _ESTIMATOR,
        ),
        games.christofides,
        "christofides(prob_marks=0.1 0.2 0.3 0.4)",
        "Christofides 2003",
    ),
    "kuk": NamedDesign(
        "There is a deck of cards for yes, and one for no. People draw from the deck of their answer, and report "
        "how many are red.",
        (
            Parameter("prob_red_if_yes", "the share of red cards in the deck of yes"),
            Parameter("prob_red_if_no", "the share of red cards in the deck of no"),
            Parameter(
                "n_draws",
                "how many cards are drawn, each put back; the report is how many were red [1]",
                "count",
                is_needed=False,
            ),
            _ESTIMATOR,
        ),
        games.kuk,
        "kuk(prob_red_if_yes=0.8, prob_red_if_no=0.2, n_draws=3)",
        "Kuk 1990",
    ),
    "disguised": NamedDesign(
        "People draw one card from the stack of their answer. The two stacks have opposite shares of yes cards.",
        (Parameter("prob_card", "the share of yes cards in the stack of yes; the stack of no has 1 - prob_card"),),
        games.disguised,
        "disguised(prob_card=0.8)",
        "Kuk 1990; Blair, Imai & Zhou 2015",
    ),
    "block-garbling": NamedDesign(
        "In every block of people chance picks a fixed number, who are recorded as yes. The others answer truly.",
        (
            Parameter("block_size", "how many people a block has, in their order; the last may be incomplete", "count"),
            Parameter("n_forced", "how many people of each block are recorded as yes", "count"),
        ),
        games.block_garbling,
        "block-garbling(block_size=5, n_forced=1)",
        "Boudreau, Chassang, González-Torres & Heath 2023",
    ),
    "item-count": NamedDesign(
        "People say how many items of a list are true of them, not which. Two samples: the second has one item more, "
        "the sensitive one (a list experiment).",
        (
            Parameter("n_items", "how many items the shorter list has", "count"),
            Parameter(
                "kind",
                "which list one sample got, `short` or `long`; without it, counts of both, the short list first",
                "list",
                is_needed=False,
            ),
        ),
        games.item_count,
        "item-count(n_items=4)",
        "Miller 1984; Imai 2011",
    ),
    "cheating-detection": NamedDesign(
        "Chance says to answer yes, or truly; some say no in any case (they cheat). It needs two samples.",
        (
            Parameter(
                "prob_forced_yes", "the probability of `say yes`, among all people. It differs in the two samples"
            ),
        ),
        games.cheating,
        "cheating-detection(prob_forced_yes=1/4)",
        "Clark & Desharnais 1998",
    ),
    "cheating-detection-triangular": NamedDesign(
        "Triangular, but some say neither in any case (they cheat). It needs two samples.",
        (
            Parameter(
                "prob_innocuous", "the probability of a yes to the innocuous question. It differs in the two samples"
            ),
        ),
        games.cheating_triangular,
        "cheating-detection-triangular(prob_innocuous=1/4)",
        "Meisters, Hoffmann & Musch 2022",
    ),
    "matrix": NamedDesign(
        "Any channel, by the probability of each report under each answer.",
        (
            Parameter(
                "rows", "one row per report, one column per answer: `9/10 1/5; 1/10 4/5`", "rows", is_needed=False
            ),
            Parameter(
                "file", "a CSV: its header names the answers, its first column the reports", "path", is_needed=False
            ),
        ),
        games.matrix,
        "matrix(rows=9/10 1/5; 1/10 4/5)",
        "Chaudhuri & Mukerjee 1988",
    ),
}
"""By the name that options and outputs have."""
