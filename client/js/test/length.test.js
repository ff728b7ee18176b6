/** The length of a POST: the same for every report of a survey, so that who sees it learns nothing of what is in it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { blanksAfter, batchBody, wireReport } from "../src/report.js";
import { ANSWERS, INVITATION, TEXTS, WORDS, newState, open, surveyOf } from "./devices.js";
import { serve } from "./server.js";

const ID = new Uint8Array(16);

for (const [name, text] of Object.entries(TEXTS)) {
  test(`every report of ${name} is posted at one length, with what a mechanism can say at its ends`, async () => {
    const survey = await surveyOf(text);
    const columns = survey.questions.map(({ mechanism }) => mechanism.longest);
    const ends = columns.map((column) => [column, column.map(() => 0), column.with(column.length - 1, 1)]);
    const lengths = new Set();
    for (const [index, variants] of ends.entries()) {
      for (const variant of variants) {
        for (const wave of [1, survey.waves]) {
          const drawn = columns.map((_, at) => (at - index + columns.length) % columns.length < survey.nDrawn);
          const said = columns.with(index, variant).map((column, at) => (drawn[at] ? column : null));
          const sent = wireReport(survey, ID, said, wave);
          assert.ok(blanksAfter(survey, sent) >= 0);
          lengths.add(batchBody(survey.fingerprint, sent, blanksAfter(survey, sent), INVITATION).length);
        }
      }
    }
    assert.equal(lengths.size, 1);
  });
}

for (const [name, answers, options] of [
  ["lunch", ANSWERS, {}],
  ["pulse", WORDS, {}],
  ["invited", ANSWERS, { invitation: INVITATION }],
]) {
  test(`what 40 devices post of ${name} is equally long, and what the draft showed`, async (t) => {
    const http = await serve(t, TEXTS[name]);
    const shown = [];
    for (let device = 0; device < 40; device += 1) {
      const client = open(t, http, name === "invited" ? "lunch" : name, { state: newState(), ...options });
      const draft = await client.prepare(answers);
      shown.push(draft.body);
      await draft.send();
      assert.ok(await client.flush(20_000));
    }
    const posted = http.posts.map((post) => post.body);
    assert.deepEqual(posted, shown);
    assert.equal(new Set(posted.map((body) => body.length)).size, 1);
    assert.ok(new Set(posted.map((body) => body.trimEnd().length)).size > 1); // as they would be without blanks
  });
}
