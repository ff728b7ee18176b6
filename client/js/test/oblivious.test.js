/** Oblivious delivery: the standards' vectors, and a client whose every exchange goes through a relay or nowhere. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { readResponse, writeRequest } from "../oblivious/bhttp.js";
import { encapsulate } from "../oblivious/encapsulation.js";
import { paddedRequest } from "../oblivious/size.js";
import { readConfiguration, readKeys } from "../oblivious/keys.js";
import { describe } from "../form/faults.js";
import { canonical } from "../src/documents.js";
import { SurveyClient } from "../sottovoce.js";
import { file } from "../src/late-file.js";
import { ANSWERS, INVITATION, TEXTS, changeRows, faultOf, newState, open, rowsOf, surveyOf, until } from "./devices.js";
import { KEY_PROBLEM, newKeys, newSigner, serveRelay } from "./gateway.js";
import { problem, repeat, serve } from "./server.js";

const vectors = (name) =>
  JSON.parse(readFileSync(new URL(`../../../tests/vectors/${name}.json`, import.meta.url), "utf8")).vectors;
const bytes = (hex) => new Uint8Array(Buffer.from(hex, "hex"));
const hexOf = (found) => Buffer.from(found).toString("hex");
const RESPONSE = { headers: { "content-type": "message/ohttp-res" } };

test("a request in binary HTTP is that of RFC 9292, section 5", () => {
  const [{ message }] = vectors("rfc9292");
  const lines = [
    ["user-agent", "curl/7.16.3 libcurl/7.16.3 OpenSSL/0.9.7l zlib/1.2.3"],
    ["host", "www.example.com"],
    ["accept-language", "en, mi"],
  ];
  const written = writeRequest("GET", "", "/hello.txt", lines, "");
  assert.equal(hexOf(written), message);
  assert.equal(hexOf(writeRequest("GET", "", "/hello.txt", lines, "", 200)), message.padEnd(400, "0"));
});

test("a response in binary HTTP is read as RFC 9292 has it, and nothing else is", () => {
  const { message } = vectors("rfc9292")[2];
  const { status, body, lines } = readResponse(bytes(message));
  assert.deepEqual([status, String(Buffer.from(body)), lines], [200, "This content contains CRLF.\r\n", []]);
  const told = "01" + "4066" + "02" + "0161" + "40c8" + "04" + "0161" + "0162" + "00"; // behind an informational one
  assert.deepEqual(readResponse(bytes(told)).lines, [["a", "b"]]);
  assert.equal(readResponse(bytes("0140c8")).status, 200);
  assert.equal(readResponse(bytes("0140c80000000000")).status, 200);
  for (const wrong of ["", "00", "0340c8", "01", "0140c805", "0140c8000000000001", "014063", "0142580000"]) {
    assert.throws(() => readResponse(bytes(wrong)), RangeError, wrong);
  }
  for (let end = 1; end < message.length / 2 - 14; end += 1) {
    if (end !== 3 && end !== 4 && end !== 34)
      assert.throws(() => readResponse(bytes(message).slice(0, end)), RangeError);
  }
});

test("a request is encapsulated, and its response opened, as in RFC 9458, appendix A, to the byte", async (t) => {
  const [vector] = vectors("rfc9458");
  const config = bytes(vector.key_config);
  const list = new Uint8Array([config.length >> 8, config.length & 255, ...config]);
  const [key] = readKeys(list);
  assert.equal(key.id, 1);
  const ephemeral = await importX25519(vector.skE, vector.encapsulated_request.slice(14, 78));
  t.mock.method(crypto.subtle, "generateKey", async () => ephemeral);
  const { sealed, open } = await encapsulate(key, bytes(vector.request));
  assert.equal(hexOf(sealed), vector.encapsulated_request);
  assert.equal(hexOf(await open(bytes(vector.encapsulated_response))), vector.response);
  const changed = bytes(vector.encapsulated_response);
  changed[20] ^= 1;
  await assert.rejects(open(changed));
  await assert.rejects(open(changed.slice(0, 10)));
});

/** @returns {Promise<any>} a key pair of its two halves */
async function importX25519(privateHex, publicHex) {
  const [d, x] = [privateHex, publicHex].map((half) => Buffer.from(half, "hex").toString("base64url"));
  const jwk = { kty: "OKP", crv: "X25519", x };
  return {
    privateKey: await crypto.subtle.importKey("jwk", { ...jwk, d }, "X25519", false, ["deriveBits"]),
    publicKey: await crypto.subtle.importKey("jwk", jwk, "X25519", true, []),
  };
}

test("of a list of keys those that nothing here can use are passed over, and a broken list is none", async () => {
  const { list } = await newKeys();
  const other = [0, 12, 9, 0, 0x30, 1, 2, 3, 4, 5, 6, 7, 8, 9]; // X25519 with ML-KEM, or whatever comes
  assert.deepEqual(
    readKeys(new Uint8Array([...other, ...list])).map(({ id }) => id),
    [0], // and that of P-256, with which a request would be longer
  );
  const chacha = list.slice(0, 43);
  chacha[42] = 3;
  assert.deepEqual(readKeys(chacha), []);
  assert.throws(() => readKeys(list.slice(0, 50)), RangeError);
});

test("a key configuration's signature is checked", async () => {
  const [signer, other, { list }] = [await newSigner(), await newSigner(), await newKeys()];
  const signed = JSON.parse(await signer.sign(7, list));
  const { epoch, keys, digest } = await readConfiguration(signed, signer.gatewayKey);
  assert.deepEqual([epoch, keys.length, /^[0-9a-f]{64}$/.test(digest)], [7, 1, true]);
  await assert.rejects(readConfiguration(signed, other.gatewayKey), RangeError);
  for (const changed of [{ epoch: 8 }, { until: "2998-12-31" }, { signature: "0".repeat(128) }]) {
    await assert.rejects(readConfiguration({ ...signed, ...changed }, signer.gatewayKey), RangeError);
  }
  for (const broken of [null, [], {}, { ...signed, epoch: 0 }, { ...signed, keys: 'a"' }, { ...signed, until: 1 }]) {
    assert.equal(await readConfiguration(broken, signer.gatewayKey), null);
  }
});

/** A collector that is asked for its survey alone, a relay, and a client. */
async function oblivious(t, options = {}, name = "lunch") {
  const relay = await serveRelay(t, options.signer, options.keys);
  const members = { delivery: "oblivious", relay: relay.url, gateway_key: relay.signer.gatewayKey };
  const text = canonical({ ...JSON.parse(TEXTS[name]), ...members });
  const http = await serve(t, text);
  const state = options.state ?? newState();
  const device = open(t, http, "lunch", { state, ...options.client });
  return { relay, http, state, device };
}

/** Nothing but the survey was asked of the collector itself. */
function assertNothingDirect(http) {
  assert.deepEqual([http.posts, [...new Set(http.gets.map(({ path }) => path))]], [[], ["/v1/surveys/lunch"]]);
}

test("a survey says that it is delivered obliviously, and needs a relay and a key for that", async () => {
  const usual = JSON.parse(TEXTS.lunch);
  const members = { delivery: "oblivious", relay: "https://relay.example", gateway_key: "ab".repeat(32) };
  const survey = await surveyOf(canonical({ ...usual, ...members }));
  assert.deepEqual([survey.delivery, survey.relay, survey.gatewayKey], Object.values(members));
  const plain = await surveyOf(TEXTS.lunch);
  assert.deepEqual([plain.delivery, plain.relay, plain.gatewayKey], ["direct", "", ""]);
  /** @type {[string, object][]} */
  const wrong = [
    ["$.relay", { relay: undefined }],
    ["$.gateway_key", { gateway_key: undefined }],
    ["$.gateway_key", { gateway_key: "AB".repeat(32) }],
    ["$.delivery", { delivery: "post" }],
    ["$", { delivery: "direct" }],
    ["$", { delivery: undefined }],
  ];
  for (const [where, changed] of wrong) {
    const stated = JSON.parse(JSON.stringify({ ...usual, ...members, ...changed }));
    const fault = await faultOf(surveyOf(canonical(stated)));
    assert.deepEqual([fault.name, fault.where], ["SurveyError", where]);
  }
});

test("reports, checks and erasures go through the relay, all of one size, and nothing else goes anywhere", async (t) => {
  const told = [];
  const { relay, http, state, device } = await oblivious(
    t,
    { client: { invitation: INVITATION, resendDays: 7, onDelivered: (receipt) => told.push(receipt) } },
    "invited",
  );
  assert.deepEqual(await device.checkInvitation(INVITATION), { state: "unused" });
  const draft = await device.prepare(ANSWERS);
  const { id, keys } = await draft.send();
  assert.ok(await device.flush(20_000));
  assert.deepEqual(await device.resend(), [id]);
  assert.ok(await device.flush(20_000));
  assert.equal(await device.erase(id), true);
  assert.equal(await open(t, http, "lunch").erase("0".repeat(32)), true); // a receipt that this device does not know
  assertNothingDirect(http);
  const { host } = new URL(http.url);
  assert.deepEqual(
    relay.asked.map(({ path, body }) => [path, body]),
    [
      ["/v1/surveys/lunch/invitations/check", JSON.stringify({ invitation: INVITATION, wave: 1 })],
      ["/v1/surveys/lunch/reports", draft.body],
      ["/v1/surveys/lunch/reports", draft.body],
      ["/v1/surveys/lunch/erase", JSON.stringify({ receipt: id })],
      ["/v1/surveys/lunch/erase", JSON.stringify({ receipt: "0".repeat(32) })],
    ],
  );
  for (const { host: named, headers, message } of relay.asked) {
    assert.deepEqual([named, headers, message.length], [host, [["content-type", "application/json"]], 1024]);
  }
  assert.equal(new Set(relay.sealed.map(String)).size, 5);
  assert.equal(new Set(relay.sealed.map(({ length }) => length)).size, 1);
  const { digest, epoch } = (await rowsOf(state, "gateways"))[0];
  const [kept] = await device.answered();
  assert.deepEqual([keys, kept.keys, told[0].keys, epoch], ["", digest, digest, 1]);
});

test("all requests of a survey are as long as its longest report needs, as in Python", () => {
  const sizes = { 690: 1024, 691: 2048, 1714: 2048, 1715: 4096, 32432: 32768, 32433: 65536 }; // by padded_size
  for (const [nBytes, size] of Object.entries(sizes)) {
    const via = { relay: "", key: "", url: "https://collector.example:8000/below", nBytes: Number(nBytes) };
    for (const [last, body] of [
      ["reports", "x".repeat(via.nBytes)],
      ["erase", "{}"],
    ]) {
      assert.equal(paddedRequest(via, `/v1/surveys/lunch/${last}`, body).length, size);
    }
  }
});

/** Let WebCrypto know nothing of an algorithm, as browsers do that are older than it. */
function without(t, algorithm) {
  const known = crypto.subtle.importKey.bind(crypto.subtle);
  t.mock.method(crypto.subtle, "importKey", (...given) => {
    if ([given[2], given[2].name].includes(algorithm)) throw new DOMException("", "NotSupportedError");
    return known(...given);
  });
}

test("a browser that is too old is told so before anything is answered, in words for respondents", async (t) => {
  const { relay, http, device } = await oblivious(t);
  without(t, "Ed25519");
  const fault = await faultOf(device.answer(ANSWERS));
  assert.equal(fault.name, "SurveyRefused");
  const { text, said } = describe((text) => text, fault);
  assert.equal(text, "Please try again, or use another browser.");
  assert.match(said, /^An oblivious survey needs Chrome or Edge 137, Firefox 130, Safari 17, or a newer browser\./);
  assert.doesNotMatch(describe((text) => text, { name: "SurveyRefused", message: "" }).text, /browser\.$/);
  assert.deepEqual([relay.sealed, await device.pending()], [[], []]);
  assertNothingDirect(http);
});

test("what cannot be encrypted waits", async (t) => {
  const { relay, http, device } = await oblivious(t);
  without(t, "X25519");
  const { id } = await device.answer(ANSWERS);
  assert.equal(await device.flush(100), false);
  assert.deepEqual([await device.pending(), relay.sealed], [[id], []]);
  assertNothingDirect(http);
});

/** What a relay can do in place of the gateway's answer. @type {{[name: string]: any}} */
const FAULTS = {
  "drops the connection": "drop",
  "is slower than the client waits": "hang",
  "answers a login page": { body: "<html>Log in</html>", headers: { "content-type": "text/html" } },
  "says that the survey is closed": problem(400, "survey_closed"),
  "says that the survey is unknown": problem(404, "no_such_survey"),
  "says that the report was counted": { body: '{"counted":1,"duplicates":0}', ...RESPONSE },
  "is busy": { status: 503 },
  "cuts the answer short": ({ body }) => ({ body: body.subarray(0, 100), ...RESPONSE }),
  "answers nothing": { ...RESPONSE },
};

for (const [name, fault] of Object.entries(FAULTS)) {
  test(`where the relay ${name}, the report waits, and is encrypted anew`, async (t) => {
    const timeoutMs = fault === "hang" ? 300 : 30_000;
    const { relay, http, state, device } = await oblivious(t, { client: { timeoutMs } });
    relay.script = repeat(50, fault);
    const { id } = await device.answer(ANSWERS);
    await until(async () => relay.sealed.length > 0);
    assert.equal(await device.flush(50), false);
    assert.deepEqual([await device.pending(), await device.rejected()], [[id], []]);
    relay.script = [];
    await changeRows(state, "outbox", (report) => ({ ...report, notBefore: 0, isHeld: false }));
    assert.ok(await device.flush(20_000));
    assertNothingDirect(http);
    assert.ok(relay.sealed.length > 1);
    assert.equal(new Set(relay.sealed.map(String)).size, relay.sealed.length);
    assert.equal(new Set(relay.asked.map(({ body }) => body)).size, 1);
  });
}

test("an answer that is another request's is no answer", async (t) => {
  const { relay, device } = await oblivious(t);
  let earlier;
  relay.script = [(reply) => (earlier = reply), () => earlier];
  assert.ok(await device.erase("0".repeat(32)));
  const fault = await faultOf(device.erase("1".repeat(32)));
  assert.equal(fault.name, "DeliveryError");
});

test("a relay that cannot be reached is waited for: nothing is sent straight", async (t) => {
  const { relay, http, device } = await oblivious(t);
  await relay.close();
  const { id } = await device.answer(ANSWERS); // the survey is answered all the same
  assert.equal(await device.flush(100), false);
  assert.deepEqual(await device.pending(), [id]);
  assert.equal((await faultOf(device.erase(id))).name, "DeliveryError");
  globalThis.dispatchEvent?.(new Event("pagehide"));
  assertNothingDirect(http);
});

test("a file that cannot be loaded is waited for, too", async (t) => {
  t.mock.method(file, "load", () => Promise.reject(new TypeError("404")));
  const { http, device } = await oblivious(t);
  const { id } = await device.answer(ANSWERS);
  assert.equal(await device.flush(100), false);
  const fault = await faultOf(device.erase(id));
  assert.deepEqual([fault.name, fault.message], ["DeliveryError", "oblivious.min.js cannot be loaded."]);
  assertNothingDirect(http);
});

test("keys that the gateway does not take are fetched once more, and no oftener", async (t) => {
  const { relay, device } = await oblivious(t);
  const refused = {
    status: 400,
    body: JSON.stringify(KEY_PROBLEM),
    headers: { "content-type": "application/problem+json" },
  };
  relay.script = [refused];
  assert.ok(await device.erase("0".repeat(32)));
  assert.deepEqual([relay.nKeys, relay.sealed.length], [2, 2]);
  relay.script = [refused, refused, refused];
  assert.equal(await device.erase("0".repeat(32)), false);
  assert.deepEqual([relay.nKeys, relay.sealed.length], [3, 4]);
});

test("two key configurations of one epoch are refused and named, until there is a higher one", async (t) => {
  const { relay, http, state, device } = await oblivious(t);
  await device.answer(ANSWERS);
  assert.ok(await device.flush(20_000));
  const [{ digest }] = await rowsOf(state, "gateways");
  const [first, hour] = [relay.keys, performance.now() + 3_600_000];
  t.mock.method(performance, "now", () => hour); // they are asked for again
  for (const keys of [await newKeys(), first]) {
    relay.keys = keys; // the first again, too: one of the two is for this device alone
    const next = open(t, http, "lunch", { state });
    const fault = await faultOf(next.survey());
    const { other } = (await rowsOf(state, "gateways"))[0];
    assert.equal(fault.name, "SurveyRefused");
    assert.match(fault.message, /two key configurations of one epoch \(1\)/);
    assert.ok(fault.message.includes(digest) && fault.message.includes(other));
    assert.equal((await faultOf(next.erase("0".repeat(32)))).name, "SurveyRefused");
  }
  assert.equal(relay.sealed.length, 1);
  relay.epoch = 2;
  assert.ok(await open(t, http, "lunch", { state }).survey());
  relay.epoch = 1;
  t.mock.method(performance, "now", () => 2 * hour);
  const older = open(t, http, "lunch", { state });
  assert.ok(await older.survey()); // it may be answered; what is sent waits
  assert.equal((await faultOf(older.erase("0".repeat(32)))).name, "DeliveryError");
  assert.equal(relay.sealed.length, 1);
});

test("a report that waits is not sent with keys that are refused, and others of the device are", async (t) => {
  const { relay, http, state, device } = await oblivious(t);
  relay.script = [{ status: 503, headers: { "retry-after": "3600" } }];
  const { id } = await device.answer(ANSWERS);
  await until(async () => (await rowsOf(state, "outbox"))[0].nAttempts > 0);
  device.close();
  const nSent = relay.sealed.length;
  relay.script = [];
  relay.keys = await newKeys();
  const hour = performance.now() + 3_600_000;
  t.mock.method(performance, "now", () => hour);
  await changeRows(state, "outbox", (report) => ({ ...report, notBefore: 0, isHeld: false }));
  const plain = await serve(t, TEXTS.lunch);
  const other = open(t, plain, "lunch", { state });
  await other.answer(ANSWERS);
  assert.equal(await other.flush(300), false);
  assert.deepEqual([await other.pending(), relay.sealed.length, plain.seen.size], [[id], nSent, 1]);
  assertNothingDirect(http);
});

for (const [name, changed, kind] of [
  ["are not signed by the survey's key", { signer: true }, "SurveyRefused"],
  ["are over", { until: "2020-01-01" }, "DeliveryError"],
  ["do not come", { signed: { body: "<html>" } }, "DeliveryError"],
]) {
  test(`nothing is sent with keys that ${name}`, async (t) => {
    const { relay, device } = await oblivious(t);
    if (changed.signer) relay.signer = { ...relay.signer, sign: (await newSigner()).sign };
    else Object.assign(relay, changed);
    assert.equal((await faultOf(device.erase("0".repeat(32)))).name, kind);
    assert.deepEqual(relay.sealed, []);
  });
}

test("an app may name another relay, and none that is not encrypted on its way", async (t) => {
  const { relay, http } = await oblivious(t);
  const other = await serveRelay(t, relay.signer, relay.keys);
  const device = open(t, http, "lunch", { relayUrl: other.url });
  await device.answer(ANSWERS);
  assert.ok(await device.flush(20_000));
  assert.deepEqual([relay.sealed.length, other.sealed.length], [0, 1]);
  assertNothingDirect(http);
  const bare = open(t, http, "lunch", { relayUrl: "http://relay.example" });
  assert.equal((await faultOf(bare.survey())).name, "SurveyRefused");
});
