import { createHash, createHmac, randomFillSync } from "node:crypto";

var crypto = {
  getRandomValues: randomFillSync,
  subtle: {
    digest: async (_, bytes) => createHash("sha256").update(bytes).digest(),
    importKey: async (_, secret) => Uint8Array.from(secret),
    sign: async (_, key, message) => createHmac("sha256", key).update(message).digest()
  }
};

var encoder = new TextEncoder;

function utf8(text2) {
  return encoder.encode(text2);
}

function bigEndian(value, nBytes) {
  return Uint8Array.from({
    length: nBytes
  }, (_, index) => Math.floor(value / 2 ** (8 * (nBytes - 1 - index))) % 256);
}

function concat(...parts) {
  const joined2 = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at2 = 0;
  for (const part of parts) {
    joined2.set(part, at2);
    at2 += part.length;
  }
  return joined2;
}

async function sha256(bytes) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

function hex(bytes) {
  return [ ...bytes ].map(byte => byte.toString(16).padStart(2, "0")).join("");
}

function base64(bytes) {
  return btoa(String.fromCharCode(...bytes));
}

function areEqual(left, right) {
  return left.length === right.length && Array.prototype.every.call(left, (byte, index) => byte === right[index]);
}

function packBits(bits) {
  const packed = new Uint8Array(Math.ceil(bits.length / 8));
  bits.forEach((bit, index) => packed[index >> 3] |= bit << (index & 7));
  return packed;
}

function unpackBits(packed, nBits) {
  return Uint8Array.from({
    length: nBits
  }, (_, index) => packed[index >> 3] >> (index & 7) & 1);
}

var COIN_SCALE = 2 ** 32;

var Edges = class {
  constructor(numerators, whole) {
    const scaled = numerators.map(numerator => numerator * BigInt(COIN_SCALE));
    this.whole = whole;
    this.rests = scaled.map(number2 => number2 % whole);
    this.firsts = scaled.map(number2 => Number(number2 / whole));
  }
};

var Coins = class {
  constructor(take) {
    this.take = take;
  }
  async flip(threshold, nCoins) {
    const [first, rest2] = [ threshold >>> 24, threshold & 16777215 ];
    const drawn = await this.#draw(nCoins);
    const heads = drawn.map(byte => byte < first ? 1 : 0);
    const tied = rest2 === 0 ? [] : [ ...drawn.keys() ].filter(index => drawn[index] === first);
    if (tied.length > 0) {
      const settled = await this.flip(rest2 << 8 >>> 0, tied.length);
      tied.forEach((index, at2) => heads[index] = settled[at2]);
    }
    return heads;
  }
  async uniform(nValues, nDraws) {
    const nBytes = nValues <= 256 ? 2 : 4;
    const scale = 2 ** (8 * nBytes);
    const drawn = await this.#draw(nBytes * nDraws);
    const wide = Array.from({
      length: nDraws
    }, (_, index) => {
      const bytes = drawn.subarray(nBytes * index, nBytes * (index + 1));
      const value = bytes.reduce((value2, byte) => 256 * value2 + byte, 0);
      const upper = Math.floor(value / 65536) * nValues;
      return [ Math.floor(upper / 65536), upper % 65536 * 65536 + value % 65536 * nValues ];
    });
    const values = wide.map(([upper, lower]) => upper + Math.floor(lower / scale));
    const rejected = [ ...wide.keys() ].filter(index => wide[index][1] % scale < scale % nValues);
    if (rejected.length > 0) {
      const again = await this.uniform(nValues, rejected.length);
      rejected.forEach((index, at2) => values[index] = again[at2]);
    }
    return values;
  }
  async choose(weights) {
    const drawn = (await this.#draw(4)).reduce((value, byte) => 256 * value + byte, 0);
    let sum = 0;
    return weights.findIndex(weight => (sum += weight) > drawn);
  }
  async place({firsts: firsts, rests: rests, whole: whole}) {
    const drawn = new DataView((await this.#draw(4)).slice().buffer).getUint32(0);
    const isBelow = firsts.map((first, edge) => first < drawn || first === drawn && rests[edge] === 0n);
    const tied = rests.filter((rest2, edge) => firsts[edge] === drawn && rest2 > 0n);
    const nBelow = isBelow.filter(Boolean).length;
    return tied.length > 0 ? nBelow + await this.place(new Edges(tied, whole)) : nBelow;
  }
  async different(nValues, nDifferent) {
    const left = Array.from({
      length: nValues
    }, (_, value) => value);
    for (let place = 0; place < Math.min(nDifferent, nValues - 1); place += 1) {
      const [step] = await this.uniform(nValues - place, 1);
      [left[place], left[place + step]] = [ left[place + step], left[place] ];
    }
    return left.slice(0, nDifferent);
  }
  async #draw(nBytes) {
    const drawn = await this.take(nBytes);
    if (drawn.length !== nBytes) throw new Error(`a source of coins gave ${drawn.length} bytes where ${nBytes} were asked for.`);
    return drawn;
  }
};

async function osBytes(nBytes) {
  return crypto.getRandomValues(new Uint8Array(nBytes));
}

function drawUpTo(most) {
  return crypto.getRandomValues(new Uint32Array(1))[0] / COIN_SCALE * most;
}

function importSecret(secret) {
  return crypto.subtle.importKey("raw", secret, {
    name: "HMAC",
    hash: "SHA-256"
  }, false, [ "sign" ]);
}

async function hmac(key, message) {
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, message));
}

function hmacBytes(key, context2) {
  let leftOver = new Uint8Array(0);
  let block = 0;
  return async nBytes => {
    while (leftOver.length < nBytes) {
      leftOver = concat(leftOver, await hmac(key, concat(context2, bigEndian(block, 8))));
      block += 1;
    }
    const drawn = leftOver.slice(0, nBytes);
    leftOver = leftOver.slice(nBytes);
    return drawn;
  };
}

var PLACES = 12;

var UNITS = 10n ** BigInt(PLACES);

var SCALE = 1n << 200n;

var N_TERMS = 70;

var DECIMAL = /^(\d+)(?:\.(\d{1,12}))?$/;

function parseEpsilon(text2) {
  const [, whole, decimals = ""] = DECIMAL.exec(text2) ?? [];
  return whole === void 0 ? null : BigInt(whole + decimals.padEnd(PLACES, "0"));
}

function writeEpsilon(units) {
  const digits = String(units).padStart(PLACES + 1, "0");
  return `${digits.slice(0, -PLACES)}.${digits.slice(-PLACES)}`.replace(/\.?0+$/, "");
}

function logRatioAbove(numerator, denominator) {
  let doublings = 0n;
  for (;numerator >= 2n * denominator; doublings += 1n) denominator *= 2n;
  return doublings * artanhTwiceAbove(1n, 3n) + artanhTwiceAbove(numerator - denominator, numerator + denominator);
}

function sumAbove(terms) {
  const total = terms.reduce((sum, [factor, term]) => sum + BigInt(factor) * term, 0n);
  return divideAbove(total * UNITS, SCALE);
}

function artanhTwiceAbove(numerator, denominator) {
  const z = divideAbove(numerator * SCALE, denominator);
  const square = divideAbove(z * z, SCALE);
  let power = z;
  let sum = 2n;
  for (let term = 0; term < N_TERMS; term += 1) {
    sum += divideAbove(power, BigInt(2 * term + 1));
    power = divideAbove(power * square, SCALE);
  }
  return 2n * sum;
}

function divideAbove(term, divisor) {
  return (term + divisor - 1n) / divisor;
}

var SottoError = class extends Error {};

var LocatedError = class extends SottoError {
  constructor(where, problem) {
    super(`${where}: ${problem}`);
    this.where = where;
    this.problem = problem;
  }
};

var AnswerError = class extends LocatedError {};

var SurveyError = class extends LocatedError {};

var SurveyRefused = class extends SottoError {};

var SurveyUnavailable = class extends SottoError {
  constructor(message, problem = null, options = {}) {
    super(message, options);
    this.problem = problem;
  }
};

var BudgetExceeded = class extends SottoError {
  constructor(message, {needed: needed, left: left, limit: limit}) {
    super(message);
    this.needed = needed;
    this.left = left;
    this.limit = limit;
  }
};

var AlreadyAnswered = class extends BudgetExceeded {
  constructor(receipt, survey) {
    const wave = survey.waves > 1 ? `wave ${receipt.wave} of ` : "";
    super(`this device has answered ${wave}survey '${survey.id}' before (receipt ${receipt.id}), whether or not that report was counted. Another report would take epsilon ${survey.epsilon} again.`, {
      needed: survey.epsilon,
      left: "0",
      limit: wave ? "one report per wave" : "one report per survey"
    });
    this.receipt = receipt;
  }
};

var NotAsked = class extends SottoError {
  constructor(id, wave, waves) {
    super(`survey '${id}' does not ask this device in wave ${wave}, but in ${waves.join(", ")}.`);
    this.wave = wave;
    this.waves = waves;
  }
};

var ParticipationEnded = class extends SottoError {};

var InvitationError = class extends SottoError {};

var StateError = class extends SottoError {};

var DeliveryError = class extends SottoError {};

for (const [name, kind] of Object.entries({
  SottoError: SottoError,
  AnswerError: AnswerError,
  SurveyError: SurveyError,
  SurveyRefused: SurveyRefused,
  SurveyUnavailable: SurveyUnavailable,
  BudgetExceeded: BudgetExceeded,
  AlreadyAnswered: AlreadyAnswered,
  NotAsked: NotAsked,
  ParticipationEnded: ParticipationEnded,
  InvitationError: InvitationError,
  StateError: StateError,
  DeliveryError: DeliveryError
})) {
  kind.prototype.name = name;
}

var SECRET_BYTES = 32;

var TAG_BYTES = 32;

async function settle({id: id, mechanism: mechanism}, encoded, key, fingerprint) {
  if (!("settle" in mechanism)) return encoded;
  return mechanism.settle(encoded, new Coins(hmacBytes(key, context("sottovoce-settling-1", fingerprint, id))));
}

async function respond(question, settled, key, fingerprint) {
  const ofDevice = new Coins(hmacBytes(key, context("sottovoce-group-1", fingerprint, question.id)));
  const ofAnswer = new Coins(hmacBytes(key, context("sottovoce-permanent-1", fingerprint, question.id, settled)));
  return question.mechanism.respond(settled, await question.mechanism.drawGroup(ofDevice), ofAnswer);
}

function reportAnswers(survey, encoded, key, coinsOf2) {
  const report = async (question, index) => {
    const answer = encoded[index];
    if (answer === null) return null;
    const settled = await settle(question, answer, key, survey.fingerprint);
    const permanent = await respond(question, settled, key, survey.fingerprint);
    return question.mechanism.report(permanent, coinsOf2(question, settled));
  };
  return Promise.all(survey.questions.map(report));
}

function draftCoins(survey, seed) {
  return ({id: id}, encoded) => new Coins(hmacBytes(seed, context("sottovoce-draft-1", survey.fingerprint, id, encoded)));
}

async function noiseKey(survey, key, wave) {
  if (survey.keepsNoise || survey.askedIn === 0) return key;
  return importSecret(await hmac(key, joined([ utf8("sottovoce-wave-1"), utf8(survey.fingerprint), bigEndian(wave, 2) ])));
}

async function markAnswers(survey, encoded, key) {
  const mark = async (question, index) => {
    const answer = encoded[index];
    if (answer === null) return new Uint8Array(0);
    const settled = await settle(question, answer, key, survey.fingerprint);
    return survey.keepsNoise ? hmac(key, context("sottovoce-tag-1", survey.fingerprint, question.id, settled)) : respond(question, settled, key, survey.fingerprint);
  };
  const marks = await Promise.all(survey.questions.map(mark));
  return concat(...marks);
}

function context(label, fingerprint, questionId, encoded = void 0) {
  const parts = [ label, fingerprint, questionId ].map(utf8);
  if (encoded !== void 0) parts.push(written(encoded));
  return joined(parts);
}

function joined(parts) {
  return concat(...parts.flatMap(part => [ bigEndian(part.length, 8), part ]));
}

function written(encoded) {
  if (typeof encoded === "string") return utf8(encoded);
  const numbers = typeof encoded === "number" ? [ encoded ] : [ ...encoded ];
  return concat(...numbers.map(number2 => bigEndian(number2, 2)));
}

var DAY_MS = 864e5;

var today = () => (new Date).toISOString().slice(0, 10);

function receiptOf({receipt: receipt, surveyId: surveyId, fingerprint: fingerprint, epsilon: epsilon, wave: wave, isSummed: isSummed, keys: keys = ""}) {
  return {
    id: receipt,
    surveyId: surveyId,
    fingerprint: fingerprint,
    epsilon: writeEpsilon(epsilon),
    wave: wave,
    isSummed: isSummed,
    keys: keys
  };
}

async function entriesOf(transaction, fingerprint) {
  const entries = await transaction.all("ledger");
  return entries.filter(entry => entry.fingerprint === fingerprint).sort((left, right) => left.wave - right.wave);
}

async function entryOf(transaction, receipt) {
  return (await transaction.all("ledger")).find(entry => entry.receipt === receipt);
}

function epsilonOfReport(survey, marks, earlier, drawn) {
  const tag = (of, index) => of.slice(index * TAG_BYTES, (index + 1) * TAG_BYTES);
  const answered = survey.questions.filter((_, index) => drawn?.[index] ?? true);
  if (!survey.keepsNoise) return sumOf(answered.map(question => question.epsilonOf(1)));
  const known = earlier.filter(before => before.marks !== null);
  const given2 = [ marks, ...known.map(before => before.marks) ];
  const taken = answered.flatMap((question, index) => {
    const pots = new Map;
    for (const answer of given2.map(of => hex(tag(of, index)))) pots.set(answer, (pots.get(answer) ?? 0) + 1);
    return [ ...pots.values() ].map(nReports => question.epsilonOf(nReports));
  });
  const more = known.reduce((left, before) => left - before.epsilon, sumOf(taken));
  return more > 0n ? more : 0n;
}

function sumOf(epsilons) {
  return epsilons.reduce((sum, epsilon) => sum + epsilon, 0n);
}

function checkBudget(all, entry, {maxEpsilon: maxEpsilon, maxPeriodEpsilon: maxPeriodEpsilon, periodDays: periodDays}, least = 0n) {
  const start = new Date(Date.parse(entry.day) - (periodDays - 1) * DAY_MS).toISOString().slice(0, 10);
  const earlier = [ ...new Map([ ...all ].sort(byDay).map(old => [ old.isSummed ? old.fingerprint : old.receipt, old ])).values() ];
  const ofSurvey = earlier.filter(old => old.surveyId === entry.surveyId);
  const ofPeriod = earlier.filter(old => old.day >= start);
  const needed = entry.epsilon > least ? entry.epsilon : least;
  require2(entry, needed, "maxEpsilon", maxEpsilon, ofSurvey, `for survey ${entry.surveyId}`);
  require2(entry, needed, "maxPeriodEpsilon", maxPeriodEpsilon, ofPeriod, `for ${periodDays} days`);
}

async function settleReport(transaction, receipt, endsSurvey) {
  const entry = await entryOf(transaction, receipt);
  if (entry !== void 0 && (entry.wave === entry.waves || endsSurvey)) await endVersion(transaction, entry.fingerprint);
  await releaseInvitations(transaction);
}

async function endVersion(transaction, fingerprint) {
  const entries = await entriesOf(transaction, fingerprint);
  for (const end of [ "", ":tokens" ]) await transaction.delete("secrets", fingerprint + end);
  if (entries.some(entry => entry.marks !== null)) {
    const epsilon = sumOf(entries.map(entry => entry.epsilon));
    for (const entry of entries) {
      await transaction.put("ledger", {
        ...entry,
        epsilon: epsilon,
        marks: null,
        isSummed: entry.waves > 1
      });
    }
  }
  await releaseInvitations(transaction);
}

async function releaseInvitations(transaction) {
  const entries = await transaction.all("ledger");
  const waiting = (await transaction.all("outbox")).filter(report => report.problem === null);
  const kept = [ ...waiting, ...await transaction.all("sent") ];
  const needed = new Set(kept.map(report => report.fingerprint));
  for (const entry of entries) {
    if (entry.invitation && entry.marks === null && !needed.has(entry.fingerprint)) {
      await transaction.put("ledger", {
        ...entry,
        invitation: ""
      });
    }
  }
}

function readLimit(name, value) {
  const units = parseEpsilon(typeof value === "number" && Number.isFinite(value) ? value.toFixed(12) : String(value));
  if (units === null || units === 0n) throw new RangeError(`${name} must be a number of nats, finite and > 0.`);
  return units;
}

function require2(entry, units, limit, most, earlier, scope) {
  const left = earlier.reduce((rest3, old) => rest3 - old.epsilon, most);
  if (units <= left || units === 0n) return;
  const [needed, rest2] = [ writeEpsilon(units), writeEpsilon(left > 0n ? left : 0n) ];
  throw new BudgetExceeded(`answering survey ${entry.surveyId} would spend epsilon ${needed}, but ${limit} (${writeEpsilon(most)}) leaves ${rest2} ${scope}.`, {
    needed: needed,
    left: rest2,
    limit: limit
  });
}

function byDay(left, right) {
  return left.day < right.day ? -1 : Number(left.day > right.day);
}

var STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*/gs;

var JSON_NUMBER = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/;

var CANONICAL_NUMBER = /^-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?$/;

var PLAIN_NUMBER = /^(?!-0$)-?\d{1,16}(\.\d{1,12})?$/;

var MAX_NUMBER = 10 ** 15;

var FORBIDDEN = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]/u;

var Numeral = class {
  constructor(text2) {
    this.text = text2;
  }
};

function parseJson(bytes) {
  try {
    const text2 = new TextDecoder("utf-8", {
      fatal: true,
      ignoreBOM: true
    }).decode(bytes);
    const marked = text2.replace(STRING_OR_NUMBER, token => token[0] === '"' ? token : `{"#":${quote(token)}}`);
    const document = JSON.parse(marked, (_, value) => value?.["#"] === void 0 ? value : new Numeral(value["#"]));
    return {
      document: document,
      isCanonical: canonical(document) === text2
    };
  } catch {
    throw new SurveyError("$", "must be JSON in UTF-8.");
  }
}

function canonical(value) {
  if (value instanceof Numeral) return CANONICAL_NUMBER.test(value.text) ? value.text : "";
  if (Array.isArray(value)) return `[${value.map(canonical)}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value).sort(([left], [right]) => left < right ? -1 : 1);
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`)}}`;
}

function quote(token) {
  if (!JSON_NUMBER.test(token)) throw new SyntaxError("no number");
  return `"${token}"`;
}

function isText(value, maxLength) {
  if (typeof value !== "string" || value === "" || value.length > 2 * maxLength) return false;
  return [ ...value ].length <= maxLength && !FORBIDDEN.test(value);
}

var Fields = class {
  #left;
  constructor(document, where) {
    if (document === null || typeof document !== "object" || Array.isArray(document) || document instanceof Numeral) {
      throw new SurveyError(where, "must be an object.");
    }
    this.#left = new Map(Object.entries(document));
    this.where = where;
  }
  has(key) {
    return this.#left.has(key);
  }
  take(key, expected, accept) {
    const value = this.#left.get(key);
    if (value === void 0) throw this.fail(key, `is missing; expected ${expected}.`);
    if (!accept(value)) throw this.fail(key, `must be ${expected}.`);
    this.#left.delete(key);
    return value;
  }
  integer(key, low, high) {
    const isIn = value => value instanceof Numeral && /^-?\d{1,16}$/.test(value.text) && low <= +value.text && +value.text <= high;
    return Number(this.take(key, `an integer in [${low}, ${high}]`, isIn).text);
  }
  number(key) {
    const isIn = value => value instanceof Numeral && PLAIN_NUMBER.test(value.text) && Math.abs(+value.text) <= MAX_NUMBER;
    return this.take(key, `a number in [-${MAX_NUMBER}, ${MAX_NUMBER}] of at most 12 decimals`, isIn).text;
  }
  ascending(key, most, high) {
    const numbers = value => Array.isArray(value) ? value.map(one => one instanceof Numeral && /^\d{1,16}$/.test(one.text) ? +one.text : 0) : [];
    const areIn = value => {
      const found = numbers(value);
      return found.length > 0 && found.length <= most && found.every((one, at2) => (found[at2 - 1] ?? 0) < one && one <= high);
    };
    return numbers(this.take(key, `a list of 1 to ${most} integers in [1, ${high}], ascending`, areIn));
  }
  rows(key, fewest, most, width) {
    const isWhole = one => one instanceof Numeral && /^-?\d{1,15}$/.test(one.text);
    const isRow = row => Array.isArray(row) && row.length === width && row.every(isWhole);
    const areIn = value => Array.isArray(value) && fewest <= value.length && value.length <= most && value.every(isRow);
    return this.take(key, `a list of ${fewest} to ${most} lists of ${width} integers`, areIn).map(row => row.map(one => Number(one.text)));
  }
  epsilon(key, high) {
    const inUnits = value => value instanceof Numeral ? parseEpsilon(value.text) : null;
    const expected = `a number in [0, ${high / 10n ** 12n}] of at most 12 decimals`;
    const isIn = value => (inUnits(value) ?? high + 1n) <= high;
    return inUnits(this.take(key, expected, isIn));
  }
  text(key, maxLength) {
    return this.take(key, `a text of 1 to ${maxLength} characters without control characters`, value => isText(value, maxLength));
  }
  oneOf(key, words) {
    return this.take(key, `one of ${words.join(", ")}`, value => words.includes(value));
  }
  optional(key, usual, read) {
    if (!this.has(key)) return usual;
    const value = read();
    if (value === usual) throw notCanonical();
    return value;
  }
  word(key, words) {
    return this.optional(key, words[0], () => this.oneOf(key, words));
  }
  count(key, usual, low, high) {
    return this.optional(key, usual, () => this.integer(key, low, high));
  }
  flag(key) {
    return this.optional(key, false, () => this.take(key, "true or false", value => typeof value === "boolean"));
  }
  finish() {
    for (const key of this.#left.keys()) {
      throw new SurveyError(this.where, `has an unknown member ${isText(key, 40) ? `'${key}'` : "(a key)"}.`);
    }
  }
  fail(key, problem) {
    return new SurveyError(`${this.where}.${key}`, problem);
  }
};

function notCanonical() {
  return new SurveyError("$", "must be in canonical form, its epsilon the sum of its questions'.");
}

var REPORT_ID_BYTES = 16;

function wireReport(survey, id, columns, wave, admission) {
  const answers = survey.questions.flatMap(({id: id2, mechanism: mechanism}, index) => {
    const column = columns[index];
    return column === null ? [] : [ [ id2, mechanism.toWire(column) ] ];
  });
  return {
    id: hex(id),
    ...survey.waves > 1 ? {
      wave: wave
    } : {},
    ...admission,
    answers: Object.fromEntries(answers)
  };
}

function blanksAfter(survey, sent) {
  return canonical(longestReport(survey)).length - canonical(sent).length;
}

function longestBody(survey) {
  const invitation = survey.invited && !survey.blind ? "a".repeat(26) : null;
  return batchBody(survey.fingerprint, longestReport(survey), 0, invitation).length;
}

function longestReport(survey) {
  const lengths = survey.questions.map(({id: id, mechanism: mechanism}) => canonical({
    [id]: mechanism.toWire(mechanism.longest)
  }).length);
  const order = [ ...lengths.keys() ].sort((left, right) => lengths[right] - lengths[left]);
  const drawn = order.slice(0, survey.nDrawn);
  const columns = survey.questions.map(({mechanism: mechanism}, index) => drawn.includes(index) ? mechanism.longest : null);
  return wireReport(survey, new Uint8Array(REPORT_ID_BYTES), columns, survey.waves, survey.blind?.longest);
}

function batchBody(fingerprint, report, nBlanks, invitation = null) {
  const sent = invitation === null ? report : {
    ...report,
    invitation: invitation
  };
  return canonical({
    fingerprint: fingerprint,
    reports: [ sent ]
  }) + " ".repeat(nBlanks);
}

var Draft = class {
  #send;
  #sent=null;
  constructor(survey, columns, id, {wave: wave, epsilon: epsilon, invitation: invitation}, send, admission) {
    this.#send = send;
    this.epsilon = writeEpsilon(epsilon);
    this.sent = wireReport(survey, id, columns, wave, admission);
    this.receipt = this.sent.id;
    this.protectedLittle = survey.protectedLittle;
    this.body = batchBody(survey.fingerprint, this.sent, blanksAfter(survey, this.sent), invitation);
    this.reported = Object.fromEntries(survey.questions.flatMap((question, index) => {
      const column = columns[index];
      return column === null ? [] : [ [ question.id, question.reported(column) ] ];
    }));
    Object.freeze(this);
  }
  send() {
    this.#sent ??= this.#send().catch(fault => {
      this.#sent = null;
      throw fault;
    });
    return this.#sent;
  }
};

async function drawAnew(id) {
  const [secret, seed] = [ await osBytes(SECRET_BYTES), await osBytes(SECRET_BYTES) ];
  return {
    key: await importSecret(secret),
    seed: await importSecret(seed),
    id: id ?? await osBytes(REPORT_ID_BYTES)
  };
}

async function keepDrawn(transaction, survey, wave, fresh) {
  const {fingerprint: fingerprint, id: surveyId} = survey;
  const earlier = await entriesOf(transaction, fingerprint);
  checkUnanswered(survey, wave, earlier);
  const kept = await transaction.get("secrets", fingerprint);
  if (kept === void 0 && earlier.length > 0) throw ended(survey);
  const {key: key = fresh.key, drafts: drafts = {}} = kept ?? {};
  const draft = drafts[wave] ?? {
    seed: fresh.seed,
    id: fresh.id
  };
  if (drafts[wave] === void 0) {
    await transaction.put("secrets", {
      fingerprint: fingerprint,
      surveyId: surveyId,
      key: key,
      drafts: {
        ...drafts,
        [wave]: draft
      }
    });
  }
  return {
    key: key,
    ...draft
  };
}

async function endDraft(transaction, survey, wave, drawn) {
  const kept = await transaction.get("secrets", survey.fingerprint);
  if (kept === void 0 || !areEqual(kept.drafts[wave]?.id ?? [], drawn.id)) throw ended(survey);
  const {[wave]: _, ...drafts} = kept.drafts;
  await transaction.put("secrets", {
    ...kept,
    drafts: drafts
  });
}

async function makeEntry(transaction, survey, wave, marks, id, invitation, limits, drawn, lastWave) {
  const all = await transaction.all("ledger");
  const earlier = await entriesOf(transaction, survey.fingerprint);
  checkUnanswered(survey, wave, earlier);
  const entry = {
    fingerprint: survey.fingerprint,
    wave: wave,
    waves: lastWave,
    surveyId: survey.id,
    epsilon: epsilonOfReport(survey, marks, earlier, drawn),
    day: today(),
    receipt: hex(id),
    marks: marks,
    invitation: invitationOf(survey, earlier, invitation),
    isSummed: false
  };
  checkBudget(all, entry, limits, earlier.length > 0 ? 0n : parseEpsilon(survey.epsilon) ?? 0n);
  return entry;
}

function checkUnanswered(survey, wave, earlier) {
  const entry = earlier.find(candidate => candidate.wave === wave);
  if (entry !== void 0) throw new AlreadyAnswered(receiptOf(entry), survey);
}

function ended(survey) {
  return new ParticipationEnded(`this device takes part in survey ${survey.id} no longer: it has forgotten the secret of its noise.`);
}

function invitationOf(survey, earlier, given2) {
  if (survey.blind) return null;
  if (!survey.invited) {
    if (given2 === null) return null;
    throw new InvitationError(`survey ${survey.id} is open to all; invitation must not be given.`);
  }
  const known = given2 ?? earlier.flatMap(entry => entry.invitation || []).pop();
  if (known) return known;
  throw new InvitationError(`survey ${survey.id} is for invited people; invitation must be given.`);
}

var PRIOR = .1;

var LIMITS = [ [ 6792344427471n, .99 ], [ 4394449154673n, .9 ], [ 2197224577337n, .5 ] ];

function exceeded(epsilon) {
  const units = parseEpsilon(epsilon) ?? 0n;
  const [, limit] = LIMITS.find(([most]) => units > most) ?? [ 0n, 0 ];
  return limit;
}

function sayLittle(t, {epsilonForever: epsilonForever, nDrawn: nDrawn, maxReports: maxReports}) {
  const share = exceeded(epsilonForever);
  if (share === 0) return "";
  const shares = {
    prior: t.percent(PRIOR),
    limit: t.percent(share)
  };
  if (maxReports > 1) {
    return t("Your reports of all waves together are protected little. Someone who was %(prior)s sure of your answers can become more than %(limit)s sure.", shares);
  }
  if (nDrawn === 1) {
    return t("Your answer is protected little. Someone who was %(prior)s sure of it can become more than %(limit)s sure.", shares);
  }
  return t("Your answers together are protected little. Someone who was %(prior)s sure of them can become more than %(limit)s sure.", shares);
}

var inEnglish = Object.assign((message, values) => message.replace(/%\((\w+)\)s/g, (_, name) => values[name]), {
  percent: share => `${100 * share} %`
});

var SCALE2 = BigInt(COIN_SCALE);

var SYMMETRIC = [ "warner", "sue", "bit-flips", "asked-option", "basic-rappor", "rappor" ];

var BitMechanism = class {
  constructor(name, nValues, published) {
    this.name = name;
    this.nValues = nValues;
    this.ifTrue = published.threshold_if_true;
    this.ifOther = published.threshold_if_other;
    this.ifOne = published.report_if_one ?? COIN_SCALE;
    this.ifZero = published.report_if_zero ?? 0;
    this.hasTwoStages = published.report_if_one !== void 0;
    this.published = published;
    check(this.ifOther < this.ifTrue, "threshold_if_other must be below threshold_if_true.");
    check(this.ifZero < this.ifOne, "report_if_zero must be below report_if_one.");
    const isSymmetric = this.ifTrue + this.ifOther === COIN_SCALE || !SYMMETRIC.includes(name);
    check(isSymmetric, `the thresholds of ${name} must add up to ${COIN_SCALE}.`);
    check(name !== "oue" || this.ifTrue === COIN_SCALE / 2, `threshold_if_true of oue must be ${COIN_SCALE / 2}.`);
  }
  get isSet() {
    return false;
  }
  get epsilon() {
    return this.#lossOf(1);
  }
  get epsilonForever() {
    const [ifTrue, ifOther] = [ this.ifTrue, this.ifOther ].map(BigInt);
    return this.#bound([ ifTrue, ifOther ], [ SCALE2 - ifOther, SCALE2 - ifTrue ]);
  }
  epsilonOf(nReports, once) {
    if (!this.hasTwoStages || nReports < 2) return BigInt(nReports) * once;
    const together = this.#lossOf(nReports);
    return together > once ? together : once;
  }
  #lossOf(nReports) {
    const all = (permanent, ifOne, ifZero) => BigInt(permanent) * BigInt(ifOne) ** BigInt(nReports) + (SCALE2 - BigInt(permanent)) * BigInt(ifZero) ** BigInt(nReports);
    const zeros = [ COIN_SCALE - this.ifOne, COIN_SCALE - this.ifZero ];
    return this.#bound([ this.ifTrue, this.ifOther ].map(permanent => all(permanent, this.ifOne, this.ifZero)), [ this.ifOther, this.ifTrue ].map(permanent => all(permanent, zeros[0], zeros[1])));
  }
  #bound(ofLost, ofGained) {
    const perLost = logRatioAbove(ofLost[0], ofLost[1]);
    const perGained = logRatioAbove(ofGained[0], ofGained[1]);
    const [most, fewest] = this.differences;
    const bounds = [ [ most, fewest ], [ fewest, most ] ].map(([lost, gained]) => sumAbove([ [ lost, perLost ], [ gained, perGained ] ]));
    return bounds[0] > bounds[1] ? bounds[0] : bounds[1];
  }
  get differences() {
    return [ 1, 0 ];
  }
  async drawGroup(_coins) {
    return new Uint8Array(0);
  }
  async respond(answer, _group, coins) {
    return packBits(await replaceBits(this.trueBits(answer), this.ifTrue, this.ifOther, coins));
  }
  trueBits(answer) {
    return Uint8Array.of(answer);
  }
  async report(permanent, coins) {
    if (!this.hasTwoStages) return permanent;
    return packBits(await replaceBits(unpackBits(permanent, this.nValues), this.ifOne, this.ifZero, coins));
  }
  toWire(report) {
    return base64(report);
  }
  get longest() {
    return new Uint8Array(Math.ceil(this.nValues / 8));
  }
  said(report) {
    return onesOf(unpackBits(report, this.nValues));
  }
};

var BinaryResponse = class extends BitMechanism {
  toWire(report) {
    return report[0] === 1;
  }
};

var UnaryEncoding = class extends BitMechanism {
  get differences() {
    return [ 1, 1 ];
  }
  async respond(answer, _group, coins) {
    return packBits(await flipAround([ answer ], this.nValues, this, coins));
  }
};

var BitFlips = class extends BitMechanism {
  static readMore(fields, nOptions) {
    return {
      max_selected: fields.integer("max_selected", 1, nOptions)
    };
  }
  get differences() {
    const most = this.published.max_selected;
    return [ most, Math.min(most, this.nValues - most) ];
  }
  trueBits(answer) {
    return answer;
  }
};

function check(holds, problem) {
  if (!holds) throw new RangeError(problem);
}

async function replaceBits(bits, ifOne, ifZero, coins) {
  const zeros = await coins.flip(ifZero, bits.length);
  const ones = await coins.flip(ifOne, bits.length);
  return bits.map((bit, index) => bit ? ones[index] : zeros[index]);
}

async function flipAround(trueBits, width, {ifTrue: ifTrue, ifOther: ifOther}, coins) {
  const bits = await coins.flip(ifOther, width);
  const coinsIfTrue = await coins.flip(ifTrue, trueBits.length);
  trueBits.forEach((bit, index) => bits[bit] = coinsIfTrue[index]);
  return bits;
}

function onesOf(bits) {
  return [ ...bits.keys() ].filter(index => bits[index] === 1);
}

var AskedOption = class {
  constructor(name, nValues, published) {
    this.name = name;
    this.nValues = nValues;
    this.published = published;
    this.asked = published.asked ?? 1;
    const most = Math.min(this.asked, published.max_selected);
    this.coin = new BitFlips(name, this.asked, {
      ...published,
      max_selected: most
    });
    this.epsilon = this.epsilonForever = this.coin.epsilon;
  }
  static readMore(fields, nOptions) {
    const several = fields.has("asked") ? {
      asked: fields.integer("asked", 2, nOptions)
    } : {};
    return {
      ...BitFlips.readMore(fields, nOptions),
      ...several
    };
  }
  get isSet() {
    return false;
  }
  async drawGroup(coins) {
    const several = this.asked > 1;
    const drawn = several ? await coins.different(this.nValues, this.asked) : await coins.uniform(this.nValues, 1);
    return this.#pack(drawn.sort((one, other) => one - other));
  }
  async respond(answer, group, coins) {
    const selected = Uint8Array.from(this.#options(group), option => answer[option]);
    return concat(group, await this.coin.respond(selected, new Uint8Array(0), coins));
  }
  async report(permanent, _coins) {
    return permanent;
  }
  toWire(report) {
    const options = this.#options(report);
    const yes = unpackBits(report.slice(options.length * this.#width), options.length);
    return options.flatMap((option, at2) => [ option, yes[at2] === 1 ]);
  }
  get longest() {
    const largest = Array.from({
      length: this.asked
    }, (_, at2) => this.nValues - this.asked + at2);
    return concat(this.#pack(largest), new Uint8Array(Math.ceil(this.asked / 8)));
  }
  said(report) {
    const options = this.#options(report);
    const yes = this.toWire(report).filter((_, at2) => at2 % 2 === 1);
    if (this.asked === 1) return {
      asked: options[0],
      yes: yes[0] === true
    };
    return {
      asked: options,
      yes: options.filter((_, at2) => yes[at2])
    };
  }
  get #width() {
    return this.nValues <= 256 ? 1 : 2;
  }
  #options(group) {
    return Array.from({
      length: this.asked
    }, (_, at2) => group.slice(at2 * this.#width, (at2 + 1) * this.#width).reduce((value, byte) => 256 * value + byte, 0));
  }
  #pack(options) {
    return concat(...options.map(option => bigEndian(option, this.#width)));
  }
};

var SetResponse = class {
  constructor(name, nValues, {threshold_if_true: threshold}, nAgainst, nFor) {
    this.name = name;
    this.nValues = nValues;
    this.ifTrue = threshold;
    this.epsilonForever = epsilonOfOdds(likelier("threshold_if_true", threshold, nAgainst, nFor));
  }
  get epsilon() {
    return this.epsilonForever;
  }
  get isSet() {
    return true;
  }
  async drawGroup() {
    return new Uint8Array(0);
  }
  async report(permanent, _coins) {
    return permanent;
  }
};

function epsilonOfOdds([ifTrue, ifOther]) {
  return sumAbove([ [ 1, logRatioAbove(ifTrue, ifOther) ] ]);
}

function lossOfAlike(first, second, nReports, nOthers) {
  const n = BigInt(nOthers);
  const [isTrue, isLie] = [ BigInt(first) * n, BigInt(COIN_SCALE - first) ];
  const [alike, other] = [ BigInt(second) * n, BigInt(COIN_SCALE - second) ].map(weight => weight ** BigInt(nReports));
  const ifAnother = isTrue * other + isLie * (alike + (n - 1n) * other);
  return epsilonOfOdds([ isTrue * alike + n * isLie * other, ifAnother ]);
}

function likelier(name, threshold, nAgainst, nFor) {
  const odds = [ BigInt(threshold) * BigInt(nAgainst), BigInt(COIN_SCALE - threshold) * BigInt(nFor) ];
  check(odds[0] > odds[1], `${name} must be higher.`);
  return odds;
}

var NumberResponse = class extends SetResponse {
  get nOutputs() {
    return this.nValues;
  }
  pack(output) {
    return bigEndian(output, this.nOutputs <= 256 ? 1 : 2);
  }
  toWire(report) {
    return report.reduce((value, byte) => 256 * value + byte, 0);
  }
  get longest() {
    return this.pack(this.nOutputs - 1);
  }
};

var MAX_VECTORS = 2 ** 18;

var GeometryResponse = class extends NumberResponse {
  constructor(name, nValues, published) {
    const {field: field, dimension: dimension} = published;
    check(isPrime(field), "field must be a prime.");
    check(dimension === 2 || field ** dimension <= MAX_VECTORS, `field ** dimension must be at most ${MAX_VECTORS}.`);
    super(name, nValues, published, field ** (dimension - 1), nPoints(field, dimension - 1));
    this.field = field;
    this.dimension = dimension;
    check(nValues <= this.nOutputs && this.nOutputs <= 65536, `points must be ${nValues} to 65536.`);
  }
  static readMore(fields) {
    return {
      field: fields.integer("field", 2, 65521),
      dimension: fields.integer("dimension", 2, 18)
    };
  }
  get nOutputs() {
    return nPoints(this.field, this.dimension);
  }
  async respond(answer, _group, coins) {
    const [isTruth] = await coins.flip(this.ifTrue, 1);
    const nFree = this.field ** (this.dimension - 1);
    const [ifOrthogonal] = await coins.uniform(nFree - 1, 1);
    const [ifNot] = await coins.uniform(nFree, 1);
    let left = isTruth ? ifOrthogonal + 1 : ifNot;
    const own = this.#point(answer);
    const solved = own.lastIndexOf(1);
    const vector = own.map((_, place) => {
      if (place === solved) return 0;
      const digit = left % this.field;
      left = (left - digit) / this.field;
      return digit;
    });
    vector[solved] = (this.field + 1 - isTruth - this.#product(own, vector)) % this.field;
    return this.pack(this.#number(vector));
  }
  said(report) {
    const sent = this.#point(this.toWire(report));
    return [ ...Array(this.nValues).keys() ].filter(value => this.#product(sent, this.#point(value)) === 0);
  }
  #point(number2) {
    let last = 0;
    while (number2 >= nPoints(this.field, last + 1)) last += 1;
    const digits = number2 - nPoints(this.field, last);
    return Array.from({
      length: this.dimension
    }, (_, place) => place < last ? Math.floor(digits / this.field ** place) % this.field : Number(place === last));
  }
  #product(one, other) {
    return one.reduce((sum, value, place) => sum + value * other[place], 0) % this.field;
  }
  #number(vector) {
    const last = vector.reduce((found, value, place) => value ? place : found, 0);
    let [factor, power] = [ 1, vector[last] ];
    for (let bits = this.field - 2; bits; bits >>= 1) {
      if (bits % 2) factor = factor * power % this.field;
      power = power * power % this.field;
    }
    const digits = vector.slice(0, last).map((value, place) => value * factor % this.field * this.field ** place);
    return digits.reduce((sum, digit) => sum + digit, nPoints(this.field, last));
  }
};

function nPoints(field, dimension) {
  return (field ** dimension - 1) / (field - 1);
}

function isPrime(number2) {
  for (let divisor = 2; divisor * divisor <= number2; divisor += 1) if (number2 % divisor === 0) return false;
  return number2 > 1;
}

var KaryResponse = class extends NumberResponse {
  constructor(name, nValues, published) {
    super(name, nValues, published, nValues - 1, 1);
    this.ifKept = published.report_if_true;
    if (this.ifKept !== void 0) likelier("report_if_true", this.ifKept, nValues - 1, 1);
  }
  get hasTwoStages() {
    return this.ifKept !== void 0;
  }
  get epsilon() {
    return this.#lossOf(1);
  }
  epsilonOf(nReports, once) {
    if (this.ifKept === void 0 || nReports < 2) return BigInt(nReports) * once;
    const together = this.#lossOf(nReports);
    return together > once ? together : once;
  }
  #lossOf(nReports) {
    if (this.ifKept === void 0) return this.epsilonForever;
    return lossOfAlike(this.ifTrue, this.ifKept, nReports, this.nValues - 1);
  }
  async respond(answer, _group, coins) {
    return this.#draw(answer, this.ifTrue, coins);
  }
  async report(permanent, coins) {
    return this.ifKept === void 0 ? permanent : this.#draw(this.toWire(permanent), this.ifKept, coins);
  }
  async #draw(option, threshold, coins) {
    const [isTruth] = await coins.flip(threshold, 1);
    const [other] = await coins.uniform(this.nValues - 1, 1);
    return this.pack(isTruth ? option : other + (other >= option ? 1 : 0));
  }
  said(report) {
    return [ this.toWire(report) ];
  }
};

async function drawSet(size, nPlaces, nValues, coins) {
  const root = Math.floor(Math.sqrt(9 * size));
  const first = Math.floor(256 * (2 * size - root) / (2 * nValues));
  const bits = first > 0 ? await coins.flip(first * 2 ** 24, nPlaces) : new Uint8Array(nPlaces);
  for (let missing; (missing = size - onesOf(bits).length) !== 0; ) {
    for (const place of await coins.uniform(nPlaces, Math.abs(missing))) bits[place] = missing > 0 ? 1 : 0;
  }
  return bits;
}

var PaddedSubset = class extends SetResponse {
  #edges;
  constructor(name, nValues, published) {
    const {max_selected: most, weight: weight} = published;
    const [none, every] = [ nValues, nValues + most ].map(n => choose(n, weight));
    super(name, nValues, published, none, every - none);
    this.published = published;
    this.weight = weight;
    this.nMembers = nValues + most;
    this.none = none;
    this.every = every;
  }
  static readMore(fields, nOptions) {
    const most = fields.integer("max_selected", 1, nOptions);
    return {
      max_selected: most,
      weight: fields.integer("weight", 1, mostMembers(nOptions, most))
    };
  }
  get isSet() {
    return false;
  }
  async respond(answer, _group, coins) {
    const most = this.published.max_selected;
    const changes = Math.min(most, this.weight);
    const nShared = (await coins.place(this.#places()) + 1) % (changes + 1);
    const others = await drawSet(this.weight, this.nValues, this.nValues, coins);
    const out = await coins.different(this.weight, changes);
    const into = await coins.different(most, changes);
    const own = new Uint8Array(most);
    const members = onesOf(others);
    for (let change2 = 0; change2 < nShared; change2 += 1) {
      others[members[out[change2]]] = 0;
      own[into[change2]] = 1;
    }
    const nBlanks = most - onesOf(answer).length;
    const padded = [ ...answer, ...own.map((_, blank) => blank < nBlanks ? 1 : 0) ];
    const [ofOwn, ofOthers] = [ own.values(), others.values() ];
    return packBits(Uint8Array.from(padded, isOwn => (isOwn ? ofOwn : ofOthers).next().value ?? 0));
  }
  #places() {
    if (this.#edges) return this.#edges;
    const most = this.published.max_selected;
    const edges = [];
    let sum = 0n;
    for (let shared = 1; shared <= Math.min(most, this.weight); shared += 1) {
      sum += choose(most, shared) * choose(this.nValues, this.weight - shared);
      edges.push(BigInt(this.ifTrue) * sum);
    }
    this.#edges = new Edges(edges, BigInt(COIN_SCALE) * (this.every - this.none));
    return this.#edges;
  }
  toWire(report) {
    return base64(report);
  }
  get longest() {
    return new Uint8Array(Math.ceil(this.nMembers / 8));
  }
  said(report) {
    return onesOf(unpackBits(report, this.nValues));
  }
};

function choose(n, size) {
  let ways = 1n;
  for (let chosen = 0; chosen < size; chosen += 1) ways = ways * BigInt(n - chosen) / BigInt(chosen + 1);
  return size < 0 ? 0n : ways;
}

function mostMembers(nOptions, most) {
  let [none, every, weight] = [ 1n, 1n, 0 ];
  for (;weight < nOptions; weight += 1) {
    none *= BigInt(nOptions - weight);
    every *= BigInt(nOptions + most - weight);
    if (2n * none < every) break;
  }
  return Math.max(1, weight);
}

var LABEL = utf8("sottovoce-bloom-1");

var NUMBERS_PER_DIGEST = 16;

async function bloomBits({nBits: nBits, nHashes: nHashes}, cohort, text2, position = 0) {
  const bits = [];
  for (let number2 = cohort * nHashes; number2 < (cohort + 1) * nHashes; number2 += 1) {
    const digest = bigEndian(Math.floor(number2 / NUMBERS_PER_DIGEST), 4);
    const stream = await sha256(concat(LABEL, bigEndian(position, 4), digest, text2));
    const at2 = 2 * (number2 % NUMBERS_PER_DIGEST);
    bits.push((256 * stream[at2] + stream[at2 + 1]) % nBits);
  }
  return bits;
}

var MAX_COUNTS = 2 ** 18;

var COHORT_BYTES = 2;

var PADDING = "\0";

var BloomResponse = class extends BitMechanism {
  static readMore(fields) {
    return {
      n_bits: fields.integer("n_bits", 2, 4096),
      n_hashes: fields.integer("n_hashes", 1, 8),
      n_cohorts: fields.integer("n_cohorts", 1, 1024),
      ...(fields.has("max_length") || fields.has("gram_length")) && {
        gram_length: fields.integer("gram_length", 1, 4),
        max_length: fields.integer("max_length", 2, 64)
      }
    };
  }
  constructor(name, nValues, published) {
    super(name, nValues, published);
    const {n_hashes: nHashes, n_cohorts: nCohorts, max_length: maxLength = 0, gram_length: gramLength = 1} = published;
    check(nHashes <= nValues, `n_hashes must be at most n_bits (${nValues}).`);
    check(nValues * nCohorts <= MAX_COUNTS, `n_bits * n_cohorts must be at most ${MAX_COUNTS}.`);
    const isCut = maxLength % gramLength === 0 && maxLength <= 16 * gramLength && (!maxLength || maxLength >= 2 * gramLength);
    check(isCut, "max_length must be 2 to 16 times gram_length.");
    this.design = {
      nBits: nValues,
      nHashes: nHashes
    };
    this.nCohorts = nCohorts;
    this.maxLength = maxLength;
    this.gramLength = gramLength;
    this.pairs = pairsOf(maxLength / gramLength);
    this.nBlocks = maxLength ? 3 : 1;
    this.groupBytes = COHORT_BYTES + (maxLength ? 1 : 0);
  }
  get differences() {
    const most = Math.min(this.design.nHashes, this.nValues - 1);
    return [ this.nBlocks * most, this.nBlocks * Math.min(most, this.nValues - most) ];
  }
  async drawGroup(coins) {
    const cohort = bigEndian((await coins.uniform(this.nCohorts, 1))[0], COHORT_BYTES);
    return this.maxLength ? concat(cohort, await coins.uniform(this.pairs.length, 1)) : cohort;
  }
  async respond(answer, group, coins) {
    const bits = await flipAround(await this.#trueBits(answer, group), this.nBlocks * this.nValues, this, coins);
    return this.#join(group, bits);
  }
  async report(permanent, coins) {
    if (!this.hasTwoStages) return permanent;
    const bits = concat(...this.#blocks(permanent).map(block => unpackBits(block, this.nValues)));
    return this.#join(permanent.slice(0, this.groupBytes), await replaceBits(bits, this.ifOne, this.ifZero, coins));
  }
  toWire(report) {
    const pair = this.maxLength ? [ report[COHORT_BYTES] ] : [];
    return [ 256 * report[0] + report[1], ...pair, ...this.#blocks(report).map(base64) ];
  }
  get longest() {
    const group = concat(bigEndian(this.nCohorts - 1, COHORT_BYTES), this.maxLength ? [ this.pairs.length - 1 ] : []);
    return this.#join(group, new Uint8Array(this.nBlocks * this.nValues));
  }
  said(report) {
    const [bits, ...gramBits] = this.#blocks(report).map(block => onesOf(unpackBits(block, this.nValues)));
    const cohort = 256 * report[0] + report[1];
    return this.maxLength ? {
      cohort: cohort,
      bits: bits,
      positions: this.pairs[report[COHORT_BYTES]],
      gramBits: gramBits
    } : {
      cohort: cohort,
      bits: bits
    };
  }
  async #trueBits(answer, group) {
    const cohort = 256 * group[0] + group[1];
    const bits = await bloomBits(this.design, cohort, utf8(answer));
    if (!this.maxLength) return bits;
    const padded = [ ...answer, ...PADDING.repeat(this.maxLength) ].slice(0, this.maxLength);
    for (const [index, position] of this.pairs[group[COHORT_BYTES]].entries()) {
      const gram = padded.slice((position - 1) * this.gramLength, position * this.gramLength).join("");
      const ofGram = await bloomBits(this.design, cohort, utf8(gram), position);
      bits.push(...ofGram.map(bit => (index + 1) * this.nValues + bit));
    }
    return bits;
  }
  #join(group, bits) {
    const starts = Array.from({
      length: this.nBlocks
    }, (_, block) => block * this.nValues);
    return concat(group, ...starts.map(start => packBits(bits.slice(start, start + this.nValues))));
  }
  #blocks(packed) {
    const width = Math.ceil(this.nValues / 8);
    const starts = Array.from({
      length: this.nBlocks
    }, (_, block) => this.groupBytes + block * width);
    return starts.map(start => packed.slice(start, start + width));
  }
};

function pairsOf(nPositions) {
  const pairs = [];
  for (let first = 1; first < nPositions; first += 1) {
    for (let second = first + 1; second <= nPositions; second += 1) pairs.push([ first, second ]);
  }
  return pairs;
}

var LevelResponse = class extends NumberResponse {
  span=1;
  levels=2;
  async settle(answer, coins) {
    const scaled = answer * (this.levels - 1);
    const [drawn] = await coins.uniform(this.span, 1);
    return Math.floor(scaled / this.span) + (drawn < scaled % this.span ? 1 : 0);
  }
  endsOf(_output) {
    return [ 0, this.levels - 1 ];
  }
  said(report) {
    const output = this.toWire(report);
    const [from, to] = this.endsOf(output).map(level => Math.round(level * this.span / (this.levels - 1)));
    return {
      output: output,
      from: from,
      to: to
    };
  }
};

var MAX_LEVELS = 1024;

var MAX_SEGMENTS = 1024;

var MAX_WORTH = 2 ** 48;

var BIAS_PARTS = 10n ** 6n;

var SegmentsResponse = class extends LevelResponse {
  static hasTable=true;
  static readMore(fields) {
    const levels = fields.integer("levels", 2, MAX_LEVELS);
    return {
      levels: levels,
      outputs: fields.rows("outputs", 2, MAX_SEGMENTS, 5)
    };
  }
  constructor(name, nOptions, {levels: levels, outputs: outputs}) {
    const odds = checkTable(levels, outputs);
    super(name, outputs.length, {
      threshold_if_true: COIN_SCALE / 2
    }, ...odds);
    this.span = nOptions - 1;
    this.levels = levels;
    this.segments = outputs;
  }
  epsilonOf(nReports, once) {
    return BigInt(nReports) * once;
  }
  async respond(level, _group, coins) {
    return this.pack(await coins.choose(this.segments.map(segment => weightAt(segment, level))));
  }
  endsOf(output) {
    return this.segments[output].slice(0, 2);
  }
};

function weightAt([first, last, inside, outside], level) {
  return first <= level && level <= last ? inside : outside;
}

function checkTable(levels, segments) {
  let odds = [ 1, 1 ];
  segments.forEach(([first, last, inside, outside, worth], output) => {
    const isSome = 0 <= first && first <= last && last < levels && last - first < levels - 1;
    const isLikelier = 1 <= outside && outside < inside && inside < COIN_SCALE;
    check(isSome && isLikelier && Math.abs(worth) <= MAX_WORTH, `outputs[${output}] must be likelier inside, and worth at most ${MAX_WORTH}.`);
    if (BigInt(inside) * BigInt(odds[1]) > BigInt(odds[0]) * BigInt(outside)) odds = [ inside, outside ];
  });
  const scale = BigInt(COIN_SCALE) ** 2n * BigInt(levels - 1);
  for (let level = 0; level < levels; level += 1) {
    const weights = segments.map(segment => weightAt(segment, level));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    check(total === COIN_SCALE, `outputs must add up to ${COIN_SCALE} at every level.`);
    const mean = weights.reduce((sum, weight, output) => sum + BigInt(weight) * BigInt(segments[output][4]), 0n);
    const off = mean * BigInt(levels - 1) - BigInt(level) * BigInt(COIN_SCALE) ** 2n;
    check((off < 0n ? -off : off) * BIAS_PARTS <= scale, "outputs must be worth each level.");
  }
  return odds;
}

var MAX_COUNTS2 = 2 ** 18;

var COHORT_BYTES2 = 2;

var PRIME = 2n ** 61n - 1n;

var [STRING_LABEL, COHORT_LABEL] = [ "sottovoce-sketch-1", "sottovoce-sketch-cohort-1" ].map(utf8);

var SketchResponse = class {
  static readMore(fields) {
    return {
      ...GeometryResponse.readMore(fields),
      n_cohorts: fields.integer("n_cohorts", 1, 1024),
      ...fields.has("prefix_lengths") && {
        prefix_lengths: fields.ascending("prefix_lengths", 16, 200)
      }
    };
  }
  constructor(name, _nValues, published) {
    const {field: field, dimension: dimension, n_cohorts: nCohorts, prefix_lengths: lengths = []} = published;
    const nValues = (field ** dimension - 1) / (field - 1);
    this.name = name;
    this.nValues = nValues;
    this.geometry = new GeometryResponse(name, nValues, published);
    this.nCohorts = nCohorts;
    this.prefixLengths = lengths;
    check(nValues * nCohorts <= MAX_COUNTS2, `points * n_cohorts must be at most ${MAX_COUNTS2}.`);
    check(nCohorts % (lengths.length || 1) === 0, "prefix_lengths must divide n_cohorts.");
    this.epsilon = this.epsilonForever = this.geometry.epsilon;
  }
  async drawGroup(coins) {
    return bigEndian((await coins.uniform(this.nCohorts, 1))[0], COHORT_BYTES2);
  }
  async respond(answer, group, coins) {
    const cohort = 256 * group[0] + group[1];
    const {length: length} = this.prefixLengths;
    const said = length ? [ ...answer ].slice(0, this.prefixLengths[cohort % length]).join("") : answer;
    const bucket = await bucketOf(this.nValues, cohort, utf8(said));
    return concat(group, await this.geometry.respond(bucket, group, coins));
  }
  async report(permanent) {
    return permanent;
  }
  toWire(report) {
    return [ 256 * report[0] + report[1], this.geometry.toWire(report.slice(COHORT_BYTES2)) ];
  }
  get longest() {
    return concat(bigEndian(this.nCohorts - 1, COHORT_BYTES2), this.geometry.longest);
  }
  said(report) {
    const [cohort, value] = this.toWire(report);
    return {
      cohort: cohort,
      value: value
    };
  }
};

async function bucketOf(nBuckets, cohort, text2) {
  const [number2] = await numbersOf(concat(STRING_LABEL, text2));
  const [factor, added] = await numbersOf(concat(COHORT_LABEL, bigEndian(cohort, 4)));
  return Number(((1n + factor % (PRIME - 1n)) * (number2 % PRIME) + added % PRIME) % PRIME % BigInt(nBuckets));
}

async function numbersOf(bytes) {
  const digest = new DataView((await sha256(bytes)).buffer);
  return [ digest.getBigUint64(0), digest.getBigUint64(8) ];
}

var SubsetResponse = class extends SetResponse {
  constructor(name, nValues, published) {
    super(name, nValues, published, nValues - published.weight, published.weight);
    this.weight = published.weight;
  }
  static readMore(fields, nOptions) {
    return {
      weight: fields.integer("weight", 1, Math.max(1, Math.floor(nOptions / 2)))
    };
  }
  async respond(answer, _group, coins) {
    const nOthers = this.nValues - 1;
    const [isTruth] = await coins.flip(this.ifTrue, 1);
    const bits = new Uint8Array(this.nValues);
    bits.set(await drawSet(this.weight, nOthers, this.nValues, coins));
    const [replaced] = await coins.uniform(this.weight, 1);
    bits[onesOf(bits)[replaced]] = 1 - isTruth;
    bits[nOthers] = bits[answer];
    bits[answer] = isTruth;
    return packBits(bits);
  }
  toWire(report) {
    return base64(report);
  }
  get longest() {
    return new Uint8Array(Math.ceil(this.nValues / 8));
  }
  said(report) {
    return onesOf(unpackBits(report, this.nValues));
  }
};

var MAX_LEVELS2 = 1024;

var WindowResponse = class extends LevelResponse {
  static readMore(fields, nOptions) {
    const levels = fields.integer("levels", 2, Math.min(MAX_LEVELS2, nOptions));
    const width = fields.integer("width", 1, levels);
    if (!fields.has("report_if_true")) return {
      levels: levels,
      width: width
    };
    return {
      levels: levels,
      width: width,
      report_if_true: fields.integer("report_if_true", COIN_SCALE / 2 + 1, COIN_SCALE - 1)
    };
  }
  constructor(name, nOptions, published) {
    const {levels: levels, width: width, report_if_true: repeats} = published;
    super(name, levels + width - 1, published, levels - 1, width);
    this.span = nOptions - 1;
    this.levels = levels;
    this.width = width;
    this.repeats = repeats ?? null;
    check(this.repeats === null || this.nValues === 2, "report_if_true goes with levels 2, width 1.");
  }
  get hasTwoStages() {
    return this.repeats !== null;
  }
  get epsilon() {
    return this.repeats === null ? this.epsilonForever : lossOfAlike(this.ifTrue, this.repeats, 1, 1);
  }
  epsilonOf(nReports, once) {
    if (this.repeats === null || nReports < 2) return BigInt(nReports) * once;
    const together = lossOfAlike(this.ifTrue, this.repeats, nReports, 1);
    return together > once ? together : once;
  }
  async respond(level, _group, coins) {
    const [isInside] = await coins.flip(this.ifTrue, 1);
    const [within] = await coins.uniform(this.width, 1);
    const [beyond] = await coins.uniform(this.levels - 1, 1);
    return this.pack(isInside ? level + within : beyond + (beyond >= level ? this.width : 0));
  }
  async report(permanent, coins) {
    if (this.repeats === null) return permanent;
    const [isSame] = await coins.flip(this.repeats, 1);
    return this.pack(isSame ? permanent[0] : 1 - permanent[0]);
  }
  endsOf(output) {
    return [ Math.max(0, output - this.width + 1), Math.min(output, this.levels - 1) ];
  }
};

var TWO_STAGES = [ "basic-rappor", "rappor", "oue" ];

var CLASSES = {
  "yes-no": {
    warner: BinaryResponse,
    "forced-response": BinaryResponse,
    "basic-rappor": BinaryResponse
  },
  "one-of": {
    "k-ary": KaryResponse,
    subset: SubsetResponse,
    geometry: GeometryResponse,
    sue: UnaryEncoding,
    oue: UnaryEncoding,
    "basic-rappor": UnaryEncoding
  },
  "any-of": {
    "bit-flips": BitFlips,
    subset: PaddedSubset,
    "asked-option": AskedOption,
    "basic-rappor": BitFlips
  },
  number: {
    window: WindowResponse,
    segments: SegmentsResponse
  },
  text: {
    rappor: BloomResponse,
    sketch: SketchResponse
  },
  joint: {
    "k-ary": KaryResponse,
    subset: SubsetResponse,
    oue: UnaryEncoding
  }
};

function readMechanism(fields, type, nOptions) {
  const classes = CLASSES[type];
  const name = fields.oneOf("name", Object.keys(classes));
  const published = {
    ...readThresholds(fields, name, classes[name]),
    ...classes[name].readMore?.(fields, nOptions)
  };
  fields.finish();
  try {
    return new classes[name](name, published.n_bits ?? Math.max(1, nOptions), published);
  } catch (fault) {
    throw fault instanceof RangeError ? new SurveyError(fields.where, fault.message) : fault;
  }
}

function readThresholds(fields, name, kind) {
  if (kind.hasTable) return {};
  const hasOne = kind === SketchResponse || kind.prototype instanceof SetResponse;
  const keys = [ "threshold_if_true", ...hasOne ? [] : [ "threshold_if_other" ] ];
  if (name === "k-ary" && fields.has("report_if_true")) keys.push("report_if_true");
  const mayReport = TWO_STAGES.includes(name) && (fields.has("report_if_one") || fields.has("report_if_zero"));
  if (mayReport) keys.push("report_if_one", "report_if_zero");
  return Object.fromEntries(keys.map(key => [ key, fields.integer(key, 1, COIN_SCALE - 1) ]));
}

var MAX_OPTIONS = 4096;

var MAX_OPTION_TEXT = 200;

function takeOptions(fields, fewest, most = MAX_OPTIONS) {
  const expected = `a list of ${fewest} to ${most} different texts of 1 to ${MAX_OPTION_TEXT} characters`;
  const areOptions = value => Array.isArray(value) && fewest <= value.length && value.length <= most && value.every(option => isText(option, MAX_OPTION_TEXT)) && new Set(value).size === value.length;
  return fields.take("options", expected, areOptions);
}

function listed(options) {
  return options.slice(0, 12).join(" | ") + (options.length > 12 ? " | .." : "");
}

function textsOf(values, {options: options}) {
  return values.map(value => options[value]);
}

function refuseSkip(fields) {
  throw fields.fail("skip", "does not go with this type of question.");
}

var MOST_ITEMS = 3;

var MOST_CELLS = 4096;

var BETWEEN = ", ";

var YES_NO = Object.freeze([ false, true ]);

var joint = {
  options: () => [],
  skip: fields => {
    throw fields.fail("skip", "does not go with this type of question.");
  },
  encode: (given2, {items: items}) => {
    if (given2 === null || typeof given2 !== "object" || Array.isArray(given2)) return null;
    const known = items.map(item => item.id);
    if (Object.keys(given2).some(key => !known.includes(key))) return null;
    const answers = items.map(item => item.encode(Object.keys(given2).includes(item.id) ? given2[item.id] : null));
    return answers.reduce((cell, answer, place) => cell * answersOf(items[place]).length + answer, 0);
  },
  expected: (_, {items: items}) => `an object with an answer to each of ${items.map(item => item.id).join(", ")}`,
  said: textsOf
};

function takeItems(fields, read) {
  const expected = `a list of 2 to ${MOST_ITEMS} questions`;
  const isList2 = value => Array.isArray(value) && 2 <= value.length && value.length <= MOST_ITEMS;
  const stated = fields.take("questions", expected, isList2);
  const items = stated.map((one, place) => read(new Fields(one, `${fields.where}.questions[${place}]`)));
  if (new Set(items.map(({id: id}) => id)).size < items.length) {
    throw fields.fail("questions", "must not have two questions of the same id.");
  }
  const options = optionsOf(items);
  if (options.length > MOST_CELLS || new Set(options).size < options.length) {
    throw fields.fail("questions", `must have at most ${MOST_CELLS} different answers.`);
  }
  return Object.freeze(items);
}

function optionsOf(items) {
  return cellsIn(items, sayOwn);
}

function cellsIn(items, say) {
  return Object.freeze(cellsOf(items.map(item => answersOf(item).map(answer => say(item, answer)))));
}

function answersOf(item) {
  return item.type === "yes-no" ? YES_NO : item.options;
}

function sayOwn({type: type}, answer) {
  return type === "yes-no" ? answer ? "yes" : "no" : answer;
}

function cellsOf(told) {
  return told.reduce((cells, answers) => cells.flatMap(cell => answers.map(one => [ ...cell, one ])), [ [] ]).map(cell => cell.join(BETWEEN));
}

var anyOf = {
  options: fields => takeOptions(fields, 1),
  skip: refuseSkip,
  encode: (given2, question) => {
    if (!Array.isArray(given2) && !(given2 instanceof Set)) return null;
    const selected = [ ...given2 ];
    const bits = Uint8Array.from(question.options, option => Number(selected.includes(option)));
    const isKnown = onesOf(bits).length === selected.length && selected.length <= mostOf(question);
    return isKnown ? bits : null;
  },
  expected: (_, question) => `an array or set of at most ${mostOf(question)} of these texts, none twice: ${listed(question.options)}`,
  said: (said, question) => Array.isArray(said) ? textsOf(said, question) : askedOf(said, question)
};

function askedOf({asked: asked, yes: yes}, question) {
  if (!Array.isArray(asked)) return {
    asked: question.options[asked],
    yes: yes
  };
  return {
    asked: textsOf(asked, question),
    yes: textsOf(yes, question)
  };
}

function mostOf({mechanism: mechanism}) {
  return mechanism.published.max_selected;
}

var LENGTHS = Object.freeze({
  title: 2e3,
  introduction: 2e3,
  text: 2e3,
  controller: 200,
  contact: 200,
  section: 200,
  unit: 40
});

var TAG_EXPECTED = "a language tag (BCP 47) such as en, pt-BR or zh-Hant";

var TAG = /^(?=.{2,35}$)[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?(-([a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*(-x(-[a-z0-9]{1,8})+)?$/;

function isTag(value) {
  if (typeof value !== "string" || !TAG.test(value)) return false;
  const subtags = value.split("-x-")[0].split("-");
  return new Set(subtags).size === subtags.length;
}

function takeText(fields, name) {
  return fields.optional(name, "", () => fields.text(name, LENGTHS[name]));
}

function readWords(fields, survey) {
  const own = ownWords(survey);
  const expected = `an object by language tags, without ${own.lang}`;
  const areWords = value => isObject(value) && Object.keys(value).length > 0 && Object.keys(value).every(tag => isTag(tag) && tag !== own.lang);
  const listed2 = fields.has("translations") ? fields.take("translations", expected, areWords) : {};
  const tags = Object.keys(listed2).sort();
  const all = [ own, ...tags.map(tag => readTranslation(listed2[tag], `$.translations.${tag}`, tag, own)) ];
  return Object.freeze(all.map(words => withJoint(words, survey)));
}

function withJoint(words, {questions: questions}) {
  const joint2 = questions.filter(({type: type}) => type === "joint");
  if (joint2.length === 0) return words;
  const made = joint2.map(({id: id, items: items}) => {
    const texts = items.map(item => words.questions[item.id].text);
    const say = (item, answer) => item.type === "yes-no" ? answer ? "yes" : "no" : words.questions[item.id].options[item.options.indexOf(answer)];
    const {section: section} = words.questions[items[0].id];
    return [ id, Object.freeze({
      text: texts.join(" "),
      options: cellsIn(items, say),
      section: section,
      unit: ""
    }) ];
  });
  return Object.freeze({
    ...words,
    questions: Object.freeze({
      ...words.questions,
      ...Object.fromEntries(made)
    })
  });
}

function ownWords({lang: lang, title: title, introduction: introduction, controller: controller, contact: contact, questions: questions}) {
  const items = questions.flatMap(question => question.items);
  const words = items.map(({id: id, text: text2, options: options, section: section, range: range}) => [ id, Object.freeze({
    text: text2,
    options: options,
    section: section,
    unit: range?.unit ?? ""
  }) ]);
  return Object.freeze({
    lang: lang,
    title: title,
    introduction: introduction,
    controller: controller,
    contact: contact,
    questions: Object.freeze(Object.fromEntries(words))
  });
}

function readTranslation(document, where, lang, own) {
  const fields = new Fields(document, where);
  const texts = takeAll(fields, own, [ "title", "introduction", "controller", "contact" ]);
  const stated = new Fields(fields.take("questions", "an object", isObject), `${where}.questions`);
  fields.finish();
  const questions = Object.entries(own.questions).map(([id, words]) => [ id, readQuestionWords(stated, id, words) ]);
  stated.finish();
  return Object.freeze({
    lang: lang,
    ...texts,
    questions: Object.freeze(Object.fromEntries(questions))
  });
}

function readQuestionWords(stated, id, own) {
  const fields = new Fields(stated.take(id, "an object", isObject), `${stated.where}.${id}`);
  const {length: length} = own.options;
  const options = length > 0 ? Object.freeze(takeOptions(fields, length, length)) : own.options;
  const words = {
    ...takeAll(fields, own, [ "text", "section", "unit" ]),
    options: options
  };
  fields.finish();
  return Object.freeze(words);
}

function takeAll(fields, own, names) {
  return Object.fromEntries(names.map(name => [ name, own[name] && fields.text(name, LENGTHS[name]) ]));
}

function isObject(value) {
  return typeof value === "object" && value !== null;
}

var MOST_UNITS = 10 ** 15;

var MAX_SPAN = 2 ** 32 - 1;

var number = {
  options: () => [],
  range: takeRange,
  skip: (fields, question) => {
    const text2 = fields.number("skip");
    const given2 = Number(text2);
    const isExact = 10 ** placesOf(text2) <= question.range.scale;
    if (!isExact || stepsTo(given2, question.range) === null) throw fields.fail("skip", `must be ${expectedOf(question.range)}.`);
    return given2;
  },
  encode: (given2, {range: range}) => stepsTo(given2, range),
  expected: (_, {range: range}) => expectedOf(range),
  said: ({output: output, from: from, to: to}, {range: range}) => ({
    output: output,
    from: at(from, range),
    to: at(to, range)
  })
};

function takeRange(fields) {
  const [minimum, maximum, stated] = [ "minimum", "maximum", "step" ].map(key => fields.number(key));
  if (Number(minimum) >= Number(maximum)) throw fields.fail("maximum", `must be above minimum (${minimum}).`);
  const places = [ minimum, maximum, stated ].map(placesOf);
  const scale = 10 ** Math.max(...places);
  const [low, high, step] = [ minimum, maximum, stated ].map(text2 => Math.round(Number(text2) * scale));
  if (Math.max(Math.abs(low), Math.abs(high)) > MOST_UNITS) {
    throw fields.fail("step", "must leave minimum and maximum at most 15 digits.");
  }
  const span = (high - low) / step;
  if (!(step > 0 && (high - low) % step === 0 && span <= MAX_SPAN)) {
    throw fields.fail("step", `must go into maximum - minimum 1 to ${MAX_SPAN} times.`);
  }
  const unit = fields.optional("unit", "", () => fields.text("unit", LENGTHS.unit));
  return Object.freeze({
    minimum: minimum,
    maximum: maximum,
    unit: unit,
    low: low,
    step: step,
    scale: scale,
    span: span
  });
}

var placesOf = text2 => (text2.split(".")[1] ?? "").length;

function stepsTo(given2, {low: low, step: step, scale: scale, span: span}) {
  if (typeof given2 !== "number") return null;
  const units = Math.round(given2 * scale);
  const steps = (units - low) / step;
  return units / scale === given2 && (units - low) % step === 0 && 0 <= steps && steps <= span ? steps : null;
}

function at(steps, {low: low, step: step, scale: scale}) {
  return (low + steps * step) / scale;
}

function expectedOf({minimum: minimum, maximum: maximum, step: step, scale: scale}) {
  const steps = step === 1 && scale === 1 ? "" : ` in steps of ${step / scale}`;
  return `${scale === 1 ? "an integer" : "a number"} in [${minimum}, ${maximum}]${steps}`;
}

var oneOf = {
  options: fields => {
    const options = takeOptions(fields, 2);
    const isScore = one => one === "none" || +one?.text % 1 === 0;
    const areScores = value => value?.length === options.length && value.every?.(isScore);
    if (fields.has("scores")) fields.take("scores", "integers", areScores);
    return options;
  },
  skip: (fields, {options: options}) => fields.oneOf("skip", options),
  encode: (given2, {options: options}) => options.includes(given2) ? options.indexOf(given2) : null,
  expected: (_, {options: options}) => `one of these texts: ${listed(options)}`,
  said: textsOf
};

var MAX_ANSWER_CHARACTERS = 200;

var MAX_TYPED_LENGTH = 8 * MAX_ANSWER_CHARACTERS;

var EXPECTED = `a text of 1 to ${MAX_ANSWER_CHARACTERS} characters without control characters or very new accents`;

var UNSETTLED = /[\u0897-\u089f\u08ca-\u08d2\u0c3c\u1715\u1ac1-\u1add\u1ae0-\u1aeb\u1dfa\u{105c9}\u{105d2}\u{105da}\u{105e4}\u{10d69}-\u{10d6d}\u{10efa}-\u{10eff}\u{10f82}-\u{10f85}\u{11070}\u{11382}-\u{11385}\u{1138b}-\u{11391}\u{113b8}-\u{113d0}\u{11f41}\u{11f42}\u{1611e}-\u{1612f}\u{16d63}-\u{16d6a}\u{1e08f}\u{1e2ae}\u{1e4ec}-\u{1e4ef}\u{1e5ee}\u{1e5ef}\u{1e6e3}\u{1e6e6}\u{1e6ee}\u{1e6ef}\u{1e6f5}]/u;

function normalise(answer) {
  return tidy(answer).normalize("NFC");
}

function isAnswer(value) {
  const typed = typeof value === "string" ? tidy(value) : "";
  if (typed.length > MAX_TYPED_LENGTH) return false;
  const normal = typed.normalize("NFC");
  return isText(normal, MAX_ANSWER_CHARACTERS) && !UNSETTLED.test(typed + normal);
}

function expectedOf2(value) {
  const nCharacters = typeof value === "string" ? countCharacters(value) : 0;
  const isLong = nCharacters > MAX_ANSWER_CHARACTERS;
  return EXPECTED + (isLong ? ` (too long: ${nCharacters} of ${MAX_ANSWER_CHARACTERS})` : "");
}

function countCharacters(answer) {
  return [ ...normalise(answer) ].length;
}

function tidy(answer) {
  return answer.replace(/\t/g, " ").replace(/[\u061c\u200e\u200f]/g, "").trim();
}

var text = {
  options: () => [],
  skip: fields => fields.take("skip", EXPECTED, value => isAnswer(value) && value === normalise(value)),
  encode: given2 => isAnswer(given2) ? normalise(given2) : null,
  expected: expectedOf2,
  said: said => said
};

var yesNo = {
  options: () => [],
  skip: fields => fields.oneOf("skip", [ "yes", "no" ]) === "yes",
  encode: given2 => typeof given2 === "boolean" ? Number(given2) : null,
  expected: () => "true or false",
  said: values => values.length > 0
};

var TYPES = {
  "yes-no": yesNo,
  "one-of": oneOf,
  "any-of": anyOf,
  number: number,
  text: text
};

var CLOSED = {
  "yes-no": yesNo,
  "one-of": oneOf
};

var PUBLISHED = {
  ...TYPES,
  joint: joint
};

var MAX_KEEPALIVE_BYTES = 6e4;

var UNREACHED = "it cannot be reached, does not have the survey, or does not allow this page's origin: see --cors-origin";

var PROBLEM = "application/problem+json";

var PROBLEM_TYPE = "urn:sottovoce:problem:";

function checkUrl(url, name = "url") {
  const parts = typeof url === "string" ? parseUrl(url) : null;
  const isPlain2 = parts !== null && [ "http:", "https:" ].includes(parts.protocol);
  if (!isPlain2 || parts.username || parts.password || /[?#]/.test(parts.href)) {
    throw new TypeError(`${name} must be http:// or https://, a host, and no user, password, query or fragment.`);
  }
  return parts.href.replace(/\/+$/, "");
}

async function exchange(url, timeoutMs, maxBytes, body, type = "application/json") {
  const controller = new AbortController;
  const timer = setTimeout(() => controller.abort(), timeoutMs);
  const headers = {
    "Content-Type": type
  };
  try {
    const response = await fetch(url, {
      ...body && {
        method: "POST",
        headers: headers,
        body: body,
        keepalive: body.length <= MAX_KEEPALIVE_BYTES
      },
      credentials: "omit",
      referrerPolicy: "no-referrer",
      redirect: "manual",
      cache: "no-store",
      signal: controller.signal
    });
    return {
      status: response.status,
      headers: response.headers,
      body: await readBody(response, maxBytes)
    };
  } catch (fault) {
    controller.abort();
    const {name: name} = fault;
    const why = name === "TypeError" ? UNREACHED : name;
    throw new DeliveryError(`no answer from the collector (${why}).`, {
      cause: fault
    });
  } finally {
    clearTimeout(timer);
  }
}

async function readBody(response, maxBytes) {
  const chunks = [];
  let nBytes = 0;
  const reader = response.body?.getReader();
  for (let part = await (reader?.read()); part !== void 0 && !part.done; part = await (reader?.read())) {
    nBytes += part.value.length;
    if (nBytes > maxBytes) throw new RangeError("too long");
    chunks.push(part.value);
  }
  return concat(...chunks);
}

function problemOf({status: status, headers: headers, body: body}) {
  const [mediaType] = (headers.get("content-type") ?? "").split(";");
  const isProblem = status >= 400 && status < 500 && mediaType.trim().toLowerCase() === PROBLEM;
  const document = isProblem ? readJson(body) : void 0;
  const {type: type, code: code, detail: detail = "", where: where = ""} = document ?? {};
  const areTexts = [ detail, where ].every(text2 => text2 === "" || isText(text2, 2e3));
  if (isText(code, 2e3) && type === PROBLEM_TYPE + code && areTexts) return {
    status: status,
    code: code,
    detail: detail,
    where: where
  };
  return {
    status: status,
    code: "unexpected",
    detail: `HTTP ${status} without a problem document.`,
    where: ""
  };
}

function readJson(body) {
  try {
    const document = JSON.parse((new TextDecoder).decode(body));
    return document !== null && typeof document === "object" ? document : void 0;
  } catch {
    return void 0;
  }
}

function parseUrl(url) {
  try {
    return new URL(url);
  } catch {
    return null;
  }
}

var file = {
  load: name => name === "blind" ? import("../blind.min.js") : import("../oblivious.min.js")
};

var MAX_REPLY_BYTES = 2 ** 16;

async function post(state, timeoutMs, {url: url, surveyId: surveyId, via: via}, last, body) {
  const path = `/v1/surveys/${surveyId}/${last}`;
  if (!via) return exchange(url + path, timeoutMs, MAX_REPLY_BYTES, body);
  const {ask: ask} = await loadLate("oblivious");
  return ask({
    state: await state,
    timeoutMs: timeoutMs,
    exchange: exchange,
    DeliveryError: DeliveryError,
    SurveyRefused: SurveyRefused
  }, via, path, body);
}

function loadLate(name) {
  return file.load(name).catch(cause => {
    throw new DeliveryError(`${name}.min.js cannot be loaded.`, {
      cause: cause
    });
  });
}

var MAX_SURVEY_BYTES = 2 ** 20;

var FORMAT = "sottovoce-survey-1";

var ID = /^[a-z0-9][a-z0-9_-]{0,63}$/;

var HASH_EXPECTED = "64 hexadecimal digits";

var ID_EXPECTED = "1 to 64 lower-case letters, digits, - or _, the first a letter or digit";

var STRATA_EXPECTED = "a list of 2 to 64 different names of 1 to 40 characters";

var DAY = /^(?!0000)\d{4}-\d{2}-\d{2}$/;

var WHY_INVITED = "go with invited = true alone.";

var MAX_ERASE_AFTER = 3653;

var WHY_CLOSES = "goes with closes alone.";

var WHY_KEPT = 'does not go with keep = "counts".';

var MAX_DECLARED = 10n ** 18n;

var SHARES = 10n ** 12n;

var Item = class {
  #together;
  constructor(fields, types = CLOSED) {
    this.id = fields.take("id", ID_EXPECTED, isId);
    this.type = fields.oneOf("type", Object.keys(types));
    this.#together = this.type === "joint" ? takeItems(fields, readItem) : [];
    const texts = this.#together.map(item => item.text);
    this.text = this.type === "joint" ? texts.join(" ") : fields.text("text", LENGTHS.text);
    this.scale = fields.has("scores");
    this.options = this.type === "joint" ? optionsOf(this.#together) : Object.freeze([ ...this.kind.options(fields) ]);
    this.range = this.kind.range?.(fields) ?? null;
    this.skip = fields.has("skip") ? this.kind.skip(fields, this) : null;
    this.want = fields.optional("want", null, () => takeWant(fields, this.range));
    this.section = takeText(fields, "section");
  }
  get items() {
    return this.type === "joint" ? this.#together : [ this ];
  }
  encode(answer) {
    const given2 = answer ?? this.skip;
    const encoded = this.kind.encode(given2, this);
    if (encoded === null) throw new AnswerError(this.id, `the answer must be ${this.kind.expected(given2, this)}.`);
    return encoded;
  }
  get expected() {
    return this.kind.expected(null, this);
  }
  get kind() {
    return PUBLISHED[this.type];
  }
};

function readItem(fields) {
  const item = new Item(fields);
  fields.finish();
  Object.freeze(item);
  return item;
}

var Question = class extends Item {
  constructor(fields) {
    super(fields, PUBLISHED);
    const epsilon = fields.epsilon("epsilon", MAX_DECLARED);
    const forever = fields.optional("epsilon_forever", epsilon, () => fields.epsilon("epsilon_forever", MAX_DECLARED));
    const stated = fields.take("mechanism", "an object", value => typeof value === "object");
    fields.finish();
    const nOptions = this.range === null ? this.options.length : this.range.span + 1;
    this.mechanism = readMechanism(new Fields(stated, `${fields.where}.mechanism`), this.type, nOptions);
    checkEpsilon(fields, "epsilon", epsilon, this.mechanism.epsilon);
    checkEpsilon(fields, "epsilon_forever", forever, this.mechanism.epsilonForever);
    this.epsilon = writeEpsilon(epsilon);
    this.epsilonForever = writeEpsilon(forever);
    Object.freeze(this);
  }
  epsilonOf(nReports) {
    const [once, forever] = [ this.epsilon, this.epsilonForever ].map(text2 => parseEpsilon(text2) ?? 0n);
    const {mechanism: mechanism} = this;
    const together = "epsilonOf" in mechanism ? mechanism.epsilonOf(nReports, once) : BigInt(nReports) * once;
    return together < forever ? together : forever;
  }
  answerIn(answers) {
    const given2 = ({id: id}) => Object.keys(answers).includes(id) ? answers[id] : null;
    return this.type === "joint" ? Object.fromEntries(this.items.map(item => [ item.id, given2(item) ])) : given2(this);
  }
  reported(report) {
    return this.kind.said(this.mechanism.said(report), this);
  }
};

var Survey = class {
  #words;
  constructor(fields, canonical2, fingerprint, blind) {
    fields.oneOf("format", [ FORMAT ]);
    this.id = fields.take("id", ID_EXPECTED, isId);
    this.title = fields.text("title", LENGTHS.title);
    const epsilon = fields.epsilon("epsilon", MAX_DECLARED * 200n);
    const listed2 = fields.take("questions", "a list of 1 to 200 questions", value => isList(value, 1, 200));
    this.waves = fields.count("waves", 1, 2, 1e3);
    this.invited = fields.flag("invited");
    this.minReports = fields.count("min_reports", 1, 1, 1e6);
    this.publicResults = fields.flag("public_results");
    const keep = fields.word("keep", [ "reports", "counts" ]);
    this.keep = keep;
    this.draw = fields.count("draw", 0, 1, 199);
    this.askedIn = fields.count("asked_in", 0, 1, 999);
    if (this.askedIn >= this.waves) throw fields.fail("asked_in", whyNot(this.waves));
    this.maxReports = this.askedIn || this.waves;
    this.strata = Object.freeze(fields.optional("strata", [], () => fields.take("strata", STRATA_EXPECTED, areStrata)));
    this.blind = blind?.of(fields, this);
    const about = fields.word("about", [ "population", "respondents" ]);
    this.about = about;
    this.lang = fields.optional("lang", "en", () => fields.take("lang", TAG_EXPECTED, isTag));
    this.introduction = takeText(fields, "introduction");
    this.controller = takeText(fields, "controller");
    this.contact = takeText(fields, "contact");
    this.closes = fields.optional("closes", "", () => fields.take("closes", "a day such as 2026-12-31", isDay));
    this.eraseAfter = fields.count("erase_after", 0, 1, MAX_ERASE_AFTER);
    this.eraseOn = eraseDay(fields, this);
    this.delivery = fields.word("delivery", [ "direct", "oblivious" ]);
    const isOblivious = this.delivery === "oblivious";
    this.relay = isOblivious ? fields.text("relay", 300) : "";
    this.gatewayKey = isOblivious ? fields.take("gateway_key", HASH_EXPECTED, isHash) : "";
    if (this.strata.length > 0 && !this.invited) throw fields.fail("strata", WHY_INVITED);
    this.questions = readQuestions(fields, listed2);
    this.#words = readWords(fields, this);
    fields.finish();
    this.languages = Object.freeze(this.#words.map(words => words.lang));
    if (this.draw >= this.questions.length) throw fields.fail("draw", whyNot(this.questions.length));
    this.nDrawn = this.draw || this.questions.length;
    const ids = this.questions.flatMap(({items: items}) => items.map(({id: id}) => id));
    if (this.nDrawn > 1 && new Set(ids).size < ids.length) {
      throw fields.fail("draw", "must be 1.");
    }
    const nLasting = this.questions.filter(({mechanism: mechanism}) => "hasTwoStages" in mechanism && mechanism.hasTwoStages).length;
    if (this.askedIn > 0 && nLasting > 0 && (this.askedIn === 1 || nLasting < this.questions.length)) {
      throw fields.fail("asked_in", "goes with epsilon_forever above 1, in every question or in none.");
    }
    this.keepsNoise = this.maxReports > 1 && (this.askedIn === 0 || nLasting > 0);
    if (epsilon !== this.#sumOf(question => parseEpsilon(question.epsilon) ?? 0n)) throw notCanonical();
    this.epsilon = writeEpsilon(epsilon);
    this.epsilonForever = writeEpsilon(this.keepsNoise ? this.#sumOf(question => question.epsilonOf(this.maxReports)) : this.#sumOf(question => question.epsilonOf(1)) * BigInt(this.maxReports));
    this.canonical = canonical2;
    this.fingerprint = fingerprint;
    Object.freeze(this);
  }
  words(lang = this.lang) {
    const found = this.#words.find(words => words.lang === lang);
    if (found === void 0) throw new RangeError(`lang must be one of ${this.languages.join(", ")}.`);
    return found;
  }
  get protectedLittle() {
    return sayLittle(inEnglish, this);
  }
  #sumOf(epsilonOf) {
    const taken = this.questions.map(epsilonOf).sort((left, right) => Number(right > left) - Number(right < left));
    return taken.slice(0, this.nDrawn).reduce((sum, epsilon) => sum + epsilon, 0n);
  }
  checkWave(wave) {
    if (!Number.isInteger(wave) || wave < 1 || wave > this.waves) {
      throw new RangeError(`wave must be an integer in [1, ${this.waves}].`);
    }
  }
  encode(answers, drawn = this.questions.map(() => true)) {
    if (!isPlain(answers)) throw new AnswerError("$", "answers must be a plain object, from question ids to answers.");
    const given2 = Object.keys(answers);
    const needed = this.questions.flatMap((question, index) => drawn[index] ? question.items : []);
    const missing = needed.filter(({id: id, skip: skip}) => skip === null && !given2.includes(id)).map(({id: id}) => id);
    if (missing.length > 0) {
      const why = "every question must be answered, because a skipped one would leak";
      throw new AnswerError("$", `${why}. Missing: ${[ ...new Set(missing) ].join(", ")}.`);
    }
    const ids = this.items.map(item => item.id);
    const nUnknown = given2.filter(id => !ids.includes(id)).length;
    if (nUnknown > 0) throw new AnswerError("$", `${nUnknown} unknown question id(s); the survey has ${ids.join(", ")}.`);
    return this.questions.map((question, index) => {
      if (drawn[index]) return question.encode(question.answerIn(answers));
      for (const item of question.items) {
        const answer = given2.includes(item.id) ? answers[item.id] : null;
        if ((answer ?? null) !== null) item.encode(answer);
      }
      return null;
    });
  }
  get nAsked() {
    const sizes = new Set(this.questions.map(({items: items}) => items.length));
    const nItems = sizes.size === 1 ? this.questions[0].items.length : 1;
    return [ nItems * this.nDrawn, nItems > 1 ? this.items.length : this.questions.length ];
  }
  questionOf({id: id}, asked) {
    const isAsked = each => asked.some(one => one.id === each.id);
    const found = this.questions.filter(({items: items}) => items.some(each => each.id === id));
    return found.find(({items: items}) => items.every(isAsked)) ?? found[0];
  }
  get items() {
    const byId = new Map(this.questions.flatMap(({items: items}) => items.map(item => [ item.id, item ])));
    return [ ...byId.values() ];
  }
};

async function readSurvey(bytes) {
  if (bytes.length > MAX_SURVEY_BYTES) throw new SurveyError("$", `must have at most ${MAX_SURVEY_BYTES} bytes.`);
  const {document: document, isCanonical: isCanonical} = parseJson(bytes);
  const canonical2 = (new TextDecoder).decode(bytes);
  const isBlind = document?.invitations === "blind";
  const blind = isBlind ? await loadLate("blind") : null;
  const survey = new Survey(new Fields(document, "$"), canonical2, hex(await sha256(bytes)), blind);
  if (!isCanonical) throw notCanonical();
  return survey;
}

function isId(value) {
  return typeof value === "string" && ID.test(value);
}

function isPlain(value) {
  if (value === null || typeof value !== "object") return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function takeWant(fields, range) {
  const most = range === null ? SHARES / 2n : SHARES * BigInt(range.span) * BigInt(range.step) / BigInt(2 * range.scale);
  const want = fields.epsilon("want", most);
  if (want === 0n) throw fields.fail("want", "must be above 0.");
  return writeEpsilon(want);
}

function isHash(value) {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}

function isDay(value) {
  if (typeof value !== "string" || !DAY.test(value)) return false;
  const day = new Date(`${value}T00:00Z`);
  return !Number.isNaN(+day) && day.toISOString().startsWith(value);
}

function eraseDay(fields, said) {
  if (said.eraseAfter === 0) return "";
  if (said.closes === "") throw fields.fail("erase_after", WHY_CLOSES);
  if (said.keep === "counts") throw fields.fail("erase_after", WHY_KEPT);
  const day = new Date(`${said.closes}T00:00Z`);
  day.setUTCDate(day.getUTCDate() + said.eraseAfter);
  if (day.getUTCFullYear() > 9999) throw fields.fail("erase_after", "must end before 10000.");
  return day.toISOString().slice(0, 10);
}

function readQuestions(fields, listed2) {
  const questions = listed2.map((stated, index) => new Question(new Fields(stated, `$.questions[${index}]`)));
  const ids = new Set(questions.map(question => question.id));
  const items = questions.flatMap(question => question.items);
  const textOf = ({type: type, text: text2, options: options, skip: skip, want: want, section: section}) => JSON.stringify([ type, text2, options, skip, want, section ]);
  const known = new Map(items.map(item => [ item.id, textOf(item) ]));
  const isOther = item => known.get(item.id) !== textOf(item);
  const joint2 = questions.filter(({type: type}) => type === "joint");
  const together = new Set(joint2.flatMap(question => question.items.map(({id: id}) => id)));
  const isTaken = ({id: id}) => together.has(id);
  if (ids.size < questions.length || items.some(isOther) || questions.some(isTaken)) {
    throw fields.fail("questions", "must not have two questions of the same id.");
  }
  return Object.freeze(questions);
}

function areStrata(value) {
  const isName = name => isText(name, 40) && !/^ | $/.test(String(name));
  return isList(value, 2, 64) && value.every(isName) && new Set(value).size === value.length;
}

function whyNot(n) {
  return n === 1 ? "must be left out." : `must be in [1, ${n - 1}].`;
}

function isList(value, fewest, most) {
  return Array.isArray(value) && fewest <= value.length && value.length <= most;
}

function checkEpsilon(fields, key, declared, taken) {
  if (taken <= declared) return;
  throw fields.fail(key, `declares ${writeEpsilon(declared)} but the thresholds take ${writeEpsilon(taken)}.`);
}

var version = "0.1.0";

function checkCallbacks(callbacks) {
  for (const [name, callback] of Object.entries(callbacks)) {
    if (callback !== void 0 && typeof callback !== "function") throw new TypeError(`${name} must be a function.`);
  }
  return callbacks;
}

async function tell({onDelivered: onDelivered, onRejected: onRejected}, outcome) {
  const isDelivered = "delivered" in outcome;
  try {
    await (isDelivered ? onDelivered?.(outcome.delivered) : onRejected?.(outcome.rejected));
  } catch (fault) {
    const kind = fault instanceof Error ? fault.constructor.name : typeof fault;
    console.warn(`sottovoce: ${isDelivered ? "onDelivered" : "onRejected"} threw (${kind}); delivery goes on.`);
  }
}

async function keepSent(transaction, report) {
  if (report.daysLeft) await transaction.put("sent", {
    seen: today(),
    ...report
  });
}

function sweep(transaction) {
  const day = today();
  return change(transaction, report => {
    const {seen: seen = day, daysLeft: daysLeft = 0} = report;
    if (seen === day) return report;
    const left = daysLeft - Math.max(1, (Date.parse(day) - Date.parse(seen)) / DAY_MS);
    return left > 0 ? {
      ...report,
      daysLeft: left,
      seen: day
    } : null;
  });
}

function dropSent(transaction, isMeant) {
  return change(transaction, report => {
    if (report.problem !== null || !isMeant(report)) return report;
    return report.seen ? null : {
      ...report,
      daysLeft: 0
    };
  });
}

async function change(transaction, decide) {
  let isChanged = false;
  for (const store of [ "sent", "outbox" ]) {
    for (const report of await transaction.all(store)) {
      const decided = decide(report);
      if (decided === report) continue;
      await (decided ? transaction.put(store, decided) : transaction.delete(store, report.receipt));
      isChanged = true;
    }
  }
  if (isChanged) await releaseInvitations(transaction);
}

var BACKOFF_BASE_MS = 1e3;

var BACKOFF_CAP_MS = 3e5;

function backoffMs(nFailed, capMs = BACKOFF_CAP_MS) {
  return drawUpTo(Math.min(capMs, BACKOFF_BASE_MS * 2 ** Math.min(nFailed - 1, 30)));
}

function until(moment, furthestMs) {
  const waitMs = moment - Date.now();
  return waitMs > furthestMs ? 0 : Math.max(0, waitMs);
}

var Turns = class {
  #work;
  #isClosed=false;
  #isEager=false;
  #running=null;
  #nAsked=0;
  #timer;
  #nFaults=0;
  #pausedUntil=0;
  constructor(work) {
    this.#work = work;
  }
  wake(isEager = false) {
    this.#isEager ||= isEager;
    this.#nAsked += 1;
    this.#running ??= this.#run();
    return this.#running;
  }
  get running() {
    return this.#running;
  }
  get pauseMs() {
    return until(this.#pausedUntil, BACKOFF_CAP_MS);
  }
  close() {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }
  async #run() {
    clearTimeout(this.#timer);
    let dueMs = null;
    await null;
    try {
      for (let nServed = -1; nServed < this.#nAsked && !this.#isClosed; ) {
        nServed = this.#nAsked;
        const isEager = this.#isEager;
        this.#isEager = false;
        dueMs = isEager || this.pauseMs === 0 ? await this.#attempt(isEager) : this.pauseMs;
      }
    } catch (fault) {
      this.#nFaults += 1;
      dueMs = backoffMs(this.#nFaults);
      this.#pausedUntil = Date.now() + dueMs;
      const {name: name} = fault;
      if (!this.#isClosed) console.warn(`sottovoce: reports wait, delivery failed (${name}).`);
    }
    this.#running = null;
    if (dueMs !== null && !this.#isClosed) {
      this.#timer = setTimeout(() => void this.wake(), Math.min(dueMs, BACKOFF_CAP_MS));
      unref(this.#timer);
    }
  }
  async #attempt(isEager) {
    const dueMs = await this.#work(isEager);
    this.#nFaults = this.#pausedUntil = 0;
    return dueMs;
  }
};

function unref(timer) {
  timer.unref?.();
}

var MAX_HOLD_MS = 864e5;

var SURVEY_UNKNOWN = [ "no_such_survey", "wrong_fingerprint" ];

var UNKNOWN_FINAL_MS = 6048e5;

var MOST_BETWEEN_MS = 864e5;

var NEEDS_INVITATION = [ "invitation_required", "invitation_invalid" ];

var REFUSING = [ "bad_json", "bad_report", ...NEEDS_INVITATION, "token_invalid", "survey_closed" ];

var HTTP_DATE = /^[a-z]{3}, \d\d [a-z]{3} \d{4} \d\d:\d\d:\d\d GMT$/i;

function judge(reply, now) {
  if (reply.status === 200 && isAcknowledgement(readJson(reply.body))) return {
    kind: "counted",
    keys: reply.keys
  };
  const problem = problemOf(reply);
  if (REFUSING.includes(problem.code)) return {
    kind: "refused",
    problem: problem
  };
  const holdMs = readRetryAfter(reply.headers.get("retry-after"), now);
  if (isUnknown(problem)) return {
    kind: "unknown",
    problem: problem,
    holdMs: holdMs
  };
  return {
    kind: "again",
    holdMs: holdMs,
    isAnswered: true
  };
}

function lengthen({unknownMs: unknownMs = 0, unknownAt: unknownAt = 0}, now) {
  const passedMs = unknownAt > 0 ? Math.min(Math.max(now - unknownAt, 0), MOST_BETWEEN_MS) : 0;
  return {
    unknownMs: unknownMs + passedMs,
    unknownAt: now
  };
}

function isBelieved({unknownMs: unknownMs}) {
  return unknownMs >= UNKNOWN_FINAL_MS;
}

function isUnknown(problem) {
  return SURVEY_UNKNOWN.includes(problem.code);
}

function isSurveyOver(problem) {
  return problem.code === "survey_closed" || isUnknown(problem);
}

function needsInvitation(problem) {
  return NEEDS_INVITATION.includes(problem.code);
}

function readRetryAfter(text2, now) {
  if (text2 === null) return null;
  const date = HTTP_DATE.test(text2) ? Date.parse(text2) : NaN;
  const asked = /^\s*\d+\s*$/.test(text2) ? 1e3 * Number(text2) : date - now;
  return Number.isNaN(asked) ? null : Math.min(Math.max(asked, 0), MAX_HOLD_MS);
}

function isAcknowledgement(document) {
  const {counted: counted, duplicates: duplicates, conflicting: conflicting = 0} = document ?? {};
  const isOne = counted === 1 && duplicates === 0 || counted === 0 && duplicates === 1;
  return isOne && Number.isInteger(conflicting) && conflicting >= 0 && conflicting <= duplicates;
}

var UNKNOWN_CAP_MS = 36e5;

async function putReport(transaction, url, survey, sent, maxDelayMs, daysLeft = 0, restored = "0", via = null) {
  const {id: surveyId, fingerprint: fingerprint} = survey;
  const made = {
    receipt: sent.id,
    url: url,
    surveyId: surveyId,
    fingerprint: fingerprint,
    sent: sent,
    nBlanks: blanksAfter(survey, sent)
  };
  await putWaiting(transaction, {
    ...made,
    daysLeft: daysLeft,
    restored: restored,
    via: via
  }, maxDelayMs);
}

async function sendAgain(transaction, isMeant, restored, maxDelayMs = 0) {
  const again = (await transaction.all("sent")).filter(isMeant);
  for (const report of again) {
    await transaction.delete("sent", report.receipt);
    await putWaiting(transaction, {
      ...report,
      restored: restored ?? report.restored
    }, maxDelayMs);
  }
  return again.map(report => report.receipt);
}

async function putWaiting(transaction, report, maxDelayMs) {
  const kept = await transaction.all("outbox");
  const held = kept.filter(({url: url, isHeld: isHeld, problem: problem}) => url === report.url && isHeld && problem === null);
  await transaction.put("outbox", {
    ...report,
    nAttempts: 0,
    notBefore: Math.max(0, ...held.map(report2 => report2.notBefore)),
    isHeld: held.length > 0,
    delayUntil: maxDelayMs > 0 ? Date.now() + drawUpTo(maxDelayMs) : 0,
    doubt: null,
    problem: null
  });
}

async function waitingReports(transaction) {
  await sweep(transaction);
  const kept = await transaction.all("outbox");
  const invitations = await invitationsOf(transaction);
  const bodyOf = ({fingerprint: fingerprint, sent: sent, receipt: receipt, nBlanks: nBlanks = 0}) => batchBody(fingerprint, sent, nBlanks, invitations.get(receipt));
  return kept.filter(report => report.problem === null).map(report => ({
    ...report,
    body: bodyOf(report)
  })).sort((left, right) => left.nAttempts - right.nAttempts);
}

async function rejectedReports(transaction) {
  const kept = await transaction.all("outbox");
  const invitations = await invitationsOf(transaction);
  return kept.flatMap(({receipt: receipt, url: url, surveyId: surveyId, problem: problem}) => {
    if (problem === null) return [];
    const lacksInvitation = isUnknown(problem) && invitations.get(receipt) === "";
    const takesInvitation = needsInvitation(problem) || lacksInvitation;
    return [ {
      receipt: receipt,
      url: url,
      surveyId: surveyId,
      problem: problem,
      isUnknown: isUnknown(problem),
      needsInvitation: takesInvitation
    } ];
  });
}

async function invitationsOf(transaction) {
  const entries = await transaction.all("ledger");
  return new Map(entries.map(entry => [ entry.receipt, entry.invitation ]));
}

async function recordVerdict(transaction, receipt, verdict) {
  const kept = await transaction.get("outbox", receipt);
  if (kept === void 0) return null;
  if (verdict.kind === "again") {
    const doubt2 = verdict.isAnswered ? null : kept.doubt;
    return postpone(transaction, {
      ...kept,
      doubt: doubt2
    }, verdict.holdMs);
  }
  const doubt = lengthen(kept.doubt ?? {}, Date.now());
  if (verdict.kind === "unknown" && !isBelieved(doubt)) {
    const isAlone = verdict.holdMs === null;
    return postpone(transaction, {
      ...kept,
      doubt: doubt
    }, verdict.holdMs, isAlone, UNKNOWN_CAP_MS);
  }
  if (verdict.kind === "counted") {
    const entry = await entryOf(transaction, receipt);
    await transaction.delete("outbox", receipt);
    await keepSent(transaction, kept);
    if (entry && verdict.keys) await transaction.put("ledger", Object.assign(entry, {
      keys: verdict.keys
    }));
    await settleReport(transaction, receipt, false);
    return entry === void 0 ? null : {
      delivered: receiptOf(entry)
    };
  }
  await transaction.put("outbox", {
    ...kept,
    problem: verdict.problem,
    nAttempts: kept.nAttempts + 1
  });
  const isOver = isSurveyOver(verdict.problem);
  if (isOver) await dropSent(transaction, ({fingerprint: fingerprint}) => fingerprint === kept.fingerprint);
  await settleReport(transaction, receipt, isOver);
  const rejected = (await rejectedReports(transaction)).find(report => report.receipt === receipt);
  return rejected === void 0 || kept.problem !== null ? null : {
    rejected: rejected
  };
}

async function readmit(transaction, receipt, invitation) {
  const entry = await entryOf(transaction, receipt);
  const report = await transaction.get("outbox", receipt);
  if (!report?.problem || entry === void 0) return null;
  const isOpen = entry.invitation === null;
  if (isOpen ? !isUnknown(report.problem) : invitation === null && entry.invitation === "") return null;
  const isAlike = old => old.receipt === receipt || old.fingerprint === entry.fingerprint && old.invitation === entry.invitation && old.invitation !== "";
  if (!isOpen && invitation !== null) {
    for (const old of (await transaction.all("ledger")).filter(isAlike)) await transaction.put("ledger", {
      ...old,
      invitation: invitation
    });
  }
  await transaction.put("outbox", {
    ...report,
    problem: null,
    nAttempts: 0,
    doubt: null
  });
  return entry;
}

async function postpone(transaction, failed, holdMs, isAlone = false, capMs = BACKOFF_CAP_MS) {
  const nAttempts = failed.nAttempts + 1;
  const later = {
    notBefore: Date.now() + (holdMs ?? 0) + backoffMs(nAttempts, capMs),
    isHeld: holdMs !== null
  };
  await transaction.put("outbox", {
    ...failed,
    ...later,
    nAttempts: nAttempts
  });
  if (isAlone) return null;
  for (const report of await transaction.all("outbox")) {
    if (report.url === failed.url) await transaction.put("outbox", {
      ...report,
      ...later
    });
  }
  return null;
}

var MAX_DELAY_MS = 6048e5;

var LOCK = "sottovoce-delivery";

var Delivery = class {
  #isClosed=false;
  #look=new Turns(isEager => this.#lookAround(isEager));
  #lanes=new Map;
  #onTheirWay=new Set;
  #inHand=new Map;
  constructor(state, timeoutMs, callbacks = {}) {
    this.state = state;
    this.timeoutMs = timeoutMs;
    this.callbacks = callbacks;
    globalThis.addEventListener?.("online", this.#wakeEagerly);
    globalThis.addEventListener?.("pagehide", this.#leave);
  }
  async wake(isEager = false) {
    await this.#look.wake(isEager);
    await Promise.all([ ...this.#lanes.values() ].map(lane => lane.running));
  }
  hold(waiting) {
    const inHand = waiting.filter(({receipt: receipt}) => !this.#onTheirWay.has(receipt));
    this.#inHand = new Map(inHand.map(report => [ report.receipt, report ]));
  }
  async flush(timeoutMs) {
    const deadline = Date.now() + timeoutMs;
    const pause = pauses();
    const isOver = pause.for(timeoutMs);
    try {
      for (let isEager = true; (await this.#waiting()).length > 0; isEager = false) {
        await Promise.race([ this.wake(isEager), isOver ]);
        const dueMs = this.#dueMs(await this.#waiting());
        if (dueMs === null) return true;
        if (Date.now() + dueMs >= deadline || this.#isClosed) return false;
        await Promise.race([ pause.for(dueMs), isOver ]);
      }
      return true;
    } finally {
      pause.end();
    }
  }
  close() {
    this.#isClosed = true;
    for (const turns of [ this.#look, ...this.#lanes.values() ]) turns.close();
    globalThis.removeEventListener?.("online", this.#wakeEagerly);
    globalThis.removeEventListener?.("pagehide", this.#leave);
  }
  #wakeEagerly=() => void this.wake(true);
  #leave=() => {
    for (const report of this.#inHand.values()) {
      if (waitOf(report, true) === 0) void this.#ask(report);
    }
  };
  async #lookAround(isEager) {
    const urls = new Set((await this.#waiting()).map(report => report.url));
    for (const url of this.#isClosed ? [] : urls) void this.#laneOf(url).wake(isEager);
    return null;
  }
  #laneOf(url) {
    const lane = this.#lanes.get(url) ?? new Turns(isEager => this.#deliverTo(url, isEager));
    this.#lanes.set(url, lane);
    return lane;
  }
  async #deliverTo(url, isEager) {
    const locks = (await this.state).isDurable ? globalThis.navigator?.locks : void 0;
    const attempt = () => this.#attemptDue(url, isEager);
    await (locks === void 0 ? attempt() : locks.request(`${LOCK} ${url}`, attempt));
    return this.#dueMs((await this.#waiting()).filter(report => report.url === url));
  }
  async #attemptDue(url, isEager) {
    for (const report of await this.#waiting()) {
      if (this.#isClosed || report.url !== url || waitOf(report, isEager) > 0) continue;
      const {kind: kind, holdMs: holdMs = null} = await this.#attempt(report);
      if (kind === "again" || holdMs !== null) return;
    }
  }
  async #attempt(report) {
    this.#inHand.delete(report.receipt);
    this.#onTheirWay.add(report.receipt);
    try {
      const verdict = await this.#ask(report);
      const record = transaction => recordVerdict(transaction, report.receipt, verdict);
      const outcome = await (await this.state).transact(record);
      if (outcome !== null) void tell(this.callbacks, outcome);
      return verdict;
    } finally {
      this.#onTheirWay.delete(report.receipt);
    }
  }
  async #ask(report) {
    try {
      return judge(await post(this.state, this.timeoutMs, report, "reports", report.body), Date.now());
    } catch {
      return {
        kind: "again",
        holdMs: null,
        isAnswered: false
      };
    }
  }
  async #waiting() {
    const waiting = await (await this.state).transact(waitingReports);
    this.hold(waiting);
    return waiting;
  }
  #dueMs(waiting) {
    if (waiting.length === 0) return null;
    const pauseOf = ({url: url}) => this.#lanes.get(url)?.pauseMs ?? 0;
    const dueMs = waiting.map(report => Math.max(pauseOf(report), waitOf(report, false)));
    return Math.max(this.#look.pauseMs, Math.min(...dueMs));
  }
};

function waitOf(report, isEager) {
  const waitMs = isEager && !report.isHeld ? 0 : until(report.notBefore, MAX_HOLD_MS + UNKNOWN_CAP_MS);
  return Math.max(waitMs, report.nAttempts > 0 ? 0 : until(report.delayUntil, MAX_DELAY_MS));
}

function pauses() {
  const timers = [];
  return {
    for: timeMs => new Promise(resolve2 => timers.push(setTimeout(resolve2, timeMs))),
    end: () => timers.forEach(clearTimeout)
  };
}

async function drawQuestions(nQuestions, nDrawn, coins) {
  const drawn = new Array(nQuestions).fill(false);
  for (let last = nQuestions - nDrawn; last < nQuestions; last += 1) {
    const [chosen] = await coins.uniform(last + 1, 1);
    drawn[drawn[chosen] ? last : chosen] = true;
  }
  return drawn;
}

function drawnOf(survey, seed) {
  return drawQuestions(survey.questions.length, survey.nDrawn, coinsOf("sottovoce-draw-1", survey, seed));
}

async function wavesOf(survey, seed) {
  const drawn = await drawQuestions(survey.waves, survey.askedIn, coinsOf("sottovoce-waves-1", survey, seed));
  return drawn.flatMap((isAsked, index) => isAsked ? [ index + 1 ] : []);
}

function coinsOf(label, {fingerprint: fingerprint}, seed) {
  return new Coins(hmacBytes(seed, joined([ label, fingerprint ].map(utf8))));
}

async function keepSeed(transaction, {fingerprint: fingerprint, id: surveyId}, fresh) {
  const kept = await transaction.get("draws", fingerprint);
  if (kept === void 0) await transaction.put("draws", {
    fingerprint: fingerprint,
    surveyId: surveyId,
    seed: fresh
  });
  return kept?.seed ?? fresh;
}

function parseInvitation(text2) {
  const letters = typeof text2 === "string" && text2.length <= 200 ? text2.replace(/-|(?!\ufeff)\s/g, "") : "";
  if (!/^[a-z2-7]{25}[aeimquy4]$/i.test(letters)) {
    throw new RangeError("invitation must be 26 letters a to z and digits 2 to 7.");
  }
  return letters.toLowerCase();
}

var MAX_RESEND_DAYS = 365;

function readOptions(url, options) {
  const {state: state = "sottovoce", timeoutMs: timeoutMs = 3e4, maxDelayMs: maxDelayMs = 0, resendDays: resendDays = 0, relayUrl: relayUrl = url, ...others} = options;
  const {maxEpsilon: maxEpsilon = 8, maxPeriodEpsilon: maxPeriodEpsilon = 16, periodDays: periodDays = 30, fingerprint: fingerprint, invitation: invitation, ...rest2} = others;
  const {onDelivered: onDelivered, onRejected: onRejected, ...unknown} = rest2;
  for (const name of Object.keys(unknown)) throw new TypeError(`options has no member '${name}'.`);
  const postUrl = checkUrl(relayUrl, "relayUrl");
  if (typeof state !== "string" || state === "") throw new TypeError("state must be a text that is not empty.");
  checkNumber("timeoutMs", timeoutMs, 1, MAX_DELAY_MS);
  checkNumber("maxDelayMs", maxDelayMs, 0, MAX_DELAY_MS);
  const limits = {
    maxEpsilon: readLimit("maxEpsilon", maxEpsilon),
    maxPeriodEpsilon: readLimit("maxPeriodEpsilon", maxPeriodEpsilon),
    periodDays: checkNumber("periodDays", periodDays, 1, 36500, true)
  };
  const posting = {
    url: postUrl,
    maxDelayMs: maxDelayMs,
    resendDays: checkNumber("resendDays", resendDays, 0, MAX_RESEND_DAYS, true)
  };
  if (fingerprint !== void 0 && !isHash(fingerprint)) {
    throw new RangeError(`fingerprint must be ${HASH_EXPECTED}.`);
  }
  const code = invitation === void 0 ? null : parseInvitation(invitation);
  const callbacks = checkCallbacks({
    onDelivered: onDelivered,
    onRejected: onRejected
  });
  return {
    state: state,
    timeoutMs: timeoutMs,
    posting: posting,
    limits: limits,
    fingerprint: fingerprint,
    invitation: code,
    callbacks: callbacks
  };
}

function checkNumber(name, value, low, high, isInteger = false) {
  if (typeof value !== "number" || !(value >= low && value <= high) || isInteger && value % 1) {
    throw new RangeError(`${name} must be ${isInteger ? "an integer" : "a number"} in [${low}, ${high}].`);
  }
  return value;
}

var SurveySource = class {
  constructor(state, url, surveyId, limits, fingerprint, timeoutMs, posting) {
    this.state = state;
    this.url = url;
    this.surveyId = surveyId;
    this.limits = limits;
    this.fingerprint = fingerprint;
    this.timeoutMs = timeoutMs;
    this.posting = posting;
    this.isOpen = void 0;
  }
  async survey() {
    let reply;
    try {
      reply = await this.#fetch();
    } catch (fault) {
      if (!(fault instanceof SurveyUnavailable)) throw fault;
      const isOver = fault.problem !== null && await this.#hear(fault.problem);
      const kept = await this.#record();
      if (kept === void 0 || isOver) throw fault;
      return this.#check(await this.#read(kept.canonical));
    }
    const survey = await this.#read(reply.body);
    await this.#doubt(survey.fingerprint);
    this.#check(survey);
    await this.#keep(survey.fingerprint, reply);
    const said = reply.headers.get("Sottovoce-State");
    this.isOpen = said === "open" || (said === "closed" ? false : void 0);
    return survey;
  }
  async restored(transaction) {
    return (await transaction.get("surveys", this.url, this.surveyId))?.restored ?? "0";
  }
  async #keep(fingerprint, reply) {
    const {url: url, maxDelayMs: maxDelayMs} = this.posting;
    await this.#change(async (kept, transaction) => {
      const restored = reply.headers.get("Sottovoce-Restored") ?? kept?.restored ?? "0";
      const isLost = sent => sent.url === url && sent.fingerprint === fingerprint && sent.restored !== restored;
      await sendAgain(transaction, isLost, restored, maxDelayMs);
      return {
        canonical: reply.body,
        doubts: kept?.doubts ?? {},
        restored: restored
      };
    });
  }
  async #fetch() {
    let reply;
    try {
      reply = await exchange(`${this.url}/v1/surveys/${this.surveyId}`, this.timeoutMs, MAX_SURVEY_BYTES);
    } catch (fault) {
      if (!(fault instanceof DeliveryError)) throw fault;
      throw new SurveyUnavailable(`survey ${this.surveyId}: ${fault.message}`, null, {
        cause: fault
      });
    }
    if (reply.status !== 200) {
      const problem = problemOf(reply);
      const said = `survey ${this.surveyId}: the collector says HTTP ${reply.status} (${problem.code}).`;
      throw new SurveyUnavailable(said, problem);
    }
    if (readJson(reply.body) === void 0) {
      throw new SurveyUnavailable(`survey ${this.surveyId}: the reply is not a collector's.`, problemOf(reply));
    }
    return reply;
  }
  async #read(bytes) {
    try {
      const survey = await readSurvey(bytes);
      if (survey.id === this.surveyId) return survey;
    } catch (fault) {
      if (!(fault instanceof SurveyError)) throw fault;
      throw new SurveyRefused(`survey ${this.surveyId} is refused: ${fault.message}`, {
        cause: fault
      });
    }
    throw new SurveyRefused(`survey ${this.surveyId} was asked for, but the collector sent another.`);
  }
  #check(survey) {
    if (![ void 0, survey.fingerprint ].includes(this.fingerprint)) {
      throw new SurveyRefused(`survey ${survey.id} has fingerprint ${survey.fingerprint}, not the pinned one.`);
    }
    const {maxEpsilon: maxEpsilon} = this.limits;
    if ((parseEpsilon(survey.epsilonForever) ?? 0n) > maxEpsilon) {
      const waves = survey.maxReports > 1 ? ` in ${survey.maxReports} waves` : "";
      const limit = `above maxEpsilon (${writeEpsilon(maxEpsilon)})`;
      throw new SurveyRefused(`survey ${survey.id} takes epsilon ${survey.epsilonForever}${waves}, ${limit}.`);
    }
    return survey;
  }
  async #record() {
    const state = await this.state;
    return state.transact(transaction => transaction.get("surveys", this.url, this.surveyId));
  }
  async #change(change2) {
    const state = await this.state;
    await state.transact(async transaction => {
      const record = await change2(await transaction.get("surveys", this.url, this.surveyId), transaction);
      if (record !== void 0) {
        await transaction.put("surveys", {
          url: this.url,
          surveyId: this.surveyId,
          ...record
        });
      }
    });
  }
  async #hear(problem) {
    if (isSurveyOver(problem)) return this.#doubt("", !isUnknown(problem));
    await this.#change(record => record && {
      ...record,
      doubts: begunAnew(record.doubts)
    });
    return false;
  }
  async #doubt(served, isClosed = false) {
    const record = await this.#record();
    if (record === void 0) return false;
    const current = hex(await sha256(record.canonical));
    let isOver = isClosed;
    await this.#change(async (kept, transaction) => {
      const before = kept?.doubts ?? {};
      const doubts = {};
      for (const each of new Set([ current, ...Object.keys(before) ])) {
        if (each === served) continue;
        const doubt = lengthen(before[each] ?? {}, Date.now());
        const isEnded = isClosed || isBelieved(doubt);
        if (isEnded) {
          await dropSent(transaction, ({fingerprint: fingerprint}) => fingerprint === each);
          await endVersion(transaction, each);
        }
        if (each === current) isOver = isEnded;
        const isKept = each === current && !isClosed;
        if (isKept || await transaction.get("secrets", each)) doubts[each] = doubt;
      }
      return kept && {
        ...kept,
        doubts: doubts
      };
    });
    return isOver;
  }
};

function begunAnew(doubts = {}) {
  return Object.fromEntries(Object.keys(doubts).map(fingerprint => [ fingerprint, {} ]));
}

var VERSION = 5;

var KEYS = {
  surveys: [ "url", "surveyId" ],
  secrets: [ "fingerprint" ],
  ledger: [ "fingerprint", "wave" ],
  outbox: [ "receipt" ],
  draws: [ "fingerprint" ],
  sent: [ "receipt" ],
  gateways: [ "key" ]
};

var MEMORY = ":memory:";

var isThere = Promise.resolve();

globalThis.addEventListener?.("pagehide", () => {
  isThere = new Promise(resolve2 => globalThis.addEventListener("pageshow", () => resolve2(), {
    once: true
  }));
});

var MemoryState = class {
  isDurable=false;
  #stores=emptyStores();
  #last=Promise.resolve();
  transact(work) {
    const turn = this.#last.then(() => this.#run(work));
    this.#last = turn.catch(() => void 0);
    return turn;
  }
  close() {}
  async #run(work) {
    const stores = emptyStores();
    for (const [name, records] of this.#stores) stores.set(name, new Map(records));
    const of = store => stores.get(store);
    const result = await work({
      get: async (store, ...key) => of(store).get(String(key)),
      all: async store => [ ...of(store).keys() ].sort().map(key => of(store).get(key)),
      put: async (store, record) => of(store).set(String(KEYS[store].map(member => record[member])), record),
      delete: async (store, ...key) => of(store).delete(String(key))
    });
    this.#stores = stores;
    return result;
  }
};

function emptyStores() {
  return new Map(Object.keys(KEYS).map(name => [ name, new Map ]));
}

var GIVEN_UP_AFTER_MS = 1e4;

var MOST_PAUSE_MS = 40;

var [BYTES, INTEGER] = [ "$bytes", "$integer" ];

var given = new Map;

var nGiven = 0;

function nameOf(storage) {
  nGiven += 1;
  given.set(`storage ${nGiven}`, storage);
  return `storage ${nGiven}`;
}

async function openState(name) {
  const storage = given.get(name);
  given.delete(name);
  return name === MEMORY || storage === void 0 ? new MemoryState : new KeptState(storage);
}

var KeptState = class {
  isDurable=true;
  #storage;
  #last=Promise.resolve();
  constructor(storage) {
    this.#storage = storage;
  }
  transact(work) {
    const turn = this.#last.then(() => this.#run(work));
    this.#last = turn.catch(() => void 0);
    return turn;
  }
  close() {}
  async #run(work) {
    for (const began = Date.now(); ;) {
      const {text: text2, version: version2} = await this.#ask(() => this.#storage.read());
      const stores = this.#parse(text2);
      let isChanged = false;
      const of = store => stores.get(store);
      const result = await work({
        get: async (store, ...key) => of(store).get(String(key)),
        all: async store => [ ...of(store).keys() ].sort().map(key => of(store).get(key)),
        put: async (store, record) => {
          isChanged = true;
          of(store).set(keyOf(store, record), record);
        },
        delete: async (store, ...key) => {
          if (of(store).delete(String(key))) isChanged = true;
        }
      });
      if (!isChanged || await this.#ask(() => this.#storage.write(write(stores), version2))) return result;
      if (Date.now() - began > GIVEN_UP_AFTER_MS) throw this.#fault("other programs hold it");
      await new Promise(resolve2 => setTimeout(resolve2, Math.random() * MOST_PAUSE_MS));
    }
  }
  async #ask(asked) {
    try {
      return await asked();
    } catch (cause) {
      if (cause instanceof StateError) throw cause;
      throw this.#fault(cause.code ?? cause.name, cause);
    }
  }
  #parse(text2) {
    const {sottovoce: sottovoce, ...stores} = text2 === null ? {
      sottovoce: VERSION
    } : this.#read(text2);
    if (!Number.isInteger(sottovoce)) throw this.#fault("it is damaged");
    if (sottovoce > VERSION) throw this.#fault("it was made by a newer sottovoce");
    return new Map(Object.keys(KEYS).map(name => [ name, new Map((stores[name] ?? []).map(record => [ keyOf(name, record), record ])) ]));
  }
  #read(text2) {
    try {
      const document = JSON.parse(text2, revive);
      const lists = Object.keys(KEYS).map(name => document[name] ?? []);
      if (lists.flat().every(record => typeof record === "object" && record !== null)) return document;
    } catch {}
    throw this.#fault("it is damaged");
  }
  #fault(why, cause) {
    return new StateError(`state ${this.#storage.name} cannot be used (${why}).`, {
      cause: cause
    });
  }
};

function keyOf(store, record) {
  return String(KEYS[store].map(member => record[member]));
}

function write(stores) {
  const lists = [ ...stores ].map(([name, records]) => [ name, [ ...records.values() ] ]);
  return JSON.stringify({
    sottovoce: VERSION,
    ...Object.fromEntries(lists)
  }, replace);
}

function replace(name, value) {
  const own = this[name];
  if (own instanceof Uint8Array) return {
    [BYTES]: base64(own)
  };
  return typeof value === "bigint" ? {
    [INTEGER]: String(value)
  } : value;
}

function revive(_, value) {
  if (typeof value?.[BYTES] === "string") return bytesOf(value[BYTES]);
  return typeof value?.[INTEGER] === "string" ? BigInt(value[INTEGER]) : value;
}

var DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

function bytesOf(text2) {
  const digits = [ ...text2.replace(/=+$/, "") ].map(digit => DIGITS.indexOf(digit));
  if (digits.includes(-1)) throw new RangeError;
  const bytes = new Uint8Array(Math.floor(digits.length * 3 / 4));
  let [bits, value, at2] = [ 0, 0, 0 ];
  for (const digit of digits) {
    value = (value << 6 | digit) & 65535;
    bits += 6;
    if (bits >= 8) bytes[at2++] = value >> (bits -= 8) & 255;
  }
  return bytes;
}

var OLDEST_NODE = 20;

var SurveyClient = class {
  #state;
  #delivery;
  #source;
  #limits;
  #posting;
  #isClosed=false;
  #invitation;
  #survey=null;
  #via=null;
  #made=new Map;
  constructor(url, surveyId, options = {}) {
    const collector = checkUrl(url);
    if (!isId(surveyId)) throw new RangeError(`surveyId must be ${ID_EXPECTED}.`);
    const {state: state, timeoutMs: timeoutMs, callbacks: callbacks, fingerprint: fingerprint, ...chosen} = readOptions(collector, options);
    this.#posting = chosen.posting;
    this.#limits = chosen.limits;
    this.#invitation = chosen.invitation;
    checkBrowser();
    this.#state = openState(state);
    this.#state.catch(() => void 0);
    this.#source = new SurveySource(this.#state, collector, surveyId, this.#limits, fingerprint, timeoutMs, chosen.posting);
    this.#delivery = new Delivery(this.#state, timeoutMs, callbacks);
    void this.#delivery.wake();
  }
  async survey() {
    this.#checkOpen();
    this.#survey ??= this.#fetch();
    try {
      return await this.#survey;
    } catch (fault) {
      this.#survey = null;
      throw fault;
    }
  }
  async questions() {
    const survey = await this.survey();
    const drawn = await this.#draw(survey);
    return survey.questions.filter((_, index) => drawn[index]).flatMap(question => question.items);
  }
  async waves() {
    const survey = await this.survey();
    if (survey.askedIn === 0) return Array.from({
      length: survey.waves
    }, (_, index) => index + 1);
    return wavesOf(survey, await this.#seed(survey));
  }
  async prepare(answers, wave = 1) {
    const survey = await this.survey();
    survey.checkWave(wave);
    const waves = await this.waves();
    if (!waves.includes(wave)) throw new NotAsked(survey.id, wave, waves);
    const asked = await this.#draw(survey);
    const encoded = survey.encode(answers, asked);
    const {id: id, admission: admission} = await this.#trade(wave, true) ?? {};
    const fresh = await drawAnew(id);
    const drawn = await this.#transact(transaction => keepDrawn(transaction, survey, wave, fresh));
    const key = await noiseKey(survey, drawn.key, wave);
    const marks = await markAnswers(survey, encoded, key);
    const columns = await reportAnswers(survey, encoded, key, draftCoins(survey, drawn.seed));
    const report = wireReport(survey, drawn.id, columns, wave, admission);
    const price = transaction => makeEntry(transaction, survey, wave, marks, drawn.id, this.#invitation, this.#limits, asked, waves[waves.length - 1]);
    const send = () => this.#send(key, async transaction => {
      survey.blind?.check(SurveyRefused);
      const via = this.#via;
      const entry = await price(transaction);
      entry.via = via;
      await endDraft(transaction, survey, wave, drawn);
      await transaction.put("ledger", entry);
      const {url: url, maxDelayMs: maxDelayMs, resendDays: resendDays} = this.#posting;
      const restored = await this.#source.restored(transaction);
      await putReport(transaction, url, survey, report, maxDelayMs, resendDays, restored, via);
      return {
        entry: entry,
        waiting: await waitingReports(transaction)
      };
    });
    return new Draft(survey, columns, drawn.id, await this.#transact(price), send, admission);
  }
  async fetchToken(wave = 1) {
    return (await this.#trade(wave))?.state ?? "unused";
  }
  async answer(answers, wave = 1) {
    try {
      return await (await this.prepare(answers, wave)).send();
    } catch (fault) {
      if (!(fault instanceof AlreadyAnswered) || !await this.#isRepeat(fault.receipt, answers)) throw fault;
      return this.#made.get(fault.receipt.id)?.receipt ?? fault.receipt;
    }
  }
  async isPrepared(wave = 1) {
    const {fingerprint: fingerprint} = await this.survey();
    const kept = await this.#transact(transaction => transaction.get("secrets", fingerprint));
    return wave in (kept?.drafts ?? {});
  }
  async answered() {
    const {fingerprint: fingerprint} = await this.survey();
    return (await this.#transact(transaction => entriesOf(transaction, fingerprint))).map(receiptOf);
  }
  async pending() {
    return (await this.#transact(waitingReports)).map(report => report.receipt);
  }
  rejected() {
    return this.#transact(rejectedReports);
  }
  async flush(timeoutMs = 5e3) {
    checkNumber("timeoutMs", timeoutMs, 0, MAX_DELAY_MS);
    this.#checkOpen();
    return this.#delivery.flush(timeoutMs);
  }
  async resend(invitation) {
    const code = invitation === void 0 ? null : parseInvitation(invitation);
    const isHere = ({url: url, surveyId: surveyId}) => url === this.#posting.url && surveyId === this.#source.surveyId;
    const [mended, kept] = await this.#transact(async transaction => {
      const refused = (await rejectedReports(transaction)).filter(report => isHere(report) && (report.needsInvitation ? code !== null : report.isUnknown));
      const entries = [];
      for (const {receipt: receipt} of refused) entries.push(await readmit(transaction, receipt, code) ?? []);
      return [ entries.flat(), await sendAgain(transaction, isHere) ];
    });
    if (mended.some(entry => entry.invitation !== null)) this.#invitation = code ?? this.#invitation;
    void this.#delivery.wake();
    return [ ...mended.map(entry => entry.receipt), ...kept ];
  }
  async erase(receipt) {
    const entry = await this.#transact(async transaction => {
      await dropSent(transaction, report => report.receipt === receipt);
      return entryOf(transaction, receipt);
    });
    const via = entry ? entry.via : await this.#way();
    return (await this.#post(via, "erase", {
      receipt: receipt
    })).status === 200;
  }
  async checkInvitation(invitation, wave = 1) {
    return readJson((await this.#post(await this.#way(), "invitations/check", {
      invitation: invitation,
      wave: wave
    })).body);
  }
  async forget() {
    await this.#transact(async transaction => {
      await dropSent(transaction, ({surveyId: surveyId}) => surveyId === this.#source.surveyId);
      const known = await transaction.all("secrets");
      for (const {fingerprint: fingerprint, surveyId: surveyId} of known) {
        if (surveyId === this.#source.surveyId) await endVersion(transaction, fingerprint);
      }
    });
    this.#made.clear();
  }
  async isOpen() {
    const {closes: closes} = await this.survey();
    return this.#source.isOpen ?? (closes === "" || today() <= closes);
  }
  async isDurable() {
    return (await this.#state).isDurable;
  }
  close() {
    this.#isClosed = true;
    this.#delivery.close();
    void this.#state.then(state => state.close()).catch(() => void 0);
  }
  async #trade(wave, isNeeded = false) {
    const survey = await this.survey();
    const post2 = (last, sent) => this.#post(this.#via, last, sent, this.#posting.url);
    return survey.blind?.trade(this, wave, isNeeded, this.#invitation, {
      transact: work => this.#transact(work),
      post: post2,
      ended: ended,
      DeliveryError: DeliveryError,
      InvitationError: InvitationError
    });
  }
  async #transact(work) {
    this.#checkOpen();
    return (await this.#state).transact(work);
  }
  #checkOpen() {
    if (this.#isClosed) throw new StateError("this client is closed.");
  }
  async #send(key, charge) {
    const {entry: entry, waiting: waiting} = await this.#transact(charge);
    const receipt = receiptOf(entry);
    if (entry.marks !== null) this.#made.set(receipt.id, {
      key: key,
      marks: entry.marks,
      receipt: receipt
    });
    this.#delivery.hold(waiting);
    void this.#delivery.wake();
    return receipt;
  }
  async #draw(survey) {
    if (survey.draw === 0) return survey.questions.map(() => true);
    return drawnOf(survey, await this.#seed(survey));
  }
  async #seed(survey) {
    const fresh = await importSecret(await osBytes(SECRET_BYTES));
    return this.#transact(transaction => keepSeed(transaction, survey, fresh));
  }
  async #isRepeat({id: id, fingerprint: fingerprint, wave: wave}, answers) {
    const survey = await this.survey();
    const known = this.#made.get(id) ?? await this.#recall(survey, wave);
    const encoded = survey.encode(answers, await this.#draw(survey));
    return known !== null && areEqual(await markAnswers(survey, encoded, known.key), known.marks);
  }
  async #recall(survey, wave) {
    const {fingerprint: fingerprint} = survey;
    const found = await this.#transact(async transaction => {
      const [kept, entry] = [ await transaction.get("secrets", fingerprint), await transaction.get("ledger", fingerprint, wave) ];
      return kept === void 0 || !entry?.marks ? null : {
        key: kept.key,
        marks: entry.marks
      };
    });
    return found && {
      ...found,
      key: await noiseKey(survey, found.key, wave)
    };
  }
  async #way() {
    await this.survey();
    return this.#via;
  }
  #post(via, last = "", sent = void 0, url = this.#source.url) {
    const {surveyId: surveyId, timeoutMs: timeoutMs} = this.#source;
    return post(this.#state, timeoutMs, {
      url: url,
      surveyId: surveyId,
      via: via
    }, last, sent && JSON.stringify(sent));
  }
  async #fetch() {
    const survey = await this.#source.survey();
    const {relay: relay, gatewayKey: gatewayKey} = survey;
    const {url: url} = this.#source;
    const posted = this.#posting.url;
    this.#via = relay ? {
      relay: posted === url ? relay : posted,
      key: gatewayKey,
      url: url,
      nBytes: longestBody(survey)
    } : null;
    if (relay) {
      await this.#post(this.#via).catch(fault => {
        if (fault instanceof SurveyRefused) throw fault;
      });
    }
    void this.#delivery.wake();
    return survey;
  }
};

function checkBrowser() {
  if (crypto?.subtle) return;
  throw new StateError(`sottovoce needs WebCrypto: a page at https:// or localhost, or Node.js ${OLDEST_NODE} or newer.`);
}

import { randomBytes } from "node:crypto";

import { chmod, link, mkdir, open, readFile, readdir, rm, stat, truncate } from "node:fs/promises";

import { homedir } from "node:os";

import { dirname, isAbsolute, join, resolve } from "node:path";

var NUMBERED = /^(\d{1,15})\.json$/;

var UNFINISHED = /^new-[0-9a-f]{16}$/;

var UNFINISHED_MS = 6e4;

var N_EMPTIED = 2;

var OTHERS = 63;

function homeOfStates() {
  const given2 = process.env.XDG_STATE_HOME ?? "";
  return join(isAbsolute(given2) ? given2 : join(homedir(), ".local", "state"), "sottovoce");
}

var Folder = class {
  #makesParents;
  #isOpen=false;
  constructor(path) {
    this.name = resolve(path ?? join(homeOfStates(), "node"));
    this.#makesParents = path === void 0;
  }
  async read() {
    if (!this.#isOpen) await this.#open();
    for (let numbers = await this.#numbers(); ;) {
      const version2 = Math.max(0, ...numbers);
      if (version2 === 0) return {
        text: null,
        version: version2
      };
      const text2 = await readFile(this.#file(version2), "utf8").catch(unlessGone);
      numbers = await this.#numbers();
      if (text2 !== void 0 && Math.max(0, ...numbers) === version2) return {
        text: text2,
        version: version2
      };
    }
  }
  async write(text2, version2) {
    const [unfinished, next] = [ join(this.name, `new-${randomBytes(8).toString("hex")}`), version2 + 1 ];
    try {
      await writeThrough(unfinished, text2);
      await link(unfinished, this.#file(next));
    } catch (fault) {
      if ([ "EEXIST", "ENOENT" ].includes(fault.code)) return false;
      throw fault;
    } finally {
      await rm(unfinished, {
        force: true
      });
    }
    await syncFolder(this.name);
    const numbers = await this.#numbers();
    if (Math.max(...numbers) > next + N_EMPTIED) {
      await rm(this.#file(next), {
        force: true
      });
      return false;
    }
    await this.#empty(numbers);
    return true;
  }
  async #open() {
    try {
      await mkdir(this.name, {
        mode: 448,
        recursive: this.#makesParents
      });
      await syncFolder(dirname(this.name));
    } catch (fault) {
      const {code: code} = fault;
      if (code === "ENOENT") throw this.#fault(`there is no folder ${dirname(this.name)}`);
      if (code !== "EEXIST") throw fault;
    }
    const names = await readdir(this.name);
    if (names.length > 0 && !names.some(name => NUMBERED.test(name) || UNFINISHED.test(name))) {
      throw this.#fault("it is another program's folder");
    }
    for (const name of names.filter(name2 => UNFINISHED.test(name2))) {
      const {mtimeMs: mtimeMs} = await stat(join(this.name, name)).catch(unlessGone) ?? {
        mtimeMs: Infinity
      };
      if (Date.now() - mtimeMs > UNFINISHED_MS) await rm(join(this.name, name), {
        force: true
      });
    }
    for (const version2 of await this.#numbers()) {
      const {mode: mode} = await stat(this.#file(version2)).catch(unlessGone) ?? {
        mode: 0
      };
      if (process.platform !== "win32" && mode & OTHERS) await chmod(this.#file(version2), 384);
    }
    await this.#empty(await this.#numbers());
    this.#isOpen = true;
  }
  async #empty(numbers) {
    const newest = Math.max(0, ...numbers);
    for (const version2 of numbers.filter(version3 => version3 < newest)) {
      try {
        await zero(this.#file(version2));
        if (version2 < newest - N_EMPTIED) await rm(this.#file(version2), {
          force: true
        });
      } catch {}
    }
  }
  async #numbers() {
    const names = await readdir(this.name);
    return names.flatMap(name => Number(NUMBERED.exec(name)?.[1] ?? [])).filter(version2 => version2 > 0);
  }
  #file(version2) {
    return join(this.name, `${version2}.json`);
  }
  #fault(why) {
    return new StateError(`state ${this.name} cannot be used (${why}).`);
  }
};

async function writeThrough(path, text2) {
  const file2 = await open(path, "wx", 384);
  try {
    await file2.writeFile(text2);
    await file2.sync();
  } finally {
    await file2.close();
  }
}

async function zero(path) {
  const {size: size} = await stat(path);
  if (size === 0) return;
  const file2 = await open(path, "r+");
  try {
    await file2.write(new Uint8Array(size), 0, size, 0);
    await file2.sync();
  } finally {
    await file2.close();
  }
  await truncate(path);
}

async function syncFolder(path) {
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function unlessGone(fault) {
  if (fault.code !== "ENOENT") throw fault;
}

var SurveyClient2 = class extends SurveyClient {
  constructor(url, surveyId, {state: state, ...options} = {}) {
    super(url, surveyId, {
      ...options,
      state: nameOfState(state)
    });
  }
};

function nameOfState(state) {
  if (state === MEMORY) return MEMORY;
  if (state === "") throw new TypeError("state must be a path that is not empty.");
  return nameOf(typeof state === "object" ? state : new Folder(state));
}

import { existsSync, readFileSync as readFileSync2 } from "node:fs";

import { join as join2 } from "node:path";

var SCALE3 = 2n ** 32n;

var MOST_PEOPLE = 1000000n;

var MAX_SMALL = 20;

var SUPPORTS = {
  "k-ary": ofKary,
  subset: mechanism => mechanism.nMembers ? ofPadded(mechanism) : ofSubset(mechanism),
  geometry: ofGeometry,
  sketch: ({geometry: geometry}) => ofGeometry(geometry),
  "asked-option": ({coin: coin}) => ofBits(coin),
  window: ofWindow,
  segments: ofSegments
};

function supportOf(mechanism) {
  return (SUPPORTS[mechanism.name] ?? ofBits)(mechanism);
}

function rest([part, whole]) {
  return [ whole - part, whole ];
}

function ofPeople([part, whole]) {
  let people = 100n;
  while (part * people < 10n * whole && people < MOST_PEOPLE) people *= 10n;
  return {
    n: Number(part * people / whole),
    people: Number(people)
  };
}

function simple(fraction) {
  const share = valueOf(fraction);
  for (let of = 2; of <= MAX_SMALL; of += 1) {
    const n = Math.round(share * of);
    if (0 < n && n < of && Math.abs(n / of - share) < 1e-8) return {
      n: n,
      of: of
    };
  }
  return null;
}

function widthOf({width: width, segments: segments}) {
  return width ?? Math.max(...segments.map(([first, last]) => last - first + 1));
}

function insideOf({ifTrue: ifTrue, repeats: repeats, levels: levels, segments: segments}) {
  if (segments) return [ insideMost(levels, segments), SCALE3 ];
  const [first, again] = [ BigInt(ifTrue), BigInt(repeats ?? Number(SCALE3)) ];
  return [ first * again + (SCALE3 - first) * (SCALE3 - again), SCALE3 * SCALE3 ];
}

function valueOf([part, whole]) {
  return Number(part * 2n ** 80n / whole) / 2 ** 80;
}

function ofBits({ifTrue: ifTrue, ifOther: ifOther, ifOne: ifOne, ifZero: ifZero}) {
  const reported = permanent => [ BigInt(permanent) * BigInt(ifOne) + (SCALE3 - BigInt(permanent)) * BigInt(ifZero), SCALE3 * SCALE3 ];
  return {
    ifTrue: reported(ifTrue),
    ifOther: reported(ifOther)
  };
}

function ofKary({nValues: nValues, ifTrue: ifTrue, ifKept: ifKept = Number(SCALE3)}) {
  const [nOthers, first, again] = [ nValues - 1, ifTrue, ifKept ].map(BigInt);
  const truth = nOthers * first * again + (SCALE3 - first) * (SCALE3 - again);
  const whole = nOthers * SCALE3 * SCALE3;
  const found = {
    ifTrue: [ truth, whole ],
    ifOther: [ whole - truth, whole * nOthers ]
  };
  return found;
}

function ofSubset({ifTrue: ifTrue, nValues: nValues, weight: weight}) {
  return ofSets(ifTrue, [ BigInt(nValues - weight), BigInt(weight) ], [ BigInt(weight - 1), BigInt(nValues - 1) ]);
}

function ofPadded(mechanism) {
  const {ifTrue: ifTrue, nValues: nValues, nMembers: nMembers, weight: weight} = mechanism;
  const [threshold, options, members, size] = [ ifTrue, nValues, nMembers, weight ].map(BigInt);
  const [none, every] = [ mechanism.none, mechanism.every ];
  const any = every - none;
  const own = threshold * (every * options - none * members) + (SCALE3 - threshold) * members * any;
  const found = {
    ifTrue: [ threshold * size * every, SCALE3 * members * any ],
    ifOther: [ size * own, SCALE3 * members * options * any ]
  };
  return found;
}

function ofGeometry({ifTrue: ifTrue, field: field, dimension: dimension}) {
  const nPoints2 = places => BigInt((field ** places - 1) / (field - 1));
  const inPlane = nPoints2(dimension - 1);
  return ofSets(ifTrue, [ BigInt(field) ** BigInt(dimension - 1), inPlane ], [ nPoints2(dimension - 2), inPlane ]);
}

function ofSets(threshold, against, shared) {
  const [truth, lie] = [ BigInt(threshold), SCALE3 - BigInt(threshold) ];
  const whole = SCALE3 * shared[1] * against[0];
  const ifOther = truth * shared[0] * against[0] + lie * (shared[1] - shared[0]) * against[1];
  const found = {
    ifTrue: [ truth, SCALE3 ],
    ifOther: [ ifOther, whole ]
  };
  return found;
}

function ofWindow(mechanism) {
  const {levels: levels, width: width} = mechanism;
  const [truth, whole] = insideOf(mechanism);
  const own = BigInt(width === levels ? width - 1 : width);
  const found = {
    ifTrue: [ truth * own, whole * BigInt(width) ],
    ifOther: [ (whole - truth) * own, whole * BigInt(levels - 1) ]
  };
  return found;
}

function insideMost(levels, segments) {
  const totals = Array.from({
    length: levels
  }, (_, level) => segments.reduce((sum, [first, last, inside]) => sum + (first <= level && level <= last ? inside : 0), 0));
  return BigInt(Math.max(...totals));
}

function ofSegments({levels: levels, segments: segments}) {
  let [inside, outside] = [ 1n, 1n ];
  for (const each of segments) {
    const [own, other] = [ BigInt(each[2]), BigInt(each[3]) ];
    if (own * outside > inside * other) [inside, outside] = [ own, other ];
  }
  const [most, sum] = [ insideMost(levels, segments), inside + outside ];
  const isCoin = most * sum > inside * SCALE3;
  const found = isCoin ? {
    ifTrue: [ inside, sum ],
    ifOther: [ outside, sum ]
  } : {
    ifTrue: [ most, SCALE3 ],
    ifOther: [ most * outside, SCALE3 * inside ]
  };
  return found;
}

var MOST_NAMED = 4;

function sayRounding(t, {levels: levels, width: width}, range, lost) {
  return t.text([ sayLevels(t, levels, range), saySent(t, levels, width, lost) ]);
}

function sayLevels(t, levels, range) {
  const named = namedOf(levels, range).map(number2 => t.number(number2));
  if (named.length > 0) {
    return t("Your device rounds your number at random to %(numbers)s.", {
      numbers: sayOneOf(t, named)
    });
  }
  return t("Your device rounds your number at random to one of %(levels)s evenly spaced numbers from %(low)s to %(high)s.", {
    levels: levels,
    low: Number(range.minimum),
    high: Number(range.maximum)
  });
}

function saySent(t, levels, width, lost) {
  if (width > 1) {
    return t("It sends a code for up to %(n)s of these numbers. The rounded number is not one of them %(lost)s.", {
      n: width,
      lost: lost
    });
  }
  if (levels === 2) return t("It sends the other one %(lost)s.", {
    lost: lost
  });
  return t("It sends one of the others %(lost)s.", {
    lost: lost
  });
}

function namedOf(levels, {minimum: minimum, maximum: maximum}) {
  if (levels > MOST_NAMED) return [];
  const places = Math.max(...[ minimum, maximum ].map(end => (end.split(".")[1] ?? "").length));
  const scale = 10 ** (places + 1);
  const [low, high] = [ minimum, maximum ].map(end => BigInt(Math.round(Number(end) * 10 ** places)) * 10n);
  const parts = BigInt(levels - 1);
  const scaled = Array.from({
    length: levels
  }, (_, level) => low * parts + (high - low) * BigInt(level));
  return scaled.every(number2 => number2 % parts === 0n) ? scaled.map(number2 => Number(number2 / parts) / scale) : [];
}

function sayOneOf(t, [a, b, c, d]) {
  if (c === void 0) return t("%(a)s or %(b)s", {
    a: a,
    b: b
  });
  if (d === void 0) return t("%(a)s, %(b)s or %(c)s", {
    a: a,
    b: b,
    c: c
  });
  return t("%(a)s, %(b)s, %(c)s or %(d)s", {
    a: a,
    b: b,
    c: c,
    d: d
  });
}

var STEPS = [ 1, 10, 100, 1e3, 1e4 ];

var IMMATERIAL = 1e-9;

function sayInShort(t, question) {
  const said = sayChange(t, question);
  if (question.type !== "joint") return said;
  const others = t.n("This answer and that to %(n)s other question are changed together, as one.", "This answer and those to %(n)s other questions are changed together, as one.", question.items.length - 1);
  return t.text([ said, others ]);
}

function sayChange(t, {type: type, mechanism: mechanism, range: range}) {
  const known = mechanism;
  const support = supportOf(known);
  const chances = {
    lost: timesBelow(t, rest(support.ifTrue)),
    gained: timesBelow(t, support.ifOther)
  };
  if (type === "yes-no") return sayCoin(t, chances);
  if (type === "number") {
    const shape = {
      levels: known.levels,
      width: widthOf(known)
    };
    return sayRounding(t, shape, range, timesBelow(t, rest(insideOf(known))));
  }
  const {weight: weight = 0, asked: asked = 1, nValues: n} = known;
  switch (known.name) {
   case "k-ary":
    return t("Your device may change your answer at random. It sends a different option %(lost)s.", chances);

   case "subset":
    if (type === "any-of") return sayPadded(t, {
      weight: weight,
      ...chances
    });
    return t("Your device picks %(weight)s of the %(n)s options at random and sends them. Your option is missing %(lost)s.", {
      n: n,
      weight: weight,
      ...chances
    });

   case "geometry":
    return t("Your device sends a number that fits some of the options. It does not fit your option %(lost)s.", chances);

   case "sketch":
    return t("Your device sends a number that fits many texts. It does not fit your text %(lost)s.", chances);

   case "asked-option":
    if (asked > 1) return saySomeAsked(t, {
      asked: asked,
      ...chances
    });
    return t("Your device picks one option at random. It sends yes or no for that option only. That is the opposite of your answer %(lost)s.", chances);

   case "rappor":
    return t("Your device turns your text into marks that other texts share, and changes them at random. It leaves out a mark of yours %(lost)s. It adds any other mark %(gained)s.", chances);

   default:
    return t("Your device sends yes or no for each option, and may change each at random. For an option you choose, it sends no %(lost)s. For any other option, it sends yes %(gained)s.", chances);
  }
}

function sayPadded(t, chances) {
  return t("Your device mixes blanks with the options. It sends %(weight)s of them, picked at random. An option you choose is missing %(lost)s. Any other option is sent %(gained)s.", chances);
}

function saySomeAsked(t, chances) {
  return t("Your device picks %(asked)s options at random. It sends yes or no for these options only. Each is the opposite of your answer %(lost)s.", chances);
}

function sayCoin(t, chances) {
  if (chances.lost === chances.gained) return t("Your device may change your answer at random. It sends the opposite %(lost)s.", chances);
  return t("Your device may change your answer at random. If you say yes, it sends no %(lost)s. If you say no, it sends yes %(gained)s.", chances);
}

function timesBelow(t, fraction) {
  const exact = simple(fraction);
  if (exact !== null) return t.n("%(n)s time in %(of)s", "%(n)s times in %(of)s", exact.n, {
    of: exact.of
  });
  const {n: n, people: of} = ofPeople(fraction);
  if (n === 0) return t("hardly ever");
  return t.n("at least %(n)s time in %(of)s", "at least %(n)s times in %(of)s", n, {
    of: of
  });
}

function suspicionOf(t, epsilon, prior = .5) {
  const percent = 100 * (1 / (1 + (1 - prior) / prior * Math.exp(-Number(epsilon))) - IMMATERIAL);
  const rounded = STEPS.map(parts => Math.ceil(percent * parts) / parts);
  return t.percent((rounded.find(each => 0 < each && each < 100) ?? 100) / 100);
}

var PRIOR2 = .1;

function sayFirst(t, survey) {
  const {epsilonForever: epsilonForever, keepsNoise: keepsNoise, keep: keep} = survey;
  const found = {
    prior: t.percent(PRIOR2),
    highest: suspicionOf(t, epsilonForever, PRIOR2)
  };
  const known = [ keepsNoise ? t("Someone who was %(prior)s sure can become at most %(highest)s sure (rounded up), if your answers stay the same.", found) : t("Someone who was %(prior)s sure can become at most %(highest)s sure (rounded up).", found), t("This is true as long as your device runs the published program.") ];
  if (exceeded(epsilonForever) === 0) {
    known.unshift(t("Nobody can be sure what you answered, not even the people who run this survey."));
  }
  const later = keep === "reports" ? t("You get a receipt. With the receipt, you can have your report erased.") : t("You get a receipt. But the report is counted and not kept, so nobody can take it out again.");
  return [ [ t("What happens to my answers?"), t("Your device changes your answers at random before it sends anything.") ], [ t("What can anybody find out?"), t.text(known) ], [ t("What does my device send?"), saySent2(t, survey) ], [ t("What can I do later?"), later ] ];
}

function saySent2(t, {invited: invited, blind: blind}) {
  if (!invited) {
    return t("It sends the answers after these changes, and a random number. Some answers may be unchanged.");
  }
  return blind ? t("First it trades your invitation for a token. Later it sends the answers after these changes, and the token. Nobody can tell from the token whose invitation it was. Some answers may be unchanged.") : t("It sends the answers after these changes, a random number and your invitation. Some answers may be unchanged.");
}

function sayEpsilon(t, exact) {
  const [below] = /^\d+(\.\d{1,4})?/.exec(exact);
  return t.number((Math.round(Number(below) * 1e4) + Number(below !== exact)) / 1e4);
}

var DIGITS2 = "-u-nu-latn";

var FORMS = {
  1: [ "other" ],
  2: [ "one", "other" ],
  3: [ "one", "few", "many" ],
  6: [ "zero", "one", "two", "few", "many", "other" ]
};

function makeWords({lang: lang = "en", messages: messages = {}} = {}) {
  const numbers = new Intl.NumberFormat(lang + DIGITS2, {
    maximumFractionDigits: 20
  });
  const rules = new Intl.PluralRules(lang);
  const percents = new Intl.NumberFormat(lang + DIGITS2, {
    style: "percent",
    maximumFractionDigits: 4
  });
  const say = value => typeof value === "number" ? numbers.format(value) : String(value);
  const fill = (message, values) => message.replace(/%(?:%|\((\w+)\)s)/g, (_, name) => name === void 0 ? "%" : say(values[name]));
  const t = (message, values = {}) => fill(String(messages[message] ?? message), values);
  t.n = (one, many, n, values) => {
    const forms = messages[one] ?? [ one, many ];
    const form = messages[one] ? FORMS[forms.length].indexOf(rules.select(n)) : Number(n !== 1);
    const said = forms[form] ?? forms[forms.length - 1];
    return fill(String(said), {
      n: n,
      ...values
    });
  };
  t.number = number2 => numbers.format(number2);
  t.percent = share => percents.format(share).replace("%", lang === "en" ? " %" : "%");
  const days = new Intl.DateTimeFormat(lang + DIGITS2, {
    dateStyle: "long",
    timeZone: "UTC"
  });
  t.day = day => days.format(new Date(day));
  t.text = sentences => sentences.join(lang.startsWith("zh") ? "" : " ");
  t.lang = lang;
  return t;
}

import { randomBytes as randomBytes2 } from "node:crypto";

import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

import { dirname as dirname2 } from "node:path";

var SWITCHES = [ "SOTTOVOCE_OFF", "DO_NOT_TRACK" ];

var NO = [ "", "0", "false", "no" ];

function isSwitchedOff(environment = process.env) {
  return SWITCHES.some(name => !NO.includes((environment[name] ?? "").trim().toLowerCase()));
}

function readNote(path, fingerprint) {
  try {
    const found = JSON.parse(readFileSync(path, "utf8"));
    return found.fingerprint === fingerprint ? found : {};
  } catch {
    return {};
  }
}

function writeNote(path, note) {
  const fresh = `${path}.${randomBytes2(8).toString("hex")}`;
  try {
    mkdirSync(dirname2(path), {
      mode: 448,
      recursive: true
    });
    try {
      const file2 = openSync(fresh, "wx", 384);
      try {
        writeFileSync(file2, JSON.stringify(note));
        fsyncSync(file2);
      } finally {
        closeSync(file2);
      }
      renameSync(fresh, path);
      syncFolder2(dirname2(path));
    } finally {
      rmSync(fresh, {
        force: true
      });
    }
  } catch (cause) {
    throw new StateError(`${path} cannot be written (${cause.code}).`, {
      cause: cause
    });
  }
}

function syncFolder2(name) {
  const folder = openSync(name, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

var WIDTH = 100;

var SELDOM = 10;

var STEPS2 = [ 1, 10, 100, 1e3, 1e4 ];

var IMMATERIAL2 = 1e-9;

var CHANGES = "If you change an answer, there is still a limit to what anyone can learn about your answers. But a changed answer uses up its epsilon once more. No epsilon hides whether you changed an answer, or in which wave. The lasting noise changes with the answer. People can see that your reports are from one device. So they can see the change over the waves. If that alone would tell something about you, do not take part.";

var MOVES = "No epsilon limits what people can see of how far a number moved. The farther it moved, the more likely the change shows.";

function sayChanges(t, survey) {
  if (!survey.keepsNoise) return "";
  const moves = survey.questions.filter(({type: type}) => type === "number").map(question => sayMoves(t, question));
  return [ CHANGES, ...new Set(moves) ].join(" ");
}

function sayMoves(t, {mechanism: mechanism, range: range, text: text2}) {
  const {levels: levels} = mechanism;
  const {span: span, step: step, scale: scale, unit: unit} = range;
  const nSteps = Math.max(1, Math.floor(span / (SELDOM * (levels - 1))));
  const chance = nSteps * (levels - 1) / span;
  if (chance >= 1) return MOVES;
  const distance = `${nSteps * step / scale} ${unit}`.trimEnd();
  return `For “${text2}”, suppose your numbers stay within ${distance} of each other. Then your reports show a change with a chance of at most ${percentAbove(t, chance)}. They show larger changes more often.`;
}

function percentAbove(t, share) {
  const percent = 100 * (share - IMMATERIAL2);
  const rounded = STEPS2.map(parts => Math.ceil(percent * parts) / parts);
  return t.percent((rounded.find(each => 0 < each && each < 100) ?? 100) / 100);
}

function wrapped(text2, indent = "") {
  const lines = [];
  let line = indent;
  for (const word of text2.split(/\s+/)) {
    if (line.length > indent.length && line.length + word.length + 1 > WIDTH) {
      lines.push(line);
      line = indent;
    }
    line += line.length > indent.length ? ` ${word}` : word;
  }
  return [ ...lines, line ].join("\n");
}

var ATTEMPT_MS = 2e3;

var RETRY_MS = 36e5;

var PROGRAM = /^[a-z0-9][a-z0-9._-]{0,63}$/;

var MOST_DAYS = 366;

var NO_REPORT = "This device makes no report. It is not asked, its budget is used up, or measures were switched off after a report.";

var SENT = "A report was made and sent. Its receipt, which can erase it, is";

var WAITS = "A report was made, and waits. Its receipt, which can erase it, is";

var REFUSED = "A report was made, and the collector refused it. Its receipt is";

var DELETED = "A report was made. It was deleted, as measures were switched off before the collector had confirmed it. If it arrived all the same, its receipt can erase it:";

var OPTIONS = [ "maxEpsilon", "maxPeriodEpsilon", "periodDays", "relayUrl", "resendDays" ];

var Measures = class {
  #measures;
  #options;
  #passing=null;
  #timer;
  constructor(url, survey, measures, {program: program, starts: starts, days: days, maxDelayMs: maxDelayMs, folder: folder, ...options}) {
    if (!PROGRAM.test(program)) throw new RangeError('program must be 1 to 64 of a-z, 0-9, ".", "_" and "-".');
    for (const name of Object.keys(options)) {
      if (!OPTIONS.includes(name)) throw new TypeError(`options has no member '${name}'.`);
    }
    this.url = url;
    this.program = program;
    this.canonical = survey instanceof Uint8Array ? survey : readFileSync2(survey);
    const {id: id, waves: waves} = checkMeasures(this.canonical, measures);
    this.surveyId = id;
    this.waves = waves;
    if (waves > 1 && (starts === void 0 || days === void 0)) {
      throw new TypeError(`starts and days must be given: the survey has ${waves} waves.`);
    }
    this.days = checkNumber("days", days ?? MOST_DAYS, 1, MOST_DAYS, true);
    this.startsAt = starts === void 0 ? null : Date.parse(`${starts}T00:00:00Z`);
    if (Number.isNaN(this.startsAt)) throw new RangeError("starts must be a day such as 2026-12-01.");
    this.#measures = measures;
    this.#options = {
      ...options,
      maxDelayMs: maxDelayMs ?? Math.min(this.days * DAY_MS / 2, MAX_DELAY_MS)
    };
    this.folder = folder ?? join2(homeOfStates(), `${program}-node`);
    this.survey = readSurvey(this.canonical);
    this.survey.catch(() => void 0);
  }
  async agreed() {
    const {agreed: agreed} = readNote(join2(this.folder, "consent.json"), (await this.survey).fingerprint);
    return typeof agreed === "boolean" ? agreed : null;
  }
  async isOn() {
    return !isSwitchedOff() && await this.agreed() === true;
  }
  async allow() {
    const said = await this.agreed();
    if (said === false) await this.#wipe();
    if (said !== true) await this.#noteConsent(true);
  }
  async off() {
    await this.#noteConsent(false);
    await this.#wipe();
  }
  async #wipe() {
    if (!existsSync(this.#device)) return;
    const deleted = await this.#open().transact(async transaction => {
      const waiting = (await this.#waiting(transaction)).map(({receipt: receipt}) => receipt);
      for (const receipt of waiting) await transaction.delete("outbox", receipt);
      await dropSent(transaction, ({surveyId: surveyId}) => surveyId === this.surveyId);
      for (const {fingerprint: fingerprint, surveyId: surveyId} of await transaction.all("secrets")) {
        if (surveyId === this.surveyId) await endVersion(transaction, fingerprint);
      }
      return waiting;
    });
    await this.#noteDeleted(deleted);
  }
  async #noteDeleted(receipts) {
    if (receipts.length === 0) return;
    const {fingerprint: fingerprint} = await this.survey;
    try {
      writeNote(join2(this.folder, "deleted.json"), {
        fingerprint: fingerprint,
        receipts: [ ...this.#deleted(fingerprint), ...receipts ]
      });
    } catch (fault) {
      if (!(fault instanceof StateError)) throw fault;
    }
  }
  #deleted(fingerprint) {
    const {receipts: receipts} = readNote(join2(this.folder, "deleted.json"), fingerprint);
    return Array.isArray(receipts) ? receipts.map(String) : [];
  }
  waveAt(moment) {
    if (this.startsAt === null) return 1;
    const wave = Math.floor((moment - this.startsAt) / (this.days * DAY_MS)) + 1;
    return wave >= 1 && wave <= this.waves ? wave : null;
  }
  async attempt(timeoutMs = ATTEMPT_MS) {
    let timer;
    const isLate = new Promise(resolve2 => timer = setTimeout(resolve2, timeoutMs));
    await Promise.race([ this.#passOnce(timeoutMs), isLate ]);
    clearTimeout(timer);
  }
  #passOnce(timeoutMs) {
    this.#passing ??= this.#pass(timeoutMs).catch(() => void 0).then(() => this.#passing = null);
    return this.#passing;
  }
  start(timeoutMs = 3e4) {
    if (this.#timer !== void 0) return;
    const look = () => {
      void this.#passOnce(timeoutMs);
      this.#timer = setTimeout(look, RETRY_MS / 2 + drawUpTo(RETRY_MS));
      this.#timer.unref();
    };
    look();
  }
  stop() {
    clearTimeout(this.#timer);
    this.#timer = void 0;
  }
  async optInText() {
    return [ await this.#intent(), await this.#questions(false), await this.#end() ].join("\n\n");
  }
  async show() {
    return [ await this.#status(), await this.#questions(true), await this.#reports() ].join("\n\n");
  }
  async command(word) {
    if (word === "show") return this.show();
    if (word === "about") return this.optInText();
    if (word !== "on" && word !== "off") throw new RangeError("the word must be one of on, off, show, about.");
    await (word === "on" ? this.allow() : this.off());
    return this.#status();
  }
  get #device() {
    return join2(this.folder, "device");
  }
  #open() {
    return new KeptState(new Folder(this.#device));
  }
  async #noteConsent(agreed) {
    writeNote(join2(this.folder, "consent.json"), {
      fingerprint: (await this.survey).fingerprint,
      agreed: agreed
    });
  }
  async #waiting(transaction) {
    return (await waitingReports(transaction)).filter(({surveyId: surveyId}) => surveyId === this.surveyId);
  }
  async #pass(timeoutMs) {
    if (!await this.isOn()) return;
    const {fingerprint: fingerprint} = await this.survey;
    const noted = join2(this.folder, "progress.json");
    const {wave: done = 0, triedAt: triedAt = 0} = readNote(noted, fingerprint);
    const [now, wave] = [ Date.now(), this.waveAt(Date.now()) ];
    const isTried = now >= triedAt && now - triedAt < RETRY_MS / 2;
    if (wave === null || wave <= done || isTried) return this.#deliver(timeoutMs);
    writeNote(noted, {
      fingerprint: fingerprint,
      wave: done,
      triedAt: now
    });
    await this.#answer(wave, fingerprint, timeoutMs);
    writeNote(noted, {
      fingerprint: fingerprint,
      wave: wave,
      triedAt: 0
    });
  }
  async #answer(wave, fingerprint, timeoutMs) {
    const options = {
      ...this.#options,
      fingerprint: fingerprint,
      timeoutMs: timeoutMs,
      state: this.#device
    };
    const client = new SurveyClient2(this.url, this.surveyId, options);
    try {
      if (!(await client.waves()).includes(wave)) return;
      const answers = {};
      for (const item of await client.questions()) answers[item.id] = await this.#value(item);
      if (!await this.isOn()) throw new StateError("measures are off.");
      await client.answer(answers, wave);
      if (await this.agreed() !== true) await this.#wipe();
      await client.flush(timeoutMs);
    } catch (fault) {
      const isOver = [ BudgetExceeded, NotAsked, ParticipationEnded, SurveyRefused ].some(kind => fault instanceof kind);
      if (!isOver) throw fault;
    } finally {
      client.close();
    }
  }
  async #value(item) {
    try {
      return await this.#fitted(item);
    } catch (fault) {
      if (item.skip === null) throw fault;
      return null;
    }
  }
  async #fitted(item) {
    const value = await this.#measures[item.id]();
    const asked = (await this.survey).questions.find(({id: id}) => id === item.id);
    return fit(item, value, asked?.mechanism?.published?.max_selected);
  }
  async #deliver(timeoutMs) {
    if (!existsSync(this.#device)) return;
    const delivery = new Delivery(Promise.resolve(this.#open()), timeoutMs);
    await delivery.wake();
    delivery.close();
  }
  async #intent() {
    const {title: title, relay: relay} = await this.survey;
    const through = this.#options.relayUrl ?? relay;
    const {askedIn: askedIn} = await this.survey;
    const often = askedIn ? `in ${askedIn} of ${this.waves} periods of ${this.days} days, drawn at random` : this.waves > 1 ? `at most once in ${this.days} days, ${this.waves} times in all` : "once";
    return [ `${this.program} asks you to take part in a survey: ${title}`, `If you agree, it answers the questions below on its own, ${often}.`, `Your device may change each answer at random, before anything goes to ${this.url}${through ? `, through ${through}` : ""}.` ].join("\n");
  }
  async #end() {
    const survey = await this.survey;
    const t = makeWords();
    const warned = [ survey.protectedLittle, sayChanges(t, survey) ].filter(Boolean);
    const first = sayFirst(t, survey).slice(1);
    return [ ...warned.map(text2 => wrapped(text2)), ...first.flatMap(([asked, said]) => [ asked, wrapped(said, "  ") ]), `Nothing is sent before you agree. To switch it off, set ${SWITCHES.join(" or ")} to 1.` ].join("\n");
  }
  async #questions(hasValues) {
    const [t, survey] = [ makeWords(), await this.survey ];
    const lines = [];
    for (const question of survey.questions) {
      lines.push(...question.items.map(({id: id, text: text2}) => `${id}: ${text2}`));
      for (const item of hasValues ? question.items : []) {
        lines.push(`  now: ${await this.#found(item)}  (stays on this device)`);
      }
      lines.push(wrapped(sayInShort(t, question), "  "));
    }
    lines.push(`A report takes epsilon ${sayEpsilon(t, survey.epsilon)}.`);
    if (this.waves > 1) {
      const forever = sayEpsilon(t, survey.epsilonForever);
      lines.push(`All reports together take at most ${forever}, if your answers stay the same.`);
    }
    return lines.join("\n");
  }
  async #found(item) {
    try {
      const value = await this.#fitted(item);
      return Array.isArray(value) ? value.join(", ") || "none" : String(value);
    } catch (fault) {
      return `cannot be found out (${fault instanceof Error ? fault.name : typeof fault})`;
    }
  }
  async #status() {
    if (isSwitchedOff()) return `${this.program}: measures are off (${SWITCHES.join(" or ")} is set).`;
    const agreed = await this.agreed();
    const said = agreed === null ? "off, as nobody has agreed yet" : agreed ? "on" : "off";
    const first = new Date(this.startsAt ?? 0);
    const begins = Date.now() < first.getTime() ? ` Wave 1 begins on ${first.toISOString().slice(0, 10)}.` : "";
    return `${this.program}: measures are ${said}.${begins}`;
  }
  async #reports() {
    const none = "No report was made.";
    if (!existsSync(this.#device)) return none;
    const {fingerprint: fingerprint} = await this.survey;
    const [made, waiting, refused] = await this.#open().transact(async transaction => [ await entriesOf(transaction, fingerprint), await this.#waiting(transaction), await rejectedReports(transaction) ]);
    const became = new Map([ ...this.#deleted(fingerprint).map(receipt => [ receipt, DELETED ]), ...refused.map(({receipt: receipt}) => [ receipt, REFUSED ]), ...waiting.map(({receipt: receipt}) => [ receipt, WAITS ]) ]);
    const of = wave => this.waves > 1 ? `Wave ${wave}: ` : "";
    const lines = made.map(({wave: wave, receipt: receipt}) => `${of(wave)}${became.get(receipt) ?? SENT} ${receipt}.`);
    const {wave: done = 0} = readNote(join2(this.folder, "progress.json"), fingerprint);
    if (done && made.every(({wave: wave}) => wave !== done)) lines.push(`${of(done)}${NO_REPORT}`);
    lines.push(...waiting.map(({body: body}) => `It waits, and is sent as it is:\n${body.trimEnd()}`));
    return lines.join("\n") || none;
  }
};

function fit({type: type, options: options, range: range}, value, maxSelected = options.length) {
  if (type === "any-of" && (Array.isArray(value) || value instanceof Set)) {
    const chosen = new Set(value);
    return options.filter(option => chosen.has(option)).slice(0, maxSelected);
  }
  if (type === "number" && Number.isFinite(value)) {
    const {low: low, step: step, scale: scale, span: span} = range;
    const steps = Math.min(Math.max(Math.round((value * scale - low) / step), 0), span);
    return (low + steps * step) / scale;
  }
  return value;
}

function checkMeasures(canonical2, measures) {
  let document;
  try {
    document = JSON.parse((new TextDecoder).decode(canonical2));
  } catch {
    document = null;
  }
  if (typeof document?.id !== "string" || !Array.isArray(document.questions)) {
    throw new TypeError("survey must be a published survey: what the collector has at /v1/surveys/ID.");
  }
  if (document.invited) throw new TypeError("survey must not be for invited people: a program has no invitation.");
  const items = document.questions.flatMap(question => question.questions ?? [ question ]);
  const ids = [ ...new Set(items.map(({id: id}) => id)) ];
  const given2 = Object.keys(measures);
  if (String([ ...ids ].sort()) !== String([ ...given2 ].sort())) {
    throw new TypeError(`measures (${given2.join(", ")}) must be those of the survey: ${ids.join(", ")}.`);
  }
  if (!Object.values(measures).every(measure => typeof measure === "function")) {
    throw new TypeError("each measure must be a function.");
  }
  return {
    id: document.id,
    waves: document.waves ?? 1
  };
}

export { AlreadyAnswered, AnswerError, BudgetExceeded, DeliveryError, Draft, Folder, InvitationError, Item, Measures, NotAsked, ParticipationEnded, Question, SottoError, StateError, Survey, SurveyClient2 as SurveyClient, SurveyRefused, SurveyUnavailable, version };