/** What a user reads before they agree that no other page says: what no epsilon bounds, in lines that fit a terminal. */

/** @typedef {import("../form/words.js").Translate} Translate */
/** @typedef {import("../src/survey.js").Survey} Survey */
/** @typedef {import("../src/survey.js").Question} Question */

const WIDTH = 100;
const SELDOM = 10;
/** Parts of one per cent: finer near 0 and 100. */
const STEPS = [1, 10, 100, 1000, 10_000];
const IMMATERIAL = 1e-9;
const CHANGES =
  "If you change an answer, there is still a limit to what anyone can learn about your answers. But a changed " +
  "answer uses up its epsilon once more. No epsilon hides whether you changed an answer, or in which wave. The " +
  "lasting noise changes with the answer. People can see that your reports are from one device. So they can " +
  "see the change over the waves. If that alone would tell something about you, do not take part.";
const MOVES =
  "No epsilon limits what people can see of how far a number moved. The farther it moved, the more likely the " +
  "change shows.";

/**
 * Return what no epsilon bounds where noise lasts over several waves; else nothing. As `sotto explain` has it.
 * @param {Translate} t @param {Survey} survey
 */
export function sayChanges(t, survey) {
  if (!survey.keepsNoise) return "";
  const moves = survey.questions.filter(({ type }) => type === "number").map((question) => sayMoves(t, question));
  return [CHANGES, ...new Set(moves)].join(" ");
}

/** How often it shows that a question's number moved. */
function sayMoves(/** @type {Translate} */ t, /** @type {Question} */ { mechanism, range, text }) {
  const { levels } = /** @type {any} */ (mechanism);
  const { span, step, scale, unit } = range;
  const nSteps = Math.max(1, Math.floor(span / (SELDOM * (levels - 1))));
  const chance = (nSteps * (levels - 1)) / span;
  if (chance >= 1) return MOVES;
  const distance = `${(nSteps * step) / scale} ${unit}`.trimEnd();
  return (
    `For “${text}”, suppose your numbers stay within ${distance} of each other. Then your reports show a change ` +
    `with a chance of at most ${percentAbove(t, chance)}. They show larger changes more often.`
  );
}

/** A share in per cent, rounded up to a whole one, or finer near 0 and 100. */
function percentAbove(/** @type {Translate} */ t, /** @type {number} */ share) {
  const percent = 100 * (share - IMMATERIAL);
  const rounded = STEPS.map((parts) => Math.ceil(percent * parts) / parts);
  return t.percent((rounded.find((each) => 0 < each && each < 100) ?? 100) / 100);
}

/**
 * Return a text in lines that fit.
 * @param {string} text @param {string} [indent] before each line
 */
export function wrapped(text, indent = "") {
  const lines = [];
  let line = indent;
  for (const word of text.split(/\s+/)) {
    if (line.length > indent.length && line.length + word.length + 1 > WIDTH) {
      lines.push(line);
      line = indent;
    }
    line += line.length > indent.length ? ` ${word}` : word;
  }
  return [...lines, line].join("\n");
}
