/** What a collector's reply means for a report: only its own words count. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { judge, readRetryAfter } from "../src/verdict.js";

const NOON = Date.parse("2026-09-21T14:13:20Z");
const ACK = '{"counted": 1, "duplicates": 0}';

/** @param {number} status @param {string | Uint8Array} body @param {{[name: string]: string}} [headers] */
function replied(status, body, headers = {}) {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  return judge({ status, headers: new Headers(headers), body: bytes }, NOON);
}

const AGAIN = { kind: "again", holdMs: null };

test("a collector's own words are an acknowledgement", () => {
  for (const body of [
    ACK,
    '{"duplicates":1,"counted":0,"more":"later"}',
    '{"conflicting":0,"counted":1,"duplicates":0}',
    '{"conflicting":0,"counted":0,"duplicates":1}',
    '{"conflicting":1,"counted":0,"duplicates":1}', // the first of this id stays
  ]) {
    assert.deepEqual(replied(200, body), { kind: "counted" }, body);
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

test("other client errors are final with their problem", () => {
  for (const status of [400, 401, 403, 404, 405, 409, 411, 413, 415, 422, 451, 499]) {
    const body = '{"code": "bad_report", "detail": "No.", "where": "$.reports[0]"}';
    const problem = { status, code: "bad_report", detail: "No.", where: "$.reports[0]" };
    assert.deepEqual(replied(status, body), { kind: "refused", problem });
  }
  const bare = { status: 400, code: "x", detail: "", where: "" };
  assert.deepEqual(replied(400, '{"code": "x"}'), { kind: "refused", problem: bare });
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
      '{"code": 5}',
      '{"code": ""}',
      '{"code": "x", "detail": 5}',
      '{"code": "x\\u0000"}',
      `{"code": "${"x".repeat(3000)}"}`,
    ]) {
      assert.deepEqual(replied(status, body), AGAIN, `${status} ${body.slice(0, 80)}`);
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
    assert.deepEqual(replied(status, "", { "Retry-After": "7" }), { kind: "again", holdMs: 7000 });
  }
});
