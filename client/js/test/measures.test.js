/** Measures: a program that asks itself, if its user agrees, at most once a wave, and never in its way. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { KeptState } from "../kept/storage.js";
import { isSwitchedOff } from "../node/consent.js";
import { fit } from "../node/measures.js";
import { Folder, Measures } from "../programs/node.js";
import { TEXTS, faultOf, retitled } from "./devices.js";
import { serve } from "./server.js";

const run = promisify(execFile);
const BUNDLE = fileURLToPath(new URL("../programs/node.js", import.meta.url));
const SLOW_MS = 20_000; // reached only where something hangs
const SURVEY = Buffer.from(TEXTS.again); // four waves of one yes-no question
const TODAY = new Date().toISOString().slice(0, 10);
const daysAgo = (n) => new Date(Date.now() - n * 86_400_000).toISOString().slice(0, 10);
const FOUND = { q: async () => true };
const HOUR = { status: 503, headers: { "Retry-After": "3600" } };

for (const name of ["DO_NOT_TRACK", "SOTTOVOCE_OFF"]) delete process.env[name];

const newFolder = async () => join(await mkdtemp(join(tmpdir(), "sotto-measures-")), "wikid");

/** Measures of a program that is in its first wave, and sends without a delay. */
const measures = (http, folder, found = {}, options = {}, survey = SURVEY) =>
  new Measures(
    http.url,
    survey,
    { ...FOUND, ...found },
    {
      program: "wikid",
      starts: TODAY,
      days: 30,
      maxDelayMs: 0,
      folder,
      ...options,
    },
  );

const storesOf = async (folder) => JSON.parse((await new Folder(join(folder, "device")).read()).text);
const again = (of) => rm(join(of.folder, "progress.json"), { force: true });

test("before the user has agreed nothing is asked, made or written", async (t) => {
  const [http, folder] = [await serve(t, TEXTS.again), await newFolder()];
  const asked = [];
  const of = measures(http, folder, { q: () => asked.push("low") });
  await of.attempt(SLOW_MS);
  const text = await of.optInText();
  assert.deepEqual([await of.agreed(), asked, http.gets, http.posts, existsSync(folder)], [null, [], [], [], false]);
  assert.match(text, /at most once in 30 days, 4 times in all/);
  assert.match(text, /DO_NOT_TRACK to 1/);
  const early = measures(http, folder, {}, { starts: daysAgo(-2) });
  assert.ok((await early.show()).includes(`nobody has agreed yet. Wave 1 begins on ${daysAgo(-2)}.`));
  assert.doesNotMatch(await of.show(), /Wave 1 begins/);
});

test("it answers once a wave, and the next wave again", async (t) => {
  const [http, folder] = [await serve(t, TEXTS.again), await newFolder()];
  const of = measures(http, folder);
  await of.allow();
  for (let n = 0; n < 3; n += 1) {
    await of.attempt(SLOW_MS);
    await again(of); // even if it has forgotten how far it was
  }
  assert.deepEqual(
    http.sent.map(({ wave }) => wave),
    [1],
  );
  const later = measures(http, folder, {}, { starts: daysAgo(30) });
  await later.attempt(SLOW_MS);
  await later.attempt(SLOW_MS);
  await measures(http, folder, {}, { starts: daysAgo(120) }).attempt(SLOW_MS);
  assert.deepEqual(
    http.sent.map(({ wave }) => wave),
    [1, 2],
  );
  for (const name of await readdir(folder)) {
    const { mode } = await stat(join(folder, name));
    assert.equal(mode & 0o77, 0, name);
  }
});

test("the report waits for a random time of the wave", async (t) => {
  const [http, folder] = [await serve(t, TEXTS.again), await newFolder()];
  const of = measures(http, folder, {}, { days: 10, maxDelayMs: undefined });
  await of.allow();
  const before = Date.now();
  await of.attempt(SLOW_MS);
  const [{ delayUntil }] = (await storesOf(folder)).outbox;
  assert.ok(before < delayUntil && delayUntil <= Date.now() + 5 * 86_400_000);
  assert.equal(http.posts.length, 0);
});

test("a variable switches it off, also what waits", async (t) => {
  const [http, folder] = [await serve(t, TEXTS.again), await newFolder()];
  http.script = [HOUR];
  const of = measures(http, folder);
  await of.allow();
  await of.attempt(SLOW_MS);
  process.env.DO_NOT_TRACK = "1";
  t.after(() => delete process.env.DO_NOT_TRACK);
  const rested = measures(http, folder, {}, { starts: daysAgo(30) });
  await rested.attempt(SLOW_MS);
  assert.equal(http.posts.length, 1);
  assert.match(await rested.show(), /are off \(SOTTOVOCE_OFF or DO_NOT_TRACK is set\)/);
  assert.ok(!isSwitchedOff({ DO_NOT_TRACK: "false" }) && isSwitchedOff({ SOTTOVOCE_OFF: "yes" }));
});

test("switched off, it deletes what waits and the secret of its noise", async (t) => {
  const [http, folder] = [await serve(t, TEXTS.again), await newFolder()];
  http.script = [HOUR];
  const of = measures(http, folder);
  await of.allow();
  await of.attempt(SLOW_MS);
  assert.equal((await storesOf(folder)).secrets.length, 1);
  assert.equal(await of.command("off"), "wikid: measures are off.");
  const { outbox, secrets, ledger } = await storesOf(folder);
  assert.deepEqual([outbox, secrets, ledger.length], [[], [], 1]);
  await of.attempt(SLOW_MS);
  assert.equal(http.posts.length, 1);
});

test("off while the measures are taken stays off", async (t) => {
  const [http, folder] = [await serve(t, TEXTS.again), await newFolder()];
  const of = measures(http, folder, {
    q: () =>
      measures(http, folder)
        .off()
        .then(() => true),
  });
  await of.allow();
  await of.attempt(SLOW_MS);
  assert.equal(await of.agreed(), false);
  assert.deepEqual([(await storesOf(folder)).ledger, http.posts], [[], []]);
});

test("the consent is to one version of the survey", async (t) => {
  const [http, folder] = [await serve(t, TEXTS.again), await newFolder()];
  await measures(http, folder).allow();
  const of = measures(http, folder, {}, {}, Buffer.from(retitled(TEXTS.again, "Another")));
  assert.equal(await of.agreed(), null);
  await of.attempt(SLOW_MS);
  assert.equal(http.gets.length, 0);
});

test("drawn periods are said as such", async (t) => {
  const [http, folder] = [await serve(t, TEXTS.again), await newFolder()];
  const drawn = Buffer.from(JSON.stringify({ asked_in: 1, ...JSON.parse(TEXTS.again) }));
  const text = await measures(http, folder, {}, {}, drawn).optInText();
  assert.match(text, /on its own, in 1 of 4 periods of 30 days, drawn at random\./);
});

test("a device that makes no report says so", async (t) => {
  const [http, folder] = [await serve(t, TEXTS.again), await newFolder()];
  const of = measures(http, folder, {}, { maxEpsilon: 0.01 });
  await of.allow();
  await of.attempt(SLOW_MS);
  assert.deepEqual(http.posts, []);
  assert.match(await of.show(), /Wave 1: This device makes no report\. It is not asked, its budget is used up/);
  await again(of);
  await measures(http, folder).attempt(SLOW_MS);
  assert.doesNotMatch(await of.show(), /makes no report/);
  assert.match(await of.show(), /Wave 1: A report was made and sent\. Its receipt, which can erase it, is/);
});

test("showing draws nothing, and shows the report as it is sent", async (t) => {
  const [http, folder] = [await serve(t, TEXTS.again), await newFolder()];
  const of = measures(http, folder);
  const shown = await of.show();
  assert.match(shown, /now: true {2}\(stays on this device\)/);
  assert.match(shown, /No report was made\./);
  assert.equal(existsSync(folder), false);
  http.script = [HOUR];
  await of.allow();
  await of.attempt(SLOW_MS);
  const kept = JSON.stringify(await storesOf(folder));
  assert.equal(await of.show(), await of.show());
  assert.equal(JSON.stringify(await storesOf(folder)), kept);
  assert.ok((await of.show()).includes(http.posts[0].body.trimEnd()));
  assert.match(await of.show(), /Wave 1: A report was made, and waits\. Its receipt, which can erase it, is/);
  await of.off();
  assert.match(await of.show(), /Wave 1: A report was made\. It was deleted, as measures were switched off before/);
});

test("what fails is not told, and the next run sends", async (t) => {
  const [http, folder] = [await serve(t, TEXTS.again), await newFolder()];
  const fails = () => {
    throw new RangeError("kaleidoscope-9317");
  };
  const of = measures(http, folder, { q: fails });
  await of.allow();
  await of.attempt(SLOW_MS);
  assert.match(await of.show(), /cannot be found out \(RangeError\)/);
  const mended = measures(http, folder);
  await mended.attempt(SLOW_MS);
  assert.equal(http.posts.length, 0, "the pause after a failure");
  await again(mended);
  await mended.attempt(SLOW_MS);
  assert.equal(http.posts.length, 1);
});

for (const [what, reply, waitMs] of [
  ["says nothing", { stall: true }, 1500],
  ["is busy", HOUR, SLOW_MS],
]) {
  test(`a command line ends quietly while the collector ${what}, and its next run sends`, async (t) => {
    const [http, folder] = [await serve(t, TEXTS.again), await newFolder()];
    const options = { program: "wikid", starts: TODAY, days: 30, maxDelayMs: 0, folder };
    const program = `
import { Measures } from ${JSON.stringify(BUNDLE)};
const found = { q: () => false };
const survey = Buffer.from(${JSON.stringify(TEXTS.again)});
const of = new Measures(${JSON.stringify(http.url)}, survey, found, ${JSON.stringify(options)});
await of.allow();
of.start(${waitMs});
await of.attempt(${waitMs});
console.log("the end");`;
    http.script = [reply];
    const words = ["--input-type=module", "--eval", program];
    const { stdout, stderr } = await run(process.execPath, words, { timeout: SLOW_MS });
    assert.deepEqual([stdout, stderr], ["the end\n", ""]);
    http.script = [];
    const of = measures(http, folder);
    await again(of); // a slow machine may not have come to the report
    await new KeptState(new Folder(join(folder, "device"))).transact(async (transaction) => {
      for (const report of await transaction.all("outbox")) {
        await transaction.put("outbox", { ...report, notBefore: 0, isHeld: false });
      }
    });
    await of.attempt(SLOW_MS);
    await of.attempt(SLOW_MS);
    assert.equal(http.seen.size, 1);
    assert.equal(new Set(http.posts.map(({ body }) => body)).size, 1);
  });
}

test("values become answers", () => {
  const users = { type: "number", options: [], range: { low: 0, step: 10, scale: 1, span: 10 } };
  assert.deepEqual(
    [0, 14, 15.1, 99, 1e9, -3].map((value) => fit(users, value)),
    [0, 10, 20, 100, 100, 0],
  );
  const which = { type: "any-of", options: ["a", "b", "c"], range: null };
  assert.deepEqual(fit(which, new Set(["c", "d", "a", "b"]), 2), ["a", "b"]);
});

test("a wrong declaration is refused at once", async () => {
  const options = { program: "wikid", starts: TODAY, days: 30 };
  const at = "https://collector.example";
  for (const [make, said] of [
    [() => new Measures(at, SURVEY, FOUND, { ...options, program: "My Program" }), /program must be/],
    [() => new Measures(at, SURVEY, FOUND, { ...options, days: 0 }), /days must be an integer in \[1, 366\]/],
    [() => new Measures(at, SURVEY, FOUND, { program: "wikid" }), /starts and days must be given: the survey has 4/],
    [() => new Measures(at, SURVEY, FOUND, { ...options, starts: "soon" }), /starts must be a day/],
    [() => new Measures(at, SURVEY, FOUND, { ...options, maxEpsilo: 3 }), /no member 'maxEpsilo'/],
    [() => new Measures(at, Buffer.from("id = 1"), FOUND, options), /must be a published survey/],
    [() => new Measures(at, SURVEY, { low: () => 1 }, options), /must be those of the survey: q/],
    [() => new Measures(at, SURVEY, { q: 1 }, options), /must be a function/],
  ]) {
    assert.match((await faultOf(Promise.resolve().then(make))).message, said);
  }
});
