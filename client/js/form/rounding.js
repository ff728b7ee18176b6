/** Which numbers a device rounds a number to, and how often what it sends stands for another, as `sotto explain` has it. */

/** @typedef {import("./words.js").Translate} Translate */

const MOST_NAMED = 4; // so many numbers are named one by one

/**
 * @param {Translate} t @param {{levels: number, width: number}} window @param {any} range the question's numbers
 * @param {string} lost how often what is sent does not stand for the rounded number, in words @returns {string}
 */
export function sayRounding(t, { levels, width }, range, lost) {
  return t.text([sayLevels(t, levels, range), saySent(t, levels, width, lost)]);
}

function sayLevels(/** @type {Translate} */ t, /** @type {number} */ levels, /** @type {any} */ range) {
  const named = namedOf(levels, range).map((number) => t.number(number));
  if (named.length > 0) {
    return t("Your device rounds your number at random to %(numbers)s.", { numbers: sayOneOf(t, named) });
  }
  return t(
    "Your device rounds your number at random to one of %(levels)s evenly spaced numbers from %(low)s to %(high)s.",
    { levels, low: Number(range.minimum), high: Number(range.maximum) },
  );
}

function saySent(
  /** @type {Translate} */ t,
  /** @type {number} */ levels,
  /** @type {number} */ width,
  /** @type {string} */ lost,
) {
  if (width > 1) {
    return t("It sends a code for up to %(n)s of these numbers. The rounded number is not one of them %(lost)s.", {
      n: width,
      lost,
    });
  }
  if (levels === 2) return t("It sends the other one %(lost)s.", { lost });
  return t("It sends one of the others %(lost)s.", { lost });
}

/** The numbers that are rounded to; none of many, or where one needs two decimals more than the ends have. */
function namedOf(/** @type {number} */ levels, /** @type {any} */ { minimum, maximum }) {
  if (levels > MOST_NAMED) return [];
  const places = Math.max(...[minimum, maximum].map((end) => (end.split(".")[1] ?? "").length));
  const scale = 10 ** (places + 1);
  const [low, high] = [minimum, maximum].map((end) => BigInt(Math.round(Number(end) * 10 ** places)) * 10n);
  const parts = BigInt(levels - 1);
  const scaled = Array.from({ length: levels }, (_, level) => low * parts + (high - low) * BigInt(level));
  return scaled.every((number) => number % parts === 0n) ? scaled.map((number) => Number(number / parts) / scale) : [];
}

function sayOneOf(/** @type {Translate} */ t, /** @type {string[]} */ [a, b, c, d]) {
  if (c === undefined) return t("%(a)s or %(b)s", { a, b });
  if (d === undefined) return t("%(a)s, %(b)s or %(c)s", { a, b, c });
  return t("%(a)s, %(b)s, %(c)s or %(d)s", { a, b, c, d });
}
