/**
 * The client for React Native, in a realm that has what its engine has: no WebCrypto, no IndexedDB, no TextEncoder, no
 * btoa, no URL, a fetch without streams. A store of the app's own holds the state.
 */

import assert from "node:assert/strict";
import { createHash, createHmac, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createContext, runInContext } from "node:vm";
import { btoa as nativeBtoa, URL as NativeURL } from "../native/globals.js";
import { hmacSha256, sha256 } from "../native/sha256.js";
import { decode, encode } from "../native/utf8.js";
import { Folder, SurveyClient as NodeClient } from "../programs/node.js";
import { canonical } from "../src/documents.js";
import { ANSWERS, CANARY, TEXTS, WORDS, faultOf } from "./devices.js";
import { serve } from "./server.js";

const PROGRAM = readFileSync(new URL("../programs/react-native.js", import.meta.url), "utf8");
const EXPORTS = /^export \{([^}]*)\};\s*$/m.exec(PROGRAM)[1].replace(/(\w+) as (\w+)/g, "$2: $1");

/** An app: what the module exports, in a realm of its own. */
function launch() {
  const fetched = async (url, options) => {
    const response = await fetch(url, options);
    return { status: response.status, headers: response.headers, text: () => response.text() };
  };
  const realm = createContext({ AbortController, clearTimeout, console, fetch: fetched, setTimeout });
  const module = `(() => {${PROGRAM.replace(/^export \{[^}]*\};\s*$/m, "")}\nreturn {${EXPORTS}};})()`;
  return runInContext(module, realm);
}

const getRandomValues = (bytes) => void bytes.set(randomBytes(bytes.length));

/** AsyncStorage, as far as it is used. */
function newStore(texts = new Map()) {
  return { texts, getItem: async (key) => texts.get(key) ?? null, setItem: async (key, text) => texts.set(key, text) };
}

const clientOf = (t, http, state, surveyId = "lunch", options = {}) => {
  const client = new (launch().SurveyClient)(http.url, surveyId, { state, getRandomValues, ...options });
  t.after(() => client.close());
  return client;
};

test("an app answers and delivers; started again it knows its report, and no answer is in its store", async (t) => {
  const [http, store] = [await serve(t, TEXTS.pulse), newStore()];
  const delivered = [];
  const client = clientOf(t, http, store, "pulse", { onDelivered: ({ id }) => delivered.push(id) });
  const { id } = await client.answer({ ...WORDS, word: CANARY });
  assert.equal(await client.flush(), true);
  assert.deepEqual([delivered, http.seen], [[id], new Set([id])]);
  assert.equal(await client.isDurable(), true);
  const again = clientOf(t, http, store, "pulse");
  assert.equal((await again.answer({ ...WORDS, word: CANARY })).id, id);
  assert.equal((await faultOf(again.answer(WORDS))).name, "AlreadyAnswered");
  const [text] = store.texts.values();
  for (const hidden of [CANARY, WORDS.word]) assert.ok(!text.includes(hidden));
});

test("the same state gives the same report as on Node: its hashes, coins and texts are the same", async (t) => {
  const [http, path] = [await serve(t, TEXTS.pulse), join(await mkdtemp(join(tmpdir(), "sotto-rn-")), "state")];
  const other = new NodeClient(http.url, "pulse", { state: path });
  t.after(() => other.close());
  const answers = { ...WORDS, word: CANARY };
  const { body } = await other.prepare(answers);
  const { text } = await new Folder(path).read();
  const client = clientOf(t, http, newStore(new Map([["sottovoce", `7 ${text}`]])), "pulse");
  assert.equal((await client.prepare(answers)).body, body);
});

test("two clients of one app share a state, and make one report", async (t) => {
  const [http, store, { SurveyClient }] = [await serve(t, TEXTS.lunch), newStore(), launch()];
  const made = [1, 2].map(() => new SurveyClient(http.url, "lunch", { state: store, getRandomValues }));
  t.after(() => made.forEach((client) => client.close()));
  const receipts = await Promise.all(made.map((client) => client.answer(ANSWERS).catch(({ receipt }) => receipt)));
  assert.equal(receipts[0].id, receipts[1].id);
});

test("without entropy, with one that fills nothing, or without a store, an app is told at once", async (t) => {
  const http = await serve(t, TEXTS.lunch);
  for (const [options, said] of [
    [{ getRandomValues: undefined }, /no source of entropy/],
    [{ getRandomValues: () => undefined }, /left zeros/],
    [{ state: "sottovoce" }, /a store with getItem and setItem/],
  ]) {
    assert.throws(() => clientOf(t, http, newStore(), "lunch", options), said);
  }
  const damaged = clientOf(t, http, newStore(new Map([["sottovoce", "nothing of ours"]])));
  assert.match((await faultOf(damaged.answer(ANSWERS))).message, /state sottovoce cannot be used \(it is damaged\)/);
});

test("a survey that goes through a relay is refused, as there is nothing to encrypt with", async (t) => {
  const members = { delivery: "oblivious", gateway_key: "ab".repeat(32), relay: "https://relay.example" };
  const http = await serve(t, canonical({ ...JSON.parse(TEXTS.lunch), ...members }));
  assert.equal((await faultOf(clientOf(t, http, newStore()).answer(ANSWERS))).name, "SurveyRefused");
});

test("a survey with blind invitations is refused, as there is nothing to blind with", async (t) => {
  const http = await serve(t, TEXTS.blindPulse);
  const client = clientOf(t, http, newStore(), JSON.parse(TEXTS.blindPulse).id);
  const fault = await faultOf(client.answer({}));
  assert.equal(fault.name, "SurveyRefused");
  assert.match(fault.message, /blind invitations/);
});

test("SHA-256 and HMAC are Node's, at every length around a block", () => {
  for (const length of [0, 1, 55, 56, 63, 64, 65, 119, 120, 128, 1000]) {
    const [message, key] = [randomBytes(length), randomBytes((length % 130) + 1)];
    assert.deepEqual(Buffer.from(sha256(message)), createHash("sha256").update(message).digest());
    assert.deepEqual(Buffer.from(hmacSha256(key, message)), createHmac("sha256", key).update(message).digest());
  }
});

test("texts are written and read as Node does, and base64 too", () => {
  const texts = ["", "a\u0000", "\u00fc\u20ac\u{1f600}", "\ud800x", "\udc00", "\uffff\u{10ffff}", "\ufeffbom"];
  for (const text of texts) assert.deepEqual(Buffer.from(encode(text)), Buffer.from(new TextEncoder().encode(text)));
  const options = { ignoreBOM: true };
  for (const bytes of [...texts.map(encode), ...Array.from({ length: 200 }, (_, n) => randomBytes(n % 7))]) {
    const read = (decoder) => {
      try {
        return decoder();
      } catch {
        return null;
      }
    };
    const expected = read(() => new TextDecoder("utf-8", { fatal: true, ...options }).decode(bytes));
    assert.equal(
      read(() => decode(bytes, true)),
      expected,
    );
    if (expected === null) assert.match(decode(bytes, false), /\ufffd/);
    const binary = String.fromCharCode(...bytes);
    assert.equal(nativeBtoa(binary), btoa(binary));
  }
});

test("an address is read as browsers read it, and what is none is refused", () => {
  for (const text of ["https://Collector.example", "http://127.0.0.1:8080/a/b/", "https://[::1]:1/x?y#z"]) {
    const [own, theirs] = [new NativeURL(text), new URL(text)];
    assert.deepEqual([own.protocol, own.username, own.href], [theirs.protocol, theirs.username, theirs.href]);
  }
  assert.equal(new NativeURL("https://user:word@host/").username, "user:word@");
  for (const text of ["", "ftp://x", "https://", "javascript:1", "https://a b/", "//x", "https://x\\y"]) {
    assert.throws(() => new NativeURL(text), TypeError);
  }
});
