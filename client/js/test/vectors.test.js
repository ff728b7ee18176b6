/** The vectors that every language's client shares (tests/vectors): what devices make of answers, to the byte. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { bloomBits } from "../src/bloom.js";
import { concat, hex, sha256, utf8 } from "../src/bytes.js";
import { Coins, givenBytes, hmacBytes, importSecret } from "../src/coins.js";
import { parseEpsilon, writeEpsilon } from "../src/decimals.js";
import { Fields, parseJson } from "../src/documents.js";
import { drawQuestions, drawnOf, wavesOf } from "../src/draws.js";
import { AnswerError, SurveyError } from "../src/errors.js";
import { parseInvitation } from "../src/invitation.js";
import { epsilonOfReport } from "../src/ledger.js";
import { readMechanism } from "../src/mechanisms.js";
import { markAnswers, noiseKey, reportAnswers, respond, settle } from "../src/permanent.js";
import { bucketOf } from "../src/sketch.js";
import { batchBody, blanksAfter, wireReport } from "../src/report.js";
import { readSurvey } from "../src/survey.js";
import { isAnswer, normalise } from "../src/text.js";

const NAMES = ["perturb", "bloom", "sketch", "surveys", "device", "text"];
const [PERTURB, BLOOM, SKETCH, SURVEYS, DEVICE, TEXT] = NAMES.map((name) =>
  JSON.parse(readFileSync(new URL(`../../../tests/vectors/${name}.json`, import.meta.url), "utf8")),
);
const BYTES = /** @param {string} text hexadecimal */ (text) => Uint8Array.from(Buffer.from(text, "hex"));
const END = 0x3f; // behind given coins: what is still there shows that no more were used

/** Return a published mechanism. */
function mechanismOf({ mechanism, type }, nOptions) {
  return readMechanism(new Fields(parseJson(utf8(JSON.stringify(mechanism))).document, "$"), type, nOptions);
}

/** Return the type of the question that a vector's mechanism is for. */
function typeOf({ mechanism, n_values: nValues, type }) {
  if (type !== undefined) return type;
  if ("n_bits" in mechanism) return "text";
  return "max_selected" in mechanism ? "any-of" : nValues === 1 ? "yes-no" : "one-of";
}

/** Return an answer of a vector as a mechanism takes it. */
function encodedOf(answer) {
  if (typeof answer === "string") return answer.normalize("NFC");
  return Array.isArray(answer) ? Uint8Array.from(answer) : answer;
}

const ALONE = PERTURB.vectors.filter(({ answers }) => answers.length === 1);

test("there are vectors of one answer for every mechanism, of one stage and of two", () => {
  const hasTwo = (/** @type {any} */ { mechanism }) => Object.keys(mechanism).some((key) => key.startsWith("report"));
  const kinds = new Set(ALONE.map((v) => `${v.mechanism.name} ${typeOf(v)} ${hasTwo(v)}`));
  assert.equal(kinds.size, 24);
  assert.ok(ALONE.length >= 100);
});

for (const [number, vector] of ALONE.entries()) {
  test(`given coins make report ${number}, by ${vector.mechanism.name}, and all of them are used`, async () => {
    const type = typeOf(vector);
    const mechanism = mechanismOf({ ...vector, type }, type === "text" || type === "yes-no" ? 0 : vector.n_values);
    const take = givenBytes(concat(BYTES(vector.coins), [END]));
    const coins = new Coins(take);
    const answer = encodedOf(vector.answers[0]);
    const settled = "settle" in mechanism ? await mechanism.settle(answer, coins) : answer;
    const group = await mechanism.drawGroup(coins);
    const report = await mechanism.report(await mechanism.respond(settled, group, coins), coins);
    assert.equal(hex(report), vector.reports[0]);
    assert.deepEqual([...(await take(1))], [END]);
    assert.deepEqual(mechanism.toWire(report), vector.wire[0]);
  });
}

test("strings set the bits that the vectors say", async () => {
  const vectors = BLOOM.vectors.filter(({ hash }) => hash === "sottovoce");
  assert.ok(vectors.length > 100);
  for (const { n_bits: nBits, n_hashes: nHashes, cohort, text, position, bits } of vectors) {
    const found = await bloomBits({ nBits, nHashes }, cohort, utf8(text.normalize("NFC")), position);
    assert.deepEqual(found, bits, `${text.slice(0, 20)} in cohort ${cohort} of ${nBits} bits`);
  }
});

test("strings are in the buckets that the vectors say", async () => {
  assert.ok(SKETCH.vectors.length > 100);
  for (const { n_buckets: nBuckets, cohort, text, bucket } of SKETCH.vectors) {
    assert.equal(
      await bucketOf(nBuckets, cohort, utf8(text.normalize("NFC"))),
      bucket,
      `${text.slice(0, 20)}, ${cohort}`,
    );
  }
});

/** Return the bytes of a survey's text, however it is given. */
function bytesOf({ hex: digits, text, parts }) {
  if (digits !== undefined) return BYTES(digits);
  const repeat = ([part, times]) => Array.from({ length: times }, (_, number) => part.replaceAll("#", number)).join("");
  return utf8(text ?? parts.map(repeat).join(""));
}

/** Return the words that a published survey has in a language. */
function wordsOf({ lang: own = "en", translations, ...survey }, lang) {
  const stated = lang === own ? survey : translations[lang];
  const questions = survey.questions.map((question) => {
    const { text, options = [], section = "", unit = "" } = lang === own ? question : stated.questions[question.id];
    return [question.id, { text, options, section, unit }];
  });
  const { title, introduction = "", controller = "", contact = "" } = stated;
  return { lang, title, introduction, controller, contact, questions: Object.fromEntries(questions) };
}

for (const vector of SURVEYS.surveys) {
  test(`a survey is read: ${vector.about}`, async () => {
    const text = new TextDecoder().decode(bytesOf(vector));
    const survey = await readSurvey(bytesOf(vector));
    const stated = JSON.parse(text);
    assert.equal(survey.canonical, text);
    assert.equal(survey.fingerprint, vector.fingerprint);
    assert.deepEqual([survey.epsilon, survey.epsilonForever], [vector.epsilon, vector.epsilon_forever]);
    assert.deepEqual(
      [
        survey.id,
        survey.title,
        survey.waves,
        survey.invited,
        survey.minReports,
        survey.publicResults,
        survey.keep,
        survey.draw,
        survey.lang,
        survey.closes,
      ],
      [
        ...[stated.id, stated.title, stated.waves ?? 1, stated.invited ?? false],
        ...[stated.min_reports ?? 1, stated.public_results ?? false, stated.keep ?? "reports", stated.draw ?? 0],
        ...[stated.lang ?? "en", stated.closes ?? ""],
      ],
    );
    const shown = survey.questions.map(({ id, type, text, options, skip }) => ({ id, type, text, options, skip }));
    const skipOf = (type, skip) => (type === "yes-no" && skip !== null ? skip === "yes" : skip);
    assert.deepEqual(
      shown,
      stated.questions.map(({ id, type, text, options = [], skip = null }) => {
        return { id, type, text, options, skip: skipOf(type, skip) };
      }),
    );
    const aims = [...text.matchAll(/"want":([0-9.]+)/g)].map(([, want]) => want);
    assert.deepEqual(survey.questions.map(({ want }) => want).filter(Boolean), aims);
    assert.deepEqual(survey.languages, [survey.lang, ...Object.keys(stated.translations ?? {}).sort()]);
    for (const lang of survey.languages) {
      assert.deepEqual(survey.words(lang), wordsOf(stated, lang));
    }
    assert.throws(() => survey.words("xx"), RangeError);
    if (vector.questions === undefined) return;
    const declared = survey.questions.map(({ id, epsilon, epsilonForever }) => [id, epsilon, epsilonForever]);
    assert.deepEqual(
      declared,
      vector.questions.map((question) => [question.id, question.epsilon, question.epsilon_forever]),
    );
  });
}

/** Return where a text is refused, or that it is not. */
async function whereRefused(bytes) {
  try {
    await readSurvey(bytes);
    return "nowhere";
  } catch (fault) {
    return fault instanceof SurveyError ? fault.where : String(fault);
  }
}

test("every text that is no survey is refused where the vectors say", async () => {
  const missed = [];
  for (const vector of SURVEYS.refused) {
    const where = await whereRefused(bytesOf(vector));
    if (where !== vector.where && where !== vector.or) missed.push({ why: vector.why, expected: vector.where, where });
  }
  assert.ok(SURVEYS.refused.length > 500);
  assert.deepEqual(missed, []);
});

/** Return the text of a survey of one question, of a vector's mechanism, that declares these epsilons. */
function declaring({ type, n_options: nOptions, mechanism }, epsilon, forever) {
  const isNumber = type === "number";
  const options = Array.from({ length: isNumber ? 0 : nOptions }, (_, number) => `option ${number}`);
  const question = [
    `"epsilon":${epsilon}`,
    ...(forever === epsilon ? [] : [`"epsilon_forever":${forever}`]),
    `"id":"a"${isNumber ? `,"maximum":${nOptions - 1}` : ""}`,
    `"mechanism":${JSON.stringify(mechanism, Object.keys(mechanism).sort())}${isNumber ? ',"minimum":0,"step":1' : ""}`,
    ...(options.length > 0 ? [`"options":${JSON.stringify(options)}`] : []),
    `"text":"Well?","type":"${type}"`,
  ];
  return utf8(`{"epsilon":${epsilon},"format":"sottovoce-survey-1","id":"s","questions":[{${question}}],"title":"T"}`);
}

test("thresholds take the epsilon that the vectors say, and a unit of 1e-12 less is refused", async () => {
  const less = (/** @type {string} */ epsilon) => writeEpsilon(parseEpsilon(epsilon) - 1n);
  for (const vector of SURVEYS.epsilons) {
    const { epsilon, epsilon_forever: forever } = vector;
    const { mechanism } = (await readSurvey(declaring(vector, epsilon, forever))).questions[0];
    assert.deepEqual([mechanism.epsilon, mechanism.epsilonForever].map(writeEpsilon), [epsilon, forever]);
    assert.equal(await whereRefused(declaring(vector, less(epsilon), forever)), "$.questions[0].epsilon");
    if (forever === epsilon) continue;
    assert.equal(await whereRefused(declaring(vector, epsilon, less(forever))), "$.questions[0].epsilon_forever");
  }
});

/** Return the survey, and the key, of a vector of a device. */
async function deviceOf({ survey, secret }) {
  return [await readSurvey(utf8(DEVICE.surveys[survey])), await importSecret(BYTES(secret))];
}

for (const [number, vector] of DEVICE.reports.entries()) {
  test(`a device makes report ${number}: ${vector.about}`, async () => {
    const [survey, key] = await deviceOf(vector);
    const { questions, fingerprint, waves } = survey;
    const encoded = survey.encode(vector.answers);
    const settled = await Promise.all(questions.map((q, index) => settle(q, encoded[index], key, fingerprint)));
    const permanent = await Promise.all(questions.map((q, index) => respond(q, settled[index], key, fingerprint)));
    assert.deepEqual(permanent.map(hex), vector.permanent);
    assert.equal(hex(await markAnswers(survey, encoded, key)), vector.marks);
    const takes = vector.coins.map((coins) => givenBytes(concat(BYTES(coins), [END])));
    const coinsOf = (/** @type {any} */ question) => new Coins(takes[questions.indexOf(question)]);
    const columns = await reportAnswers(survey, encoded, key, coinsOf);
    for (const take of takes) assert.deepEqual([...(await take(1))], [END]);
    const wave = waves > 1 ? [vector.wave >> 8, vector.wave & 255] : [];
    const stratum = new Uint8Array(survey.strata.length > 0 ? 2 : 0); // no device knows it
    assert.equal(hex(concat(wave, stratum, ...columns)), vector.record);
    const sent = wireReport(survey, BYTES(vector.id), columns, vector.wave);
    assert.deepEqual(sent.answers, vector.wire);
    const blanks = blanksAfter(survey, sent);
    assert.equal(batchBody(fingerprint, sent, blanks), vector.body);
    if (vector.invitation === undefined) return;
    assert.equal(batchBody(fingerprint, sent, blanks, parseInvitation(vector.invitation)), vector.body_with_invitation);
  });
}

test("a device draws the groups that the vectors say", async () => {
  for (const vector of DEVICE.reports) {
    const [survey, key] = await deviceOf(vector);
    for (const { id, mechanism } of survey.questions.filter(({ type }) => type === "text")) {
      const parts = ["sottovoce-group-1", survey.fingerprint, id].map(utf8);
      const context = concat(...parts.flatMap((part) => [[0, 0, 0, 0, 0, 0, 0, part.length], part]));
      const [high, low, ...pair] = await mechanism.drawGroup(new Coins(hmacBytes(key, context)));
      assert.deepEqual([256 * high + low, ...pair], vector.groups[id], `${vector.about}: ${id}`);
    }
  }
});

test("a set of options is as good as an array, and undefined as null", async () => {
  for (const vector of DEVICE.reports) {
    const [survey] = await deviceOf(vector);
    const changed = (/** @type {any} */ given) => (Array.isArray(given) ? new Set(given) : (given ?? undefined));
    const other = Object.fromEntries(Object.entries(vector.answers).map(([id, given]) => [id, changed(given)]));
    assert.deepEqual(survey.encode(other), survey.encode(vector.answers));
  }
});

for (const vector of DEVICE.charges) {
  test(`reports take what the vectors say: ${vector.about}`, async () => {
    const [survey, key] = await deviceOf(vector);
    const earlier = [];
    for (const { answers, marks, epsilon } of vector.reports) {
      const found = await markAnswers(survey, survey.encode(answers), key);
      assert.equal(hex(found), marks);
      const taken = epsilonOfReport(survey, found, earlier);
      assert.equal(writeEpsilon(taken), epsilon);
      earlier.push({ marks: found, epsilon: taken });
    }
  });
}

for (const { n_questions: n, n_drawn: nDrawn, coins, drawn } of DEVICE.draw_coins) {
  test(`coins draw ${nDrawn} of ${n} questions`, async () => {
    const take = givenBytes(concat(BYTES(coins), [END]));
    const found = await drawQuestions(n, nDrawn, new Coins(take));
    assert.deepEqual(
      [...found.keys()].filter((index) => found[index]),
      drawn,
    );
    assert.deepEqual([...(await take(1))], [END]);
  });
}

for (const vector of DEVICE.draws) {
  test(`a device draws and reports: ${vector.about}, wave ${vector.wave}`, async () => {
    const [survey, key] = await deviceOf(vector);
    const drawn = await drawnOf(survey, await importSecret(BYTES(vector.seed)));
    const asked = survey.questions.filter((_, index) => drawn[index]);
    assert.deepEqual(
      asked.map(({ id }) => id),
      vector.drawn,
    );
    const encoded = survey.encode(vector.answers, drawn);
    const marks = await markAnswers(survey, encoded, key);
    assert.equal(hex(marks), vector.marks);
    const takes = vector.coins.map((coins) => givenBytes(concat(BYTES(coins), [END])));
    const columns = await reportAnswers(survey, encoded, key, (question) => new Coins(takes[asked.indexOf(question)]));
    for (const take of takes) assert.deepEqual([...(await take(1))], [END]);
    const sent = wireReport(survey, BYTES(vector.id), columns, vector.wave);
    assert.deepEqual(sent.answers, vector.wire);
    assert.equal(batchBody(survey.fingerprint, sent, blanksAfter(survey, sent)), vector.body);
    const earlier = [];
    while (earlier.length < vector.n_earlier)
      earlier.push({ marks, epsilon: epsilonOfReport(survey, marks, earlier, drawn) });
    assert.equal(writeEpsilon(epsilonOfReport(survey, marks, earlier, drawn)), vector.epsilon);
  });
}

for (const vector of DEVICE.asked_in) {
  test(`a device draws its waves and reports in them: ${vector.about}`, async () => {
    const [survey, key] = await deviceOf(vector);
    assert.deepEqual(await wavesOf(survey, await importSecret(BYTES(vector.seed))), vector.waves);
    const encoded = survey.encode(vector.answers);
    const earlier = [];
    for (const report of vector.reports) {
      const noise = await noiseKey(survey, key, report.wave);
      const marks = await markAnswers(survey, encoded, noise);
      assert.equal(hex(marks), report.marks);
      const takes = report.coins.map((coins) => givenBytes(concat(BYTES(coins), [END])));
      const coinsOf = (question) => new Coins(takes[survey.questions.indexOf(question)]);
      const columns = await reportAnswers(survey, encoded, noise, coinsOf);
      for (const take of takes) assert.deepEqual([...(await take(1))], [END]);
      const sent = wireReport(survey, BYTES(report.id), columns, report.wave);
      assert.deepEqual(sent.answers, report.wire);
      assert.equal(batchBody(survey.fingerprint, sent, blanksAfter(survey, sent)), report.body);
      const epsilon = epsilonOfReport(survey, marks, earlier);
      assert.equal(writeEpsilon(epsilon), report.epsilon);
      earlier.push({ marks, epsilon });
    }
  });
}

test("what is no answer is refused where the vectors say, and is not quoted", async () => {
  for (const { survey: name, answers, where } of DEVICE.refused) {
    const survey = await readSurvey(utf8(DEVICE.surveys[name]));
    const isRefused = (/** @type {any} */ fault) => fault instanceof AnswerError && fault.where === where;
    assert.throws(() => survey.encode(answers), isRefused, `${name}: ${JSON.stringify(answers)}`);
  }
});

/** Return an invitation of 16 bytes as it is written, by another way than the client's. */
function written(digits) {
  const base32hex = (BigInt(`0x${digits}`) << 2n).toString(32).padStart(26, "0");
  return [...base32hex].map((digit) => "abcdefghijklmnopqrstuvwxyz234567"[Number.parseInt(digit, 32)]).join("");
}

for (const { text, bytes } of DEVICE.invitations) {
  test(`an invitation is ${bytes === null ? "refused" : "read"}: ${JSON.stringify(text)}`, () => {
    if (bytes === null) assert.throws(() => parseInvitation(text), RangeError);
    else assert.equal(parseInvitation(text), written(bytes));
  });
}

test("an open answer counts as the vectors say", () => {
  for (const { typed, counts_as: normal } of TEXT.vectors) {
    assert.equal(isAnswer(typed) ? normalise(typed) : null, normal, JSON.stringify(typed));
  }
});
