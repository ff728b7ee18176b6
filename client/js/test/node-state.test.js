/** A state in a folder: it outlives the program, and holds whatever stops it. Through the bundle that programs load. */

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readdirSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, readdir, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { KeptState } from "../kept/storage.js";
import { AlreadyAnswered, Folder, StateError, SurveyClient } from "../programs/node.js";
import { importSecret } from "../src/coins.js";
import { canonical } from "../src/documents.js";
import { draftCoins, reportAnswers } from "../src/permanent.js";
import { wireReport } from "../src/report.js";
import { ANSWERS, CANARY, CHOSEN, PULSE, TEXTS, WORDS, faultOf, retitled } from "./devices.js";
import { serveRelay } from "./gateway.js";
import { serve } from "./server.js";

const run = promisify(execFile);
const BUNDLE = fileURLToPath(new URL("../programs/node.js", import.meta.url));
const STORAGE = fileURLToPath(new URL("../kept/storage.js", import.meta.url));

/** A path of no folder yet. */
const newPath = async () => join(await mkdtemp(join(tmpdir(), "sotto-node-")), "state");

const clientOf = (t, http, state, surveyId = "lunch", options = {}) => {
  const client = new SurveyClient(http.url, surveyId, { state, ...options });
  t.after(() => client.close());
  return client;
};

/** What is in the newest file. */
async function contentOf(path) {
  const { text } = await new Folder(path).read();
  return JSON.parse(text);
}

/** The bytes of all files, one behind the other. */
async function rawOf(path) {
  const names = await readdir(path);
  return Buffer.concat(await Promise.all(names.map((name) => readFile(join(path, name))))).toString("latin1");
}

/** A program with a client of its own, in its own process. */
const programOf = (url, state, what, surveyId = "lunch", options = {}) => `
import { SurveyClient } from ${JSON.stringify(BUNDLE)};
const client = new SurveyClient(...${JSON.stringify([url, surveyId, { state, ...options }])});
${what}`;

/** Prints the receipt; the one of the first report if that is delivered, so that nobody can tell what it was made of. */
const answering = (answers) =>
  `console.log((await client.answer(${JSON.stringify(answers)}).catch(({ receipt }) => receipt)).id);`;
const ANSWER = answering(ANSWERS);
const words = (program) => ["--input-type=module", "--eval", program];

test("a report is on the disk before it is sent, in a file that only its owner can read", async (t) => {
  const [http, path] = [await serve(t, TEXTS.lunch), await newPath()];
  const waiting = [];
  http.server.prependListener("request", ({ method }) => {
    if (method !== "POST") return; // the survey may be asked for before the folder is there
    const names = readdirSync(path).sort((left, right) => parseInt(right, 10) - parseInt(left, 10));
    waiting.push(...JSON.parse(readFileSync(join(path, names[0]), "utf8")).outbox);
  });
  const client = clientOf(t, http, path);
  const { id } = await client.answer(ANSWERS);
  assert.equal(await client.flush(), true);
  assert.deepEqual(
    waiting.map(({ receipt }) => receipt),
    [id],
  );
  assert.equal(await client.isDurable(), true);
  for (const name of await readdir(path)) assert.equal((await stat(join(path, name))).mode & 0o777, 0o600, name);
  assert.equal((await stat(path)).mode & 0o777, 0o700);
});

test("the next program returns the first receipt for the same answers, and refuses others; nothing is charged", async (t) => {
  const [http, path] = [await serve(t, TEXTS.wide), await newPath()];
  http.script = Array.from({ length: 9 }, () => ({ status: 503 }));
  const options = { maxEpsilon: 50, maxPeriodEpsilon: 50 };
  const first = clientOf(t, http, path, "wide", options);
  const { id } = await first.answer(CHOSEN);
  first.close();
  const program = `${answering(CHOSEN)} client.close();`;
  const { stdout } = await run(process.execPath, words(programOf(http.url, path, program, "wide", options)));
  assert.equal(stdout.trim(), id);
  const next = clientOf(t, http, path, "wide", options);
  await assert.rejects(next.answer({ which: ["option-017"] }), AlreadyAnswered); // of lunch other answers may look alike
  assert.deepEqual(await next.pending(), [id]);
  assert.equal((await contentOf(path)).ledger.length, 1);
});

test("a draft has the same noise in the next program", async (t) => {
  const [http, path] = [await serve(t, TEXTS.pulse), await newPath()];
  const bodies = [];
  for (let n = 0; n < 3; n += 1) {
    const client = clientOf(t, http, path, "pulse");
    bodies.push((await client.prepare(WORDS)).body);
    client.close();
  }
  assert.equal(new Set(bodies).size, 1);
});

test("a draft is what a browser draws from the same secrets", async (t) => {
  const [http, path] = [await serve(t, TEXTS.pulse), await newPath()];
  const { sent } = await clientOf(t, http, path, "pulse").prepare(WORDS);
  const [{ key, drafts }] = (await contentOf(path)).secrets;
  const [secret, seed] = await Promise.all(
    [key, drafts[1].seed].map(({ $bytes }) => importSecret(Buffer.from($bytes, "base64"))),
  );
  const columns = await reportAnswers(PULSE, PULSE.encode(WORDS), secret, draftCoins(PULSE, seed));
  assert.deepEqual(sent, wireReport(PULSE, Buffer.from(drafts[1].id.$bytes, "base64"), columns, 1));
});

test("no answer is on the disk, and after the last delivery no secret of the noise", async (t) => {
  const [http, path] = [await serve(t, TEXTS.pulse), await newPath()];
  const client = clientOf(t, http, path, "pulse");
  await client.prepare({ ...WORDS, word: CANARY });
  const { secrets } = await contentOf(path);
  const keys = [secrets[0].key.$bytes, secrets[0].drafts[1].seed.$bytes];
  assert.ok(keys.every((key) => Buffer.from(key, "base64").length === 32));
  for (const wave of [1, 2, 3]) await client.answer({ ...WORDS, word: CANARY }, wave);
  assert.ok((await rawOf(path)).includes(keys[0]));
  assert.equal(await client.flush(), true);
  const raw = await rawOf(path);
  for (const hidden of [CANARY, WORDS.word, ...keys]) assert.ok(!raw.includes(hidden), hidden);
});

test("programs that answer at once make one report, and all have its receipt", async (t) => {
  const [http, path] = [await serve(t, TEXTS.lunch), await newPath()];
  const program = words(programOf(http.url, path, `${ANSWER} await client.flush(); client.close();`));
  const done = await Promise.all(Array.from({ length: 4 }, () => run(process.execPath, program)));
  const ids = new Set(done.map(({ stdout }) => stdout.trim()));
  assert.equal(ids.size, 1);
  assert.deepEqual(http.seen, ids);
  assert.equal((await contentOf(path)).ledger.length, 1);
});

test("clients of one program share a state too", async (t) => {
  const [http, path] = [await serve(t, TEXTS.lunch), await newPath()];
  const answers = [1, 2, 3].map(() =>
    clientOf(t, http, path)
      .answer(ANSWERS)
      .catch(({ receipt }) => receipt),
  );
  assert.equal(new Set((await Promise.all(answers)).map(({ id }) => id)).size, 1);
});

test("the budget of a survey is kept over versions and programs", async (t) => {
  const [http, path] = [await serve(t, TEXTS.lunch), await newPath()];
  for (const title of ["A", "B"]) {
    http.surveyReply = { body: retitled(TEXTS.lunch, title) };
    const client = clientOf(t, http, path);
    await client.answer(ANSWERS);
    client.close();
  }
  http.surveyReply = { body: retitled(TEXTS.lunch, "C") };
  const fault = await faultOf(clientOf(t, http, path).answer(ANSWERS));
  assert.equal(fault.limit, "maxEpsilon");
});

test("what a killed program acknowledged is kept, and what it left behind goes", async () => {
  const path = await newPath();
  const counts = `
import { KeptState } from ${JSON.stringify(STORAGE)};
import { Folder } from ${JSON.stringify(BUNDLE)};
const state = new KeptState(new Folder(${JSON.stringify(path)}));
for (let n = 1; ; n += 1) {
  await state.transact((transaction) => transaction.put("draws", { fingerprint: "f", n }));
  process.stdout.write(n + " ");
}`;
  const program = spawn(process.execPath, words(counts));
  let said = "";
  for await (const part of program.stdout) {
    said += part;
    if (said.split(" ").length > 20) program.kill("SIGKILL");
  }
  if (program.signalCode === null) await once(program, "exit");
  const last = Number(said.trim().split(" ").pop());
  await writeFile(join(path, "new-0123456789abcdef"), "of a killed program");
  const left = (await readdir(path)).filter((name) => name.startsWith("new-")); // it may have left one, too
  for (const name of left) await utimes(join(path, name), 1, 1);
  const { draws } = await contentOf(path);
  assert.ok(draws[0].n === last || draws[0].n === last + 1, `${draws[0].n} after ${last}`);
  const sizes = await Promise.all((await readdir(path)).map(async (name) => (await stat(join(path, name))).size));
  assert.equal(sizes.filter((size) => size > 0).length, 1);
});

test("a writer that slept while others wrote changes nothing", async () => {
  const [path, text] = [await newPath(), (n) => JSON.stringify({ n })];
  const [slow, fast] = [new Folder(path), new Folder(path)];
  const { version } = await slow.read();
  for (let n = 1; n <= 6; n += 1) {
    assert.equal(await fast.write(text(n), (await fast.read()).version), true);
    assert.equal(await slow.write(text(-n), version), false); // its number is taken, emptied, or free again
    assert.equal((await fast.read()).text, text(n));
  }
});

test("transactions of several states at once all count", async () => {
  const path = await newPath();
  const states = [1, 2, 3].map(() => new KeptState(new Folder(path)));
  const add = (transaction) =>
    transaction.get("draws", "f").then((old) => transaction.put("draws", { fingerprint: "f", n: (old?.n ?? 0) + 1 }));
  await Promise.all(states.flatMap((state) => [1, 2, 3, 4].map(() => state.transact(add))));
  assert.equal((await contentOf(path)).draws[0].n, 12);
});

for (const [what, change, said] of [
  ["is cut off", (text) => text.slice(0, 100), /damaged/],
  ["is of another program", () => "[1]", /damaged/],
  ["has a record that is none", (text) => text.replace('"ledger":[', '"ledger":[7,'), /damaged/],
  ["is of a newer version", (text) => text.replace(/"sottovoce":\d+/, '"sottovoce":99'), /newer/],
]) {
  test(`a state that ${what} is refused, and left as it is`, async (t) => {
    const [http, path] = [await serve(t, TEXTS.lunch), await newPath()];
    const first = clientOf(t, http, path);
    await first.answer(ANSWERS);
    await first.flush();
    first.close();
    const [file] = (await readdir(path)).sort((a, b) => parseInt(b, 10) - parseInt(a, 10));
    const damaged = change(await readFile(join(path, file), "utf8"));
    await writeFile(join(path, file), damaged);
    const fault = await faultOf(clientOf(t, http, path).answer(ANSWERS));
    assert.ok(fault instanceof StateError);
    assert.match(fault.message, said);
    assert.equal(await readFile(join(path, file), "utf8"), damaged);
    assert.equal(http.seen.size, 1);
  });
}

test("a folder of another program is refused, and one that others could read is closed to them", async (t) => {
  const [http, path] = [await serve(t, TEXTS.lunch), await newPath()];
  await mkdir(path);
  await writeFile(join(path, "notes.txt"), "mine");
  assert.match((await faultOf(clientOf(t, http, path).answer(ANSWERS))).message, /another program/);
  const absent = join(path, "no", "such");
  assert.match((await faultOf(clientOf(t, http, absent).answer(ANSWERS))).message, /there is no folder/);
  const own = await newPath();
  await new Folder(own).write("{}", (await new Folder(own).read()).version);
  await chmod(join(own, "1.json"), 0o644);
  await new Folder(own).read();
  assert.equal((await stat(join(own, "1.json"))).mode & 0o777, 0o600);
});

test("on a full disk nothing is charged or sent; with room again, the same client answers", async (t) => {
  const [http, path] = [await serve(t, TEXTS.lunch), await newPath()];
  const what = `const fault = await client.answer(${JSON.stringify(ANSWERS)}).catch((fault) => fault);
console.log(fault.name, fault.message); client.close();`;
  const limited = `trap '' XFSZ; ulimit -f 1; exec "$0" "$@"`; // blocks of 512 or 1,024 bytes
  const { stdout } = await run("sh", ["-c", limited, process.execPath, ...words(programOf(http.url, path, what))]);
  assert.match(stdout, /^StateError state .* cannot be used \(EFBIG\)\./);
  assert.equal(http.posts.length, 0);
  assert.deepEqual(
    (await readdir(path)).filter((name) => name.startsWith("new-")),
    [],
  );
  await clientOf(t, http, path).answer(ANSWERS);
  await http.posted(1);
});

test("a program ends as soon as it has nothing else to do, whatever waits", async (t) => {
  const [http, path] = [await serve(t, TEXTS.lunch), await newPath()];
  http.script = Array.from({ length: 9 }, () => ({ status: 503, headers: { "Retry-After": "3600" } }));
  await run(process.execPath, words(programOf(http.url, path, ANSWER)), { timeout: 20_000 });
  assert.equal((await contentOf(path)).outbox.length, 1);
});

test("an oblivious survey goes through its relay, with what encrypts from beside the bundle", async (t) => {
  const [relay, path] = [await serveRelay(t), await newPath()];
  const members = { delivery: "oblivious", relay: relay.url, gateway_key: relay.signer.gatewayKey };
  const http = await serve(t, canonical({ ...JSON.parse(TEXTS.lunch), ...members }));
  const client = clientOf(t, http, path);
  const { id } = await client.answer(ANSWERS);
  assert.equal(await client.flush(), true);
  assert.ok(relay.asked.some(({ body }) => body.includes(id)));
  assert.equal(http.posts.length, 0);
  assert.equal((await contentOf(path)).gateways.length, 1);
});

test("a storage of the program's own holds a state, and its faults are StateErrors without the text", async (t) => {
  const http = await serve(t, TEXTS.lunch);
  let [kept, version, fails] = [null, 0, false];
  const storage = {
    name: "mine",
    async read() {
      if (fails) throw new Error(`cannot read ${kept}`);
      return { text: kept, version };
    },
    async write(text, before) {
      if (before !== version) return false;
      [kept, version] = [text, version + 1];
      return true;
    },
  };
  const { id } = await clientOf(t, http, storage).answer(ANSWERS);
  const next = clientOf(t, http, storage);
  await next.flush();
  assert.deepEqual(
    (await next.answered()).map((receipt) => receipt.id),
    [id],
  );
  fails = true;
  const fault = await faultOf(next.pending());
  assert.equal(fault.message, "state mine cannot be used (Error).");
});
