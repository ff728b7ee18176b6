/** What respondents ask first of a whole survey, and the short answers, which all the rest is behind: as `sotto explain` has it. */

import { suspicionOf } from "./noise.js";
import { exceeded } from "./protection.js";

/** @typedef {import("./words.js").Translate} Translate */
/** @typedef {import("../src/survey.js").Survey} Survey */

const PRIOR = 0.1;

/** @param {Translate} t @param {Survey} survey @returns {[asked: string, said: string][]} */
export function sayFirst(t, survey) {
  const { epsilonForever, keepsNoise, keep } = survey;
  const found = { prior: t.percent(PRIOR), highest: suspicionOf(t, epsilonForever, PRIOR) };
  const known = [
    keepsNoise
      ? t(
          "Someone who was %(prior)s sure can become at most %(highest)s sure (rounded up), if your answers stay the " +
            "same.",
          found,
        )
      : t("Someone who was %(prior)s sure can become at most %(highest)s sure (rounded up).", found),
    t("This is true as long as your device runs the published program."),
  ];
  if (exceeded(epsilonForever) === 0) {
    known.unshift(t("Nobody can be sure what you answered, not even the people who run this survey."));
  }
  const later =
    keep === "reports"
      ? t("You get a receipt. With the receipt, you can have your report erased.")
      : t("You get a receipt. But the report is counted and not kept, so nobody can take it out again.");
  return [
    [t("What happens to my answers?"), t("Your device changes your answers at random before it sends anything.")],
    [t("What can anybody find out?"), t.text(known)],
    [t("What does my device send?"), saySent(t, survey)],
    [t("What can I do later?"), later],
  ];
}

/** @param {Translate} t @param {Survey} survey */
function saySent(t, { invited, blind }) {
  if (!invited) {
    return t("It sends the answers after these changes, and a random number. Some answers may be unchanged.");
  }
  return blind
    ? t(
        "First it trades your invitation for a token. Later it sends the answers after these changes, and the token. " +
          "Nobody can tell from the token whose invitation it was. Some answers may be unchanged.",
      )
    : t(
        "It sends the answers after these changes, a random number and your invitation. Some answers may be unchanged.",
      );
}
