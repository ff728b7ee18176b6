/** Blind invitations: the RFC's vectors, and a token before the answers; the collector here signs by node's own RSA. */

import assert from "node:assert/strict";
import { constants, createHash, createPrivateKey, generateKeyPairSync, privateDecrypt } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { blind, finish, inverse, messageOf, readKey, toText } from "../blind.min.js";
import { canonical } from "../src/documents.js";
import { longestBody } from "../src/report.js";
import { AlreadyAnswered, InvitationError, ParticipationEnded, SurveyRefused } from "../sottovoce.js";
import { ANSWERS, INVITATION, OTHER_INVITATION, TEXTS, WORDS, faultOf, newState, open, rowsOf } from "./devices.js";
import { stateText, surveyOf } from "./devices.js";
import { serveRelay } from "./gateway.js";
import { problem, repeat, serve } from "./server.js";

const VECTORS = JSON.parse(
  readFileSync(new URL("../../../tests/vectors/rfc9474.json", import.meta.url), "utf8"),
).vectors;
const invitation = INVITATION;

const bytesOf = (/** @type {string} */ digits) => Uint8Array.from(Buffer.from(digits, "hex"));
const hexOf = (/** @type {Uint8Array | null} */ bytes) => bytes && Buffer.from(bytes).toString("hex");
const textOf = (/** @type {bigint} */ number) => {
  const digits = number.toString(16);
  return Buffer.from(digits.padStart(2 * Math.ceil(digits.length / 2), "0"), "hex").toString("base64url");
};

/** A private key that node itself has, of the RFC's second vector. */
const [p, q, d] = ["p", "q", "d"].map((name) => BigInt(`0x${VECTORS[1][name]}`));
const parts = { n: p * q, e: 65537n, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi: inverse(q, p) };
const jwk = Object.fromEntries(Object.entries(parts).map(([name, number]) => [name, textOf(number)]));
const key = createPrivateKey({ key: { kty: "RSA", ...jwk }, format: "jwk" });

/** Sign whatever comes, once for an invitation and wave; another message for it is refused. */
function signer(stratum = 1, keys = [key]) {
  /** @type {Map<string, string>} */
  const signed = new Map();
  return (/** @type {import("./server.js").Seen} */ { path, body }) => {
    if (path.endsWith("/reports")) return null;
    const { invitation: code, wave, blinded } = JSON.parse(body);
    if (code === OTHER_INVITATION) {
      return path.endsWith("/check") ? { body: '{"state":"invalid"}' } : problem(403, "invitation_invalid");
    }
    if (path.endsWith("/check")) return { body: JSON.stringify({ state: "unused", stratum }) };
    const place = `${code} ${wave}`;
    if ((signed.get(place) ?? blinded) !== blinded) return problem(409, "invitation_used");
    signed.set(place, blinded);
    const signature = privateDecrypt(
      { key: keys[wave - 1], padding: constants.RSA_NO_PADDING },
      Buffer.from(blinded, "base64url"),
    );
    return { body: JSON.stringify({ signature: signature.toString("base64url"), stratum }) };
  };
}

/** Serve a blind survey. */
async function collect(
  /** @type {import("node:test").TestContext} */ t,
  /** @type {string} */ text = TEXTS.blind,
  stratum = 1,
) {
  const http = await serve(t, text);
  http.answer = signer(stratum);
  return http;
}

const steps = (/** @type {import("./server.js").FaultServer} */ http) =>
  http.posts.map((post) => post.path.split("/").at(-1));

for (const [index, vector] of VECTORS.entries()) {
  test(`a device blinds and finishes as RFC 9474's vector ${index + 1} does`, async () => {
    const modulus = BigInt(`0x${vector.n}`);
    const factor = inverse(BigInt(`0x${vector.inv}`), modulus);
    const [message, salt] = [bytesOf(vector.msg), bytesOf(vector.salt)];
    assert.equal(hexOf(await blind(message, salt, factor, modulus)), vector.blinded_msg);
    const finished = await finish(message, bytesOf(vector.blind_sig), factor, modulus, toText(bytesOf(vector.n)));
    assert.equal(hexOf(finished), salt.length > 0 ? vector.sig : null); // ours have a salt
  });
}

test("a token is fetched before the answers, and the report comes with it and without the invitation", async (t) => {
  const [http, state] = [await collect(t), newState()];
  const device = open(t, http, "lunch", { state, invitation });
  assert.equal(await device.fetchToken(), "unused");
  assert.deepEqual(steps(http), ["token"]);
  assert.ok(!(await stateText(state)).includes(INVITATION)); // with the token it is forgotten
  assert.equal(await device.isPrepared(), false);
  const draft = await device.prepare(ANSWERS);
  await draft.send();
  assert.ok(await device.flush(20_000));
  assert.deepEqual(steps(http), ["token", "reports"]);
  assert.equal(http.posts[1].body, draft.body);
  const [{ id, token, ...others }] = JSON.parse(http.posts[1].body).reports;
  assert.deepEqual(Object.keys(others), ["answers"]);
  const random = Uint8Array.from(Buffer.from(token, "base64url").subarray(0, 32));
  const { fingerprint } = await device.survey();
  const hash = createHash("sha256")
    .update(messageOf(random, fingerprint, 1))
    .digest("hex");
  assert.equal(id, hash.slice(0, 32));
  assert.equal(Buffer.from(token, "base64url").length, 288);
  assert.ok(!http.posts[0].body.includes(id));
});

test("an answer alone fetches the token too, and one device has one token however often it asks", async (t) => {
  const [http, state] = [await collect(t), newState()];
  const [first, second] = [1, 2].map(() => open(t, http, "lunch", { state, invitation }));
  http.script = [{ drop: true }]; // the reply is lost
  await faultOf(first.fetchToken());
  await Promise.all([first.fetchToken(), second.fetchToken()]);
  const receipt = await second.answer(ANSWERS);
  assert.ok(await second.flush(20_000));
  assert.equal(new Set(http.posts.filter(({ path }) => path.endsWith("token")).map(({ body }) => body)).size, 1);
  assert.deepEqual([...http.seen], [receipt.id]);
});

test("a device asks for its stratum first, and says it with the token", async (t) => {
  const http = await collect(t, TEXTS.blindStrata, 2);
  const device = open(t, http, "lunch", { invitation });
  await device.answer(ANSWERS);
  assert.ok(await device.flush(20_000));
  assert.deepEqual(steps(http), ["check", "token", "reports"]);
  assert.equal(JSON.parse(http.posts[2].body).reports[0].stratum, 2);
});

/** Serve a blind survey of three waves. @param {import("node:test").TestContext} t */
async function collectPulse(t) {
  const pairs = [2, 3].map(() => generateKeyPairSync("rsa", { modulusLength: 2048 }));
  const [first, ...others] = JSON.parse(TEXTS.blindPulse).token_keys;
  const own = pairs.map((pair) => String(pair.publicKey.export({ format: "jwk" }).n));
  const text = own.reduce((text, modulus, index) => text.replace(others[index], modulus), TEXTS.blindPulse);
  assert.ok(text.includes(first));
  const http = await serve(t, text);
  http.answer = signer(1, [key, ...pairs.map((pair) => pair.privateKey)]);
  return http;
}

test("each wave has a token, and the invitation stays until the last", async (t) => {
  const [http, state] = [await collectPulse(t), newState()];
  const early = open(t, http, "pulse", { state, invitation });
  await early.survey();
  http.script = [{ status: 500 }];
  await faultOf(early.fetchToken(2)); // its wish stays without a token
  for (const wave of [1, 3]) {
    const device = open(t, http, "pulse", { state, invitation: wave === 1 ? invitation : undefined });
    await device.fetchToken(wave);
    assert.equal((await stateText(state)).includes(INVITATION), wave < 3);
    await device.answer(WORDS, wave);
    assert.ok(await device.flush(20_000));
    device.close();
  }
  assert.equal(http.seen.size, 2);
});

/** Call `work` as soon as a post to an address of this end is there, and before it is answered. */
function atPost(
  /** @type {import("./server.js").FaultServer} */ http,
  /** @type {string} */ last,
  /** @type {() => Promise<void>} */ work,
) {
  const { answer } = http;
  http.answer = async (seen) => {
    if (seen.path.endsWith(last)) await work();
    return answer(seen);
  };
}

test("a device whose part has ended spends no token, in any wave, and asks the collector nothing", async (t) => {
  const [http, state] = [await collectPulse(t), newState()];
  const device = open(t, http, "pulse", { state, invitation });
  await device.answer(WORDS, 1);
  assert.ok(await device.flush(20_000));
  await device.fetchToken(2);
  const other = open(t, http, "pulse", { state, invitation });
  await other.survey();
  await device.forget();
  const sent = steps(http);
  for (const client of [device, other]) {
    for (const wave of [1, 2, 3]) assert.ok((await faultOf(client.fetchToken(wave))) instanceof ParticipationEnded);
    for (const wave of [2, 3]) assert.ok((await faultOf(client.prepare(WORDS, wave))) instanceof ParticipationEnded);
    assert.ok((await faultOf(client.prepare(WORDS, 1))) instanceof AlreadyAnswered);
  }
  assert.deepEqual(steps(http), sent);
  assert.deepEqual(await rowsOf(state, "secrets"), []);
});

test("what another page forgets while a token is fetched stays forgotten", async (t) => {
  const [http, state] = [await collectPulse(t), newState()];
  const [device, other] = [1, 2].map(() => open(t, http, "pulse", { state, invitation }));
  await device.answer(WORDS, 1);
  assert.ok(await device.flush(20_000));
  atPost(http, "/token", () => other.forget());
  assert.ok((await faultOf(device.fetchToken(2))) instanceof ParticipationEnded);
  assert.deepEqual(await rowsOf(state, "secrets"), []);
  assert.ok(!(await stateText(state)).includes(INVITATION));
});

test("a survey that is forgotten between the stratum and the token is sent no more", async (t) => {
  const [http, state] = [await collect(t, TEXTS.blindStrata, 2), newState()];
  const device = open(t, http, "lunch", { state, invitation });
  await device.survey();
  atPost(http, "/check", () => device.forget());
  assert.ok((await faultOf(device.fetchToken())) instanceof ParticipationEnded);
  assert.deepEqual(steps(http), ["check"]); // no token is spent
  assert.deepEqual(await rowsOf(state, "secrets"), []);
  http.answer = signer(2);
  await device.answer(ANSWERS); // a device that has made no report may still take part
});

test("a survey that is forgotten as its token is asked for spends none", async (t) => {
  const [http, state] = [await collectPulse(t), newState()];
  const device = open(t, http, "pulse", { state, invitation });
  await device.answer(WORDS, 1);
  assert.ok(await device.flush(20_000));
  const sent = steps(http);
  const asked = faultOf(device.fetchToken(2));
  await device.forget();
  assert.ok((await asked) instanceof ParticipationEnded);
  assert.deepEqual(steps(http), sent);
});

test("a wrong or used invitation is said before anything is sent, and another one mends it", async (t) => {
  const [http, state] = [await collect(t), newState()];
  const wrong = open(t, http, "lunch", { state, invitation: OTHER_INVITATION });
  assert.equal(await wrong.fetchToken(), "invalid");
  const fault = await faultOf(wrong.answer(ANSWERS));
  assert.ok(fault instanceof InvitationError);
  assert.ok(!(await stateText(state)).includes(OTHER_INVITATION)); // it may be another survey's
  assert.equal(await open(t, http, "lunch", {}).fetchToken(), "none");
  await open(t, http, "lunch", { invitation }).fetchToken(); // somebody else's device
  assert.equal(await open(t, http, "lunch", { state, invitation }).fetchToken(), "used");
  assert.ok(!(await stateText(state)).includes(INVITATION));
  const other = INVITATION.replace("m", "n");
  await open(t, http, "lunch", { state, invitation: other }).answer(ANSWERS);
});

test("a signature that does not fit the key is not used", async (t) => {
  const [http, state] = [await collect(t), newState()];
  const device = open(t, http, "lunch", { state, invitation });
  const bad = { body: JSON.stringify({ signature: toText(new Uint8Array(256).fill(7)), stratum: 1 }) };
  for (const reply of [
    bad,
    { body: "<html>" },
    { body: '{"signature":7}' },
    { body: '{"signature":"abcde"}' },
    { status: 500 },
  ]) {
    http.script = repeat(1, reply);
    const fault = await faultOf(device.fetchToken());
    assert.equal(fault.name, "DeliveryError");
  }
  assert.equal(await device.fetchToken(), "unused");
});

test("a draft of a survey without keys is shown, and never sent", async (t) => {
  const http = await serve(t, TEXTS.blindDraft);
  const draft = await open(t, http, "lunch", { invitation }).prepare(ANSWERS);
  assert.ok((await faultOf(draft.send())) instanceof SurveyRefused);
  assert.deepEqual(http.posts, []);
});

test("keys that are none, too few, or without blind invitations are refused", async () => {
  const { blind: text } = TEXTS;
  const found = /"token_keys":\["([^"]*)"\]/.exec(text) ?? [];
  assert.equal(readKey(found[1]), p * q);
  for (const keys of ["[]", `["${found[1].slice(1)}"]`, `["A${found[1].slice(1)}"]`, `["${found[1]}","${found[1]}"]`]) {
    const fault = await faultOf(surveyOf(text.replace(found[0], `"token_keys":${keys}`)));
    assert.equal(fault.where, "$.token_keys");
  }
  const plain = await faultOf(surveyOf(text.replace('"invitations":"blind",', "")));
  assert.equal(plain.where, "$"); // unknown there
  const open = await faultOf(surveyOf(text.replace('"invited":true,', "")));
  assert.equal(open.where, "$.invitations");
});

test("obliviously the check, the token and the report go through the relay, all of one size, or wait", async (t) => {
  const relay = await serveRelay(t);
  const members = { delivery: "oblivious", relay: relay.url, gateway_key: relay.signer.gatewayKey };
  const strata = JSON.parse(TEXTS.blindStrata);
  const http = await serve(t, canonical({ ...strata, token_keys: strata.token_keys.toReversed(), ...members }));
  const sign = signer(1);
  relay.answer = (path, body) => {
    if (path.endsWith("/reports")) return { counted: 1, duplicates: 0 };
    return JSON.parse(/** @type {any} */ (sign(/** @type {any} */ ({ path, body }))).body);
  };
  const device = open(t, http, "lunch", { invitation });
  relay.script = [{ status: 502 }, { status: 502 }];
  assert.equal((await faultOf(device.fetchToken())).name, "DeliveryError");
  assert.equal((await faultOf(device.prepare(ANSWERS))).name, "DeliveryError");
  assert.equal(await device.fetchToken(), "unused");
  const draft = await device.prepare(ANSWERS);
  await draft.send();
  assert.ok(await device.flush(20_000));
  assert.deepEqual(http.posts, []); // nothing went directly
  assert.deepEqual(
    relay.asked.map(({ path }) => path.split("/").at(-1)),
    ["check", "token", "reports"],
  );
  assert.equal(relay.asked[2].body, draft.body);
  assert.equal(new Set(relay.sealed.map(({ length }) => length)).size, 1);
});

test("a blind survey's longest report is with its token and stratum, as in Python", async () => {
  for (const [name, nBytes] of Object.entries({ blind: 581, blindStrata: 593 })) {
    assert.equal(longestBody(await surveyOf(TEXTS[name])), nBytes);
  }
});
