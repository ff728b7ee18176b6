/** The app on the engine Hermes, which is killed and started again; HERMES_APP is its bundle. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { SurveyClient as NodeClient } from "../../programs/node.js";
import { SurveyClient } from "../../programs/react-native.js";
import { ANSWERS, CANARY, INVITATION, TEXTS, WORDS, faultOf } from "../devices.js";
import { problem, serve } from "../server.js";
import { Phone, fillerOf } from "./phone.js";

const BUNDLE = /** @type {string} */ (process.env.HERMES_APP);

/** An app that ends with its test. */
function launch(t, options = {}) {
  const phone = new Phone(BUNDLE, { seed: t.name, ...options });
  t.after(() => phone.kill());
  return phone;
}

/** The body of the first report of an answer to everything; it is run on both engines. */
const report = (client) =>
  client
    .questions()
    .then((questions) => {
      const answers = {};
      questions.forEach(({ id, type, options }) => {
        const choice = { "yes-no": true, "one-of": options[1], "any-of": options.slice(0, 2) }[type];
        answers[id] = choice === undefined ? "\u00fcber \u{1f600} e\u0301" : choice;
      });
      return client.prepare(answers);
    })
    .then(({ body }) => body);
const reportOfApp = (app, program, ...given) => (0, eval)(program)(app.open(...given));
const nameAndMessage = ({ name, message }) => ({ name, message });

for (const [who, flags] of Object.entries({ "the app": [], "the engine": ["-Xmicrotask-queue"] })) {
  test(`every survey's report is Node's, by the same entropy and by the same state; ${who} runs promises`, async (t) => {
    for (const [key, text] of Object.entries(TEXTS)) {
      const http = await serve(t, text);
      const { id, invited, invitations } = JSON.parse(text);
      const isInvited = invited && invitations !== "blind";
      const options = { maxEpsilon: 99, ...(isInvited && { invitation: INVITATION }) };
      const phone = new Phone(BUNDLE, { seed: key, flags });
      const client = new SurveyClient(http.url, id, { ...options, state: newStore(), getRandomValues: fillerOf(key) });
      const expected = await report(client).catch(nameAndMessage);
      const got = await phone.run(reportOfApp, `(${report})`, http.url, id, options).catch(nameAndMessage);
      await phone.kill();
      client.close();
      assert.deepEqual(got, expected, key);
      if (typeof got !== "string") {
        assert.match(`${got.name} ${key}`, /^SurveyRefused blind|^NotAsked (monthly|twice)$/);
        continue;
      }
      const [, version, kept] = /^(\d+) ([^]*)$/.exec(phone.store.get("sottovoce"));
      const storage = {
        name: key,
        read: async () => ({ text: kept, version: Number(version) }),
        write: async () => true,
      };
      const onNode = new NodeClient(http.url, id, { ...options, state: storage });
      assert.equal(await report(onNode), got, key);
      onNode.close();
    }
  });
}

const newStore = (texts = new Map()) => ({
  getItem: async (key) => texts.get(key) ?? null,
  setItem: async (key, text) => texts.set(key, text),
});
const answer = (app, ...given) => {
  const [url, id, answers] = given;
  return app.open(url, id).answer(answers);
};

test("an app that is killed before its report arrives sends the same one later, and no answer is in its store", async (t) => {
  const http = await serve(t, TEXTS.pulse);
  http.script = [{ stall: true }];
  const first = launch(t);
  const answers = { ...WORDS, word: CANARY };
  const { id } = await first.run(answer, http.url, "pulse", answers);
  await http.posted(1);
  await first.kill();
  assert.equal(http.seen.size, 0);
  const again = launch(t, { store: first.store, seed: "after the restart" });
  const open = (app, url) => app.open(url, "pulse").flush(20000);
  assert.equal(await again.run(open, http.url), true);
  assert.deepEqual(await again.run((app) => app.delivered), [id]);
  assert.deepEqual([...http.seen], [id]);
  assert.equal(http.posts[0].body, http.posts[1].body);
  assert.equal((await again.run((app, answers) => app.client.answer(answers), answers)).id, id);
  const other = await faultOf(again.run((app, answers) => app.client.answer(answers), WORDS));
  assert.equal(other.name, "AlreadyAnswered");
  for (const text of first.store.values()) for (const hidden of [CANARY, WORDS.word]) assert.ok(!text.includes(hidden));
});

test("a survey that is closed, one that does not answer, and a damaged store are told by name", async (t) => {
  const [closed, silent] = [await serve(t, TEXTS.lunch), await serve(t, TEXTS.lunch)];
  closed.script = [problem(409, "survey_closed")];
  silent.surveyReply = { stall: true };
  const phone = launch(t);
  await phone.run(answer, closed.url, "lunch", ANSWERS);
  await phone.run((app) => app.client.flush(20000));
  const [rejected] = await phone.run((app) => app.client.rejected());
  assert.equal(rejected.problem.code, "survey_closed");
  const ask = (app, url) => app.open(url, "lunch", { timeoutMs: 100 }).questions();
  assert.match((await faultOf(phone.run(ask, silent.url))).message, /no answer from the collector \(AbortError\)/);
  const damaged = launch(t, { store: new Map([["sottovoce", "nothing of ours"]]) });
  const fault = await faultOf(damaged.run(answer, closed.url, "lunch", ANSWERS));
  assert.match(fault.message, /state sottovoce cannot be used \(it is damaged\)/);
});

if (process.env.HERMES_COLLECTOR) {
  test("the program of the docs reports to a collector, is killed before it hears so, and reports the same again", async (t) => {
    const hosts = { "https://collector.example": process.env.HERMES_COLLECTOR };
    const first = launch(t, { hosts });
    let arrived;
    const posted = new Promise((resolve) => (arrived = resolve));
    first.answered = (method) => method === "GET" || void arrived();
    const { id } = await first.run((app, answers) => app.recipe().client.answer(answers), ANSWERS);
    await posted;
    await first.kill();
    const again = launch(t, { hosts, store: first.store, seed: "after the restart" });
    assert.equal(await again.run((app) => app.recipe().client.flush(20000)), true);
    const other = await faultOf(again.run((app, answers) => app.recipe().client.answer(answers), ANSWERS));
    assert.equal(other.name, "AlreadyAnswered");
    assert.ok(other.message.includes(id));
  });
}
