var __defProp = Object.defineProperty;

var __typeError = msg => {
  throw TypeError(msg);
};

var __defNormalProp = (obj, key, value) => key in obj ? __defProp(obj, key, {
  enumerable: true,
  configurable: true,
  writable: true,
  value: value
}) : obj[key] = value;

var __publicField = (obj, key, value) => __defNormalProp(obj, typeof key !== "symbol" ? key + "" : key, value);

var __accessCheck = (obj, member, msg) => member.has(obj) || __typeError("Cannot " + msg);

var __privateGet = (obj, member, getter) => (__accessCheck(obj, member, "read from private field"), 
getter ? getter.call(obj) : member.get(obj));

var __privateAdd = (obj, member, value) => member.has(obj) ? __typeError("Cannot add the same private member more than once") : member instanceof WeakSet ? member.add(obj) : member.set(obj, value);

var __privateSet = (obj, member, value, setter) => (__accessCheck(obj, member, "write to private field"), 
setter ? setter.call(obj, value) : member.set(obj, value), value);

var __privateMethod = (obj, member, method) => (__accessCheck(obj, member, "access private method"), 
method);

var BLOCK_BYTES = 64;

var PRIMES = firstPrimes(64);

var ROUND = PRIMES.map(prime => fractionOf(Math.cbrt, prime, 3));

var START = PRIMES.slice(0, 8).map(prime => fractionOf(Math.sqrt, prime, 2));

function sha256(message) {
  const nBlocks = Math.floor((message.length + 8) / BLOCK_BYTES) + 1;
  const padded = new Uint8Array(nBlocks * BLOCK_BYTES);
  padded.set(message);
  padded[message.length] = 128;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(message.length / 2 ** 29));
  view.setUint32(padded.length - 4, message.length << 3 >>> 0);
  const state = Int32Array.from(START);
  for (let at2 = 0; at2 < padded.length; at2 += BLOCK_BYTES) compress(state, view, at2);
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((word, index) => digest.setInt32(4 * index, word));
  return new Uint8Array(digest.buffer);
}

function hmacSha256(key, message) {
  const block = new Uint8Array(BLOCK_BYTES);
  block.set(key.length > BLOCK_BYTES ? sha256(key) : key);
  return hashBehind(block, 92, hashBehind(block, 54, message));
}

function hashBehind(block, mask, message) {
  const joined2 = new Uint8Array(BLOCK_BYTES + message.length);
  joined2.set(block.map(byte => byte ^ mask));
  joined2.set(message, BLOCK_BYTES);
  return sha256(joined2);
}

function compress(state, view, at2) {
  const words = new Int32Array(64);
  for (let t = 0; t < 16; t += 1) words[t] = view.getInt32(at2 + 4 * t);
  for (let t = 16; t < 64; t += 1) {
    const [old, recent] = [ words[t - 15], words[t - 2] ];
    const low = turn(old, 7) ^ turn(old, 18) ^ old >>> 3;
    const high = turn(recent, 17) ^ turn(recent, 19) ^ recent >>> 10;
    words[t] = words[t - 16] + low + words[t - 7] + high;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let t = 0; t < 64; t += 1) {
    const first = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + (e & f ^ ~e & g) + ROUND[t] + words[t];
    const second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + (a & b ^ a & c ^ b & c);
    [h, g, f, e, d, c, b, a] = [ g, f, e, d + first | 0, c, b, a, first + second | 0 ];
  }
  [ a, b, c, d, e, f, g, h ].forEach((word, index) => state[index] += word);
}

function turn(word, nBits) {
  return word >>> nBits | word << 32 - nBits;
}

function firstPrimes(nPrimes) {
  const primes = [];
  for (let number2 = 2; primes.length < nPrimes; number2 += 1) {
    if (primes.every(prime => number2 % prime)) primes.push(number2);
  }
  return primes;
}

function fractionOf(near, prime, degree) {
  const scaled = BigInt(prime) << BigInt(32 * degree);
  let root = BigInt(Math.floor(near(prime) * 2 ** 32));
  while (root ** BigInt(degree) > scaled) root -= 1n;
  while ((root + 1n) ** BigInt(degree) <= scaled) root += 1n;
  return Number(root & 0xffffffffn) | 0;
}

var UNKNOWN = 65533;

function encode(text2) {
  const bytes = [];
  for (const character of text2) {
    const point = character.codePointAt(0);
    const code = point >= 55296 && point <= 57343 ? UNKNOWN : point;
    if (code < 128) bytes.push(code); else if (code < 2048) bytes.push(192 | code >> 6, 128 | code & 63); else if (code < 65536) bytes.push(224 | code >> 12, 128 | code >> 6 & 63, 128 | code & 63); else {
      bytes.push(240 | code >> 18, 128 | code >> 12 & 63, 128 | code >> 6 & 63, 128 | code & 63);
    }
  }
  return Uint8Array.from(bytes);
}

function decode(bytes, isFatal) {
  const pieces = [];
  for (let at2 = 0; at2 < bytes.length; ) {
    const [code, length] = characterAt(bytes, at2);
    if (code === null && isFatal) throw new TypeError("no UTF-8");
    pieces.push(String.fromCodePoint(code ?? UNKNOWN));
    at2 += length;
  }
  return pieces.join("");
}

function characterAt(bytes, at2) {
  const first = bytes[at2];
  if (first < 128) return [ first, 1 ];
  const length = first >= 240 ? 4 : first >= 224 ? 3 : 2;
  if (first < 194 || first > 244) return [ null, 1 ];
  let code = first & 255 >> length + 1;
  for (let next = 1; next < length; next += 1) {
    const byte = bytes[at2 + next];
    if (byte === void 0 || (byte & 192) !== 128) return [ null, 1 ];
    code = code << 6 | byte & 63;
  }
  const least = [ 0, 0, 128, 2048, 65536 ][length];
  const isCharacter = code >= least && code <= 1114111 && !(code >= 55296 && code <= 57343);
  return isCharacter ? [ code, length ] : [ null, 1 ];
}

var app = () => globalThis;

var fill;

function setEntropy(getRandomValues) {
  fill = getRandomValues;
}

var crypto = {
  getRandomValues(array) {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    const own = app().crypto;
    const from = fill ?? own?.getRandomValues?.bind(own);
    if (from === void 0) throw new TypeError("getRandomValues must be given: this app has no source of entropy.");
    from(bytes);
    if (bytes.length >= 16 && bytes.every(byte => byte === 0)) {
      throw new TypeError("getRandomValues must fill the array that it is given: it left zeros.");
    }
    return array;
  },
  subtle: {
    digest: async (_, bytes) => sha256(bytes),
    importKey: async (_, secret) => Uint8Array.from(secret),
    sign: async (_, key, message) => hmacSha256(key, message)
  }
};

var TextEncoder = class {
  encode(text2) {
    return encode(text2);
  }
};

var _isFatal;

var TextDecoder = class {
  constructor(_, {fatal: fatal = false} = {}) {
    __privateAdd(this, _isFatal);
    __privateSet(this, _isFatal, fatal);
  }
  decode(bytes) {
    return decode(bytes, __privateGet(this, _isFatal));
  }
};

_isFatal = new WeakMap;

var DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

function btoa(binary) {
  let text2 = "";
  for (let at2 = 0; at2 < binary.length; at2 += 3) {
    const three = [ 0, 1, 2 ].map(more => binary.charCodeAt(at2 + more) || 0);
    const value = three[0] << 16 | three[1] << 8 | three[2];
    text2 += [ 18, 12, 6, 0 ].map(shift => DIGITS[value >> shift & 63]).join("");
  }
  const nMissing = (3 - binary.length % 3) % 3;
  return text2.slice(0, text2.length - nMissing) + "=".repeat(nMissing);
}

var URL = class {
  constructor(text2) {
    const parts = /^(https?:)\/\/((?:[^/?#@\s\\]*@)?)((?:\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d{1,5})?)(\/[^\s\\]*)?$/i.exec(text2);
    if (parts === null) throw new TypeError("no address");
    const [, protocol, user, host, path = "/"] = parts;
    this.protocol = protocol.toLowerCase();
    this.username = user;
    this.password = "";
    this.href = `${this.protocol}//${host.toLowerCase()}${path}`;
  }
};

async function fetch(url, options) {
  const response = await app().fetch(url, options);
  const bytes = encode(await response.text());
  let parts = [ bytes ];
  const read = async () => parts.length > 0 ? {
    done: false,
    value: parts.pop()
  } : {
    done: true,
    value: void 0
  };
  return {
    status: response.status,
    headers: response.headers,
    body: {
      getReader: () => ({
        read: read
      })
    }
  };
}

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

async function sha2562(bytes) {
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

var _Coins_instances, draw_fn;

var Coins = class {
  constructor(take) {
    __privateAdd(this, _Coins_instances);
    this.take = take;
  }
  async flip(threshold, nCoins) {
    const [first, rest] = [ threshold >>> 24, threshold & 16777215 ];
    const drawn = await __privateMethod(this, _Coins_instances, draw_fn).call(this, nCoins);
    const heads = drawn.map(byte => byte < first ? 1 : 0);
    const tied = rest === 0 ? [] : [ ...drawn.keys() ].filter(index => drawn[index] === first);
    if (tied.length > 0) {
      const settled = await this.flip(rest << 8 >>> 0, tied.length);
      tied.forEach((index, at2) => heads[index] = settled[at2]);
    }
    return heads;
  }
  async uniform(nValues, nDraws) {
    const nBytes = nValues <= 256 ? 2 : 4;
    const scale = 2 ** (8 * nBytes);
    const drawn = await __privateMethod(this, _Coins_instances, draw_fn).call(this, nBytes * nDraws);
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
    const drawn = (await __privateMethod(this, _Coins_instances, draw_fn).call(this, 4)).reduce((value, byte) => 256 * value + byte, 0);
    let sum = 0;
    return weights.findIndex(weight => (sum += weight) > drawn);
  }
  async place({firsts: firsts, rests: rests, whole: whole}) {
    const drawn = new DataView((await __privateMethod(this, _Coins_instances, draw_fn).call(this, 4)).slice().buffer).getUint32(0);
    const isBelow = firsts.map((first, edge) => first < drawn || first === drawn && rests[edge] === 0n);
    const tied = rests.filter((rest, edge) => firsts[edge] === drawn && rest > 0n);
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
};

_Coins_instances = new WeakSet;

draw_fn = async function(nBytes) {
  const drawn = await this.take(nBytes);
  if (drawn.length !== nBytes) throw new Error(`a source of coins gave ${drawn.length} bytes where ${nBytes} were asked for.`);
  return drawn;
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
  const left = earlier.reduce((rest2, old) => rest2 - old.epsilon, most);
  if (units <= left || units === 0n) return;
  const [needed, rest] = [ writeEpsilon(units), writeEpsilon(left > 0n ? left : 0n) ];
  throw new BudgetExceeded(`answering survey ${entry.surveyId} would spend epsilon ${needed}, but ${limit} (${writeEpsilon(most)}) leaves ${rest} ${scope}.`, {
    needed: needed,
    left: rest,
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

var _left;

var Fields = class {
  constructor(document, where) {
    __privateAdd(this, _left);
    if (document === null || typeof document !== "object" || Array.isArray(document) || document instanceof Numeral) {
      throw new SurveyError(where, "must be an object.");
    }
    __privateSet(this, _left, new Map(Object.entries(document)));
    this.where = where;
  }
  has(key) {
    return __privateGet(this, _left).has(key);
  }
  take(key, expected, accept) {
    const value = __privateGet(this, _left).get(key);
    if (value === void 0) throw this.fail(key, `is missing; expected ${expected}.`);
    if (!accept(value)) throw this.fail(key, `must be ${expected}.`);
    __privateGet(this, _left).delete(key);
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
    for (const key of __privateGet(this, _left).keys()) {
      throw new SurveyError(this.where, `has an unknown member ${isText(key, 40) ? `'${key}'` : "(a key)"}.`);
    }
  }
  fail(key, problem) {
    return new SurveyError(`${this.where}.${key}`, problem);
  }
};

_left = new WeakMap;

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

var _send, _sent;

var Draft = class {
  constructor(survey, columns, id, {wave: wave, epsilon: epsilon, invitation: invitation}, send, admission) {
    __privateAdd(this, _send);
    __privateAdd(this, _sent, null);
    __privateSet(this, _send, send);
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
    __privateGet(this, _sent) ?? __privateSet(this, _sent, __privateGet(this, _send).call(this).catch(fault => {
      __privateSet(this, _sent, null);
      throw fault;
    }));
    return __privateGet(this, _sent);
  }
};

_send = new WeakMap;

_sent = new WeakMap;

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

var _BitMechanism_instances, lossOf_fn, bound_fn;

var BitMechanism = class {
  constructor(name, nValues, published) {
    __privateAdd(this, _BitMechanism_instances);
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
    return __privateMethod(this, _BitMechanism_instances, lossOf_fn).call(this, 1);
  }
  get epsilonForever() {
    const [ifTrue, ifOther] = [ this.ifTrue, this.ifOther ].map(BigInt);
    return __privateMethod(this, _BitMechanism_instances, bound_fn).call(this, [ ifTrue, ifOther ], [ SCALE2 - ifOther, SCALE2 - ifTrue ]);
  }
  epsilonOf(nReports, once) {
    if (!this.hasTwoStages || nReports < 2) return BigInt(nReports) * once;
    const together = __privateMethod(this, _BitMechanism_instances, lossOf_fn).call(this, nReports);
    return together > once ? together : once;
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

_BitMechanism_instances = new WeakSet;

lossOf_fn = function(nReports) {
  const all = (permanent, ifOne, ifZero) => BigInt(permanent) * BigInt(ifOne) ** BigInt(nReports) + (SCALE2 - BigInt(permanent)) * BigInt(ifZero) ** BigInt(nReports);
  const zeros = [ COIN_SCALE - this.ifOne, COIN_SCALE - this.ifZero ];
  return __privateMethod(this, _BitMechanism_instances, bound_fn).call(this, [ this.ifTrue, this.ifOther ].map(permanent => all(permanent, this.ifOne, this.ifZero)), [ this.ifOther, this.ifTrue ].map(permanent => all(permanent, zeros[0], zeros[1])));
};

bound_fn = function(ofLost, ofGained) {
  const perLost = logRatioAbove(ofLost[0], ofLost[1]);
  const perGained = logRatioAbove(ofGained[0], ofGained[1]);
  const [most, fewest] = this.differences;
  const bounds = [ [ most, fewest ], [ fewest, most ] ].map(([lost, gained]) => sumAbove([ [ lost, perLost ], [ gained, perGained ] ]));
  return bounds[0] > bounds[1] ? bounds[0] : bounds[1];
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

var _AskedOption_instances, width_get, options_fn, pack_fn;

var AskedOption = class {
  constructor(name, nValues, published) {
    __privateAdd(this, _AskedOption_instances);
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
    return __privateMethod(this, _AskedOption_instances, pack_fn).call(this, drawn.sort((one, other) => one - other));
  }
  async respond(answer, group, coins) {
    const selected = Uint8Array.from(__privateMethod(this, _AskedOption_instances, options_fn).call(this, group), option => answer[option]);
    return concat(group, await this.coin.respond(selected, new Uint8Array(0), coins));
  }
  async report(permanent, _coins) {
    return permanent;
  }
  toWire(report) {
    const options = __privateMethod(this, _AskedOption_instances, options_fn).call(this, report);
    const yes = unpackBits(report.slice(options.length * __privateGet(this, _AskedOption_instances, width_get)), options.length);
    return options.flatMap((option, at2) => [ option, yes[at2] === 1 ]);
  }
  get longest() {
    const largest = Array.from({
      length: this.asked
    }, (_, at2) => this.nValues - this.asked + at2);
    return concat(__privateMethod(this, _AskedOption_instances, pack_fn).call(this, largest), new Uint8Array(Math.ceil(this.asked / 8)));
  }
  said(report) {
    const options = __privateMethod(this, _AskedOption_instances, options_fn).call(this, report);
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
};

_AskedOption_instances = new WeakSet;

width_get = function() {
  return this.nValues <= 256 ? 1 : 2;
};

options_fn = function(group) {
  return Array.from({
    length: this.asked
  }, (_, at2) => group.slice(at2 * __privateGet(this, _AskedOption_instances, width_get), (at2 + 1) * __privateGet(this, _AskedOption_instances, width_get)).reduce((value, byte) => 256 * value + byte, 0));
};

pack_fn = function(options) {
  return concat(...options.map(option => bigEndian(option, __privateGet(this, _AskedOption_instances, width_get))));
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

var _GeometryResponse_instances, point_fn, product_fn, number_fn;

var GeometryResponse = class extends NumberResponse {
  constructor(name, nValues, published) {
    const {field: field, dimension: dimension} = published;
    check(isPrime(field), "field must be a prime.");
    check(dimension === 2 || field ** dimension <= MAX_VECTORS, `field ** dimension must be at most ${MAX_VECTORS}.`);
    super(name, nValues, published, field ** (dimension - 1), nPoints(field, dimension - 1));
    __privateAdd(this, _GeometryResponse_instances);
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
    const own = __privateMethod(this, _GeometryResponse_instances, point_fn).call(this, answer);
    const solved = own.lastIndexOf(1);
    const vector = own.map((_, place) => {
      if (place === solved) return 0;
      const digit = left % this.field;
      left = (left - digit) / this.field;
      return digit;
    });
    vector[solved] = (this.field + 1 - isTruth - __privateMethod(this, _GeometryResponse_instances, product_fn).call(this, own, vector)) % this.field;
    return this.pack(__privateMethod(this, _GeometryResponse_instances, number_fn).call(this, vector));
  }
  said(report) {
    const sent = __privateMethod(this, _GeometryResponse_instances, point_fn).call(this, this.toWire(report));
    return [ ...Array(this.nValues).keys() ].filter(value => __privateMethod(this, _GeometryResponse_instances, product_fn).call(this, sent, __privateMethod(this, _GeometryResponse_instances, point_fn).call(this, value)) === 0);
  }
};

_GeometryResponse_instances = new WeakSet;

point_fn = function(number2) {
  let last = 0;
  while (number2 >= nPoints(this.field, last + 1)) last += 1;
  const digits = number2 - nPoints(this.field, last);
  return Array.from({
    length: this.dimension
  }, (_, place) => place < last ? Math.floor(digits / this.field ** place) % this.field : Number(place === last));
};

product_fn = function(one, other) {
  return one.reduce((sum, value, place) => sum + value * other[place], 0) % this.field;
};

number_fn = function(vector) {
  const last = vector.reduce((found, value, place) => value ? place : found, 0);
  let [factor, power] = [ 1, vector[last] ];
  for (let bits = this.field - 2; bits; bits >>= 1) {
    if (bits % 2) factor = factor * power % this.field;
    power = power * power % this.field;
  }
  const digits = vector.slice(0, last).map((value, place) => value * factor % this.field * this.field ** place);
  return digits.reduce((sum, digit) => sum + digit, nPoints(this.field, last));
};

function nPoints(field, dimension) {
  return (field ** dimension - 1) / (field - 1);
}

function isPrime(number2) {
  for (let divisor = 2; divisor * divisor <= number2; divisor += 1) if (number2 % divisor === 0) return false;
  return number2 > 1;
}

var _KaryResponse_instances, lossOf_fn2, draw_fn2;

var KaryResponse = class extends NumberResponse {
  constructor(name, nValues, published) {
    super(name, nValues, published, nValues - 1, 1);
    __privateAdd(this, _KaryResponse_instances);
    this.ifKept = published.report_if_true;
    if (this.ifKept !== void 0) likelier("report_if_true", this.ifKept, nValues - 1, 1);
  }
  get hasTwoStages() {
    return this.ifKept !== void 0;
  }
  get epsilon() {
    return __privateMethod(this, _KaryResponse_instances, lossOf_fn2).call(this, 1);
  }
  epsilonOf(nReports, once) {
    if (this.ifKept === void 0 || nReports < 2) return BigInt(nReports) * once;
    const together = __privateMethod(this, _KaryResponse_instances, lossOf_fn2).call(this, nReports);
    return together > once ? together : once;
  }
  async respond(answer, _group, coins) {
    return __privateMethod(this, _KaryResponse_instances, draw_fn2).call(this, answer, this.ifTrue, coins);
  }
  async report(permanent, coins) {
    return this.ifKept === void 0 ? permanent : __privateMethod(this, _KaryResponse_instances, draw_fn2).call(this, this.toWire(permanent), this.ifKept, coins);
  }
  said(report) {
    return [ this.toWire(report) ];
  }
};

_KaryResponse_instances = new WeakSet;

lossOf_fn2 = function(nReports) {
  if (this.ifKept === void 0) return this.epsilonForever;
  return lossOfAlike(this.ifTrue, this.ifKept, nReports, this.nValues - 1);
};

draw_fn2 = async function(option, threshold, coins) {
  const [isTruth] = await coins.flip(threshold, 1);
  const [other] = await coins.uniform(this.nValues - 1, 1);
  return this.pack(isTruth ? option : other + (other >= option ? 1 : 0));
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

var _edges, _PaddedSubset_instances, places_fn;

var PaddedSubset = class extends SetResponse {
  constructor(name, nValues, published) {
    const {max_selected: most, weight: weight} = published;
    const [none, every] = [ nValues, nValues + most ].map(n => choose(n, weight));
    super(name, nValues, published, none, every - none);
    __privateAdd(this, _PaddedSubset_instances);
    __privateAdd(this, _edges);
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
    const nShared = (await coins.place(__privateMethod(this, _PaddedSubset_instances, places_fn).call(this)) + 1) % (changes + 1);
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

_edges = new WeakMap;

_PaddedSubset_instances = new WeakSet;

places_fn = function() {
  if (__privateGet(this, _edges)) return __privateGet(this, _edges);
  const most = this.published.max_selected;
  const edges = [];
  let sum = 0n;
  for (let shared = 1; shared <= Math.min(most, this.weight); shared += 1) {
    sum += choose(most, shared) * choose(this.nValues, this.weight - shared);
    edges.push(BigInt(this.ifTrue) * sum);
  }
  __privateSet(this, _edges, new Edges(edges, BigInt(COIN_SCALE) * (this.every - this.none)));
  return __privateGet(this, _edges);
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
    const stream = await sha2562(concat(LABEL, bigEndian(position, 4), digest, text2));
    const at2 = 2 * (number2 % NUMBERS_PER_DIGEST);
    bits.push((256 * stream[at2] + stream[at2 + 1]) % nBits);
  }
  return bits;
}

var MAX_COUNTS = 2 ** 18;

var COHORT_BYTES = 2;

var PADDING = "\0";

var _BloomResponse_instances, trueBits_fn, join_fn, blocks_fn;

var BloomResponse = class extends BitMechanism {
  constructor(name, nValues, published) {
    super(name, nValues, published);
    __privateAdd(this, _BloomResponse_instances);
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
  get differences() {
    const most = Math.min(this.design.nHashes, this.nValues - 1);
    return [ this.nBlocks * most, this.nBlocks * Math.min(most, this.nValues - most) ];
  }
  async drawGroup(coins) {
    const cohort = bigEndian((await coins.uniform(this.nCohorts, 1))[0], COHORT_BYTES);
    return this.maxLength ? concat(cohort, await coins.uniform(this.pairs.length, 1)) : cohort;
  }
  async respond(answer, group, coins) {
    const bits = await flipAround(await __privateMethod(this, _BloomResponse_instances, trueBits_fn).call(this, answer, group), this.nBlocks * this.nValues, this, coins);
    return __privateMethod(this, _BloomResponse_instances, join_fn).call(this, group, bits);
  }
  async report(permanent, coins) {
    if (!this.hasTwoStages) return permanent;
    const bits = concat(...__privateMethod(this, _BloomResponse_instances, blocks_fn).call(this, permanent).map(block => unpackBits(block, this.nValues)));
    return __privateMethod(this, _BloomResponse_instances, join_fn).call(this, permanent.slice(0, this.groupBytes), await replaceBits(bits, this.ifOne, this.ifZero, coins));
  }
  toWire(report) {
    const pair = this.maxLength ? [ report[COHORT_BYTES] ] : [];
    return [ 256 * report[0] + report[1], ...pair, ...__privateMethod(this, _BloomResponse_instances, blocks_fn).call(this, report).map(base64) ];
  }
  get longest() {
    const group = concat(bigEndian(this.nCohorts - 1, COHORT_BYTES), this.maxLength ? [ this.pairs.length - 1 ] : []);
    return __privateMethod(this, _BloomResponse_instances, join_fn).call(this, group, new Uint8Array(this.nBlocks * this.nValues));
  }
  said(report) {
    const [bits, ...gramBits] = __privateMethod(this, _BloomResponse_instances, blocks_fn).call(this, report).map(block => onesOf(unpackBits(block, this.nValues)));
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
};

_BloomResponse_instances = new WeakSet;

trueBits_fn = async function(answer, group) {
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
};

join_fn = function(group, bits) {
  const starts = Array.from({
    length: this.nBlocks
  }, (_, block) => block * this.nValues);
  return concat(group, ...starts.map(start => packBits(bits.slice(start, start + this.nValues))));
};

blocks_fn = function(packed) {
  const width = Math.ceil(this.nValues / 8);
  const starts = Array.from({
    length: this.nBlocks
  }, (_, block) => this.groupBytes + block * width);
  return starts.map(start => packed.slice(start, start + width));
};

function pairsOf(nPositions) {
  const pairs = [];
  for (let first = 1; first < nPositions; first += 1) {
    for (let second = first + 1; second <= nPositions; second += 1) pairs.push([ first, second ]);
  }
  return pairs;
}

var LevelResponse = class extends NumberResponse {
  constructor() {
    super(...arguments);
    __publicField(this, "span", 1);
    __publicField(this, "levels", 2);
  }
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

__publicField(SegmentsResponse, "hasTable", true);

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
  const digest = new DataView((await sha2562(bytes)).buffer);
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

var refuse = what => {
  throw new SurveyRefused(`the survey ${what}: that needs WebCrypto, which React Native lacks.`);
};

var files = {
  oblivious: {
    ask: async () => refuse("is oblivious")
  },
  blind: {
    of: () => refuse("has blind invitations")
  }
};

var file = {
  load: async name => files[name]
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

var _together;

var Item = class {
  constructor(fields, types = CLOSED) {
    __privateAdd(this, _together);
    this.id = fields.take("id", ID_EXPECTED, isId);
    this.type = fields.oneOf("type", Object.keys(types));
    __privateSet(this, _together, this.type === "joint" ? takeItems(fields, readItem) : []);
    const texts = __privateGet(this, _together).map(item => item.text);
    this.text = this.type === "joint" ? texts.join(" ") : fields.text("text", LENGTHS.text);
    this.scale = fields.has("scores");
    this.options = this.type === "joint" ? optionsOf(__privateGet(this, _together)) : Object.freeze([ ...this.kind.options(fields) ]);
    this.range = this.kind.range?.(fields) ?? null;
    this.skip = fields.has("skip") ? this.kind.skip(fields, this) : null;
    this.want = fields.optional("want", null, () => takeWant(fields, this.range));
    this.section = takeText(fields, "section");
  }
  get items() {
    return this.type === "joint" ? __privateGet(this, _together) : [ this ];
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

_together = new WeakMap;

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

var _words, _Survey_instances, sumOf_fn;

var Survey = class {
  constructor(fields, canonical2, fingerprint, blind) {
    __privateAdd(this, _Survey_instances);
    __privateAdd(this, _words);
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
    __privateSet(this, _words, readWords(fields, this));
    fields.finish();
    this.languages = Object.freeze(__privateGet(this, _words).map(words => words.lang));
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
    if (epsilon !== __privateMethod(this, _Survey_instances, sumOf_fn).call(this, question => parseEpsilon(question.epsilon) ?? 0n)) throw notCanonical();
    this.epsilon = writeEpsilon(epsilon);
    this.epsilonForever = writeEpsilon(this.keepsNoise ? __privateMethod(this, _Survey_instances, sumOf_fn).call(this, question => question.epsilonOf(this.maxReports)) : __privateMethod(this, _Survey_instances, sumOf_fn).call(this, question => question.epsilonOf(1)) * BigInt(this.maxReports));
    this.canonical = canonical2;
    this.fingerprint = fingerprint;
    Object.freeze(this);
  }
  words(lang = this.lang) {
    const found = __privateGet(this, _words).find(words => words.lang === lang);
    if (found === void 0) throw new RangeError(`lang must be one of ${this.languages.join(", ")}.`);
    return found;
  }
  get protectedLittle() {
    return sayLittle(inEnglish, this);
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

_words = new WeakMap;

_Survey_instances = new WeakSet;

sumOf_fn = function(epsilonOf) {
  const taken = this.questions.map(epsilonOf).sort((left, right) => Number(right > left) - Number(right < left));
  return taken.slice(0, this.nDrawn).reduce((sum, epsilon) => sum + epsilon, 0n);
};

async function readSurvey(bytes) {
  if (bytes.length > MAX_SURVEY_BYTES) throw new SurveyError("$", `must have at most ${MAX_SURVEY_BYTES} bytes.`);
  const {document: document, isCanonical: isCanonical} = parseJson(bytes);
  const canonical2 = (new TextDecoder).decode(bytes);
  const isBlind = document?.invitations === "blind";
  const blind = isBlind ? await loadLate("blind") : null;
  const survey = new Survey(new Fields(document, "$"), canonical2, hex(await sha2562(bytes)), blind);
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

var _work, _isClosed, _isEager, _running, _nAsked, _timer, _nFaults, _pausedUntil, _Turns_instances, run_fn, attempt_fn;

var Turns = class {
  constructor(work) {
    __privateAdd(this, _Turns_instances);
    __privateAdd(this, _work);
    __privateAdd(this, _isClosed, false);
    __privateAdd(this, _isEager, false);
    __privateAdd(this, _running, null);
    __privateAdd(this, _nAsked, 0);
    __privateAdd(this, _timer);
    __privateAdd(this, _nFaults, 0);
    __privateAdd(this, _pausedUntil, 0);
    __privateSet(this, _work, work);
  }
  wake(isEager = false) {
    __privateGet(this, _isEager) || __privateSet(this, _isEager, isEager);
    __privateSet(this, _nAsked, __privateGet(this, _nAsked) + 1);
    __privateGet(this, _running) ?? __privateSet(this, _running, __privateMethod(this, _Turns_instances, run_fn).call(this));
    return __privateGet(this, _running);
  }
  get running() {
    return __privateGet(this, _running);
  }
  get pauseMs() {
    return until(__privateGet(this, _pausedUntil), BACKOFF_CAP_MS);
  }
  close() {
    __privateSet(this, _isClosed, true);
    clearTimeout(__privateGet(this, _timer));
  }
};

_work = new WeakMap;

_isClosed = new WeakMap;

_isEager = new WeakMap;

_running = new WeakMap;

_nAsked = new WeakMap;

_timer = new WeakMap;

_nFaults = new WeakMap;

_pausedUntil = new WeakMap;

_Turns_instances = new WeakSet;

run_fn = async function() {
  clearTimeout(__privateGet(this, _timer));
  let dueMs = null;
  await null;
  try {
    for (let nServed = -1; nServed < __privateGet(this, _nAsked) && !__privateGet(this, _isClosed); ) {
      nServed = __privateGet(this, _nAsked);
      const isEager = __privateGet(this, _isEager);
      __privateSet(this, _isEager, false);
      dueMs = isEager || this.pauseMs === 0 ? await __privateMethod(this, _Turns_instances, attempt_fn).call(this, isEager) : this.pauseMs;
    }
  } catch (fault) {
    __privateSet(this, _nFaults, __privateGet(this, _nFaults) + 1);
    dueMs = backoffMs(__privateGet(this, _nFaults));
    __privateSet(this, _pausedUntil, Date.now() + dueMs);
    const {name: name} = fault;
    if (!__privateGet(this, _isClosed)) console.warn(`sottovoce: reports wait, delivery failed (${name}).`);
  }
  __privateSet(this, _running, null);
  if (dueMs !== null && !__privateGet(this, _isClosed)) {
    __privateSet(this, _timer, setTimeout(() => void this.wake(), Math.min(dueMs, BACKOFF_CAP_MS)));
    unref(__privateGet(this, _timer));
  }
};

attempt_fn = async function(isEager) {
  const dueMs = await __privateGet(this, _work).call(this, isEager);
  __privateSet(this, _nFaults, __privateSet(this, _pausedUntil, 0));
  return dueMs;
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

var _isClosed2, _look, _lanes, _onTheirWay, _inHand, _wakeEagerly, _leave, _Delivery_instances, lookAround_fn, laneOf_fn, deliverTo_fn, attemptDue_fn, attempt_fn2, ask_fn, waiting_fn, dueMs_fn;

var Delivery = class {
  constructor(state, timeoutMs, callbacks = {}) {
    __privateAdd(this, _Delivery_instances);
    __privateAdd(this, _isClosed2, false);
    __privateAdd(this, _look, new Turns(isEager => __privateMethod(this, _Delivery_instances, lookAround_fn).call(this, isEager)));
    __privateAdd(this, _lanes, new Map);
    __privateAdd(this, _onTheirWay, new Set);
    __privateAdd(this, _inHand, new Map);
    __privateAdd(this, _wakeEagerly, () => void this.wake(true));
    __privateAdd(this, _leave, () => {
      for (const report of __privateGet(this, _inHand).values()) {
        if (waitOf(report, true) === 0) void __privateMethod(this, _Delivery_instances, ask_fn).call(this, report);
      }
    });
    this.state = state;
    this.timeoutMs = timeoutMs;
    this.callbacks = callbacks;
    globalThis.addEventListener?.("online", __privateGet(this, _wakeEagerly));
    globalThis.addEventListener?.("pagehide", __privateGet(this, _leave));
  }
  async wake(isEager = false) {
    await __privateGet(this, _look).wake(isEager);
    await Promise.all([ ...__privateGet(this, _lanes).values() ].map(lane => lane.running));
  }
  hold(waiting) {
    const inHand = waiting.filter(({receipt: receipt}) => !__privateGet(this, _onTheirWay).has(receipt));
    __privateSet(this, _inHand, new Map(inHand.map(report => [ report.receipt, report ])));
  }
  async flush(timeoutMs) {
    const deadline = Date.now() + timeoutMs;
    const pause = pauses();
    const isOver = pause.for(timeoutMs);
    try {
      for (let isEager = true; (await __privateMethod(this, _Delivery_instances, waiting_fn).call(this)).length > 0; isEager = false) {
        await Promise.race([ this.wake(isEager), isOver ]);
        const dueMs = __privateMethod(this, _Delivery_instances, dueMs_fn).call(this, await __privateMethod(this, _Delivery_instances, waiting_fn).call(this));
        if (dueMs === null) return true;
        if (Date.now() + dueMs >= deadline || __privateGet(this, _isClosed2)) return false;
        await Promise.race([ pause.for(dueMs), isOver ]);
      }
      return true;
    } finally {
      pause.end();
    }
  }
  close() {
    __privateSet(this, _isClosed2, true);
    for (const turns of [ __privateGet(this, _look), ...__privateGet(this, _lanes).values() ]) turns.close();
    globalThis.removeEventListener?.("online", __privateGet(this, _wakeEagerly));
    globalThis.removeEventListener?.("pagehide", __privateGet(this, _leave));
  }
};

_isClosed2 = new WeakMap;

_look = new WeakMap;

_lanes = new WeakMap;

_onTheirWay = new WeakMap;

_inHand = new WeakMap;

_wakeEagerly = new WeakMap;

_leave = new WeakMap;

_Delivery_instances = new WeakSet;

lookAround_fn = async function(isEager) {
  const urls = new Set((await __privateMethod(this, _Delivery_instances, waiting_fn).call(this)).map(report => report.url));
  for (const url of __privateGet(this, _isClosed2) ? [] : urls) void __privateMethod(this, _Delivery_instances, laneOf_fn).call(this, url).wake(isEager);
  return null;
};

laneOf_fn = function(url) {
  const lane = __privateGet(this, _lanes).get(url) ?? new Turns(isEager => __privateMethod(this, _Delivery_instances, deliverTo_fn).call(this, url, isEager));
  __privateGet(this, _lanes).set(url, lane);
  return lane;
};

deliverTo_fn = async function(url, isEager) {
  const locks = (await this.state).isDurable ? globalThis.navigator?.locks : void 0;
  const attempt = () => __privateMethod(this, _Delivery_instances, attemptDue_fn).call(this, url, isEager);
  await (locks === void 0 ? attempt() : locks.request(`${LOCK} ${url}`, attempt));
  return __privateMethod(this, _Delivery_instances, dueMs_fn).call(this, (await __privateMethod(this, _Delivery_instances, waiting_fn).call(this)).filter(report => report.url === url));
};

attemptDue_fn = async function(url, isEager) {
  for (const report of await __privateMethod(this, _Delivery_instances, waiting_fn).call(this)) {
    if (__privateGet(this, _isClosed2) || report.url !== url || waitOf(report, isEager) > 0) continue;
    const {kind: kind, holdMs: holdMs = null} = await __privateMethod(this, _Delivery_instances, attempt_fn2).call(this, report);
    if (kind === "again" || holdMs !== null) return;
  }
};

attempt_fn2 = async function(report) {
  __privateGet(this, _inHand).delete(report.receipt);
  __privateGet(this, _onTheirWay).add(report.receipt);
  try {
    const verdict = await __privateMethod(this, _Delivery_instances, ask_fn).call(this, report);
    const record = transaction => recordVerdict(transaction, report.receipt, verdict);
    const outcome = await (await this.state).transact(record);
    if (outcome !== null) void tell(this.callbacks, outcome);
    return verdict;
  } finally {
    __privateGet(this, _onTheirWay).delete(report.receipt);
  }
};

ask_fn = async function(report) {
  try {
    return judge(await post(this.state, this.timeoutMs, report, "reports", report.body), Date.now());
  } catch {
    return {
      kind: "again",
      holdMs: null,
      isAnswered: false
    };
  }
};

waiting_fn = async function() {
  const waiting = await (await this.state).transact(waitingReports);
  this.hold(waiting);
  return waiting;
};

dueMs_fn = function(waiting) {
  if (waiting.length === 0) return null;
  const pauseOf = ({url: url}) => __privateGet(this, _lanes).get(url)?.pauseMs ?? 0;
  const dueMs = waiting.map(report => Math.max(pauseOf(report), waitOf(report, false)));
  return Math.max(__privateGet(this, _look).pauseMs, Math.min(...dueMs));
};

function waitOf(report, isEager) {
  const waitMs = isEager && !report.isHeld ? 0 : until(report.notBefore, MAX_HOLD_MS + UNKNOWN_CAP_MS);
  return Math.max(waitMs, report.nAttempts > 0 ? 0 : until(report.delayUntil, MAX_DELAY_MS));
}

function pauses() {
  const timers = [];
  return {
    for: timeMs => new Promise(resolve => timers.push(setTimeout(resolve, timeMs))),
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
  const {maxEpsilon: maxEpsilon = 8, maxPeriodEpsilon: maxPeriodEpsilon = 16, periodDays: periodDays = 30, fingerprint: fingerprint, invitation: invitation, ...rest} = others;
  const {onDelivered: onDelivered, onRejected: onRejected, ...unknown} = rest;
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

var _SurveySource_instances, keep_fn, fetch_fn, read_fn, check_fn, record_fn, change_fn, hear_fn, doubt_fn;

var SurveySource = class {
  constructor(state, url, surveyId, limits, fingerprint, timeoutMs, posting) {
    __privateAdd(this, _SurveySource_instances);
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
      reply = await __privateMethod(this, _SurveySource_instances, fetch_fn).call(this);
    } catch (fault) {
      if (!(fault instanceof SurveyUnavailable)) throw fault;
      const isOver = fault.problem !== null && await __privateMethod(this, _SurveySource_instances, hear_fn).call(this, fault.problem);
      const kept = await __privateMethod(this, _SurveySource_instances, record_fn).call(this);
      if (kept === void 0 || isOver) throw fault;
      return __privateMethod(this, _SurveySource_instances, check_fn).call(this, await __privateMethod(this, _SurveySource_instances, read_fn).call(this, kept.canonical));
    }
    const survey = await __privateMethod(this, _SurveySource_instances, read_fn).call(this, reply.body);
    await __privateMethod(this, _SurveySource_instances, doubt_fn).call(this, survey.fingerprint);
    __privateMethod(this, _SurveySource_instances, check_fn).call(this, survey);
    await __privateMethod(this, _SurveySource_instances, keep_fn).call(this, survey.fingerprint, reply);
    const said = reply.headers.get("Sottovoce-State");
    this.isOpen = said === "open" || (said === "closed" ? false : void 0);
    return survey;
  }
  async restored(transaction) {
    return (await transaction.get("surveys", this.url, this.surveyId))?.restored ?? "0";
  }
};

_SurveySource_instances = new WeakSet;

keep_fn = async function(fingerprint, reply) {
  const {url: url, maxDelayMs: maxDelayMs} = this.posting;
  await __privateMethod(this, _SurveySource_instances, change_fn).call(this, async (kept, transaction) => {
    const restored = reply.headers.get("Sottovoce-Restored") ?? kept?.restored ?? "0";
    const isLost = sent => sent.url === url && sent.fingerprint === fingerprint && sent.restored !== restored;
    await sendAgain(transaction, isLost, restored, maxDelayMs);
    return {
      canonical: reply.body,
      doubts: kept?.doubts ?? {},
      restored: restored
    };
  });
};

fetch_fn = async function() {
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
};

read_fn = async function(bytes) {
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
};

check_fn = function(survey) {
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
};

record_fn = async function() {
  const state = await this.state;
  return state.transact(transaction => transaction.get("surveys", this.url, this.surveyId));
};

change_fn = async function(change2) {
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
};

hear_fn = async function(problem) {
  if (isSurveyOver(problem)) return __privateMethod(this, _SurveySource_instances, doubt_fn).call(this, "", !isUnknown(problem));
  await __privateMethod(this, _SurveySource_instances, change_fn).call(this, record => record && {
    ...record,
    doubts: begunAnew(record.doubts)
  });
  return false;
};

doubt_fn = async function(served, isClosed = false) {
  const record = await __privateMethod(this, _SurveySource_instances, record_fn).call(this);
  if (record === void 0) return false;
  const current = hex(await sha2562(record.canonical));
  let isOver = isClosed;
  await __privateMethod(this, _SurveySource_instances, change_fn).call(this, async (kept, transaction) => {
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
  isThere = new Promise(resolve => globalThis.addEventListener("pageshow", () => resolve(), {
    once: true
  }));
});

var _stores, _last, _MemoryState_instances, run_fn2;

var MemoryState = class {
  constructor() {
    __privateAdd(this, _MemoryState_instances);
    __publicField(this, "isDurable", false);
    __privateAdd(this, _stores, emptyStores());
    __privateAdd(this, _last, Promise.resolve());
  }
  transact(work) {
    const turn2 = __privateGet(this, _last).then(() => __privateMethod(this, _MemoryState_instances, run_fn2).call(this, work));
    __privateSet(this, _last, turn2.catch(() => void 0));
    return turn2;
  }
  close() {}
};

_stores = new WeakMap;

_last = new WeakMap;

_MemoryState_instances = new WeakSet;

run_fn2 = async function(work) {
  const stores = emptyStores();
  for (const [name, records] of __privateGet(this, _stores)) stores.set(name, new Map(records));
  const of = store => stores.get(store);
  const result = await work({
    get: async (store, ...key) => of(store).get(String(key)),
    all: async store => [ ...of(store).keys() ].sort().map(key => of(store).get(key)),
    put: async (store, record) => of(store).set(String(KEYS[store].map(member => record[member])), record),
    delete: async (store, ...key) => of(store).delete(String(key))
  });
  __privateSet(this, _stores, stores);
  return result;
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

var _storage, _last2, _KeptState_instances, run_fn3, ask_fn2, parse_fn, read_fn2, fault_fn;

var KeptState = class {
  constructor(storage) {
    __privateAdd(this, _KeptState_instances);
    __publicField(this, "isDurable", true);
    __privateAdd(this, _storage);
    __privateAdd(this, _last2, Promise.resolve());
    __privateSet(this, _storage, storage);
  }
  transact(work) {
    const turn2 = __privateGet(this, _last2).then(() => __privateMethod(this, _KeptState_instances, run_fn3).call(this, work));
    __privateSet(this, _last2, turn2.catch(() => void 0));
    return turn2;
  }
  close() {}
};

_storage = new WeakMap;

_last2 = new WeakMap;

_KeptState_instances = new WeakSet;

run_fn3 = async function(work) {
  for (const began = Date.now(); ;) {
    const {text: text2, version: version2} = await __privateMethod(this, _KeptState_instances, ask_fn2).call(this, () => __privateGet(this, _storage).read());
    const stores = __privateMethod(this, _KeptState_instances, parse_fn).call(this, text2);
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
    if (!isChanged || await __privateMethod(this, _KeptState_instances, ask_fn2).call(this, () => __privateGet(this, _storage).write(write(stores), version2))) return result;
    if (Date.now() - began > GIVEN_UP_AFTER_MS) throw __privateMethod(this, _KeptState_instances, fault_fn).call(this, "other programs hold it");
    await new Promise(resolve => setTimeout(resolve, Math.random() * MOST_PAUSE_MS));
  }
};

ask_fn2 = async function(asked) {
  try {
    return await asked();
  } catch (cause) {
    if (cause instanceof StateError) throw cause;
    throw __privateMethod(this, _KeptState_instances, fault_fn).call(this, cause.code ?? cause.name, cause);
  }
};

parse_fn = function(text2) {
  const {sottovoce: sottovoce, ...stores} = text2 === null ? {
    sottovoce: VERSION
  } : __privateMethod(this, _KeptState_instances, read_fn2).call(this, text2);
  if (!Number.isInteger(sottovoce)) throw __privateMethod(this, _KeptState_instances, fault_fn).call(this, "it is damaged");
  if (sottovoce > VERSION) throw __privateMethod(this, _KeptState_instances, fault_fn).call(this, "it was made by a newer sottovoce");
  return new Map(Object.keys(KEYS).map(name => [ name, new Map((stores[name] ?? []).map(record => [ keyOf(name, record), record ])) ]));
};

read_fn2 = function(text2) {
  try {
    const document = JSON.parse(text2, revive);
    const lists = Object.keys(KEYS).map(name => document[name] ?? []);
    if (lists.flat().every(record => typeof record === "object" && record !== null)) return document;
  } catch {}
  throw __privateMethod(this, _KeptState_instances, fault_fn).call(this, "it is damaged");
};

fault_fn = function(why, cause) {
  return new StateError(`state ${__privateGet(this, _storage).name} cannot be used (${why}).`, {
    cause: cause
  });
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

var DIGITS2 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

function bytesOf(text2) {
  const digits = [ ...text2.replace(/=+$/, "") ].map(digit => DIGITS2.indexOf(digit));
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

var _state, _delivery, _source, _limits, _posting, _isClosed3, _invitation, _survey, _via, _made, _SurveyClient_instances, trade_fn, transact_fn, checkOpen_fn, send_fn, draw_fn3, seed_fn, isRepeat_fn, recall_fn, way_fn, post_fn, fetch_fn2;

var SurveyClient = class {
  constructor(url, surveyId, options = {}) {
    __privateAdd(this, _SurveyClient_instances);
    __privateAdd(this, _state);
    __privateAdd(this, _delivery);
    __privateAdd(this, _source);
    __privateAdd(this, _limits);
    __privateAdd(this, _posting);
    __privateAdd(this, _isClosed3, false);
    __privateAdd(this, _invitation);
    __privateAdd(this, _survey, null);
    __privateAdd(this, _via, null);
    __privateAdd(this, _made, new Map);
    const collector = checkUrl(url);
    if (!isId(surveyId)) throw new RangeError(`surveyId must be ${ID_EXPECTED}.`);
    const {state: state, timeoutMs: timeoutMs, callbacks: callbacks, fingerprint: fingerprint, ...chosen} = readOptions(collector, options);
    __privateSet(this, _posting, chosen.posting);
    __privateSet(this, _limits, chosen.limits);
    __privateSet(this, _invitation, chosen.invitation);
    checkBrowser();
    __privateSet(this, _state, openState(state));
    __privateGet(this, _state).catch(() => void 0);
    __privateSet(this, _source, new SurveySource(__privateGet(this, _state), collector, surveyId, __privateGet(this, _limits), fingerprint, timeoutMs, chosen.posting));
    __privateSet(this, _delivery, new Delivery(__privateGet(this, _state), timeoutMs, callbacks));
    void __privateGet(this, _delivery).wake();
  }
  async survey() {
    __privateMethod(this, _SurveyClient_instances, checkOpen_fn).call(this);
    __privateGet(this, _survey) ?? __privateSet(this, _survey, __privateMethod(this, _SurveyClient_instances, fetch_fn2).call(this));
    try {
      return await __privateGet(this, _survey);
    } catch (fault) {
      __privateSet(this, _survey, null);
      throw fault;
    }
  }
  async questions() {
    const survey = await this.survey();
    const drawn = await __privateMethod(this, _SurveyClient_instances, draw_fn3).call(this, survey);
    return survey.questions.filter((_, index) => drawn[index]).flatMap(question => question.items);
  }
  async waves() {
    const survey = await this.survey();
    if (survey.askedIn === 0) return Array.from({
      length: survey.waves
    }, (_, index) => index + 1);
    return wavesOf(survey, await __privateMethod(this, _SurveyClient_instances, seed_fn).call(this, survey));
  }
  async prepare(answers, wave = 1) {
    const survey = await this.survey();
    survey.checkWave(wave);
    const waves = await this.waves();
    if (!waves.includes(wave)) throw new NotAsked(survey.id, wave, waves);
    const asked = await __privateMethod(this, _SurveyClient_instances, draw_fn3).call(this, survey);
    const encoded = survey.encode(answers, asked);
    const {id: id, admission: admission} = await __privateMethod(this, _SurveyClient_instances, trade_fn).call(this, wave, true) ?? {};
    const fresh = await drawAnew(id);
    const drawn = await __privateMethod(this, _SurveyClient_instances, transact_fn).call(this, transaction => keepDrawn(transaction, survey, wave, fresh));
    const key = await noiseKey(survey, drawn.key, wave);
    const marks = await markAnswers(survey, encoded, key);
    const columns = await reportAnswers(survey, encoded, key, draftCoins(survey, drawn.seed));
    const report = wireReport(survey, drawn.id, columns, wave, admission);
    const price = transaction => makeEntry(transaction, survey, wave, marks, drawn.id, __privateGet(this, _invitation), __privateGet(this, _limits), asked, waves[waves.length - 1]);
    const send = () => __privateMethod(this, _SurveyClient_instances, send_fn).call(this, key, async transaction => {
      survey.blind?.check(SurveyRefused);
      const via = __privateGet(this, _via);
      const entry = await price(transaction);
      entry.via = via;
      await endDraft(transaction, survey, wave, drawn);
      await transaction.put("ledger", entry);
      const {url: url, maxDelayMs: maxDelayMs, resendDays: resendDays} = __privateGet(this, _posting);
      const restored = await __privateGet(this, _source).restored(transaction);
      await putReport(transaction, url, survey, report, maxDelayMs, resendDays, restored, via);
      return {
        entry: entry,
        waiting: await waitingReports(transaction)
      };
    });
    return new Draft(survey, columns, drawn.id, await __privateMethod(this, _SurveyClient_instances, transact_fn).call(this, price), send, admission);
  }
  async fetchToken(wave = 1) {
    return (await __privateMethod(this, _SurveyClient_instances, trade_fn).call(this, wave))?.state ?? "unused";
  }
  async answer(answers, wave = 1) {
    try {
      return await (await this.prepare(answers, wave)).send();
    } catch (fault) {
      if (!(fault instanceof AlreadyAnswered) || !await __privateMethod(this, _SurveyClient_instances, isRepeat_fn).call(this, fault.receipt, answers)) throw fault;
      return __privateGet(this, _made).get(fault.receipt.id)?.receipt ?? fault.receipt;
    }
  }
  async isPrepared(wave = 1) {
    const {fingerprint: fingerprint} = await this.survey();
    const kept = await __privateMethod(this, _SurveyClient_instances, transact_fn).call(this, transaction => transaction.get("secrets", fingerprint));
    return wave in (kept?.drafts ?? {});
  }
  async answered() {
    const {fingerprint: fingerprint} = await this.survey();
    return (await __privateMethod(this, _SurveyClient_instances, transact_fn).call(this, transaction => entriesOf(transaction, fingerprint))).map(receiptOf);
  }
  async pending() {
    return (await __privateMethod(this, _SurveyClient_instances, transact_fn).call(this, waitingReports)).map(report => report.receipt);
  }
  rejected() {
    return __privateMethod(this, _SurveyClient_instances, transact_fn).call(this, rejectedReports);
  }
  async flush(timeoutMs = 5e3) {
    checkNumber("timeoutMs", timeoutMs, 0, MAX_DELAY_MS);
    __privateMethod(this, _SurveyClient_instances, checkOpen_fn).call(this);
    return __privateGet(this, _delivery).flush(timeoutMs);
  }
  async resend(invitation) {
    const code = invitation === void 0 ? null : parseInvitation(invitation);
    const isHere = ({url: url, surveyId: surveyId}) => url === __privateGet(this, _posting).url && surveyId === __privateGet(this, _source).surveyId;
    const [mended, kept] = await __privateMethod(this, _SurveyClient_instances, transact_fn).call(this, async transaction => {
      const refused = (await rejectedReports(transaction)).filter(report => isHere(report) && (report.needsInvitation ? code !== null : report.isUnknown));
      const entries = [];
      for (const {receipt: receipt} of refused) entries.push(await readmit(transaction, receipt, code) ?? []);
      return [ entries.flat(), await sendAgain(transaction, isHere) ];
    });
    if (mended.some(entry => entry.invitation !== null)) __privateSet(this, _invitation, code ?? __privateGet(this, _invitation));
    void __privateGet(this, _delivery).wake();
    return [ ...mended.map(entry => entry.receipt), ...kept ];
  }
  async erase(receipt) {
    const entry = await __privateMethod(this, _SurveyClient_instances, transact_fn).call(this, async transaction => {
      await dropSent(transaction, report => report.receipt === receipt);
      return entryOf(transaction, receipt);
    });
    const via = entry ? entry.via : await __privateMethod(this, _SurveyClient_instances, way_fn).call(this);
    return (await __privateMethod(this, _SurveyClient_instances, post_fn).call(this, via, "erase", {
      receipt: receipt
    })).status === 200;
  }
  async checkInvitation(invitation, wave = 1) {
    return readJson((await __privateMethod(this, _SurveyClient_instances, post_fn).call(this, await __privateMethod(this, _SurveyClient_instances, way_fn).call(this), "invitations/check", {
      invitation: invitation,
      wave: wave
    })).body);
  }
  async forget() {
    await __privateMethod(this, _SurveyClient_instances, transact_fn).call(this, async transaction => {
      await dropSent(transaction, ({surveyId: surveyId}) => surveyId === __privateGet(this, _source).surveyId);
      const known = await transaction.all("secrets");
      for (const {fingerprint: fingerprint, surveyId: surveyId} of known) {
        if (surveyId === __privateGet(this, _source).surveyId) await endVersion(transaction, fingerprint);
      }
    });
    __privateGet(this, _made).clear();
  }
  async isOpen() {
    const {closes: closes} = await this.survey();
    return __privateGet(this, _source).isOpen ?? (closes === "" || today() <= closes);
  }
  async isDurable() {
    return (await __privateGet(this, _state)).isDurable;
  }
  close() {
    __privateSet(this, _isClosed3, true);
    __privateGet(this, _delivery).close();
    void __privateGet(this, _state).then(state => state.close()).catch(() => void 0);
  }
};

_state = new WeakMap;

_delivery = new WeakMap;

_source = new WeakMap;

_limits = new WeakMap;

_posting = new WeakMap;

_isClosed3 = new WeakMap;

_invitation = new WeakMap;

_survey = new WeakMap;

_via = new WeakMap;

_made = new WeakMap;

_SurveyClient_instances = new WeakSet;

trade_fn = async function(wave, isNeeded = false) {
  const survey = await this.survey();
  const post2 = (last, sent) => __privateMethod(this, _SurveyClient_instances, post_fn).call(this, __privateGet(this, _via), last, sent, __privateGet(this, _posting).url);
  return survey.blind?.trade(this, wave, isNeeded, __privateGet(this, _invitation), {
    transact: work => __privateMethod(this, _SurveyClient_instances, transact_fn).call(this, work),
    post: post2,
    ended: ended,
    DeliveryError: DeliveryError,
    InvitationError: InvitationError
  });
};

transact_fn = async function(work) {
  __privateMethod(this, _SurveyClient_instances, checkOpen_fn).call(this);
  return (await __privateGet(this, _state)).transact(work);
};

checkOpen_fn = function() {
  if (__privateGet(this, _isClosed3)) throw new StateError("this client is closed.");
};

send_fn = async function(key, charge) {
  const {entry: entry, waiting: waiting} = await __privateMethod(this, _SurveyClient_instances, transact_fn).call(this, charge);
  const receipt = receiptOf(entry);
  if (entry.marks !== null) __privateGet(this, _made).set(receipt.id, {
    key: key,
    marks: entry.marks,
    receipt: receipt
  });
  __privateGet(this, _delivery).hold(waiting);
  void __privateGet(this, _delivery).wake();
  return receipt;
};

draw_fn3 = async function(survey) {
  if (survey.draw === 0) return survey.questions.map(() => true);
  return drawnOf(survey, await __privateMethod(this, _SurveyClient_instances, seed_fn).call(this, survey));
};

seed_fn = async function(survey) {
  const fresh = await importSecret(await osBytes(SECRET_BYTES));
  return __privateMethod(this, _SurveyClient_instances, transact_fn).call(this, transaction => keepSeed(transaction, survey, fresh));
};

isRepeat_fn = async function({id: id, fingerprint: fingerprint, wave: wave}, answers) {
  const survey = await this.survey();
  const known = __privateGet(this, _made).get(id) ?? await __privateMethod(this, _SurveyClient_instances, recall_fn).call(this, survey, wave);
  const encoded = survey.encode(answers, await __privateMethod(this, _SurveyClient_instances, draw_fn3).call(this, survey));
  return known !== null && areEqual(await markAnswers(survey, encoded, known.key), known.marks);
};

recall_fn = async function(survey, wave) {
  const {fingerprint: fingerprint} = survey;
  const found = await __privateMethod(this, _SurveyClient_instances, transact_fn).call(this, async transaction => {
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
};

way_fn = async function() {
  await this.survey();
  return __privateGet(this, _via);
};

post_fn = function(via, last = "", sent = void 0, url = __privateGet(this, _source).url) {
  const {surveyId: surveyId, timeoutMs: timeoutMs} = __privateGet(this, _source);
  return post(__privateGet(this, _state), timeoutMs, {
    url: url,
    surveyId: surveyId,
    via: via
  }, last, sent && JSON.stringify(sent));
};

fetch_fn2 = async function() {
  const survey = await __privateGet(this, _source).survey();
  const {relay: relay, gatewayKey: gatewayKey} = survey;
  const {url: url} = __privateGet(this, _source);
  const posted = __privateGet(this, _posting).url;
  __privateSet(this, _via, relay ? {
    relay: posted === url ? relay : posted,
    key: gatewayKey,
    url: url,
    nBytes: longestBody(survey)
  } : null);
  if (relay) {
    await __privateMethod(this, _SurveyClient_instances, post_fn).call(this, __privateGet(this, _via)).catch(fault => {
      if (fault instanceof SurveyRefused) throw fault;
    });
  }
  void __privateGet(this, _delivery).wake();
  return survey;
};

function checkBrowser() {
  if (crypto?.subtle) return;
  throw new StateError(`sottovoce needs WebCrypto: a page at https:// or localhost, or Node.js ${OLDEST_NODE} or newer.`);
}

var SurveyClient2 = class extends SurveyClient {
  constructor(url, surveyId, {state: state, stateKey: stateKey = "sottovoce", getRandomValues: getRandomValues, ...options}) {
    if (getRandomValues !== void 0) setEntropy(getRandomValues);
    crypto.getRandomValues(new Uint8Array(16));
    super(url, surveyId, {
      ...options,
      state: state === MEMORY ? MEMORY : nameOf(storageIn(state, stateKey))
    });
  }
};

var writing = new WeakMap;

function storageIn(store, key) {
  if (typeof store?.getItem !== "function" || typeof store.setItem !== "function") {
    throw new TypeError('state must be ":memory:", or a store with getItem and setItem.');
  }
  const lasts = writing.get(store) ?? new Map;
  writing.set(store, lasts);
  const read = async () => {
    const kept = await store.getItem(key) ?? null;
    const [, version2, text2] = /^(\d+) ([^]*)$/.exec(kept ?? "0 ") ?? [];
    return {
      text: kept === null ? null : text2 ?? "",
      version: Number(version2 ?? 0)
    };
  };
  const write2 = async (text2, version2) => {
    if ((await read()).version !== version2) return false;
    await store.setItem(key, `${version2 + 1} ${text2}`);
    return true;
  };
  const inTurn = work => {
    const turn2 = (lasts.get(key) ?? Promise.resolve()).then(work);
    lasts.set(key, turn2.catch(() => void 0));
    return turn2;
  };
  return {
    name: key,
    read: () => inTurn(read),
    write: (text2, version2) => inTurn(() => write2(text2, version2))
  };
}

export { AlreadyAnswered, AnswerError, BudgetExceeded, DeliveryError, Draft, InvitationError, Item, NotAsked, ParticipationEnded, Question, SottoError, StateError, Survey, SurveyClient2 as SurveyClient, SurveyRefused, SurveyUnavailable, version };