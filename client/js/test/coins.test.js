/** Exact coins: whole distributions, byte by byte. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { BinaryResponse, BitFlips } from "../src/bits.js";
import { COIN_SCALE, Coins, drawUpTo, givenBytes, hmacBytes, importSecret, osBytes } from "../src/coins.js";
import { distribution } from "./audit.js";

const THREE_QUARTERS = 0xc0000000;
const QUARTER = 0x40000000;
const GROUP = new Uint8Array(0);

for (const threshold of [1, 255, 256, 0xffff, 0x1000000, QUARTER, 0x80000000, 0x12345678, 4266221720, 0xffffffff]) {
  test(`a coin of threshold ${threshold} is heads for exactly so many of 2^32 strings of bytes`, async () => {
    const counts = await distribution((take) => new Coins(take).flip(threshold, 1), 4);
    assert.deepEqual(counts, { '{"0":0}': COIN_SCALE - threshold, '{"0":1}': threshold });
  });
}

test("every first byte of a coin decides as is published, and only a tie asks for more", async () => {
  const threshold = 0x12345678;
  for (let first = 0; first < 256; first += 1) {
    const source = givenBytes(Uint8Array.of(first, 0xff));
    const [isHeads] = await new Coins(source).flip(threshold, 1);
    assert.equal(isHeads, first < 0x12 ? 1 : 0, String(first));
    const isLeft = await source(1).then(
      () => true,
      () => false,
    );
    assert.equal(isLeft, first !== 0x12, String(first));
  }
});

/**
 * Return how many of 256 first bytes of one of two coins give every outcome, whatever the other coin's byte is.
 * @param {(take: import("../src/coins.js").Take) => Promise<unknown>} run @param {number} coin 0 or 1
 */
async function countOf(run, coin) {
  const found = new Set();
  for (const other of [0, 127, 255]) {
    const ofCoin = (/** @type {number} */ byte) =>
      givenBytes(Uint8Array.from(coin === 0 ? [byte, other] : [other, byte]));
    const outcomes = Array.from({ length: 256 }, (_, byte) => run(ofCoin(byte)));
    found.add((await Promise.all(outcomes)).filter((outcome) => outcome === true).length);
  }
  assert.equal(found.size, 1, "the other coin has no part in it");
  return [...found][0];
}

for (const [name, ifTrue, ifOther] of /** @type {[string, number, number][]} */ ([
  ["warner", THREE_QUARTERS, QUARTER],
  ["forced-response", THREE_QUARTERS, 0x10000000],
])) {
  test(`all first bytes together give ${name}'s yes-no answers their published probabilities`, async () => {
    const mechanism = new BinaryResponse(name, 1, { threshold_if_true: ifTrue, threshold_if_other: ifOther });
    const reported = (answer) => async (take) => {
      const coins = new Coins(take);
      return mechanism.toWire(await mechanism.report(await mechanism.respond(answer, GROUP, coins), coins));
    };
    assert.equal(await countOf(reported(0), 0), ifOther / 2 ** 24);
    assert.equal(await countOf(reported(1), 1), ifTrue / 2 ** 24);
  });
}

test("an instantaneous stage gives every permanent bit its published probability", async () => {
  const published = { threshold_if_true: 0xe0000000, threshold_if_other: 0x20000000 };
  const stages = { ...published, report_if_one: THREE_QUARTERS, report_if_zero: 0x08000000 };
  const mechanism = new BitFlips("basic-rappor", 1, { ...stages, max_selected: 1 });
  const reported = (bit) => async (take) => (await mechanism.report(Uint8Array.of(bit), new Coins(take)))[0] === 1;
  assert.equal(await countOf(reported(0), 0), 0x08);
  assert.equal(await countOf(reported(1), 1), 0xc0);
});

for (const nValues of [3, 255]) {
  test(`of ${nValues} values each is drawn by equally many strings of bytes`, async () => {
    const { more = 0, ...counts } = await distribution(
      async (take) => (await new Coins(take).uniform(nValues, 1))[0],
      2,
    );
    assert.equal(more, 65_536 % nValues, "what is drawn again");
    assert.deepEqual(new Set(Object.values(counts)), new Set([(65_536 - more) / nValues]));
    assert.equal(Object.keys(counts).length, nValues);
  });
}

test("more than 256 values are drawn from four bytes, and none is missed", async () => {
  const four = (/** @type {number} */ value) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255);
  const draw = async (/** @type {number} */ word) =>
    (await new Coins(givenBytes(Uint8Array.from([...four(word), ...four(0x80000001)]))).uniform(300, 1))[0];
  for (let value = 0; value < 300; value += 1) {
    const first = Math.ceil((value * COIN_SCALE) / 300); // the first word that stands for it
    assert.equal(await draw(first + 1), value);
  }
  assert.equal(await draw(0), 150, "the first word of the first value is one too many: it is drawn again");
  assert.equal(await draw(0xffffffff), 299);
});

test("a source that gives too few bytes is noticed", async () => {
  await assert.rejects(new Coins(async () => new Uint8Array(1)).flip(1, 2), /gave 1 bytes where 2 were asked for/);
  await assert.rejects(givenBytes(new Uint8Array(3))(4), /given bytes \(3\) must be at least 4/);
});

test("the systems bytes are as many as asked, and never the same", async () => {
  for (const nBytes of [0, 1, 127, 128, 65_536]) {
    const [first, second] = [await osBytes(nBytes), await osBytes(nBytes)];
    assert.deepEqual([first.length, second.length], [nBytes, nBytes]);
    if (nBytes > 30) assert.notDeepEqual(first, second);
  }
});

test("a secret's bytes are the same however they are asked for, and others under another context or secret", async () => {
  const [key, other] = [await importSecret(await osBytes(32)), await importSecret(await osBytes(32))];
  const context = Uint8Array.of(1, 2, 3);
  const whole = await hmacBytes(key, context)(100);
  const source = hmacBytes(key, context);
  const parts = [];
  for (const nBytes of [0, 1, 31, 1, 33, 34]) parts.push(...(await source(nBytes)));
  assert.deepEqual(Uint8Array.from(parts), whole);
  assert.notDeepEqual(await hmacBytes(other, context)(100), whole);
  assert.notDeepEqual(await hmacBytes(key, Uint8Array.of(1, 2))(100), whole);
});

test("a random time lies below the most that was asked for", () => {
  for (const most of [0, 1e-9, 1, 604_800_000]) {
    for (let draw = 0; draw < 100; draw += 1) {
      const drawn = drawUpTo(most);
      assert.ok(drawn >= 0 && (drawn < most || most === 0));
    }
  }
});
