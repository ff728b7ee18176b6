/**
 * How likely chance makes what of an answer, by a mechanism's thresholds: exact fractions, so that what is said of them
 * is rounded to the side that protects less, as `sotto explain` rounds it.
 */

const SCALE = 2n ** 32n;
const MOST_PEOPLE = 1_000_000n;
const MAX_SMALL = 20; // the largest denominator of a fraction that is said as it is

/** @typedef {[bigint, bigint]} Fraction of two integers, the second above 0 */
/** @typedef {{ifTrue: Fraction, ifOther: Fraction}} Support that a report speaks for an answer: for a true one, for another */
/** @typedef {import("../src/segments.js").Segment} Segment */
/** @typedef {any} Mechanism one of src/mechanisms.js, known by its name: pages have the client's bundle, not its classes */

/** @type {{[name: string]: (mechanism: Mechanism) => Support}} */
const SUPPORTS = {
  "k-ary": ofKary,
  subset: (mechanism) => (mechanism.nMembers ? ofPadded(mechanism) : ofSubset(mechanism)),
  geometry: ofGeometry,
  sketch: ({ geometry }) => ofGeometry(geometry),
  "asked-option": ({ coin }) => ofBits(coin),
  window: ofWindow,
  segments: ofSegments,
};

/**
 * Return how likely a report speaks for an answer: of a text its bucket or one of its bits, of a number the farthest one.
 * @param {Mechanism} mechanism @returns {Support}
 */
export function supportOf(mechanism) {
  return (SUPPORTS[mechanism.name] ?? ofBits)(mechanism);
}

/** @param {Fraction} fraction @returns {Fraction} one without it */
export function rest([part, whole]) {
  return [whole - part, whole];
}

/**
 * Return a probability as so many of 100 people, rounded down; of up to a million where they would be below ten.
 * @param {Fraction} fraction @returns {{n: number, people: number}}
 */
export function ofPeople([part, whole]) {
  let people = 100n;
  while (part * people < 10n * whole && people < MOST_PEOPLE) people *= 10n;
  return { n: Number((part * people) / whole), people: Number(people) };
}

/**
 * Return a probability as so many times in so many, if it is such a fraction of small numbers; else null.
 * @param {Fraction} fraction @returns {{n: number, of: number} | null}
 */
export function simple(fraction) {
  const share = valueOf(fraction);
  for (let of = 2; of <= MAX_SMALL; of += 1) {
    const n = Math.round(share * of);
    if (0 < n && n < of && Math.abs(n / of - share) < 1e-8) return { n, of };
  }
  return null;
}

/** How many levels an output of a number stands for at most. @param {Mechanism} mechanism @returns {number} */
export function widthOf({ width, segments }) {
  return width ?? Math.max(...segments.map((/** @type {Segment} */ [first, last]) => last - first + 1));
}

/** How likely a number's report is one of those that stand for it, rounded. @param {Mechanism} mechanism @returns {Fraction} */
export function insideOf({ ifTrue, repeats, levels, segments }) {
  if (segments) return [insideMost(levels, segments), SCALE];
  const [first, again] = [BigInt(ifTrue), BigInt(repeats ?? Number(SCALE))];
  return [first * again + (SCALE - first) * (SCALE - again), SCALE * SCALE];
}

/** The nearest double, or one beside it. */
function valueOf(/** @type {Fraction} */ [part, whole]) {
  return Number((part * 2n ** 80n) / whole) / 2 ** 80;
}

function ofBits(/** @type {Mechanism} */ { ifTrue, ifOther, ifOne, ifZero }) {
  const reported = (/** @type {number} */ permanent) =>
    /** @type {Fraction} */ ([
      BigInt(permanent) * BigInt(ifOne) + (SCALE - BigInt(permanent)) * BigInt(ifZero),
      SCALE * SCALE,
    ]);
  return { ifTrue: reported(ifTrue), ifOther: reported(ifOther) };
}

function ofKary(/** @type {Mechanism} */ { nValues, ifTrue, ifKept = Number(SCALE) }) {
  const [nOthers, first, again] = [nValues - 1, ifTrue, ifKept].map(BigInt);
  const truth = nOthers * first * again + (SCALE - first) * (SCALE - again);
  const whole = nOthers * SCALE * SCALE;
  /** @type {Support} */
  const found = { ifTrue: [truth, whole], ifOther: [whole - truth, whole * nOthers] };
  return found;
}

function ofSubset(/** @type {Mechanism} */ { ifTrue, nValues, weight }) {
  return ofSets(ifTrue, [BigInt(nValues - weight), BigInt(weight)], [BigInt(weight - 1), BigInt(nValues - 1)]);
}

/** Of `every` sets `none` have nothing of an answer: of all members, and of those in no answer, as many are in a set. */
function ofPadded(/** @type {Mechanism} */ mechanism) {
  const { ifTrue, nValues, nMembers, weight } = mechanism;
  const [threshold, options, members, size] = [ifTrue, nValues, nMembers, weight].map(BigInt);
  const [none, every] = /** @type {bigint[]} */ ([mechanism.none, mechanism.every]);
  const any = every - none;
  const own = threshold * (every * options - none * members) + (SCALE - threshold) * members * any;
  /** @type {Support} */
  const found = {
    ifTrue: [threshold * size * every, SCALE * members * any],
    ifOther: [size * own, SCALE * members * options * any],
  };
  return found;
}

function ofGeometry(/** @type {Mechanism} */ { ifTrue, field, dimension }) {
  const nPoints = (/** @type {number} */ places) => BigInt((field ** places - 1) / (field - 1));
  const inPlane = nPoints(dimension - 1);
  return ofSets(ifTrue, [BigInt(field) ** BigInt(dimension - 1), inPlane], [nPoints(dimension - 2), inPlane]);
}

/** `against`: how many outputs do not support an answer, for one that does; `shared`: of these, what supports another. */
function ofSets(/** @type {number} */ threshold, /** @type {Fraction} */ against, /** @type {Fraction} */ shared) {
  const [truth, lie] = [BigInt(threshold), SCALE - BigInt(threshold)];
  const whole = SCALE * shared[1] * against[0];
  const ifOther = truth * shared[0] * against[0] + lie * (shared[1] - shared[0]) * against[1];
  /** @type {Support} */
  const found = { ifTrue: [truth, SCALE], ifOther: [ifOther, whole] };
  return found;
}

/** Of the greatest number and the least: what stands for both speaks for neither. */
function ofWindow(/** @type {Mechanism} */ mechanism) {
  const { levels, width } = mechanism;
  const [truth, whole] = insideOf(mechanism);
  const own = BigInt(width === levels ? width - 1 : width);
  /** @type {Support} */
  const found = {
    ifTrue: [truth * own, whole * BigInt(width)],
    ifOther: [(whole - truth) * own, whole * BigInt(levels - 1)],
  };
  return found;
}

/** At the level where most outputs stand for it, of 2^32. */
function insideMost(/** @type {number} */ levels, /** @type {Segment[]} */ segments) {
  const totals = Array.from({ length: levels }, (_, level) =>
    segments.reduce((sum, [first, last, inside]) => sum + (first <= level && level <= last ? inside : 0), 0),
  );
  return BigInt(Math.max(...totals));
}

/** As if every output had the largest odds, and no more than the coin of these: what `sotto explain` says. */
function ofSegments(/** @type {Mechanism} */ { levels, segments }) {
  /** @type {Fraction} */
  let [inside, outside] = [1n, 1n];
  for (const each of segments) {
    const [own, other] = [BigInt(each[2]), BigInt(each[3])];
    if (own * outside > inside * other) [inside, outside] = [own, other];
  }
  const [most, sum] = [insideMost(levels, segments), inside + outside];
  const isCoin = most * sum > inside * SCALE;
  /** @type {Support} */
  const found = isCoin
    ? { ifTrue: [inside, sum], ifOther: [outside, sum] }
    : { ifTrue: [most, SCALE], ifOther: [most * outside, SCALE * inside] };
  return found;
}
