/** What a collector's reply means for a report: only its own words count. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { isBelieved, judge, lengthen, readRetryAfter } from "../src/verdict.js";

const NOON = Date.parse("2026-09-21T14:13:20Z");
const ACK = '{"counted": 1, "duplicates": 0}';

/** @param {number} status @param {string | Uint8Array} body @param {{[name: string]: string}} [headers] */
function replied(status, body, headers = {}) {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  return judge({ status, headers: new Headers(headers), body: bytes }, NOON);
}

const AGAIN = { kind: "again", holdMs: null, isAnswered: true };
const PROBLEM = { "Content-Type": "application/problem+json" };
const TYPE = "urn:sottovoce:problem:";
const DAY_MS = 86_400_000;

/** @param {string} code @param {object} [others] the text of a problem document */
const problem = (code, others = {}) => JSON.stringify({ code, type: TYPE + code, ...others });

test("a collector's own words are an acknowledgement", () => {
  for (const body of [
    ACK,
    '{"duplicates":1,"counted":0,"more":"later"}',
    '{"conflicting":0,"counted":1,"duplicates":0}',
    '{"conflicting":0,"counted":0,"duplicates":1}',
    '{"conflicting":1,"counted":0,"duplicates":1}', // the first of this id stays
  ]) {
    assert.deepEqual(replied(200, body), { kind: "counted", keys: undefined }, body);
  }
});

test("a 200 without them is none", () => {
  for (const body of [
    "",
    "<html>Welcome to the cafe</html>",
    "null",
    "5",
    "{}",
    "[1, 0]",
    '{"counted": 1}',
    '{"counted": 0, "duplicates": 0}',
    '{"counted": 1, "duplicates": 1}',
    '{"counted": 2, "duplicates": -1}',
    '{"counted": true, "duplicates": 0}',
    '{"counted": "1", "duplicates": 0}',
    '{"counted": 1, "duplicates": 0, "conflicting": 1}',
    '{"counted": 0, "duplicates": 1, "conflicting": 2}',
    '{"counted": 0, "duplicates": 1, "conflicting": -1}',
    '{"counted": 0, "duplicates": 1, "conflicting": 0.5}',
    '{"counted": 0, "duplicates": 1, "conflicting": true}',
    '{"counted": 0, "duplicates": 1, "conflicting": null}',
    "[".repeat(50_000),
    Uint8Array.of(0xff, 0xfe),
  ]) {
    assert.deepEqual(replied(200, body), AGAIN, String(body).slice(0, 80));
  }
});

test("these statuses are tried again even with an acknowledgement", () => {
  for (const status of [0, 201, 204, 301, 302, 307, 308, 408, 425, 429, 500, 502, 503, 504, 599]) {
    assert.deepEqual(replied(status, ACK), AGAIN, String(status));
    assert.deepEqual(replied(status, '{"code": "busy"}'), AGAIN, String(status));
  }
});

for (const code of ["bad_json", "bad_report", "invitation_invalid", "invitation_required", "survey_closed"]) {
  test(`${code} is final, with the collector's words`, () => {
    for (const type of [PROBLEM["Content-Type"], "Application/Problem+JSON; charset=utf-8"]) {
      for (const status of [400, 401, 403, 404, 405, 409, 411, 413, 415, 422, 451, 499]) {
        const body = problem(code, { detail: "No.", where: "$.reports[0]" });
        const said = { status, code, detail: "No.", where: "$.reports[0]" };
        assert.deepEqual(replied(status, body, { "Content-Type": type }), { kind: "refused", problem: said });
      }
    }
    const bare = { status: 400, code, detail: "", where: "" };
    assert.deepEqual(replied(400, problem(code), PROBLEM), { kind: "refused", problem: bare });
  });

  test(`${code} of anybody else, as JSON with a code, is tried again`, () => {
    const others = [
      replied(403, problem(code), { "Content-Type": "application/json" }),
      replied(403, problem(code), { "Content-Type": "text/html; application/problem+json" }),
      replied(403, problem(code)),
      ...["about:blank", code, `urn:other:problem:${code}`, `${TYPE}bad_survey`, `${TYPE}`, null, 5].map((type) =>
        replied(403, problem(code, { type }), PROBLEM),
      ),
      replied(403, JSON.stringify({ code }), PROBLEM),
    ];
    assert.deepEqual(others, Array(others.length).fill(AGAIN));
  });
}

test("what a firewall or a portal says is not the collector's word", () => {
  const body = '{"code":"access_denied","message":"blocked by policy"}';
  for (const headers of [{}, PROBLEM, { "Content-Type": "application/json" }]) {
    assert.deepEqual(replied(403, body, headers), AGAIN);
  }
});

test("what a collector says of the request, its settings or its load, and not of the report, is tried again", () => {
  const codes = ["not_found", "bad_request", "length_required", "body_too_large", "unsupported_media", "new_one"];
  for (const code of codes) assert.deepEqual(replied(404, problem(code), PROBLEM), AGAIN);
  for (const code of ["bad_report", "no_such_survey"]) {
    for (const status of [200, 302, 500, 503]) assert.deepEqual(replied(status, problem(code), PROBLEM), AGAIN);
  }
});

for (const code of ["no_such_survey", "wrong_fingerprint"]) {
  test(`${code} is a collector's that may be on a wrong database`, () => {
    const said = { status: 404, code, detail: "", where: "" };
    assert.deepEqual(replied(404, problem(code), PROBLEM), { kind: "unknown", problem: said, holdMs: null });
    const held = replied(404, problem(code), { ...PROBLEM, "Retry-After": "120" });
    assert.deepEqual(held, { kind: "unknown", problem: said, holdMs: 120_000 });
    assert.deepEqual(replied(404, problem(code), { "Content-Type": "application/json" }), AGAIN);
  });
}

test("it is believed after seven days, and no clock that is stepped makes it sooner", () => {
  const after = (/** @type {number[]} */ days) => {
    let [doubt, now] = [lengthen({}, NOON), NOON];
    for (const step of days) doubt = lengthen(doubt, (now += step * DAY_MS));
    return isBelieved(doubt);
  };
  for (const [days, isEnough] of /** @type {[number[], boolean][]} */ ([
    [[], false],
    [[1, 1, 1, 1, 1, 1, 0.99], false],
    [[1, 1, 1, 1, 1, 1, 1], true],
    [Array(14).fill(0.5), true],
    [[400], false],
    [[-400, 400], false],
    [[-400, 400, -400, 400, -400, 400], false],
    [[30, 30, 30, 30, 30, 30], false],
    [[30, 30, 30, 30, 30, 30, 30], true],
  ])) {
    assert.equal(after(days), isEnough, String(days));
  }
});

test("a client error without a problem document is not the collector's word", () => {
  for (const status of [400, 401, 403, 404, 409, 422, 451]) {
    for (const body of [
      "<html>Log in</html>",
      "",
      "{}",
      "null",
      '{"error": "no"}',
      '"code"',
      '{"code": 5, "type": "urn:sottovoce:problem:5"}',
      '{"code": "", "type": "urn:sottovoce:problem:"}',
      problem("bad_report", { detail: 5 }),
      problem("bad_report", { where: "\u0000" }),
      problem("x".repeat(3000)),
    ]) {
      assert.deepEqual(replied(status, body, PROBLEM), AGAIN, `${status} ${body.slice(0, 80)}`);
    }
  }
});

/** @type {[string | null, number | null][]} */
const ASKED = [
  ["0", 0],
  [" 120 ", 120_000],
  ["86400", 86_400_000],
  ["86401", 86_400_000],
  ["9".repeat(5000), 86_400_000],
  ["Mon, 21 Sep 2026 14:14:20 GMT", 60_000],
  ["Mon, 21 Sep 2020 14:14:20 GMT", 0],
  ["Mon, 21 Sep 2099 14:14:20 GMT", 86_400_000],
  ["-5", null],
  ["1.5", null],
  ["soon", null],
  ["", null],
  ["\u00b2", null],
  ["in 2099", null],
  ["120 seconds", null],
  ["Mon, 99 Sep 2026 99:14:20 GMT", null],
  [null, null],
];

for (const [text, milliseconds] of ASKED) {
  test(`a Retry-After of ${JSON.stringify(text)?.slice(0, 40)} asks for ${milliseconds} ms`, () => {
    assert.equal(readRetryAfter(text, NOON), milliseconds);
  });
}

test("Retry-After counts for every reply that is tried again", () => {
  for (const status of [200, 302, 429, 503]) {
    assert.deepEqual(replied(status, "", { "Retry-After": "7" }), { ...AGAIN, holdMs: 7000 });
  }
});
