/** Arguments: whatever is outside its domain is a TypeError or a RangeError that names it and quotes nothing secret. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { StateError, SurveyClient } from "../sottovoce.js";
import { ANSWERS, INVITATION, TEXTS, WORDS, faultOf, open, surveyOf } from "./devices.js";
import { serve } from "./server.js";

const URL = "http://127.0.0.1:1";
const CANARY = "secret-9317";
const DAYS_7_MS = 604_800_000;

const ADDRESSES = [
  "",
  "ftp://x",
  "file:///etc/passwd",
  "//x",
  "x",
  "http://",
  `http://me:${CANARY}@x`,
  `HTTPS://${CANARY}@x`,
  `http://x?q=${CANARY}`,
  `http://x#${CANARY}`,
  "http://x y",
  "http://x:99999",
  "javascript:alert(1)",
  3,
  {},
  [URL],
];

/** @type {{[option: string]: unknown[]}} */
const OPTIONS = {
  relayUrl: ADDRESSES,
  maxEpsilon: [0, -1, NaN, Infinity, "", "much", "1e3", "-1", true, {}, [], "0.000", 1e-13, 1e21],
  maxPeriodEpsilon: [0, -1, NaN, Infinity, true, "NaN"],
  periodDays: [0, -1, 1.5, NaN, Infinity, "30", true, 36_501, null],
  timeoutMs: [0, -1, NaN, Infinity, "10", true, DAYS_7_MS + 1, null],
  maxDelayMs: [-1, -1e-9, NaN, Infinity, -Infinity, "60", true, DAYS_7_MS + 1, null],
  invitation: [
    "",
    CANARY,
    INVITATION.slice(0, -1),
    `${INVITATION}a`,
    `${INVITATION.slice(0, -1)}5`,
    5,
    true,
    [INVITATION],
  ],
  fingerprint: ["", CANARY, "f".repeat(63), "g".repeat(64), "F".repeat(64), 5, true, null, ["f".repeat(64)]],
  state: ["", 5, true, null, {}, ["device"]],
  onDelivered: ["print", 5, true, null, {}],
  onRejected: ["print", 5, true, null, {}],
};

/** @returns {any} what a call throws */
function thrownBy(/** @type {() => unknown} */ call) {
  try {
    call();
  } catch (fault) {
    return fault;
  }
  return undefined;
}

function assertNamed(/** @type {any} */ fault, /** @type {string} */ name, /** @type {unknown} */ value) {
  const about = `${name} = ${JSON.stringify(value)}: ${fault}`;
  assert.ok(fault instanceof TypeError || fault instanceof RangeError, about);
  assert.ok(fault.message.startsWith(`${name} must be `), about);
  assert.ok(!fault.message.includes(CANARY), about);
}

for (const [option, values] of Object.entries(OPTIONS)) {
  test(`a ${option} outside its domain is refused at once`, () => {
    for (const value of values) {
      assertNamed(
        thrownBy(() => new SurveyClient(URL, "lunch", { [option]: value })),
        option,
        value,
      );
    }
  });
}

test("a collector's address must be http:// or https:// and hold no secret", () => {
  for (const url of [...ADDRESSES, undefined, null]) {
    assertNamed(
      thrownBy(() => new SurveyClient(/** @type {any} */ (url), "lunch")),
      "url",
      url,
    );
  }
});

test("a survey's id must be one", () => {
  for (const id of ["", "../lunch", "Lunch", "a b", "-a", "x".repeat(65), undefined, null, 5, ["lunch"]]) {
    assertNamed(
      thrownBy(() => new SurveyClient(URL, /** @type {any} */ (id))),
      "surveyId",
      id,
    );
  }
});

test("an option that there is not is refused: one that is misspelt would protect nobody", () => {
  for (const option of ["max_epsilon", "fingerPrint", "maxepsilon", "timeout_ms"]) {
    const fault = thrownBy(() => new SurveyClient(URL, "lunch", /** @type {any} */ ({ [option]: CANARY })));
    assert.ok(fault instanceof TypeError, option);
    assert.ok(fault.message.includes(`'${option}'`) && !fault.message.includes(CANARY), fault.message);
  }
  for (const options of [null, "state"]) {
    assert.ok(thrownBy(() => new SurveyClient(URL, "lunch", /** @type {any} */ (options))) instanceof TypeError);
  }
});

test("where there is no WebCrypto, as on a page without https:// or in an old Node.js, it says what is needed", (t) => {
  const own = /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(globalThis, "crypto"));
  t.after(() => Object.defineProperty(globalThis, "crypto", own));
  for (const crypto of [undefined, {}]) {
    Object.defineProperty(globalThis, "crypto", { value: crypto, configurable: true });
    const fault = thrownBy(() => new SurveyClient(URL, "lunch"));
    assert.ok(fault instanceof StateError);
    assert.match(fault.message, /needs WebCrypto: a page at https:\/\/ or localhost, or Node\.js 20 or newer\./);
  }
});

test("what is at the edge of its domain is accepted", async (t) => {
  const { fingerprint } = await surveyOf(TEXTS.lunch);
  const allowed = [
    {},
    { maxEpsilon: "0.000000000001", maxPeriodEpsilon: 1e20, periodDays: 1, timeoutMs: 1, maxDelayMs: 0 },
    { maxEpsilon: 0.1, periodDays: 36_500, timeoutMs: DAYS_7_MS, maxDelayMs: DAYS_7_MS },
    { maxDelayMs: 0.5, fingerprint, invitation: INVITATION.toUpperCase(), state: "x", relayUrl: "HTTP://x:80/a/" },
    { maxEpsilon: undefined, fingerprint: undefined, invitation: undefined, relayUrl: undefined, state: undefined },
  ];
  for (const options of allowed) {
    const device = new SurveyClient(URL, "lunch", { state: ":memory:", ...options });
    t.after(() => device.close());
  }
});

test("a wave that the survey has not is a RangeError that says which there are", async (t) => {
  const http = await serve(t, TEXTS.pulse);
  const device = open(t, http, "pulse");
  for (const wave of [0, 4, -1, true, 1.5, "1", null, NaN, [1]]) {
    for (const call of [device.prepare, device.answer]) {
      const fault = await faultOf(call.call(device, WORDS, /** @type {any} */ (wave)));
      assert.ok(fault instanceof RangeError, String(fault));
      assert.equal(fault.message, "wave must be an integer in [1, 3].");
    }
  }
  assert.deepEqual(await device.pending(), []);
  assert.deepEqual(await device.answered(), []);
});

test("the arguments of flush and resend are held to their domains too", async (t) => {
  const http = await serve(t, TEXTS.lunch);
  const device = open(t, http, "lunch");
  for (const timeoutMs of [-1, NaN, Infinity, "5", null, DAYS_7_MS + 1]) {
    assertNamed(await faultOf(device.flush(/** @type {any} */ (timeoutMs))), "timeoutMs", timeoutMs);
  }
  for (const invitation of ["", CANARY, null, 5]) {
    assertNamed(await faultOf(device.resend(/** @type {any} */ (invitation))), "invitation", invitation);
  }
});

test("a timeout that is no whole number of milliseconds is one", async (t) => {
  const http = await serve(t, TEXTS.lunch);
  const device = open(t, http, "lunch", { timeoutMs: 5000.5 });
  await device.answer(ANSWERS);
  assert.ok(await device.flush(5000.5));
});

test("a limit means what is written, to the last digit", async (t) => {
  const http = await serve(t, TEXTS.lunch);
  for (const maxEpsilon of ["3.098612288669", 3.098612288669]) {
    assert.ok(await open(t, http, "lunch", { maxEpsilon }).answer(ANSWERS));
  }
  for (const maxEpsilon of ["3.098612288668", 3.098612288668]) {
    const fault = await faultOf(open(t, http, "lunch", { maxEpsilon }).answer(ANSWERS));
    assert.match(fault.message, /takes epsilon 3\.098612288669, above maxEpsilon \(3\.098612288668\)\.$/);
  }
});
