/** The bundle is the client: the same names, the same reports, and errors that still say what they are. */

import assert from "node:assert/strict";
import { test } from "node:test";
import * as client from "../sottovoce.js";
import * as bundle from "../sottovoce.min.js";
import { ANSWERS, INVITATION, LUNCH, TEXTS, faultOf } from "./devices.js";
import { AWAY, serve } from "./server.js";

test("the bundle exports what the modules export", () => {
  assert.deepEqual(Object.keys(bundle).sort(), Object.keys(client).sort());
});

for (const [name, { SottoError, SurveyClient }] of Object.entries({ client, bundle })) {
  test(`the ${name}'s reports are posted as they were shown`, async (t) => {
    const http = await serve(t, TEXTS.lunch);
    const device = new SurveyClient(http.url, "lunch", { state: ":memory:", fingerprint: LUNCH.fingerprint });
    t.after(() => device.close());
    const draft = await device.prepare(ANSWERS);
    await draft.send();
    assert.ok(await device.flush(20_000));
    assert.equal(http.posts[0].body, draft.body);
  });

  test(`the ${name}'s errors say by name what they are`, async (t) => {
    const http = await serve(t, TEXTS.lunch);
    http.script = [AWAY];
    const open = (options = {}) => {
      const device = new SurveyClient(http.url, "lunch", { state: ":memory:", ...options });
      t.after(() => device.close());
      return device;
    };
    const [device, closed] = [open(), open()];
    await device.answer(ANSWERS);
    closed.close();
    /** @type {[string, Promise<unknown>][]} */
    const calls = [
      ["AlreadyAnswered", device.prepare(ANSWERS)],
      ["AnswerError", device.answer({})],
      ["BudgetExceeded", open({ maxPeriodEpsilon: 1 }).answer(ANSWERS)],
      ["InvitationError", open({ invitation: INVITATION }).answer(ANSWERS)],
      ["StateError", closed.answer(ANSWERS)],
      ["SurveyRefused", open({ maxEpsilon: 1 }).answer(ANSWERS)],
      ["SurveyUnavailable", new SurveyClient("http://127.0.0.1:1", "lunch", { state: ":memory:" }).answer(ANSWERS)],
    ];
    for (const [expected, fault] of await Promise.all(calls.map(async ([kind, call]) => [kind, await faultOf(call)]))) {
      assert.equal(fault.name, expected);
      assert.ok(fault instanceof SottoError && String(fault).startsWith(`${expected}: `), String(fault));
    }
  });
}
