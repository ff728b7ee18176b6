/** Whether a survey takes reports: its collector says so; where that says nothing, its last day and the device's clock. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { TEXTS, newState, open } from "./devices.js";
import { serve } from "./server.js";

const LATER = TEXTS.spoken; // its last day is 2100-12-31
const OVER = LATER.replace("2100-12-31", "2000-12-31");
const ID = JSON.parse(LATER).id;

for (const [said, text, isOpen] of /** @type {[string | null, string, boolean][]} */ ([
  ["open", OVER, true],
  ["closed", LATER, false],
  [null, OVER, false],
  [null, LATER, true],
  ["ajar", OVER, false],
  ["toString", OVER, false],
])) {
  test(`a collector that says ${said} of a survey of ${text === OVER ? "yesterday" : "tomorrow"}`, async (t) => {
    const [http, state] = [await serve(t, text), newState()];
    http.surveyReply = { body: text, headers: said === null ? {} : { "Sottovoce-State": said } };
    assert.equal(await open(t, http, ID, { state }).isOpen(), isOpen);
    http.surveyReply = { status: 503 };
    assert.equal(await open(t, http, ID, { state }).isOpen(), text === LATER, "offline the clock decides");
  });
}
